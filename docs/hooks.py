"""What the pages may ask for, one tag on a line of its own:

    {{ source FILE NAME... }}      the definitions of functions, tables or types, from the source
    {{ contract FILE NAME }}       what a header promises: a comment and its declaration
    {{ head FILE }}                the comment at the head of a file: what it is, with its drawing
    {{ contents FILE }}            an umbrella header: its modules in reading order
    {{ line FILE some text }}      the place where a text stands, as FILE:LINE
    {{ run COMMAND }}              a command and what it prints
    {{ exercise 3.1 }}             a box, from layerN/exercise/holes.txt
    {{ figure NAME | caption }}    an SVG of build/plots
    {{ drawing NAME }}             a picture of docs/drawings, in the colours of the page
    {{ play CHAIN | prompt }}      a link to the playground with this chain and prompt

A name that is gone, a text that is not found, a command that fails: each ends the build.  No C is typed into pages; `make docs`
refuses a page that has any."""
import functools
import hashlib
import html
import os
import pathlib
import re
import shutil
import subprocess
import textwrap
import urllib.parse

from mkdocs.exceptions import PluginError

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "docs" / "run"
TAG = re.compile(r"^( *)\{\{ (\w+) (.+?) \}\}$", re.M)
TYPED = re.compile(r"^```c\b", re.M)
# Links into the repository, for those who read the page there; on the site they are file names.
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)*((?:layer\d_|tests|exercises|figures/make)[^)]*)\)")


def read(path):
    file = ROOT / path
    if not file.is_file():
        raise PluginError(f"no file {path}")
    return file.read_text()


def with_comment(text, start):
    """The position of the comment that stands right above, or start itself."""
    above = text[:start]
    if above.rstrip(" ").endswith("*/\n"):
        return above.rindex("/*")
    return start


def definition(text, name):
    """Start and end of what defines a name: a function, a table, a type or a macro."""
    word = r"\b" + re.escape(name) + r"\b"
    patterns = [
        (r"^(?:INLINE_OF\(\w*\)\s+)?[A-Za-z_][^;{}()=\n#]*?" + word + r"\s*\([^;{}]*\)\s*\{", "}"),
        (r"^[A-Za-z_][^;{}()\n]*?" + word + r"[^;{}()\n]*=\s*\{", "};"),
        (r"^(?:typedef )?(?:struct|enum) " + word + r"[^;{}]*\{", "}"),
        (r"^#define " + word, None),
    ]
    for pattern, close in patterns:
        found = re.search(pattern, text, re.M)
        if not found:
            continue
        start, line_end = found.start(), text.index("\n", found.end() - 1)
        if close is None:
            end = start
            while text[end:text.index("\n", end)].endswith("\\"):
                end = text.index("\n", end) + 1
            return start, text.index("\n", end)
        if text[found.end():line_end].rstrip().endswith(("}", "};")):
            return start, line_end
        end = re.compile(r"^.*\};$" if close == "};" else r"^\}.*$", re.M).search(text, found.end())
        return start, end.end()
    return None


def source(arguments):
    path, *names = arguments.split()
    text, blocks = read(path), []
    for name in names:
        place = definition(text, name)
        if place is None:
            raise PluginError(f"{path} defines no {name}")
        start = with_comment(text, place[0])
        blocks.append((text.count("\n", 0, start) + 1, text[start:place[1]]))
    line = blocks[0][0]
    body = "\n\n".join(block for _, block in blocks)
    return f'```c title="{path}:{line}"\n{body}\n```'


def contract(arguments):
    path, name = arguments.split()
    text = read(path)
    found = re.search(r"^[A-Za-z_][^;{}()\n]*\b" + re.escape(name) + r"\([^;{}]*\);", text, re.M)
    if not found:
        raise PluginError(f"{path} declares no {name}")
    start = with_comment(text, found.start())
    line = text.count("\n", 0, start) + 1
    return f'```c title="{path}:{line}"\n{text[start:found.end()]}\n```'


def head(path):
    text = read(path)
    if not text.startswith("/*"):
        raise PluginError(f"{path} has no comment at its head")
    lines = text[2:text.index("*/")].split("\n")
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in lines]
    return f'```text title="{path}"\n' + "\n".join(lines).strip() + "\n```"


def contents(path):
    rows = re.findall(r'^#include "(\w+)\.h" +/\* (.+?) \*/$', read(path), re.M)
    if not rows:
        raise PluginError(f"{path} includes no modules with a gloss")
    folder = path.rsplit("/", 1)[0]
    table = "\n".join(f"| `{name}.h` | {gloss} |" for name, gloss in rows)
    return f"| `{folder}` | |\n|---|---|\n{table}"


def line(arguments):
    path, wanted = arguments.split(" ", 1)
    for number, content in enumerate(read(path).split("\n"), 1):
        if wanted in content:
            return f"`{path}:{number}`"
    raise PluginError(f"'{wanted}' is not in {path}")


@functools.lru_cache(maxsize=None)
def state_of_sources():
    """Changes whenever a source, an exercise or a model does."""
    files = [f for folder in ("layer*", "exercises") for f in ROOT.glob(folder + "/**/*") if f.is_file()]
    rows = sorted(f"{f} {f.stat().st_mtime_ns}" for f in files)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def run(command):
    program = ROOT / "build" / "bin" / "strata"
    key = hashlib.sha256((command + state_of_sources()).encode()).hexdigest()[:24]
    cached = CACHE / key
    if not cached.exists():
        env = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        try:
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=env, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            raise PluginError(f"takes more than two minutes: {command}")
        if done.returncode not in (0, 141):
            raise PluginError(f"fails with {done.returncode}: {command}\n{done.stderr.decode()[-500:]}")
        CACHE.mkdir(parents=True, exist_ok=True)
        cached.write_bytes(done.stdout)
    output = cached.read_text(errors="replace").rstrip("\n")
    return f"```console\n$ {command}\n{output}\n```"


def holes():
    found = {}
    for file in sorted(ROOT.glob("layer*/exercise/holes.txt")):
        for row in file.read_text().splitlines():
            if row and not row.startswith("#"):
                parts = row.split(" | ")
                found[parts[0]] = parts
    return found


def exercise(number):
    parts = holes().get(number)
    if parts is None:
        raise PluginError(f"no exercise {number}")
    _, kind, title, minutes, _, file, names, *_ = parts
    what = {
        "fill": f"Write `{names.replace(',', '`, `')}` in your copy of `{file}`.",
        "break": f"Something in your copy of `{file}` has been broken. Find it and mend it.",
        "speed": f"Make `{names}` in your copy of `{file}` faster.",
        "predict": "Predict a number before you compute it.",
        "plot": "Draw it, and read it off.",
    }[kind]
    return (f'!!! example "Exercise {number}: {title} ({kind}, about {minutes} minutes)"\n    {what}\n\n'
            f"    `make start {number}` puts it on your desk, `make grade {number}` checks it, `make hint {number}` helps.")


def figure(arguments):
    name, caption = (part.strip() for part in arguments.split("|", 1))
    if not (ROOT / "build" / "plots" / f"{name}.svg").is_file():
        raise PluginError(f"no figure build/plots/{name}.svg: make plots")
    return (f'<figure markdown><img class="plot" src="@@top@@figures/{name}.svg" alt="{caption}">'
            f"<figcaption>{caption}</figcaption></figure>")


def drawing(name):
    return "".join(line + "\n" for line in read(f"docs/drawings/{name}.svg").splitlines() if line)


def play(arguments):
    chain, prompt = (part.strip() for part in arguments.split("|", 1))
    query = urllib.parse.urlencode({"chain": chain, "prompt": prompt}, quote_via=urllib.parse.quote, safe=":,=")
    return (f'<a href="@@top@@playground.html?{html.escape(query)}"><code>{html.escape(chain)}</code> in the playground</a>, '
            f'after "{html.escape(prompt)}": move the sliders.')


TAGS = {"drawing": drawing, "play": play, "source": source, "contract": contract, "head": head, "contents": contents, "line": line, "run": run, "exercise": exercise, "figure": figure}


def on_page_markdown(markdown, page, config, files):
    where = page.file.src_path
    if TYPED.search(markdown):
        raise PluginError(f"{where}: C is typed into the page; show it with a source tag")

    def replace(match):
        indent, tag, arguments = match.groups()
        if tag not in TAGS:
            raise PluginError(f"{where}: no tag '{tag}'")
        try:
            return textwrap.indent(TAGS[tag](arguments), indent)
        except PluginError as problem:
            raise PluginError(f"{where}: {problem}")

    text = TAG.sub(replace, markdown)
    up = "../" * where.count("/") or "./"
    return OUTSIDE.sub(r"`\2`", text).replace("@@top@@", up)


def on_files(files, config):
    """Only pages and assets are part of the site."""
    for file in list(files):
        if file.src_path.endswith((".py", ".gp", ".sh", ".txt", ".c", ".h")) or file.src_path.startswith("drawings/") or "__pycache__" in file.src_path:
            files.remove(file)
    return files


def on_post_build(config):
    site = pathlib.Path(config["site_dir"])
    katex = pathlib.Path(os.environ["STRATA_KATEX"])
    (site / "katex" / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copyfile(katex / name, site / "katex" / name)
    for font in (katex / "fonts").iterdir():
        if font.suffix == ".woff2":
            shutil.copyfile(font, site / "katex" / "fonts" / font.name)
    shutil.copyfile(ROOT / "build" / "playground" / "playground-data.js", site / "playground" / "playground-data.js")
    (site / "figures").mkdir(exist_ok=True)
    for svg in (ROOT / "build" / "plots").glob("*.svg"):
        shutil.copyfile(svg, site / "figures" / svg.name)
