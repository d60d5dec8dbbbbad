"""The site as a book: `make book`, or `make book BOOK=all`.  One page of HTML from the built site, printed by headless
Chromium: cover, contents with page numbers, the chapters with their figures, links within the book that work.

Chromium numbers no pages in a table of contents, so it prints twice: the first PDF says on which page each chapter begins."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import progress
import road

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE, BOOK = ROOT / "build" / "site", ROOT / "build" / "book"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
SCREEN_ONLY = {"index.md", "map.md", "playground.md", "explorer.md", "layer6/frontier-lab.md", "appendix/figures.md", "appendix/site.md"}
SVG = re.compile(r"(<svg\b.*?</svg>)", re.S)


class Missing(Exception):
    pass


def parts(which):
    """Titles of the book's parts, and the pages of each: of the core, or of all that can be printed."""
    pages = [page for page in road.pages().values() if page.path not in SCREEN_ONLY]
    found = [("", [road.pages()[road.WAY_IN]])]
    for layer, name in enumerate(road.NAMES, 1):
        mine = [page for page in pages if page.layer == layer]
        found.append((f"{layer} {name}", [page for page in mine if page.core or not page.section or which == "all"]))
    if which == "all":
        others = dict.fromkeys(page.tab for page in pages if not page.layer and page.path != road.WAY_IN)
        found += [(tab, [page for page in pages if page.tab == tab]) for tab in others]
    return found


def slug(path):
    return path.removesuffix(".md").replace("/", "-")


def outside_of_pictures(change, text):
    return "".join(part if part.startswith("<svg") else change(part) for part in SVG.split(text))


def chapter(page, inside):
    """A page of the site as a chapter: its ids are its own, its links lead within the book or to the web, the others are text."""
    built = SITE / page.path.replace(".md", ".html")
    body = re.search(r"<article\b[^>]*>(.*?)</article>", built.read_text(), re.S).group(1)
    for gone in (r'<a class="headerlink".*?</a>', r"<script\b(?! type=\"math).*?</script>", r'<p class="road">.*?</p>', r"<noscript>.*?</noscript>",
                 r'<a class="md-content__button.*?</a>', r"<form\b.*?</form>"):
        body = re.sub(gone, "", body, flags=re.S)
    own = slug(page.path)
    folder = pathlib.PurePosixPath(page.path).parent

    def link(match):
        before, address, after, text = match.groups()
        if re.match(r"https?:|mailto:", address):
            return match.group(0)
        target, _, part = address.partition("#")
        path = os.path.normpath(folder / target).removesuffix(".html") + ".md" if target else page.path
        if path not in inside:
            return f'<span class="away">{text}</span>'
        return f'<a{before}href="#{slug(path)}{"--" + part if part else ""}"{after}>{text}</a>'

    def own_ids(text):
        text = re.sub(r'\bid="', f'id="{own}--', text)
        return re.sub(r"\bid='", f"id='{own}--", text)

    body = re.sub(r'<a( |\s[^>]*?\s)href="([^"]*)"([^>]*)>(.*?)</a>', link, outside_of_pictures(own_ids, body), flags=re.S)
    body = body.replace("<details", "<details open")
    return f'<section class="chapter" id="{own}">{body}</section>'


def contents(found, at):
    rows = []
    for title, pages in found:
        rows += [f'<li class="part">{html.escape(title)}</li>'] if title else []
        rows += [f'<li class="{"core" if page.core else "deeper" if page.section else "first"}"><a href="#{slug(page.path)}"><span>{html.escape(road.title_of(page.path))}</span>'
                 f'<b>{at.get(slug(page.path), "000")}</b></a></li>' for page in pages]
    return f'<section class="contents"><h1>Contents</h1><ol>{"".join(rows)}</ol></section>'


def cover(which):
    picture = re.search(r'<svg class="drawing".*?</svg>', (SITE / "index.html").read_text(), re.S).group(0)
    picture = re.sub(r"</?a\b[^>]*>", "", picture)
    what = "The core: one road through six layers" if which == "core" else "The whole of it: the core, what goes deeper, the model from the empty file, and the appendix"
    version = subprocess.run([ROOT / "build" / "bin" / "strata", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    return f'<section class="cover"><h1>Strata</h1><p class="big">Build a language model, layer by layer</p>{picture}<p>{what}</p><p>{html.escape(version)}</p></section>'


def whole(which, at):
    found = parts(which)
    inside = {page.path for _, pages in found for page in pages}
    sheets = [f'<link rel="stylesheet" href="../site/{sheet.relative_to(SITE)}">' for sheet in sorted((SITE / "assets" / "stylesheets").glob("*.css"))]
    sheets += [f'<link rel="stylesheet" href="../site/{name}">' for name in ("katex/katex.min.css", "assets/strata.css", "assets/book.css")]
    chapters = []
    for title, pages in found:
        chapters += [chapter(page, inside) for page in pages]
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Strata: {"the core" if which == "core" else "all of it"}</title>{"".join(sheets)}</head>'
            f'<body dir="ltr" data-md-color-scheme="default" data-md-color-primary="blue-grey"><main class="md-typeset">{cover(which)}{contents(found, at)}{"".join(chapters)}</main>'
            '<script src="../site/katex/katex.min.js"></script><script src="../site/assets/math.js"></script></body></html>')


def browser():
    for name in (os.environ.get("CHROMIUM"), *BROWSERS):
        if name and shutil.which(name):
            return name
    raise Missing("book: it is printed by Chromium, which is missing. Install: apt-get install chromium, brew install --cask chromium, "
                  "or name one: make book CHROMIUM=/path/to/chrome")


def printed(program, source, target):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}",
                               "--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={target}", source.as_uri()], capture_output=True, text=True)
    if done.returncode != 0 or not target.is_file():
        raise Missing(f"book: {program} did not print it:\n{done.stderr[-800:]}")


def pages_of(pdf):
    """The page on which each named place of a PDF lies, from 1; and how many pages there are.  Chromium writes its tables as plain text."""
    text = pdf.read_bytes().decode("latin-1")
    objects = dict(re.findall(r"(?m)^(\d+) 0 obj\s*(.*?)\s*endobj", text, re.S))
    order = []

    def walk(number):
        body = objects[number]
        kids = re.search(r"/Kids\s*\[(.*?)\]", body, re.S)
        if kids:
            for kid in re.findall(r"(\d+) 0 R", kids.group(1)):
                walk(kid)
        else:
            order.append(number)

    catalog = next(body for body in objects.values() if "/Type /Catalog" in body)
    walk(re.search(r"/Pages (\d+) 0 R", catalog).group(1))
    at = {number: place for place, number in enumerate(order, 1)}
    named = re.findall(r"/([\w.#-]+)\s*\[(\d+) 0 R\s*/XYZ", text)
    named += re.findall(r"\(([^()]*)\)\s*\[(\d+) 0 R\s*/XYZ", text)
    return {name: at[number] for name, number in named if number in at}, len(order)


def main(which):
    program = browser()
    if not (SITE / "index.html").is_file():
        raise Missing("book: build/site is missing. Build it first: make docs")
    BOOK.mkdir(parents=True, exist_ok=True)
    source, target = BOOK / f"{which}.html", BOOK / ("strata-core.pdf" if which == "core" else "strata-all.pdf")
    at = {}
    for round_number in (1, 2):
        source.write_text(whole(which, at))
        with progress.Line(f"the book, printed the {'first' if round_number == 1 else 'second'} time of two"):
            printed(program, source, target)
        at, count = pages_of(target)
    lost = [page.path for _, pages in parts(which) for page in pages if slug(page.path) not in at]
    if lost:
        raise Missing(f"book: the PDF has no place for {', '.join(lost[:5])}")
    print(f"{target.relative_to(ROOT)}: {count} pages, {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    *check, which = sys.argv[1:] or ["core"]
    if which not in ("core", "all"):
        sys.exit(f"book: BOOK is '{which}', wanted: core or all")
    try:
        browser() if check else main(which)
    except Missing as problem:
        sys.exit(str(problem))
