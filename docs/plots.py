"""Figures in pages: gnuplot's SVG in the colours of the theme, and the table of all figures."""
import functools
import html
import pathlib
import re
import subprocess
import tempfile

from mkdocs.exceptions import PluginError

FOLDER = pathlib.Path(__file__).resolve().parent / "figures"

# The colours in gnuplot's output, and their names in strata.css, which has values for each scheme.
COLORS = {
    (0, 0, 0): "ink", (34, 34, 34): "ink", (68, 68, 68): "ink", (102, 102, 102): "axis", (136, 136, 136): "axis", (153, 153, 153): "gray",
    (187, 187, 187): "pale", (204, 204, 204): "pale", (221, 221, 221): "grid", (255, 255, 255): "ground",
    (0, 114, 178): "blue", (230, 159, 0): "orange", (0, 158, 115): "green", (213, 94, 0): "red", (204, 121, 167): "purple",
    (86, 180, 233): "sky", (184, 168, 0): "yellow",
}
NUMBER = re.compile(r"\{\{ number ([\w-]+) (.+?) \}\}")
NUMBERS = re.compile(r"-?\d+(\.\d+)?((, | and | )\d+(\.\d+)?)*")  # one, or a list of names
EMPTY = re.compile(r"<g\b[^<>]*>\s*</g>")


def findings():
    """name: (question, finding, what it rests on, command), from figures/findings.txt."""
    rows = [line.split(" | ") for line in (FOLDER / "findings.txt").read_text().splitlines() if line and not line.startswith("#")]
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
