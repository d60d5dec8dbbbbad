#!/usr/bin/env python3
"""Whether the unit tests notice when the sources change: a score by folder, and the mutants that nothing notices.

    run.py [--count N] [--seed S] [--threads N] [--least PERCENT] [--above] [--tests A,B] [FOLDER or FILE ...]

One token, constant, statement or pair of arguments of a C file (or header of a template) changes; what depends on it is
compiled again and linked before the archives with each test of its layer that links it (--above: and those of higher layers;
--tests stages,chains: only test_stages and test_chains).  A mutant is killed when
a test fails, crashes or takes ten times as long as it should, if not as it is then under sanitizers, with gaps in arenas
(tests/guard.c); equal when the compiled code is the same.  N of each folder are
drawn by the seed.  tests/mutants/equal.txt lists those that change nothing that a caller can see, and why: they count as
equal."""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
WORK = os.path.join(ROOT, "build/mutants")
FOLDERS = ["layer2_linalg/src", "layer2_linalg/src/formats", "layer2_linalg/src/avx2", "layer2_linalg/src/simd", "layer3_nn/src",
           "layer4_transformer/src/memory", "layer5_models/src/tokenizer", "layer5_models/src/train", "layer6_inference/src/samplers",
           "layer6_inference/src/candidates", "layer6_inference/extras/service"]
SLOW = 15  # seconds of the processor; slower tests are not run
SANITIZED_TESTS = 6  # those that have killed most so far run under sanitizers, too


def shell(command, cwd):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def run_program(program, cwd, seconds):
    """Its status, and its seconds of the processor, of which it has so many; 20 times that by the clock."""
    limit = int(seconds) + 1
    child = subprocess.Popen([program], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    timer = threading.Timer(20 * limit, child.kill)
    timer.start()
    _, status, used = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = status
    return status, used.ru_utime + used.ru_stime


def command_of(layer, source, target):
    """What make runs to build a target from a source: the compiler's words."""
    said = subprocess.run(["make", "-n", "-W", source, target], cwd=os.path.join(ROOT, layer), capture_output=True, text=True).stdout
    line = next(line for line in said.splitlines() if f" {source} " in line and "-std=c11" in line)
    return re.search(r"(\S+ -std=c11.*?)(?: && |$)", line).group(1).split()


class Test:
    """A test program: its object, the archives it links, the objects that it takes from them."""
    lock = threading.Lock()

    def __init__(self, layer, source):
        self.layer, self.source = layer, source
        self.name = os.path.basename(source)[:-2]
        self.ready, self.seconds, self.killed = False, 0, 0

    def build(self):
        with Test.lock:
            if self.ready:
                return self
            out = f"../build/{self.layer}/{self.name}" if self.layer != "tests" else f"../build/tests/{self.name}"
            words = command_of(self.layer, self.source, out)
            self.libraries = [w for w in words if w.endswith((".o", ".a"))]
            self.rest = [w for w in words[words.index("-lcmocka"):words.index("-o")]]
            self.object = f"{WORK}/tests/{self.layer}-{self.name}.o"
            self.flags = [w for w in words[:words.index(self.source)] if w not in ("-MMD", "-MP", "-Werror")]
            os.makedirs(os.path.dirname(self.object), exist_ok=True)
            folder = os.path.join(ROOT, self.layer)
            program = self.object[:-2]
            self.works = self.is_fresh(folder) or shell(self.flags + ["-w", "-c", self.source, "-o", self.object], folder) == 0
            said = subprocess.run([self.flags[0], self.object, *self.libraries, *self.rest, "-Wl,-t,-t", "-o", program],
                                  cwd=folder, capture_output=True, text=True).stdout
            self.members = set(re.findall(r"^\(?(?:\S*/lib/lib(\w+)\.a\)|\S*?build/)?(\S+\.o)$", said, re.M))
            self.works &= os.path.exists(program)
            if self.works:
                status, self.seconds = run_program(program, folder, 4 * SLOW)
                self.works = status == 0
            self.ready = True
            return self

    def is_fresh(self, folder):
        """Was it compiled after all that it consists of?"""
        parts = [self.source, *self.libraries]
        return os.path.exists(self.object) and all(
            os.path.getmtime(os.path.join(folder, part)) < os.path.getmtime(self.object) for part in parts)

    def links(self, objects):
        return any(os.path.basename(o) == os.path.basename(member) for o in objects for _, member in self.members)

    def kills(self, objects, own, program, more=()):
        """own: the mutated objects, by the paths that make gives them; more: what the linker is told."""
        folder = os.path.join(ROOT, self.layer)
        libraries = [w for w in self.libraries if os.path.normpath(os.path.join(folder, w)) not in own]
        if shell([self.flags[0], *more, self.object, *objects, *libraries, *self.rest, "-o", program], folder) != 0:
            return None
        return run_program(program, folder, 10 * self.seconds + 3)[0] != 0


class Layer:
    def __init__(self, name, above, only):
        self.name = name
        layers = [os.path.basename(f) for f in sorted(glob.glob(f"{ROOT}/layer[1-6]_*"))]
        layers = [layer for layer in layers if layer == name or (above and layer > name)]
        self.tests = [Test(layer, f"tests/{os.path.basename(f)}") for layer in layers
                      for f in sorted(glob.glob(f"{ROOT}/{layer}/tests/test_*.c"))
                      if not only or os.path.basename(f)[len("test_"):-len(".c")] in only.split(",")]
        self.depends = {}
        for path in glob.glob(f"{ROOT}/build/{name}/**/*.d", recursive=True):
            text = open(path, encoding="utf-8").read().split("\n\n")[0].replace("\\\n", " ")
            target, _, sources = text.partition(":")
            sources = sources.split()
            if target.endswith(".o") and "/program/" not in target and "/serve/" not in target:
                self.depends[target] = (sources[0], {os.path.normpath(s) for s in sources})

    def objects(self, path):
        return [(target, source) for target, (source, all_of) in sorted(self.depends.items()) if path in all_of]


def shadow(worker, layer):
    """A copy of a layer in links, in which one file can be another."""
    base = f"{WORK}/run/{worker}-{layer}"
    if not os.path.exists(f"{base}/{layer}"):
        os.makedirs(base, exist_ok=True)
        for other in os.listdir(ROOT):
            if other != layer and not other.startswith(".") and not os.path.lexists(f"{base}/{other}"):
                os.symlink(f"{ROOT}/{other}", f"{base}/{other}")
        for folder, _, files in os.walk(f"{ROOT}/{layer}"):
            to = f"{base}/{layer}{folder[len(ROOT) + 1 + len(layer):]}"
            os.makedirs(to, exist_ok=True)
            for file in files:
                os.symlink(f"{folder}/{file}", f"{to}/{file}")
    return f"{base}/{layer}"


commands = {}


SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
GUARD = [f"{WORK}/guard.o", f"@{ROOT}/tests/guard.options"] if sys.platform == "linux" else []


def compile_guard():
    """tests/guard.c: whatever uses an arena is linked with it, and what it guards is checked in the mutant."""
    includes = [f"-I{ROOT}/layer1_tensor/{folder}" for folder in ("include", "extras/include")]
    os.makedirs(WORK, exist_ok=True)
    if GUARD and shell(["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", *includes, "-c", f"{ROOT}/tests/guard.c", "-o", GUARD[0]], ROOT) != 0:
        sys.exit("make mutants: tests/guard.c does not compile")


def compile_objects(layer, objects, folder, out, more=()):
    made = []
    for target, source in objects:
        if target not in commands:
            words = command_of(layer.name, source, target)
            commands[target] = [w for w in words[:words.index("-MMD")] if w not in ("-Werror", "-O3")] + ["-O1", "-w", "-g0"]
        name = f"{out}/{target.replace('/', '_').strip('._')}"
        if shell(commands[target] + [*more, "-c", source, "-o", name], folder) != 0:
            return None
        made.append(name)
    return made


def same(a, b):
    return all(open(x, "rb").read() == open(y, "rb").read() for x, y in zip(a, b))


def try_mutant(layer, path, change):
    begin, end, new, _ = change
    worker = threading.current_thread().name
    folder = shadow(worker, layer.name)
    inside = path[len(layer.name) + 1:]
    objects = layer.objects(inside)
    out = f"{WORK}/run/{worker}-out"
    os.makedirs(f"{out}/san", exist_ok=True)
    source = open(f"{ROOT}/{path}", encoding="utf-8").read()
    file = f"{folder}/{inside}"
    plain = f"{WORK}/run/plain-{worker}/{inside.replace('/', '_')}"
    os.makedirs(plain, exist_ok=True)
    originals = compile_objects(layer, objects, folder, plain) if not os.listdir(plain) else \
        [f"{plain}/{target.replace('/', '_').strip('._')}" for target, _ in objects]
    assert os.path.realpath(os.path.dirname(file)).startswith(WORK)  # never the source itself
    os.unlink(file)
    with open(file, "w", encoding="utf-8") as to:
        to.write(source[:begin] + new + source[end:])
    made = compile_objects(layer, objects, folder, out)
    careful = made and compile_objects(layer, objects, folder, f"{out}/san", SANITIZED)
    os.unlink(file)
    os.symlink(f"{ROOT}/{path}", file)
    if made is None or originals is None:
        return "broken"
    if same(made, originals):
        return "equal"
    own = {os.path.normpath(os.path.join(ROOT, layer.name, target)) for target, _ in objects}
    program = f"{WORK}/run/{worker}-test"
    tests = [test.build() for test in sorted(layer.tests, key=lambda t: (t.layer, -t.killed, t.seconds))]
    tests = [test for test in tests if test.works and test.seconds <= SLOW and test.links([target for target, _ in objects])]
    for objects_of, more, some in ((made, (), tests), (careful, SANITIZED + GUARD, tests[:SANITIZED_TESTS])):
        for test in some:
            if test.kills(objects_of, own, program, more):
                test.killed += 1
                return "killed"
    return "survived" if tests else "untested"


def excused():
    """(file, the line's text, the change) -> why."""
    rows = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "equal.txt"), encoding="utf-8") as file:
        for row in file:
            if row.strip() and not row.startswith("#"):
                path, line, what, why = (part.strip() for part in row.split(" | "))
                rows[path, line, what] = why
    return rows


def line_of(path, at):
    source = open(f"{ROOT}/{path}", encoding="utf-8").read()
    number = source.count("\n", 0, at) + 1
    return number, source.split("\n")[number - 1].strip()


def run_folder(folder, options, known):
    files = [folder] if os.path.isfile(f"{ROOT}/{folder}") else \
        sorted(os.path.relpath(f, ROOT) for f in glob.glob(f"{ROOT}/{folder}/*.[ch]"))
    layer = Layer(folder.split("/")[0], options.above, options.tests)
    drawn = [(path, change) for path in files if layer.objects(path[len(layer.name) + 1:])
             for change in mutate.changes(open(f"{ROOT}/{path}", encoding="utf-8").read())]
    random.Random(options.seed).shuffle(drawn)
    counts, left = {}, iter(drawn)
    with concurrent.futures.ThreadPoolExecutor(options.threads, thread_name_prefix="w") as pool:
        def judge(item):
            path, change = item
            number, line = line_of(path, change[1] - 1)
            if (path, line, change[3]) in known:
                return item, "equal", number, line
            return item, try_mutant(layer, path, change), number, line
        for (path, change), result, number, line in pool.map(judge, [next(left) for _ in range(min(options.count, len(drawn)))]):
            counts[result] = counts.get(result, 0) + 1
            if result in ("survived", "untested"):
                print(f"{result} {path}:{number}: {change[3]}:   {line}", flush=True)
    alive = counts.get("survived", 0) + counts.get("untested", 0)
    killed = counts.get("killed", 0)
    score = 100 * killed / max(1, killed + alive)
    print(f"{folder:34} {len(drawn):6} mutants, {sum(counts.values()):4} tried: {killed:4} killed, {alive:3} not, {counts.get('equal', 0):3} equal, "
          f"{counts.get('broken', 0):3} do not compile: {score:5.1f} %", flush=True)
    return score


def positive(text):
    n = int(text)
    if n < 1:
        raise argparse.ArgumentTypeError(f"{n}: wanted 1 or more")
    return n


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=positive, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=float, default=0, help="a folder with less is an error")
    parser.add_argument("--above", action="store_true")
    parser.add_argument("--tests", default="", help="only these of the layer's tests: stages,chains")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    shutil.rmtree(f"{WORK}/run", ignore_errors=True)
    compile_guard()
    known = excused()
    for folder in options.folders:
        if not os.path.exists(f"{ROOT}/{folder}"):
            sys.exit(f"make mutants: no file or folder {folder}")
    scores = [run_folder(folder.rstrip("/"), options, known) for folder in options.folders or FOLDERS]
    sys.exit(min(scores) < options.least)


main()
