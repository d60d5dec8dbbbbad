"""What the pages print is what a reader gets: pages.py SITE, after make docs, which has run each command in a fresh copy of the
repository (docs/commands.py).  Each console block of SITE must be what its command printed there; one that no tag made, typed into a
page, is run now.  Commands that take at most AGAIN seconds are run a second time, in another copy, and must print the same; not
benchmarks and test runs: they print times."""
import html
import html.parser
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
import commands
import kept

AGAIN = 0.6  # seconds of the processor
FIRST = 'export PATH="$PWD/build/bin:$PATH"'
LONG = re.compile(r"\bbench\b|\bstrata compare\b|\bmake -s test\b|\brestart\.py\b")  # ... or they print how fast they were


class Blocks(html.parser.HTMLParser):
    """The console blocks of a page, as text."""

    def __init__(self, path):
        super().__init__()
        self.depth, self.blocks = 0, []
        text = path.read_text()
        if "language-console" in text:
            self.feed(text)

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


def differ(command, shown, printed):
    if rows_of(printed) != rows_of(shown):
        return f"prints something else: {command}\n--- page\n{shown[:600]}\n--- here\n{printed[:600]}"
    return None


def try_block(block, counts):
    """None, or what is wrong."""
    rows = block.strip("\n").split("\n")
    n = 1
    while rows[n - 1].endswith("\\") and n < len(rows):  # the command goes on
        n += 1
    command, shown = commands.joined("\n".join(rows[:n])).removeprefix("$ "), "\n".join(rows[n:])
    try:
        seconds, printed = commands.entry(command)
        counts["compared"] += 1
        wrong = differ(command, shown, printed)
        if not wrong and seconds <= AGAIN and not LONG.search(command):
            counts["run again"] += 1
            wrong = differ(command, shown, commands.run(commands.with_maker(command)))
        return wrong
    except commands.Refused as problem:
        return str(problem)


def nothing_is_built():
    """For make the copy is what a fresh build is: there is nothing that it would build anew."""
    commands.fresh()
    program = commands.FRESH / "build" / "bin" / "strata"
    before = program.stat()
    done = subprocess.run(["make", "-s"], cwd=commands.FRESH, env=commands.environment(), capture_output=True, text=True)
    return done.returncode == 0 and (program.stat().st_mtime_ns, program.stat().st_size) == (before.st_mtime_ns, before.st_size)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    tried, wrong, counts = set(), 0, {"compared": 0, "run again": 0}

    def tell(what):
        nonlocal wrong
        wrong += 1
        print(what, file=sys.stderr)

    if not nothing_is_built():
        tell(f"make builds the program anew in {commands.FRESH.relative_to(kept.ROOT)}")
    for name in ("index.html",):
        if FIRST not in re.sub("<[^>]+>", "", html.unescape((site / name).read_text())):
            tell(f"{name}: does not say {FIRST}")
    for path in sorted(site.rglob("*.html")):
        commands.makers.clear()
        for block in Blocks(path).blocks:
            if block.strip().startswith("$ ") and block not in tried:
                tried.add(block)
                problem = try_block(block, counts)
                if problem:
                    tell(f"{path.relative_to(site)}: {problem}")
    print(f"{counts['compared']} commands compared with what make docs printed, {counts['run again']} run again, {wrong} wrong")
    return 1 if wrong or not tried else 0


sys.exit(main())
