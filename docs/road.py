"""The road through the site: the pages in the sections `The core` of mkdocs.yml, in their order, and what lies beside it.

A page takes a minute for 75 words, since its listings are read and its commands are run, and for each of its exercises what
holes.txt says; on a core page only those of exercises/core.txt count."""
import functools
import pathlib
import re

import yaml

DOCS = pathlib.Path(__file__).resolve().parent
CORE, WAY_IN, WAY_OUT, MAP = "The core", "start.md", "mine/index.md", "map.md"
WORDS_A_MINUTE = 75
NAMES = ("tensor", "linear algebra", "network", "transformer", "models", "inference")


class Page:
    """A page of the navigation: its address in docs/, its short title, the tab and the section that hold it."""

    def __init__(self, path, title, tab, section):
        self.path, self.title, self.tab, self.section = path, title, tab, section
        self.layer = int(tab[0]) if tab[0].isdigit() else 0
        self.core = section == CORE

    @property
    def text(self):
        return (DOCS / self.path).read_text()


def pages_below(entries, tab, section):
    for entry in entries:
        if isinstance(entry, str):
            yield Page(entry, title_of(entry), tab, section)
            continue
        for title, below in entry.items():
            if isinstance(below, str):
                yield Page(below, title, tab, section)
            else:
                yield from pages_below(below, tab, title)


def title_of(path):
    found = re.search(r"^# (.+)$", (DOCS / path).read_text(), re.M) if (DOCS / path).is_file() else None
    return found.group(1) if found else path


@functools.lru_cache(maxsize=None)
def pages():
    """All pages of the navigation, in its order: path -> Page."""
    nav = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text())["nav"]
    return {page.path: page for tab in nav for title, below in tab.items() for page in pages_below(below, title, "")}


def core():
    return [page for page in pages().values() if page.core]


def of_layer(layer):
    """The core pages of a layer, and its deeper sections: title -> pages."""
    found = [page for page in pages().values() if page.layer == layer]
    deeper = {}
    for page in found:
        if page.section and not page.core:
            deeper.setdefault(page.section, []).append(page)
    return [page for page in found if page.core], deeper


def question_of(page):
    """What a page opens with: its first quotation, without links."""
    found = re.search(r"^> (.+)$", page.text, re.M)
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", found.group(1)).replace("|", "\\|") if found else ""


def exercises_on(page, holes):
    return [row for row in holes.values() if row[4] == page.path.removesuffix(".md")]


@functools.lru_cache(maxsize=None)
def core_exercises():
    """The thirty, in their order."""
    rows = (DOCS.parent / "exercises/core.txt").read_text().splitlines()
    return [number for row in rows if row and not row.startswith("#") for number in row.split(" | ")[1].split()]


def minutes_of(page, holes):
    counted = [row for row in exercises_on(page, holes) if not page.core or row[0] in core_exercises()]
    return len(page.text.split()) / WORDS_A_MINUTE + sum(int(row[3]) for row in counted)


def about(minutes):
    """As one would say it: to five minutes, from two hours on to half an hour."""
    if minutes < 118:
        return f"{max(5, round(minutes / 5) * 5)} minutes"
    halves = round(minutes / 30)
    return f"{halves // 2}{'½' if halves % 2 else ''} hours"


def sum_of(some, holes):
    return about(sum(minutes_of(page, holes) for page in some))


def href(page, top=""):
    return top + page.path.removesuffix(".md") + ".html"


def list_of(some, top):
    return ", ".join(f"[{page.title}]({top}{page.path})" for page in some)


def layer_table(layer, holes, top):
    """The core pages of a layer with their questions, and what goes deeper."""
    mine, deeper = of_layer(layer)
    rows = ["| the core | question | time |", "|---|---|---|"]
    rows += [f"| [{page.title}]({top}{page.path}) | {question_of(page)} | {about(minutes_of(page, holes))} |" for page in mine]
    rows += ["", "Deeper, in any order:", ""]
    return "\n".join(rows + [f"- **{section}**: {list_of(some, top)}" for section, some in deeper.items()])


def map_table(holes, top):
    """The six layers: core pages and times, then what goes deeper."""
    rows = ["| layer | the core | time | deeper |", "|---|---|---|---|"]
    for layer, name in enumerate(NAMES, 1):
        mine, deeper = of_layer(layer)
        beside = ", ".join(f"[{section}]({top}{some[0].path})" for section, some in deeper.items())
        rows.append(f"| [{layer} {name}]({top}layer{layer}/index.md) | {list_of(mine, top)} | {sum_of(mine, holes)} | {beside} |")
    return "\n".join(rows) + f"\n\n{len(core())} pages, about {sum_of(core(), holes)} with the core's exercises on them."


def neighbours(page):
    """The pages before and after a core page on the road, which has a way in and a way out."""
    way_in, way_out = (pages()[path] for path in (WAY_IN, WAY_OUT))
    road = [None, way_in, *core(), way_out]
    at = road.index(page)
    return road[at - 1], road[at + 1]


def line(path, holes, top):
    """The line under a page's title, as HTML: its place on the road, or where it branches off."""
    page = pages().get(path)
    if page is None or page.path == MAP:
        return ""
    link = lambda other, text: f'<a href="{href(other, top)}">{text}</a>'
    on_map = f'<a href="{top}map.html">map</a>'
    if page.core or page.path == WAY_IN:
        before, after = neighbours(page)
        road = core()
        place = f'<b class="core">Core</b> {road.index(page) + 1} of {len(road)}' if page.core else '<b class="core">The way in</b>'
        parts = [place, f"about {about(minutes_of(page, holes))}"]
        parts += [f"before: {link(before, before.title)}"] if before else []
        parts += [f"next: {link(after, after.title)}"]
        return f'<p class="road">{" · ".join([*parts, on_map])}</p>'
    if not page.layer or not page.section:
        return ""
    mine, _ = of_layer(page.layer)
    listed = ", ".join(link(other, other.title) for other in mine)
    return f'<p class="road"><b>Deeper: {page.section}</b> · the core of this layer: {listed} · {on_map}</p>'
