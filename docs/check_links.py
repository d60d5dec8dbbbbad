"""Checks the pages of a folder: every link and every file that they name must exist, and nothing may be loaded from elsewhere."""
import functools
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

site = pathlib.Path(sys.argv[1]).resolve()
problems = []


BARE = re.compile(r'<span(?: class="[^"]*")?>|</span>')  # nine tenths of a listing: neither a link nor an anchor


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(BARE.sub("", path.read_text()))

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.anchors.update(a[k] for k in ("id", "name") if a.get(k))
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        if tag in ("img", "script", "source", "iframe") and a.get("src"):
            self.loads.append(a["src"])
        if tag == "link" and a.get("href") and a.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(a["href"])
        if tag == "img" and not a.get("alt"):
            problems.append(f"a picture without alt text: {a.get('src')}")


@functools.lru_cache(maxsize=None)
def target_of(folder, name):
    """The file that a link from a page of this folder leads to; None when there is none."""
    target = pathlib.Path(os.path.normpath((site if name.startswith("/") else folder) / urllib.parse.unquote(name).lstrip("/")))
    target = target / "index.html" if target.is_dir() else target
    return target if target.is_file() else None


pages = {path: Page(path) for path in site.rglob("*.html")}
for path, page in pages.items():
    for link in page.loads + page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.loads:
                problems.append(f"{path.relative_to(site)} loads {link} from elsewhere")
            continue
        target = target_of(path.parent, parts.path) if parts.path else path
        if not target:
            problems.append(f"{path.relative_to(site)}: {link} leads nowhere")
        elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
            if not parts.fragment.startswith("__"):
                problems.append(f"{path.relative_to(site)}: {link} leads to no heading")
for problem in sorted(set(problems)):
    print("docs:", problem, file=sys.stderr)
print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links checked")
sys.exit(1 if problems else 0)
