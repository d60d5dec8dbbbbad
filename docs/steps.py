"""The steps of `make docs`, each skipped when none of its inputs has changed; run by docs/build.sh."""
import concurrent.futures
import functools
import importlib.metadata
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys

import commands
import kept
import mkdocs.utils
import plots
import progress
from kept import ROOT, sha
from mkdocs.exceptions import PluginError

DOCS, PLOTS, PLAYGROUND, SITE = ROOT / "docs", ROOT / "build" / "plots", ROOT / "build" / "playground", ROOT / "build" / "site"
MAKE = "docs/figures/make.sh"
DOCUMENTS = os.environ.get("DOCUMENTS", "20")


class Failed(Exception):
    pass


def call(*command, log=None, **env):
    """Runs it; what it says goes to a log in build/docs, when there is one, and is shown when it fails."""
    mine = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}  # no job of a make above
    said = subprocess.PIPE if log else None
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=dict(mine, **env), stdout=said, stderr=subprocess.STDOUT if log else None, text=True, errors="replace")
    if log:
        (ROOT / "build" / "docs" / log).write_text(done.stdout)
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-4000:] if log else "")
        raise Failed


def shown():
    """The figures that pages show."""
    return sorted({name for page in DOCS.rglob("*.md") for name in re.findall(r"\{\{ figure ([a-z-]+)", page.read_text())})


def recipe(name):
    """The lines of make.sh that make a figure's numbers."""
    numbers = (ROOT / MAKE).read_text().split("\nnumbers() {", 1)[1]
    rows = re.findall(r"^    ([a-z| -]+)\)(.*?)(?=^    \S)", numbers, re.M | re.S)
    return " ".join(text for names, text in rows if name in names.split(" | ")).replace("$1", name)


def figure_key(name):
    """A figure reads its own stored numbers; some also read the program, or all sources."""
    text = recipe(name)
    reads = {f"docs/figures/{found}" for found in re.findall(r"data/[\w.-]+", text)} | {commands.MODELS, MAKE, "docs/figures/style.gp", "docs/assets/look.css"}
    reads |= {str(file.relative_to(ROOT)) for pattern in (f"{name}.*", "*.awk", "cuts.gp", "policies.gp", "curve.sh") for file in (DOCS / "figures").glob(pattern)}
    if re.search(r"\$strata|swept|passes", text):
        reads |= {"build/bin/strata", *commands.programs()}
    built = kept.sources() if re.search(r"worked", text) else ""
    measured = [DOCUMENTS, os.environ.get("SPEED_SECONDS", ""), os.environ.get("STRATA_ISA", ""), kept.machine()]
    return sha(built, *measured, *kept.each(sorted(reads)))


def draw(name):
    kept.step(f"figure-{name}", figure_key(name), [PLOTS / f"{name}.svg", PLOTS / f"{name}.csv"],
              lambda: call(MAKE, "build/bin/strata", PLOTS, name, log=f"figure-{name}.log", DOCUMENTS=DOCUMENTS))


def playground():
    reads = [name for name in kept.files_known(True) if re.match(r"docs/playground/.*\.(?:c|h|sh)$|docs/figures/data/frontier\.csv$|layer\d_\w+/(?:src|include|extras|world|models)/", name)]
    kept.step("playground", sha(os.environ.get("CLANG", ""), os.environ.get("WASI_SYSROOT", ""), *kept.each(reads)),
              [PLAYGROUND / name for name in ("strata.wasm", "playground-data.js", "frontier-data.js")], lambda: call("docs/playground/build.sh", PLAYGROUND))


def packages():
    """Python's packages, and the theme, which Debian has outside of them."""
    theme = pathlib.Path(mkdocs.utils.get_theme_dir("material"))
    files = [f"{file.relative_to(theme)} {file.stat().st_size}" for file in sorted(theme.rglob("*")) if file.is_file()]
    return sha(*sorted(f"{found.name} {found.version}" for found in importlib.metadata.distributions()), *files)


@functools.lru_cache(maxsize=None)
def everything(*more):
    return sha(kept.machine(), packages(), *commands.variables(), *kept.each(kept.files_known(True)), *kept.each(commands.programs()), *more)


def tests():
    log = ROOT / "build" / "docs" / "test_hooks.log"

    def run():
        with open(log, "w") as out:
            done = subprocess.run([sys.executable, "docs/test_hooks.py"], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.stderr.write(log.read_text())
            raise Failed

    kept.step("tests", everything(), [log], run)


def commands_of(page):
    """The commands of a page, with the numbers of figures that they contain; none where the page will be refused."""
    try:
        text = plots.NUMBER.sub(lambda match: plots.number(*match.groups()), page.read_text())
    except PluginError:
        return []
    return re.findall(r"^ *\{\{ run(?:_with_inf)? ((?:\\\n|.)+?) \}\}$", text, re.M)


def run_all_of(page, lines):
    """Runs the commands of a page in order, in a process of its own; the build of the page reports the ones that fail."""
    commands.FRESH = ROOT / "build" / "docs" / f"fresh-{os.getpid()}"
    commands.makers.clear()
    for command in lines:
        try:
            commands.printed(command)
        except commands.Refused:
            break
    return len(lines)


def outputs():
    """Runs the commands of several pages at a time; the build of the pages finds their output in the cache."""
    todo = [(page, lines) for page, lines in ((page, commands_of(page)) for page in DOCS.rglob("*.md")) if lines]
    todo.sort(key=lambda row: -len(row[1]))
    with progress.Line("commands", sum(len(lines) for _, lines in todo)) as line:
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
            for done in concurrent.futures.as_completed([pool.submit(run_all_of, *row) for row in todo]):
                line.add(done.result())
    for folder in (ROOT / "build" / "docs").glob("fresh-*"):
        commands.shutil.rmtree(folder)


def pages():
    katex = os.environ["STRATA_KATEX"]
    drawn = str(kept.state([PLOTS / f"{name}.{kind}" for name in shown() for kind in ("svg", "csv")] + [PLAYGROUND / "playground-data.js", PLAYGROUND / "frontier-data.js"]))

    def build():
        call("mkdocs", "build", "--quiet", "--strict")
        call("python3", "docs/check_links.py", SITE)

    if not kept.step("pages", everything(drawn, katex, str(kept.contents(katex + "/katex.min.js"))), [SITE], build):
        print("the site is as it was: nothing that it is made of has changed")


def main():
    with progress.Line("what the build must refuse, tried"):
        tests()
    with progress.Line("figures", len(shown())) as line:
        for name in shown():
            draw(name)
            line.add(1)
    with progress.Line("the playground, by clang"):
        playground()
    outputs()
    with progress.Line("pages and their links"):
        pages()


if __name__ == "__main__":
    try:
        main()
    except Failed:
        sys.exit(1)
