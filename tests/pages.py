"""Run what the pages print, as a reader would: pages.py SITE TREE.  TREE is a fresh copy of the repository after make; each console
block of SITE must print there what the page shows, after what the home page says is to be done first.  Benchmarks and test runs are left out: they take long, and print times."""
import html
import html.parser
import os
import pathlib
import re
import subprocess
import sys

FIRST = 'export PATH="$PWD/build/bin:$PATH"'
LONG = re.compile(r"\bbench\b|\bmake -s test\b")


class Blocks(html.parser.HTMLParser):
    """The console blocks of a page, as text."""

    def __init__(self, path):
        super().__init__()
        self.depth, self.blocks = 0, []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        if tag == "div" and (self.depth or "language-console" in (dict(attributes).get("class") or "")):
            if not self.depth:
                self.blocks.append("")
            self.depth += 1

    def handle_endtag(self, tag):
        if tag == "div" and self.depth:
            self.depth -= 1

    def handle_data(self, data):
        if self.depth:
            self.blocks[-1] += data


def rows_of(text):
    """What must be equal: spaces aside (the page has no tabs), and the lines that tell how fast it went."""
    return [" ".join(row.split()) for row in text.strip().split("\n") if "tokens/s" not in row]


def try_block(block, tree):
    """None, or what is wrong."""
    first, _, shown = block.strip("\n").partition("\n")
    command = first.removeprefix("$ ")
    env = dict(os.environ, LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", FIRST + "\n" + command], cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed = done.stdout.decode(errors="replace")
    if done.returncode not in (0, 141):
        return f"fails with {done.returncode}: {command}\n{done.stderr.decode()[-300:]}"
    if rows_of(printed) != rows_of(shown):
        return f"prints something else: {command}\n--- page\n{shown[:600]}\n--- here\n{printed[:600]}"
    return None


def main():
    site, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    tried, wrong = {}, 0
    for name in ("index.html", "reading.html"):
        if FIRST not in re.sub("<[^>]+>", "", html.unescape((site / name).read_text())):
            wrong += 1
            print(f"{name}: does not say {FIRST}", file=sys.stderr)
    for path in sorted(site.rglob("*.html")):
        for block in Blocks(path).blocks:
            if not block.strip().startswith("$ ") or LONG.search(block.strip().split("\n")[0]) or block in tried:
                continue
            tried[block] = try_block(block, tree)
            if tried[block]:
                wrong += 1
                print(f"{path.relative_to(site)}: {tried[block]}", file=sys.stderr)
    print(f"{len(tried)} commands tried, {wrong} wrong")
    return 1 if wrong or not tried else 0


sys.exit(main())
