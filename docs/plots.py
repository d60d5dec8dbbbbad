"""Figures in pages: gnuplot's SVG in the colours of the theme, and the table of all figures."""
import functools
import html
import pathlib
import re
import subprocess
import tempfile

from mkdocs.exceptions import PluginError

FOLDER = pathlib.Path(__file__).resolve().parent / "figures"

LOOK = FOLDER.parent / "assets" / "look.css"
# The colours in gnuplot's output, and their names in look.css, which has a light and a dark value of each.
COLORS = {tuple(bytes.fromhex(light)): name for name, light in re.findall(r"--plot-(\w+): light-dark\(#([0-9a-f]{6}),", LOOK.read_text())} | {(0, 0, 0): "ink"}
NUMBER = re.compile(r"\{\{ number ([\w-]+) (.+?) \}\}")
NUMBERS = re.compile(r"-?\d+(\.\d+)?((, | and | )\d+(\.\d+)?)*")  # one, or a list of names
EMPTY = re.compile(r"<g\b[^<>]*>\s*</g>")


def findings():
    """name: (question, finding, what it rests on, command), from figures/findings.txt."""
    rows = [line.split(" | ") for line in (FOLDER / "findings.txt").read_text().splitlines() if line and not line.startswith("#")]
    for name, *rest in rows:
        if len(rest) != 4 or not re.fullmatch(r"[^.].{30,}\.", rest[1]) or len(rest[1]) > 600:
            raise PluginError(f"docs/figures/findings.txt: {name}: wanted question | finding (a whole sentence: what a screen reader says) | ground | command")
    return {name: tuple(rest) for name, *rest in rows}


@functools.lru_cache(maxsize=None)
def number(name, expression):
    """What an expression of awk comes to over the numbers of a figure, with what its claims know of them (figures/claims.awk)."""
    claims, data = FOLDER / f"{name}.claims", FOLDER.parent.parent / "build" / "plots" / f"{name}.csv"
    if not claims.is_file():
        raise PluginError(f"a number of {name}, which has no {claims.name} to read its table")
    with tempfile.NamedTemporaryFile("w", suffix=".awk") as question:
        question.write(f"END {{ print {expression} }}\n")
        question.flush()
        done = subprocess.run(["awk", "-f", FOLDER / "claims.awk", "-f", question.name, "-f", claims, data], capture_output=True, text=True)
    answer = done.stdout.split("\n")[0]
    if not NUMBERS.fullmatch(answer) or "(" in expression and re.fullmatch("-?[0.]+", answer):  # a bare name may be that of head 0
        raise PluginError(f"{expression} of {name} is no number, or 0 (a name that it does not have?): {answer} {done.stderr}")
    return answer


def with_numbers(text):
    return NUMBER.sub(lambda match: number(*match.groups()), text)


def themed(match):
    color = tuple(int(x) for x in re.findall(r"\d+", match.group(0)))
    return f"var(--plot-{COLORS[color]})" if color in COLORS else match.group(0)


def without_twins(lines):
    """Drops points that are hidden behind an equal one."""
    seen = set()
    for line in lines:
        if not line.startswith("<use ") or line not in seen:
            yield line
        seen.add(line)


def inline(name, svg):
    """The element for a page, without a ground of its own; no two figures share an id."""
    frame = re.search(r'viewBox="([^"]+)"', svg).group(1)
    body = svg[svg.index('<g id="gnuplot_canvas">'):svg.rindex("</svg>")]
    body = re.sub(r'<rect x="0" y="0" width="\d+" height="\d+" fill="#[fF]{6}"/>', "", body, count=1)
    body = re.sub(r"<(filter|title|desc)\b.*?</\1>", "", body, flags=re.S)
    body = re.sub(r"rgb\([\d, ]+\)", themed, body)
    body = re.sub(r'="black"', '="var(--plot-ink)"', body)
    body = re.sub(r"""(color=)["']#FFFFFF["']""", r'\1"var(--plot-ground)"', body)
    body = re.sub(r' font-family="[^"]*"', "", body)
    while EMPTY.search(body):
        body = EMPTY.sub("", body)
    points = set(re.findall(r"href='#(\w+)'", body))
    body = re.sub(r"<(circle|path|rect|use)\b[^<>]*\bid='(\w+)'[^<>]*/>", lambda m: m.group(0) if m.group(2) in points else "", body)
    body = re.sub(r"""\b(id=["'])""", rf"\1{name}-", body)
    body = re.sub(r"xlink:href='#", f"href='#{name}-", body)
    body = re.sub(r"\s*\n\s*", "\n", body)
    body = "\n".join(without_twins(body.split("\n")))
    finding = re.sub(r"[`*]", "", with_numbers(findings()[name][1]))
    return f'<svg viewBox="{frame}" role="img" aria-label="{html.escape(finding)}">{body}</svg>'


def table(pages):
    """All figures; pages: the pages that show them, name: [addresses]."""
    rows = ["| figure | question | finding | rests on | its numbers |", "|---|---|---|---|---|"]
    for name, (question, finding, ground, command) in findings().items():
        where = ", ".join(f"[{page.split('/')[-1]}]({page}.md)" for page in pages.get(name, []))
        rows.append(f"| **{name}** {where} | {question} | {with_numbers(finding)} | {with_numbers(ground)} | `{command}` |")
    return "\n".join(rows)
