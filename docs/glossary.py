"""The glossary: docs/appendix/glossary.md defines each term, and on every other page the first mention of one in plain text becomes
a link to its entry, with the definition as a tooltip.

An entry is two lines: its names, separated by commas, and after a colon the definition, ending in a link to the page that teaches it.
A name in lower case also matches with a capital and in the plural; a name with a capital matches as it is written."""
import functools
import html
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parent / "appendix" / "glossary.md"
ENTRY = re.compile(r"^(\S.*)\n: +(.+) See \[[^\]]+\]\((?:\.\./)*([^)#]+)[^)]*\)\.$", re.M)
NO_PLURAL = {"trie"}  # "tries" is a verb
TAG = re.compile(r"(<!--.*?-->|<script\b.*?</script>|<[^>]+>)", re.S)  # a script is one tag: a formula in it may hold a "<"
# Elements whose text is left alone.
CLOSED = {"a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "th", "summary", "blockquote", "svg", "style", "button"}
CLOSED_CLASS = re.compile(r'class="[^"]*\b(?:arithmatex|admonition-title|filename)\b')
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr", "col", "source"}


class Entry:
    def __init__(self, names, text, page):
        self.names = [name.strip() for name in names.split(",")]
        self.slug = re.sub(r"\W+", "-", self.names[0].lower()).strip("-")
        self.text = re.sub(r"\[([^\]]+)\]\([^)]*\)|[`*]", r"\1", text)
        self.page = page


@functools.lru_cache(maxsize=None)
def entries():
    return [Entry(*found.groups()) for found in ENTRY.finditer(FILE.read_text())]


def pattern_of(name):
    words = re.escape(name).replace(r"\ ", r"\s+")
    if name == name.lower():
        words = f"[{name[0].upper()}{name[0]}]" + words[1:] if name[0].isalpha() else words
        words += "(?:e?s)?" if name[-1].isalpha() and name not in NO_PLURAL else ""
    return words


@functools.lru_cache(maxsize=None)
def names():
    """One pattern for all names, the longest first, with a group t<i> for each; and the entry of each i."""
    rows = sorted(((name, entry) for entry in entries() for name in entry.names), key=lambda row: -len(row[0]))
    pattern = "|".join(f"(?P<t{i}>{pattern_of(name)})" for i, (name, _) in enumerate(rows))
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), [entry for _, entry in rows]


def plain_parts(page):
    """The parts of a page of HTML, tags and texts in turn, each with whether it is plain text."""
    inside = []
    for part in TAG.split(page):
        tag = re.match(r"<(/?)([a-zA-Z0-9]+)", part)
        if not tag:
            yield part, not part.startswith("<!") and not inside
            continue
        if part.startswith("<script"):
            yield part, False
            continue
        closing, name = tag.group(1), tag.group(2).lower()
        if closing and inside:
            if name == inside[-1]:
                inside.pop()
        elif not closing and name not in VOID and not part.endswith("/>"):
            if name in CLOSED or CLOSED_CLASS.search(part) or (inside and name == inside[-1]):
                inside.append(name)
        yield part, False


def mentions(page, plain_only=True):
    """The entries that a page of HTML mentions: in plain text, or anywhere."""
    pattern, found = names()
    return {found[int(m.lastgroup[1:])] for part, plain in plain_parts(page) if plain or not plain_only for m in pattern.finditer(part)}


def link(page, top):
    """The page with its first mention of each term linked.  What its title names is its subject, and needs no link."""
    pattern, found = names()
    title = re.search(r"<h1.*?</h1>", page, re.S)
    done = mentions(title.group(0), plain_only=False) if title else set()

    def replace(match):
        entry = found[int(match.lastgroup[1:])]
        if entry in done:
            return match.group(0)
        done.add(entry)
        tooltip = html.escape(entry.text)
        return f'<a class="term" href="{top}appendix/glossary.html#{entry.slug}" title="{tooltip}">{match.group(0)}</a>'

    return "".join(pattern.sub(replace, part) if plain else part for part, plain in plain_parts(page))


def anchors(page):
    """The glossary itself: an anchor for each entry; of its names the first stands out."""
    known = {", ".join(entry.names): entry for entry in entries()}

    def anchor(match):
        entry = known.get(html.unescape(match.group(1)))
        if not entry:
            return match.group(0)
        others = f' <small>{html.escape(", ".join(entry.names[1:]))}</small>' if entry.names[1:] else ""
        return f'<dt id="{entry.slug}">{html.escape(entry.names[0])}{others}</dt>'

    return re.sub(r"<dt>(.*?)</dt>", anchor, page)
