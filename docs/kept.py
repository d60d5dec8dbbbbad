"""The cache of the site's build, build/docs/cache: outputs under a hash of everything that went into them.

    text(key, make)                     the text that make() returned under this key; make is called when there is none
    step(name, key, outputs, make)      make() unless its outputs are those of the last step of this name and key

Hashes cover contents, never times: a program that is linked again to the same bytes changes nothing.  Failures are not kept, and a
damaged entry counts as missing."""
import functools
import hashlib
import os
import pathlib
import platform
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "docs" / "cache"
# What programs, tests and worked exercises are built from.
SOURCES = ("layer*", "exercises", "library", "tests", "docs/examples", "Makefile", "layer.mk")


def sha(*parts):
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


@functools.lru_cache(maxsize=None)
def files_known(untracked=False):
    """What git knows, as it stands, and with untracked also what it does not ignore; without git all files but build/.  A learner's
    copies are ignored by git."""
    listed = subprocess.run(["git", "ls-files", "-z", *(["-co", "--exclude-standard"] if untracked else [])], cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        names = listed.stdout.decode(errors="surrogateescape").split("\0")
    else:
        names = [str(f.relative_to(ROOT)) for f in ROOT.rglob("*") if f.relative_to(ROOT).parts[0] not in ("build", ".git")]
    return tuple(sorted({name for name in names if name and (ROOT / name).is_file()}))


@functools.lru_cache(maxsize=None)
def contents(name):
    """The hash of a file, or of all known files below a folder; None when there is neither."""
    path = ROOT / name
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    below = [file for file in files_known() if file.startswith(name + "/")] if path.is_dir() else []
    return sha(*(f"{file} {contents(file)}" for file in below)) if below else None


def each(names):
    return [f"{name} {contents(name)}" for name in names]


@functools.lru_cache(maxsize=None)
def sources():
    return sha(*each(sorted(str(path.relative_to(ROOT)) for pattern in SOURCES for path in ROOT.glob(pattern))))


@functools.lru_cache(maxsize=None)
def machine():
    """Outputs depend on the instruction sets, speeds on the processor."""
    try:
        rows = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        rows = []
    kinds = sorted({row for row in rows if row.startswith(("model name", "flags", "Features"))})
    return sha(platform.machine(), platform.processor(), str(os.cpu_count()), *kinds)


def forget():
    """Files may have changed: for tests, which change some."""
    for function in (files_known, contents, sources, machine):
        function.cache_clear()


def write(path, body):
    """An entry and its checksum.  Another build never sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, newline="", encoding="utf-8") as part:
        part.write(f"{sha(body)}\n{body}")
    os.replace(part.name, path)


def read(path):
    """None when there is no entry, or not what was written."""
    try:
        checksum, _, body = path.read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return body if checksum == sha(body) else None


def text(key, make):
    path = CACHE / key[:32]
    found = read(path)
    if found is None:
        found = make()
        write(path, found)
    return found


def state(outputs):
    """Of files, or of all files below folders; None when one is missing."""
    rows = []
    for output in outputs:
        files = sorted(f for f in output.rglob("*") if f.is_file()) if output.is_dir() else [output]
        if not files or not all(file.is_file() for file in files):
            return None
        rows += [f"{file} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files]
    return sha(*rows)


def step(name, key, outputs, make):
    """Whether make() was called; what it raises ends the step, and nothing is kept."""
    stamp = CACHE / name
    now = state(outputs)
    if now and read(stamp) == sha(key, now):
        return False
    stamp.unlink(missing_ok=True)
    make()
    write(stamp, sha(key, str(state(outputs))))
    return True
