#!/usr/bin/env python3
"""run.py - every command while its n-th call for memory, or to the disk, fails: for n = 1, 2, ... until none does.

    run.py [memory] [disk] [mapped] [output] [--long] [--only WORD] [--seconds S] [--first N]

A command that loses a call ends with status 1 and a sentence, or does without and prints what it always prints; no crash,
no hang, no file but the old one or the whole new one.  At most --seconds per command are spent (2; --long: without a limit):
the first calls, then some of the later ones, chosen by chance; --first: the first N calls, each alone.  cases.py has the commands, fail.h what can happen to a call.
"""
import argparse
import mmap
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from cases import BUILD, CASES, HERE, prepare, started

LAYOUT = "=qqqqqq32s256s"
MEMORY, DISK, MAPPED = 0, 1, 2
ERROR, INTERRUPT, SHORT, CUT, TORN, SHRINK = range(6)
HOW = ["fails", "is interrupted", "does half", "loses power", "loses power, torn", "loses half of its file"]
EVER = 1 << 62
PATIENCE = 60
OBJECT = os.path.join(BUILD, "tests", "fail.so")


def build():
    """The object that is preloaded."""
    os.makedirs(os.path.dirname(OBJECT), exist_ok=True)
    sources = [os.path.join(HERE, name) for name in ("fail.c", "fail_disk.c")]
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", "-O1", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *sources,
                    "-o", OBJECT, "-ldl"], check=True)


class State:
    """The bytes that the object maps as well (FailState in fail.h)."""

    def __init__(self, path, kind, folder=""):
        with open(path, "w+b") as file:
            file.write(struct.pack(LAYOUT, 0, 0, 0, 0, kind, 0, b"", folder.encode()))
            file.flush()
            self.bytes = mmap.mmap(file.fileno(), struct.calcsize(LAYOUT))
        self.path = path

    def arm(self, first, last, how=ERROR):
        """Calls first to last from now on."""
        struct.pack_into("=qqqq", self.bytes, 0, 0, first, last, 0)
        struct.pack_into("=q", self.bytes, 40, how)
        self.bytes[48:80] = bytes(32)

    def calls(self):
        return struct.unpack_from("=q", self.bytes, 0)[0]

    def failed(self):
        return struct.unpack_from("=q", self.bytes, 24)[0]

    def name(self):
        return self.bytes[48:80].split(b"\0")[0].decode()


class Result:
    """What a run of a case did."""

    def __init__(self, status, out, errors, files, state):
        self.status, self.out, self.errors, self.files = status, out, errors, files
        self.calls, self.failed, self.name = state.calls(), state.failed(), state.name()


def run(case, base, kind, first, last, how=ERROR):
    """Run a case in a folder of its own; where the power went, once more there, undisturbed."""
    with tempfile.TemporaryDirectory(prefix="fail-", dir=os.path.dirname(base)) as folder:
        if kind == MAPPED: # which is truncated
            shutil.copytree(base, folder, dirs_exist_ok=True)
        for name in () if kind == MAPPED else os.listdir(base):
            os.symlink(os.path.join(base, name), os.path.join(folder, name))
        for name in case.files:
            if name not in case.fresh:
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"old\n")
        state = State(folder + ".state", kind, folder)
        state.arm(first, last, how)
        result = go(case, folder, dict(os.environ, LD_PRELOAD=OBJECT, FAIL_STATE=state.path), state)
        result.kind = kind
        os.unlink(state.path)
        if result.status == 99:
            result.second = go(case, folder, None, state)
        return result


def go(case, folder, environment, state):
    process = subprocess.Popen(cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **started(case))
    try:
        out, errors = process.communicate(case.stdin.encode(), timeout=PATIENCE)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
        status = "hangs"
    files = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if not os.path.islink(path) and os.path.isfile(path) and (name in case.files or ".strata-part" in name):
            with open(path, "rb") as file:
                files[name] = file.read()
    return Result(status, out, errors.decode(errors="replace"), files, state)


def same(case, name, one, other):
    """Times differ from run to run: numbers and the width of their columns count for nothing where a case says so."""
    if case.times and not name.endswith(".gguf"):
        one, other = (re.sub(rb"[-0-9.e+% infa]+", b"", x or b"") for x in (one, other))
        return one[:40] == other[:40]
    return one == other


def complaint(case, good, r):
    """What is wrong with a run in which a call failed; None: nothing."""
    if r.status == "hangs" or r.status < 0 or r.status not in (0, 1, 99):
        return "status %s: %s" % (r.status, r.errors[-200:].strip())
    last = r.errors.splitlines()[-1] if r.errors else ""
    # a chat goes on behind what failed: its sentence is not the last one
    if r.status == 1 and not re.search(r"^\[?\S+: \S+ \S+|no memory", last) and "no memory" not in r.errors:
        return "status 1 without a sentence: %r" % r.errors[-200:]
    if r.status == 99 and (r.second.status != 0 or set(r.second.files) != set(good.files) or
                           not all(same(case, f, good.files[f], r.second.files[f]) for f in good.files)):
        return "the next run: status %s, files %s: %s" % (r.second.status, sorted(r.second.files), r.second.errors[-200:])
    if r.status == 0 and not (case.partly and case.partly in r.out) and not same(case, "", good.out, r.out):
        return "status 0, but another text: %r, wanted %r; %s" % (r.out[-200:], good.out[-200:], r.errors[-200:])
    for name in sorted(set(good.files) | set(r.files)):
        got, wanted = r.files.get(name), good.files.get(name)
        if same(case, name, got, wanted) or (r.status == 99 and name.endswith(".strata-part")):
            continue
        if r.kind == MAPPED and wanted and wanted.startswith(got or b"-"):
            continue  # read again when it was whole, and cut by us
        if r.status != 0 and name in case.grows and (case.times or (wanted or b"").startswith(got or b"")):
            continue
        if r.status == 0 or (got != b"old\n" and not (got is None and name in case.fresh)):
            return "status %d, %s is neither the old file nor the new one: %s" % (r.status, name, r.errors[-200:].strip())
    return None


def numbers(seed, calls, seconds):
    """1, 2, ...; with too little time for all the first and some of the rest."""
    yield from range(1, 41)
    rest = list(range(41, calls + 1))
    if seconds:
        random.Random(seed).shuffle(rest)
    yield from rest


class Tally:
    """What became of a case."""

    def __init__(self, name):
        self.name, self.calls, self.tried, self.refused, self.unharmed, self.wrong = name, 0, 0, 0, 0, []

    def take(self, case, good, r, what):
        if not r.failed:
            return
        self.tried += 1
        wrong = complaint(case, good, r)
        if wrong:
            self.wrong.append("%s: %s %s: %s" % (case.name, r.name, what, wrong))
        elif r.status == 0:
            self.unharmed += 1
        else:
            self.refused += 1


def ways_of(kind):
    return [[ERROR], [ERROR, INTERRUPT, SHORT, CUT, TORN], [SHRINK]][kind]


def walk(case, base, kind, seconds, first):
    """All n of a case, in all ways; alone, and with all calls after it.  first: the first ones only, each alone."""
    tally = Tally(case.name)
    good = run(case, base, kind, 0, 0)
    tally.calls = good.calls
    if good.status != 0:
        tally.wrong.append("%s: undisturbed: status %s: %s" % (case.name, good.status, good.errors[-300:]))
        return tally
    begin = time.time()
    for n in range(1, min(first, good.calls) + 1) if first else numbers(case.name, good.calls + 3, seconds):
        for how in ways_of(kind):
            for last in (n, EVER) if how == ERROR and not first else (n,):
                r = run(case, base, kind, n, last, how)
                tally.take(case, good, r, "%d of %d%s %s" % (n, good.calls, "" if last == n else " and all after it", HOW[how]))
        if (seconds and not first and time.time() - begin > seconds) or len(tally.wrong) > 20:
            break
    return tally


def full(case, base):
    """A case whose standard output is full, or closed."""
    tally = Tally(case.name)
    with tempfile.TemporaryDirectory(prefix="fail-", dir=os.path.dirname(base)) as folder:
        shutil.copytree(base, folder, dirs_exist_ok=True)
        about = dict(started(case), cwd=folder, input=case.stdin.encode())
        if not subprocess.run(**about, capture_output=True).stdout:
            return tally
        for name in case.files:
            os.unlink(os.path.join(folder, name))
        for what in ("full", "closed"):
            with open("/dev/full", "wb") as sink:
                r = subprocess.run(**about, stdout=sink, stderr=subprocess.PIPE, preexec_fn=(lambda: os.close(1)) if what == "closed" else None)
            tally.calls, tally.tried = tally.calls + 1, tally.tried + 1
            if r.returncode == 1 and re.search(rb"standard output", r.stderr):
                tally.refused += 1
            else:
                tally.wrong.append("%s: standard output is %s: status %d: %s" % (case.name, what, r.returncode, r.stderr[-200:].decode()))
    return tally


def report(title, tallies):
    print("%-28s %8s %8s %8s %9s %6s" % (title, "calls", "failed", "status 1", "unharmed", "wrong"))
    for t in tallies:
        print("%-28s %8d %8d %8d %9d %6d" % (t.name, t.calls, t.tried, t.refused, t.unharmed, len(t.wrong)))
    sums = [sum(x) for x in zip(*((t.calls, t.tried, t.refused, t.unharmed, len(t.wrong)) for t in tallies))]
    print("%-28s %8d %8d %8d %9d %6d" % ("all", *sums))
    for line in (line for t in tallies for line in t.wrong[:20]):
        print("  " + line)
    return sums[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=["memory", "disk", "mapped", "output"])
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=2)
    asked = parser.parse_args()
    build()
    wrong = 0
    with tempfile.TemporaryDirectory() as top:
        base = os.path.join(top, "base")
        os.mkdir(base)
        prepare(base)
        cases = [c for c in CASES if asked.only in c.name]
        for kind in asked.kinds:
            number = {"memory": MEMORY, "disk": DISK, "mapped": MAPPED, "output": None}[kind]
            # story.c is to be read: it does not watch over its file
            mine = [c for c in cases if kind != "mapped" or c.program != "story"]
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                tallies = list(pool.map(lambda c: full(c, base) if number is None else walk(c, base, number, 0 if asked.long else asked.seconds, asked.first), mine))
            wrong += report(kind, tallies)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
