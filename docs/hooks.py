"""The tags that pages may use, one on a line of its own:

    {{ source FILE NAME... }}      the definitions of functions, tables or types, from the source, in its order; folded when an exercise
                                   asks for one of them (on a core page: an exercise above)
    {{ note text | a sentence }}   right below a listing: a numbered note on the line that contains this text, see listings.py
    {{ contract FILE NAME }}       what a header promises: a declaration and its comment
    {{ head FILE }}                the comment at the top of a file, with its drawing
    {{ contents FILE }}            an umbrella header: its modules in reading order, each with the pages that show it
    {{ line FILE some text }}      the location of a text, as FILE:LINE
    {{ run COMMAND }}              a command and its output, see commands.py; it must succeed and print something, but not NaN or infinity;
                                   a long one goes on in the next line after a backslash
    {{ expect PATTERN }}           right below a run: a regular expression that its output must match
    {{ run_with_inf COMMAND }}     the same, for output that contains -inf or nan on purpose
    {{ exercise 3.1 }}             a box, from layerN/exercise/holes.txt
    {{ figure NAME | caption }}    an SVG from build/plots, in the colours of the page, with its finding as its label: plots.py
    {{ figures all }}              the table of all figures: question, finding, data, command
    {{ drawing NAME }}             a picture from docs/drawings, in the colours of the page
    {{ road layer3 }}              the core pages of a layer with their questions, and its deeper sections, from mkdocs.yml: road.py
    {{ road map }}                 the same for all layers, one row each, with the time for each core
    {{ watch COMMAND | caption }}  the steps of a service that the command prints (docs/examples/watch_service.c), animated by
                                   docs/assets/watch.js
    {{ moving NAME | caption }}    a picture that moves: docs/assets/moving.js draws the rows of docs/playground/moving
    {{ play CHAIN | prompt }}      a link to the playground with this chain and prompt

and one within a sentence, a caption or a finding (figures/findings.txt):

    {{ number NAME percent(value("min_p:0.05", "kept")) }}    a number from a figure, in the notation of its claims (figures/claims.awk)

An unknown name, a text that is not found or a command that fails ends the build, with page and line.  C that is typed into a page
does, too.  Names of files become links to their copies (code_pages.py), papers become links, and the first mention of a term links to
its entry in the glossary (glossary.py).  Each page gets the line under its title and the list of its files (shown.py)."""
import csv
import functools
import html
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import textwrap
import urllib.parse

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from pygments.lexers.shell import BashSessionLexer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import code_pages
import commands
import glossary
import listings
import plots
import road as roads
import shown
from listings import contract, head, read, source

BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")  # the only prompt of our pages: a row of output with a % is none
ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTION = re.compile(r"<code>(?=-[^<]{1,30}</code>)")
VERBATIM = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>|<script\b.*?</script>|<[^>]+>)", re.S)
CLOSE = re.compile(r"^ *\{\{ note .+ \}\}\n(?! *\{\{ note )(?=[^\n])", re.M)
TAG = re.compile(r"^( *)\{\{ (\w+) ((?:\\\n|.)+?) \}\}((?:\n *\{\{ (?:note|expect) .+ \}\}$)*)$", re.M)
CALL = re.compile(r"\A.*\n\$ (?:.*\\\n)*.*\n")  # the first lines of a console: its fence and the command
PHONE = 45  # columns of code that a phone shows
GAP = re.compile(r"(?<=[^\s.:?!]) {2,}| {3,}")  # between columns; two blanks behind the end of a sentence are none
SLIDES = re.compile(r'<div class="language-console slides.*?</div>', re.S)
PRINTED = re.compile(r'<span class="go">(.*?)</span>')
EXPECT = re.compile(r"^ *\{\{ expect (.+) \}\}$", re.M)
EXERCISE = re.compile(r"^ *\{\{ exercise (\S+) \}\}$", re.M)
TYPED = re.compile(r"^```c\b", re.M)
NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|infinity)(?!\w)", re.I)
# Links into the repository, for readers of the repository; on the site they lead to copies.
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)*((?:layer\d_|tests|exercises|figures/)[^)]*)\)")
FILENAME = re.compile(r'<span class="filename">([^<:]+)(?::(\d+))?</span>')
named = set()  # the files that pages name
traces = {}  # what commands of watch tags printed


def asked_for(markdown):
    """What the exercises on a page ask for: number, file and functions (None: the whole file)."""
    rows = [holes().get(number) for number in EXERCISE.findall(markdown)]
    return [(row[0], row[5], None if row[1] == "break" else row[6].split(","))
            for row in rows if row and row[1] in ("fill", "speed", "break")]


def folded(arguments, text, asked):
    """The listing; in a closed box when it is the answer to an exercise."""
    path, *names = arguments.split()
    for number, file, functions in asked:
        if path == file and (functions is None or set(names) & set(functions)):
            shown = "`, `".join(names)
            return f'??? example "Show ours: `{shown}` (exercise {number} asks for yours)"\n\n' + textwrap.indent(text, "    ")
    return text


def contents(path):
    rows = re.findall(r'^#include "(\w+\.h)" +/\* (.+?) \*/$', read(path), re.M)
    if not rows:
        raise PluginError(f"{path} includes no modules with a gloss")
    folder = path.rsplit("/", 1)[0]
    table = [f"| `{folder}` | | page |", "|---|---|---|"]
    for name, gloss in rows:
        file = shown.headers().get(name, f"{folder}/{name}")
        named.add(file)
        pages = [page for page in shown.pages_of().get(file, []) if not page.endswith("index.md")]
        table.append(f'| <a href="@@top@@{code_pages.address(file)}"><code>{name}</code></a> | {gloss} | {roads.list_of(map(roads.pages().get, pages[:2]), "@@top@@")} |')
    return "\n".join(table)


def link_to(path, line=None):
    named.add(path)
    return f'<a href="@@top@@{code_pages.address(path, line)}"><code>{path}{f":{line}" if line else ""}</code></a>'


def line(arguments):
    path, wanted = arguments.split(" ", 1)
    for number, content in enumerate(read(path).split("\n"), 1):
        if wanted in content:
            return link_to(path, number)
    raise PluginError(f"'{wanted}' is not in {path}")


def printed(command):
    try:
        return commands.printed(command)
    except commands.Refused as problem:
        raise PluginError(str(problem))


def run_with_inf(command):
    output = printed(command).rstrip("\n")
    table = any(len(line) > PHONE and re.search(r"\S {2,}\S", line) for line in output.split("\n"))  # slides; see wrap_sentences
    shown = commands.BREAK.sub("\\\n    ", command)
    return f"```{'{.console .slides}' if table else 'console'}\n$ {shown}\n{output}\n```"


def run(command):
    block = run_with_inf(command)
    strange = NO_NUMBER.search(CALL.sub("", block))
    if strange:
        raise PluginError(f"prints '{strange.group(0)}' (meant so? then run_with_inf): {command}")
    return block


def expected(block, below):
    """The block of a run, if its output matches every pattern below it."""
    wanted, output = EXPECT.findall(below), CALL.sub("", block).rsplit("\n", 1)[0]
    if len(wanted) != len(below.strip().split("\n")):
        listings.notes_of(below, "run")  # says why not
    for pattern in wanted:
        if not re.search(pattern, output, re.M):
            raise PluginError(f"does not print '{pattern}', of which the page speaks:\n{output[:600]}")
    return block


@functools.lru_cache(maxsize=None)
def holes():
    found = {}
    for file in sorted(ROOT.glob("layer*/exercise/holes.txt")):
        for row in file.read_text().splitlines():
            if row and not row.startswith("#"):
                parts = row.split(" | ")
                found[parts[0]] = parts
    return found


@functools.lru_cache(maxsize=None)
def scored():
    """The exercises that make score times."""
    rows = read("exercises/score.txt").splitlines()
    return {row.split(" | ")[0] for row in rows if row and not row.startswith("#")}


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
    core = "Core exercise" if number in roads.core_exercises() else "Exercise"
    speed = f" Then make it fast: `make score {number}` times yours beside ours." if number in scored() else ""
    return (f'!!! example "<span id=\'exercise-{number}\'></span>{core} {number}: {title} ({kind}, about {minutes} minutes)"\n    {what}\n\n'
            f"    `make start {number}` puts it on your desk, `make grade {number}` checks it, `make hint {number}` helps.{speed}")


def road(arguments):
    if arguments == "map":
        return roads.map_table(holes(), "@@top@@")
    layer = re.fullmatch(r"layer([1-6])", arguments)
    if not layer:
        raise PluginError(f"no road '{arguments}': there are map and layer1 to layer6")
    return roads.layer_table(int(layer.group(1)), holes(), "@@top@@")


def figure(arguments):
    name, caption = (part.strip() for part in arguments.split("|", 1))
    if not (ROOT / "build" / "plots" / f"{name}.svg").is_file():
        raise PluginError(f"no figure build/plots/{name}.svg: make plots")
    if name not in plots.findings():
        raise PluginError(f"docs/figures/findings.txt has no row for {name}: its question, its finding")
    return (f'<figure markdown><a class="plot" href="@@top@@figures/{name}.svg"><span data-plot="{name}"></span></a>'
            f"<figcaption>{caption}</figcaption></figure>")


def figures(_):
    shown = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for name in re.findall(r"^ *\{\{ figure (\S+) \|", page.read_text(), re.M):
            shown.setdefault(name, []).append("../" + str(page.relative_to(ROOT / "docs").with_suffix("")))
    return plots.table(shown)


def drawing(name):
    svg = "".join(line + "\n" for line in read(f"docs/drawings/{name}.svg").splitlines() if line)
    wide = float(svg.split('viewBox="0 0 ')[1].split()[0]) > 500  # too wide for a phone: it slides there
    return f'<div class="drawn">\n{svg}</div>' if wide else svg


def watch(arguments):
    command, caption = (part.strip() for part in arguments.rsplit(" | ", 1))
    trace, name = printed(command), f"trace{len(traces)}"
    json.loads(trace)
    traces[name] = trace
    return (f'<figure markdown class="watch"><span data-trace="{name}"></span><figcaption>{caption}</figcaption></figure>\n\n'
            '<script src="@@top@@assets/watch.js"></script>')


FRAMES = "make -s build/moving_frames && build/moving_frames layer5_models/models/storyteller.gguf"


def moving(arguments):
    """The sliders and the first frame are in the page; the library is loaded when a reader moves something."""
    name, caption = (part.strip() for part in arguments.split("|", 1))
    sliders, *frames = re.split(r"^# (\w+)\n", printed(FRAMES), flags=re.M)
    if name not in frames[::2]:
        raise PluginError(f"no picture '{name}' in docs/playground/moving/moving.c")
    rows = [list(csv.DictReader(table.splitlines())) for table in (sliders, frames[frames.index(name) + 1])]
    trace = f"trace{len(traces)}"
    traces[trace] = json.dumps({"sliders": [row for row in rows[0] if row["picture"] == name], "frame": rows[1]})
    return (f'<figure markdown class="moving" data-moving="{name}"><link rel="stylesheet" href="@@top@@assets/moving.css"><span data-trace="{trace}"></span><figcaption>{caption}</figcaption></figure>\n\n'
            f'<script src="@@top@@assets/moving.js"></script><script src="@@top@@playground/moving/{name}.js"></script>')


def play(arguments):
    chain, prompt = (part.strip() for part in arguments.split("|", 1))
    query = urllib.parse.urlencode({"chain": chain, "prompt": prompt}, quote_via=urllib.parse.quote, safe=":,=")
    return (f'<a href="@@top@@playground.html?{html.escape(query)}"><code>{html.escape(chain)}</code> in the playground</a>, '
            f'after "{html.escape(prompt)}": move the sliders.')


TAGS = {f.__name__: f for f in (drawing, play, source, contract, head, contents, line, run, run_with_inf, exercise, road, figure, figures, watch, moving)}


def on_page_markdown(markdown, page, config, files):
    where = page.file.src_path
    if TYPED.search(markdown):
        raise PluginError(f"{where}: C is typed into the page; show it with a source tag")

    core = where in roads.pages() and roads.pages()[where].core
    numbers = itertools.count(1)
    commands.makers.clear()  # a page's commands need none of another page

    def place_of(match):
        return f"docs/{where}:{markdown.count(chr(10), 0, match.start()) + 1}"

    def number(match):
        try:
            return plots.number(*match.groups())
        except PluginError as problem:
            raise PluginError(f"{place_of(match)}: {problem}")

    def replace(match):
        indent, tag, arguments, below = match.groups()
        place = place_of(match)
        if tag not in TAGS:
            raise PluginError(f"{place}: no tag '{tag}'")
        try:
            text = TAGS[tag](arguments)
            if below and tag in ("run", "run_with_inf"):
                text = expected(text, below)
            elif below:
                text = listings.with_notes(text, listings.notes_of(below, tag), next(numbers))
            if tag == "source":  # a core page shows its code; what stands below an exercise is the answer to it
                text = folded(arguments, text, asked_for(markdown[:match.start()] if core else markdown))
            return textwrap.indent(text, indent)
        except PluginError as problem:
            raise PluginError(f"{place}: {problem}")

    for close in CLOSE.finditer(markdown):
        raise PluginError(f"{place_of(close)}: leave a line empty between a note and what follows it")
    markdown = plots.NUMBER.sub(number, markdown)

    def outside(match):
        path = match.group(2) if code_pages.is_text(match.group(2)) else "docs/" + match.group(2)
        if not code_pages.is_text(path):
            return f"`{match.group(2)}`"
        words = match.group(1)  # the name of the file becomes its whole path; other words stay
        return link_to(path) if "/" + words.strip("`") in "/" + path else link_to(path).replace(f"<code>{path}</code>", words)

    return OUTSIDE.sub(outside, TAG.sub(replace, markdown)).replace("@@top@@", top_of(page))


def top_of(page):
    return "../" * page.file.src_path.count("/") or "./"


def files_at_foot(path):
    """What a page shows of the code, and its exercises, as HTML: the way from a page to its files."""
    links = []
    for file in shown.files_of(path):
        named.add(file)
        links.append(f'<a href="@@top@@{code_pages.address(file)}"><code>{file}</code></a>{shown.chip(file)}')
    numbers = EXERCISE.findall(read(f"docs/{path}"))
    todo = ", ".join(f'<a href="#exercise-{number}">{number}</a>' for number in numbers)
    parts = (["Files: " + ", ".join(links)] if links else []) + ([f"Exercise{'s' * (len(numbers) > 1)}: {todo}"] if todo else [])
    return "".join(f'<p class="files">{part}</p>' for part in parts)


def hang(line):
    """Where a sentence that wraps goes on: beneath its beginning, or an option's beneath its explanation.  None: a row of a table, which may not wrap."""
    cells = GAP.split(line.strip())
    if len(line) <= PHONE or len(cells) > 2 or len(re.findall(r"\b[A-Za-z]{2,}\b", cells[-1])) < 5:
        return None
    return len(line) - len(line.lstrip()) if len(cells) == 1 else line.rindex(cells[1])


def wrap_sentences(content):
    """Sentences among the rows of a table wrap; the rows slide."""
    def mark(match):
        column = hang(html.unescape(match.group(1)))
        return match.group(0) if column is None else f'<span class="go wraps" style="--hang: {column}ch">{match.group(1)}</span>'

    return SLIDES.sub(lambda match: PRINTED.sub(mark, match.group(0)), content)


def keep_percents(content):
    """No line ends between a number and its sign."""
    parts = VERBATIM.split(content)
    return "".join(part if i % 2 else re.sub(r"(?<=\d) %", "\u00a0%", part) for i, part in enumerate(parts))


def on_page_content(content, page, config, files):
    path, top = page.file.src_path, top_of(page)

    def link(match):
        file, number = match.groups()
        if not code_pages.is_text(file):
            return match.group(0)
        named.add(file)
        return match.group(0).replace(f">{file}", f'><a href="{top}{code_pages.address(file, number)}">{file}').replace("</span>", f"</a>{shown.chip(file)}</span>")

    def code(file, number):
        named.add(file)
        return top + code_pages.address(file, number)

    content = OPTION.sub('<code class="option">', wrap_sentences(content))
    content = keep_percents(code_pages.link_papers(listings.unveil(FILENAME.sub(link, content), code)))
    content = glossary.anchors(content) if path == "appendix/glossary.md" else glossary.link(content, top)
    if path not in roads.pages():
        return content
    if roads.pages()[path].core:
        content = content.replace("<h1", '<h1 class="core"', 1)
    return content.replace("</h1>", "</h1>\n<span data-road></span>", 1) + "<span data-files></span>"


def on_nav(nav, config, files):
    """Previous and next of a core page are those of the road; a deeper page has its neighbours in the navigation."""
    at = {page.file.src_path: page for page in nav.pages}
    for page in roads.core():
        before, after = roads.neighbours(page)
        at[page.path].previous_page, at[page.path].next_page = at[before.path], at[after.path]
    return nav


def marked(output, page):
    """The navigation's links to core pages, marked for strata.css."""
    folder = page.file.src_path.rsplit("/", 1)[0] if "/" in page.file.src_path else "."
    core = {os.path.relpath(roads.href(other), folder) for other in roads.core()}

    def link(match):
        target = page.url.rsplit("/", 1)[-1] if match.group(1) == "./" else match.group(1)
        return match.group(0).replace('class="', 'class="core ') if target in core else match.group(0)

    if page.url in map(roads.href, roads.core()):
        output = output.replace('<label class="md-nav__link md-nav__link--active"', '<label class="core md-nav__link md-nav__link--active"')
    return re.sub(r'<a href="([^"#]+)" class="md-nav__link', link, output)


BUNDLE = re.compile(r'<script src="[^"]*assets/javascripts/bundle\.')


def with_search(output, top):
    """The search of a page from disk: its script comes before the theme's."""
    if not BUNDLE.search(output):
        raise PluginError("the theme's pages have no script 'bundle' before which docs/assets/disk.js could be loaded")
    return BUNDLE.sub(lambda match: f'<script src="{top}assets/disk.js"></script>\n      {match.group(0)}', output, count=1)


def on_post_page(output, page, config):
    """What is not for the search comes last: marks, the line under the title, the files at the foot, figures and traces."""
    def drawn(match):
        name = match.group(1)
        return plots.inline(name, (ROOT / "build" / "plots" / f"{name}.svg").read_text())

    def traced(match):
        steps = traces[match.group(1)].replace("</", "<\\/")
        return f'<script type="application/json">{steps}</script><noscript>This picture is drawn by a script.</noscript>'

    if page:
        path = page.file.src_path
        output = with_search(output, top_of(page))
        output = marked(output, page).replace("<span data-road></span>", roads.line(path, holes(), top_of(page)))
        output = output.replace("<span data-files></span>", files_at_foot(path).replace("@@top@@", top_of(page)))
    return re.sub(r'<span data-trace="(\w+)"></span>', traced, re.sub(r'<span data-plot="([\w-]+)"></span>', drawn, output))


def on_files(files, config):
    """Only pages and assets are part of the site."""
    for file in list(files):
        if file.src_path.endswith((".py", ".gp", ".sh", ".txt", ".c", ".h", ".awk", ".claims", ".csv")) or file.src_path.startswith("drawings/") or "__pycache__" in file.src_path:
            files.remove(file)
    return files


def with_other_names(title, path):
    """A title and, from the glossary, other names for what it names: top-p is also nucleus sampling."""
    there = [entry for entry in glossary.entries() if entry.page == path and any(name.lower() in title.lower() for name in entry.names)]
    others = [name for entry in there for name in entry.names if name.lower() not in title.lower()]
    return f"{title} ({', '.join(others)})" if others else title


NOT_SEARCHED = {"appendix/papers.html", "appendix/figures.html"}


def write_index(path):
    """The search knows pages by their whole titles, not the navigation's, and leaves out tables of links; as a script it loads from disk."""
    index = json.loads(path.read_text())
    index["docs"] = [entry for entry in index["docs"] if entry["location"].partition("#")[0] not in NOT_SEARCHED]
    titles = {roads.href(page): with_other_names(roads.title_of(page.path), page.path) for page in roads.pages().values()}
    for entry in index["docs"]:
        entry["title"] = titles.get(entry["location"], entry["title"])
    text = json.dumps(index, sort_keys=True, separators=(",", ":"))
    path.write_text(text)
    path.with_suffix(".js").write_text(f"var __index = {text};\n")


@event_priority(-100)  # after the index of the search
def on_post_build(config):
    site = pathlib.Path(config["site_dir"])
    write_index(site / "search" / "search_index.json")
    katex = pathlib.Path(os.environ["STRATA_KATEX"])
    (site / "katex" / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copyfile(katex / name, site / "katex" / name)
    for font in (katex / "fonts").iterdir():
        if font.suffix == ".woff2":
            shutil.copyfile(font, site / "katex" / "fonts" / font.name)
    code_pages.write(site, named, holes())
    for name in ("playground-data.js", "frontier-data.js"):
        shutil.copyfile(ROOT / "build" / "playground" / name, site / "playground" / name)
    (site / "figures").mkdir(exist_ok=True)
    for svg in (ROOT / "build" / "plots").glob("*.svg"):
        shutil.copyfile(svg, site / "figures" / svg.name)
