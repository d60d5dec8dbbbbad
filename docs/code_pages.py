"""Copies of the files that the pages name, beside the site: code/PATH.html, with an anchor for each line, and at the top the pages that
show the file and the exercises in it."""
import functools
import html
import pathlib
import re

import kept
import pygments
import road
import shown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parent.parent

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path}</title><link rel="stylesheet" href="{top}assets/code.css"></head>
<body><header><a href="{top}index.html">Strata</a> / {path}{chip}{bar}</header>
{body}
</body></html>
"""


def address(path, line=None):
    """Where the copy of a file stands, from the top of the site."""
    return f"code/{path}.html" + (f"#L{line}" if line else "")


def is_text(path):
    file = ROOT / path
    return file.is_file() and b"\0" not in file.read_bytes()[:4096]


def link_papers(page):
    """arXiv:ID and doi:ID in the text of HTML become links; what is in a tag or in a link stays as it is."""
    if "arXiv:" not in page and "doi:" not in page:
        return page
    parts, inside = re.split(r"(<[^>]+>)", page), 0
    for i, part in enumerate(parts):
        if part.startswith("<"):
            inside += part.startswith("<a ") - part.startswith("</a")
        elif not inside:
            part = re.sub(r"\barXiv:(\d{4}\.\d{4,5})", r'<a href="https://arxiv.org/abs/\1">arXiv:\1</a>', part)
            parts[i] = re.sub(r"\bdoi:(10\.\d+/[\w.()/-]*\w)", r'<a href="https://doi.org/\1">doi:\1</a>', part)
    return "".join(parts)


@functools.lru_cache(maxsize=None)
def lexer_of(name):
    try:
        return get_lexer_for_filename(name, stripnl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False)


def bar_of(path, exercises):
    """The way back: the pages that show this file, and the exercises in it, (number, page) each."""
    top = "../" * (path.count("/") + 1)
    pages = [road.pages()[page] for page in shown.pages_of().get(path, [])]
    links = [f'<a href="{road.href(page, top)}">{html.escape(page.title)}</a>' for page in pages]
    todo = [f'<a href="{top}{page}.html#exercise-{number}">{number}</a>' for number, page in exercises]
    parts = (["page" + "s" * (len(links) > 1) + ": " + ", ".join(links)] if links else [])
    parts += ["exercise" + "s" * (len(todo) > 1) + ": " + ", ".join(todo)] if todo else []
    return f'<nav>{" · ".join(parts)}</nav>' if parts else ""


def render(path, bar=""):
    lexer = lexer_of(pathlib.Path(path).suffix and "file" + pathlib.Path(path).suffix or path)
    formatter = HtmlFormatter(lineanchors="L", anchorlinenos=True, linenos="inline", cssclass="code")
    body = highlight((ROOT / path).read_text(), lexer, formatter)
    body = body.replace('id="L-', 'id="L').replace('name="L-', 'name="L').replace('href="#L-', 'href="#L')
    top = "../" * (path.count("/") + 1)

    def link_header(match):
        header = shown.included(match.group(2), path)
        return f'{match.group(1)}<a href="{top}{address(header)}">&quot;{match.group(2)}&quot;</a>' if header else match.group(0)

    body = re.sub(r'(<span class="cpf">)&quot;([^&]+)&quot;', link_header, body)
    return PAGE.format(path=html.escape(path), chip=shown.chip(path), bar=bar, top=top, body=link_papers(body))


def write(site, paths, holes):
    headers = [name for name in kept.files_known(True) if name.endswith(".h")]  # to which the copies have links
    this = kept.sha(kept.contents("docs/code_pages.py"), pygments.__version__, *headers)
    for path in sorted(shown.reached_from(filter(is_text, paths), lambda path: shown.includes_of(path).values())):
        target = site / "code" / f"{path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        bar = bar_of(path, [(row[0], row[4]) for row in holes.values() if row[5] == path])
        target.write_text(kept.text(kept.sha(this, path, bar, kept.contents(path)), lambda: render(path, bar)))
