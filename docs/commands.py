"""The commands on pages: each runs in a fresh copy of the repository, and its output is cached (kept.py).

    printed(command)    what it prints, or Refused with the reason why no page may show it
    joined(command)     the command on one line: a page may break it after a backslash, which changes neither output nor cache

The copy contains what a reader has after `git clone` and `make`: the files that git tracks, and what `make` and `make lib` built from
them.  A command sees a small, fixed set of variables, and the files that it leaves in build/ are removed before the next one, so each
command works by itself, or after the command above it that makes its file.  It runs again when any of its inputs changes: its words,
the files they name, the program and its models, the variables, the machine; and, if it builds something (make, cc, a script of the
exercises), any source."""
import functools
import os
import pathlib
import re
import shutil
import subprocess

import kept
from kept import ROOT

FRESH = ROOT / "build" / "docs" / "fresh"
SECONDS = int(os.environ.get("RUN_SECONDS", 600))  # for one command
NOTHING = "4294967295 0"  # cksum of no bytes
BUILT = ("bin", "lib", "include", "library", "tests", "layer*")  # in build/: what make builds
STAYS = {"whole"}  # in build/ of the copy: a target of make that many pages ask for
PASSED = re.compile(r"PATH|HOME|TMPDIR|CC|CFLAGS|STRATA_\w+|GRADE_SEED|(?:CCACHE|QEMU)_\w+")  # variables that a command sees
UNLIKE = re.compile(r"PATH|CCACHE_\w+|STRATA_KATEX")  # ... and that change nothing that it prints, or by TOOLS alone
TOOLS = ("bash", "make", "cc", "awk", "sed", "od")
MODELS = "layer5_models/models"
WORD = re.compile(r"[\w./+-]+")
BUILDS = re.compile(r"(?:^|[\s;|&(])(?:make|cc|exercises/\S+)(?=\s|$)")
MADE = re.compile(r"(?:-o|--out|>|tee) *(build/[\w.-]+)")
# A command that fails ends all; one whose reader has read enough (head) does not.
STRICT = "trap 'code=$?; [ $code = 141 ] || exit $code' ERR\n"
BREAK = re.compile(r"\\\n *")
makers = {}  # build/FILE: the command of a page that makes it


class Refused(Exception):
    """Why a page may not show this command."""


def environment():
    env = {name: value for name, value in os.environ.items() if PASSED.fullmatch(name)}
    return dict(env, PATH=f"{FRESH}/build/bin:{env.get('PATH', os.defpath)}", LC_ALL="C.UTF-8")


def programs():
    return sorted(f"build/bin/{path.name}" for path in (ROOT / "build" / "bin").glob("*"))


def variables():
    """What of the environment belongs to a key: a wrapper of python may change PATH, and changes no tool by it."""
    env = [f"{name}={value}" for name, value in sorted(environment().items()) if not UNLIKE.fullmatch(name)]
    return env + [str(shutil.which(tool)) for tool in TOOLS]


def with_maker(command):
    """The command; one that reads a file which a command above it makes is run after that one."""
    made = MADE.findall(command)
    makers.update(dict.fromkeys(made, command))
    needed = {makers[word] for word in WORD.findall(command) if word in makers and word not in made}
    return "".join(f"{{ {first}; }} >/dev/null\n" for first in sorted(needed)) + command


def inputs_of(command):
    """The files and folders that a command reads, as far as its words tell."""
    named = {word.removeprefix("./").rstrip("./") for word in WORD.findall(command)}
    found = {name for name in named if name and not re.match(r"[/.]|build(/|$)", name) and kept.contents(name)}
    names = {pathlib.Path(program).name for program in programs()}
    if any(word.split("/")[-1] in names for word in WORD.findall(command)) or BUILDS.search(command):
        found |= {*programs(), MODELS}
    return sorted(found)


def key_of(command):
    built = kept.sources() if BUILDS.search(command) else ""
    return kept.sha(command, kept.machine(), built, *kept.each(inputs_of(command)), "", *variables())


def copy(files, target):
    """Times stay, so that make in the copy sees what is built."""
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


@functools.lru_cache(maxsize=None)
def fresh():
    """The copy, made for the first command of a build that is run; and what lies in its build/."""
    shutil.rmtree(FRESH, ignore_errors=True)
    copy(kept.files_known(), FRESH)
    for pattern in BUILT:
        for folder in (ROOT / "build").glob(pattern):
            shutil.copytree(folder, FRESH / "build" / folder.name, symlinks=True)
    return frozenset(path.name for path in (FRESH / "build").iterdir()) | STAYS


def tidy(stays):
    for path in (FRESH / "build").iterdir():
        if path.name not in stays:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def run(command):
    """What a command prints in the fresh copy."""
    stays = fresh()
    try:
        done = subprocess.run(["bash", "-E", "-o", "pipefail", "-c", STRICT + command], cwd=FRESH, env=environment(), timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Refused(f"takes more than {SECONDS} seconds: {command}\n"
                      "On a slow machine: RUN_SECONDS=3000 make docs; figures and outputs that are done are kept.")
    finally:
        tidy(stays)
    if done.returncode not in (0, 141):
        raise Refused(f"fails with {done.returncode}: {command}\n{done.stderr.decode(errors='replace')[-500:]}")
    text = done.stdout.decode(errors="replace")
    if not text.strip():
        raise Refused(f"prints nothing: {command}")
    if NOTHING in text:
        raise Refused(f"takes the checksum of nothing: {command}")
    return text


def processor():
    times = os.times()
    return times.children_user + times.children_system


def entry(command):
    """The seconds of the processor that it took, and the output."""
    command = with_maker(command)

    def timed():
        began, text = processor(), run(command)
        return f"{processor() - began:.2f}\n{text}"

    seconds, _, text = kept.text(key_of(command), timed).partition("\n")
    return float(seconds), text


def joined(command):
    return BREAK.sub("", command)


def printed(command):
    return entry(joined(command))[1]
