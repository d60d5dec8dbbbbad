"""Every link and every file that the pages of a folder name must be there; nothing may come from elsewhere."""
import html.parser
import pathlib
import sys
import urllib.parse

site = pathlib.Path(sys.argv[1]).resolve()
problems = []


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(path.read_text())

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


pages = {path: Page(path) for path in site.rglob("*.html")}
for path, page in pages.items():
    for link in page.loads + page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.loads:
                problems.append(f"{path.relative_to(site)} loads {link} from elsewhere")
            continue
        base = site if parts.path.startswith("/") else path.parent
        target = (base / urllib.parse.unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            problems.append(f"{path.relative_to(site)}: {link} leads nowhere")
        elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
            if not parts.fragment.startswith("__"):
                problems.append(f"{path.relative_to(site)}: {link} leads to no heading")
for problem in sorted(set(problems)):
    print("docs:", problem, file=sys.stderr)
print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links checked")
sys.exit(1 if problems else 0)
