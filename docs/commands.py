"""The commands that pages show: each is run in a fresh copy of the repository, and its output kept.

    printed(command)    what it prints, or Refused with the reason why no page may show it

The fresh copy is what a reader has after `git clone` and `make`: the files that git knows, as they stand, and what `make` and
`make lib` built of them.  A command gets a small, fixed set of variables, and files that it leaves in build/ are removed before the
next one, so each works by itself.  An output is kept under a hash of all that the command can read (key_of) and is run again when
any of it changes.  Failures are not kept; an entry that is not what was written is run again."""
import functools
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "docs" / "cache"
FRESH = ROOT / "build" / "docs" / "fresh"
SECONDS = int(os.environ.get("RUN_SECONDS", 600))  # for one command
NOTHING = "4294967295 0"  # cksum of no bytes
BUILT = ("bin", "lib", "include", "library", "tests", "layer*")  # in build/: what make builds
STAYS = {"whole"}  # in build/ of the copy: a target of make that many pages ask for
PASSED = re.compile(r"PATH|HOME|TMPDIR|CC|CFLAGS|STRATA_ISA|STRATA_MODEL|GRADE_SEED")  # variables that a command sees
WORD = re.compile(r"[\w./+-]+")
# These read more than the words of the command name: sources, tests, makefiles.
READS_ALL = re.compile(r"(?:^|[\s;|&(])(?:make|cc|exercises/\S+)(?=\s|$)")
MADE = re.compile(r"(?:-o|--out|>|tee) *(build/[\w.-]+)")
SOURCES = ("layer*", "exercises", "library", "tests", "docs/examples", "Makefile", "layer.mk")
# A command that fails ends all; one whose reader has read enough (head) does not.
STRICT = "trap 'code=$?; [ $code = 141 ] || exit $code' ERR\n"


makers = {}  # build/FILE: the command of a page that makes it


class Refused(Exception):
    """Why a page may not show this command."""


def sha(*parts):
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


@functools.lru_cache(maxsize=None)
def files_known():
    """What git knows, as it stands; without git all files but build/.  A learner's copies are ignored by git."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        names = listed.stdout.decode(errors="surrogateescape").split("\0")
    else:
        names = [str(f.relative_to(ROOT)) for f in ROOT.rglob("*") if f.relative_to(ROOT).parts[0] not in ("build", ".git")]
    return tuple(sorted(name for name in names if name and (ROOT / name).is_file()))


@functools.lru_cache(maxsize=None)
def contents(name):
    """The hash of a file, or of all known files below a folder; None when there is neither."""
    path = ROOT / name
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    below = [file for file in files_known() if file.startswith(name + "/")] if path.is_dir() else []
    return sha(*(file + contents(file) for file in below)) if below else None


@functools.lru_cache(maxsize=None)
def sources():
    roots = [path for pattern in SOURCES for path in ROOT.glob(pattern)]
    return sha(*(f"{path.name} {contents(str(path.relative_to(ROOT)))}" for path in sorted(roots)))


@functools.lru_cache(maxsize=None)
def machine():
    """Outputs depend on the instruction sets; speeds on the processor."""
    try:
        rows = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        rows = []
    kinds = sorted({row for row in rows if row.startswith(("model name", "flags", "Features"))})
    return sha(platform.machine(), platform.processor(), str(os.cpu_count()), *kinds)


def environment():
    env = {name: value for name, value in os.environ.items() if PASSED.fullmatch(name)}
    return dict(env, PATH=f"{FRESH}/build/bin:{env.get('PATH', os.defpath)}", LC_ALL="C.UTF-8")


def with_maker(command):
    """The command; one that reads a file which a command above it makes is run after that one."""
    made = MADE.findall(command)
    makers.update(dict.fromkeys(made, command))
    needed = {makers[word] for word in WORD.findall(command) if word in makers and word not in made}
    return "".join(f"{{ {first}; }} >/dev/null\n" for first in sorted(needed)) + command


def inputs_of(command):
    """Files and folders that a command reads, as far as its words tell; `sources` where they do not."""
    named = {word.removeprefix("./").rstrip("./") for word in WORD.findall(command)}
    found = {name for name in named if name and not re.match(r"[/.]|build(/|$)", name) and contents(name)}
    if re.search(r"\bstrata\b", command) or READS_ALL.search(command):
        found |= {"build/bin/strata", "build/bin/strata-serve", "layer5_models/models"}
    return sorted(found)


def key_of(command):
    reads = [f"{name} {contents(name)}" for name in inputs_of(command)]
    env = [f"{name}={value}" for name, value in sorted(environment().items())]
    return sha(command, machine(), sources() if READS_ALL.search(command) else "", *reads, "", *env)


def copy(files, target):
    """Times stay, so make in the copy sees that all is built."""
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


@functools.lru_cache(maxsize=None)
def fresh():
    """The copy, made for the first command of a build that is run; and what lies in its build/."""
    shutil.rmtree(FRESH, ignore_errors=True)
    copy(files_known(), FRESH)
    for pattern in BUILT:
        for folder in (ROOT / "build").glob(pattern):
            shutil.copytree(folder, FRESH / "build" / folder.name, symlinks=True)
    return frozenset(path.name for path in (FRESH / "build").iterdir()) | STAYS


def tidy(kept):
    for path in (FRESH / "build").iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def run(command):
    """What a command prints in the fresh copy."""
    kept = fresh()
    try:
        done = subprocess.run(["bash", "-E", "-o", "pipefail", "-c", STRICT + command], cwd=FRESH, env=environment(), timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Refused(f"takes more than {SECONDS} seconds: {command}\n"
                      "On a slow machine: RUN_SECONDS=3000 make docs; figures and outputs that are done are kept.")
    finally:
        tidy(kept)
    if done.returncode not in (0, 141):
        raise Refused(f"fails with {done.returncode}: {command}\n{done.stderr.decode(errors='replace')[-500:]}")
    text = done.stdout.decode(errors="replace")
    if not text.strip():
        raise Refused(f"prints nothing: {command}")
    if NOTHING in text:
        raise Refused(f"takes the checksum of nothing: {command}")
    return text


def written(path, seconds, text):
    """An entry: the checksum of what follows, the seconds of the processor, the output.  Another build never sees half of one."""
    body = f"{seconds:.2f}\n{text}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, newline="", encoding="utf-8") as part:
        part.write(f"{sha(body)}\n{body}")
    os.replace(part.name, path)


def kept(path):
    """(seconds, output) of an entry; None when there is none, or not what was written."""
    try:
        checksum, _, body = path.read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    seconds, _, text = body.partition("\n")
    return (float(seconds), text) if checksum == sha(body) else None


def processor():
    times = os.times()
    return times.children_user + times.children_system


def entry(command):
    return CACHE / key_of(command)[:32]


def printed(command):
    command = with_maker(command)
    path = entry(command)
    found = kept(path)
    if not found:
        began = processor()
        found = 0, run(command)
        written(path, processor() - began, found[1])
    return found[1]
