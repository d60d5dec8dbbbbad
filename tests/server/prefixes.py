"""prefixes.py - prefix caches that outlive their server: the same texts, the first token sooner, and files that are not taken."""
import json
import os
import re
import shutil
import stat
import tempfile

import client
from adapters import adapters
from client import MODEL, STRATA, Server, check

DRAFT = os.path.join(client.ROOT, "layer5_models", "models", "draft.gguf")
PLAIN = "/v1/completions"
PROMPT = "The lighthouse keeper counted ships, and wrote them into a book. " * 14
ASKED = {"prompt": PROMPT, "max_tokens": 16, "seed": 1, "temperature": 0.8, "logprobs": 2}


class Logged(Server):
    """A server whose log can be read when it has ended."""

    def __init__(self, folder, *options, **more):
        self.log = os.path.join(folder, "log")
        super().__init__("--prefixes", folder, "--log", self.log, *options, **more)

    def lines(self):
        with open(self.log) as log:
            return log.read()


def answered(server, **fields):
    """The whole answer, but its id, and how much of the prompt was there before."""
    got = server.post(PLAIN, dict(ASKED, **fields))[1]
    lines = server.ask("GET", "/metrics")[2].decode().splitlines()
    hits = [int(line.split()[1]) for line in lines if line.startswith("strata_prefix_hit_tokens_total ")][0]
    return got["choices"], hits


def file_in(folder):
    return os.path.join(folder, "storyteller.gguf.prefixes")


def restarts(folder):
    with Server() as plain:
        wanted = answered(plain)
        check("without a file nothing is there", wanted[1], 0)
    with Logged(folder) as server:
        check("an empty folder changes nothing", answered(server), wanted)
    check("when it ends there is a file", sorted(os.listdir(folder)), ["log", "storyteller.gguf.prefixes"])
    check("which others cannot read", stat.S_IMODE(os.stat(file_in(folder)).st_mode) & 0o77, 0)
    with Logged(folder) as server:
        again = answered(server)
        check("the next server has read them: the same text and numbers", again[0], wanted[0])
        check("most of the prompt need not be evaluated", again[1] > 128, True)
        check("and says so", "prefixes of 64 tokens" in server.lines())
        check("another salt finds nothing", answered(server, cache_salt="a"), (wanted[0], again[1]))
    with Logged(folder) as server:
        check("salts have their own, still", answered(server, cache_salt="a")[1] > 128, True)
    return wanted


def refused(folder, wanted):
    """Each of these starts, says why in a line, and answers as ever."""
    with open(file_in(folder), "rb") as file:
        good = file.read()

    def with_file(data, *options, model=MODEL):
        with open(file_in(folder), "wb") as file:
            file.write(data)
        os.path.exists(os.path.join(folder, "log")) and os.remove(os.path.join(folder, "log"))
        with Logged(folder, *options, model=model) as server:
            return answered(server), server.lines()

    middle = len(good) // 2
    for name, data, word in (("a damaged file", good[:middle] + bytes([good[middle] ^ 4]) + good[middle + 1:], "checksum"), ("one that is cut off", good[:middle], "damaged"),
                             ("another file", b"GGUF" + good[4:], "not a file of prefixes"), ("an empty one", b"", "")):
        got, log = with_file(data)
        check(name + " is not taken, and says so", (got, word in log and "no prefixes are taken" in log), (wanted, True))
    about = good.index(b"strata ")
    got, log = with_file(good[:about] + b"\xdf\x1b\"" + good[about + 3:], "--log-json")
    notes = [json.loads(line)["note"] for line in log.splitlines()]
    check("bytes of a damaged file do not damage the log", (got[1], [n.split("'")[1] for n in notes if "another model" in n]), (0, ["? "]))
    for name, options in (("another format of keys", ("--kv", "f32")), ("another instruction set", ("--isa", "scalar")), ("another context", ("--ctx", "512"))):
        got, log = with_file(good, *options)
        check(name + " has its own", (got[1], "another model or program" in log), (0, True))
    with_alias = os.path.join(folder, "storyteller.gguf")
    os.symlink(DRAFT, with_alias)
    got, log = with_file(good, model=with_alias)
    check("another model of that name", (got[1], "another model or program" in log), (0, True))
    check("the good one is taken", with_file(good)[0][1] > 128, True)


def names(folder):
    """A name cannot lead out of the folder."""
    inside = os.path.join(folder, "inside")
    os.mkdir(inside)
    with Logged(inside, "--alias", "../../up") as server:
        answered(server)
    check("a name with slashes stays in the folder", (sorted(os.listdir(inside)), os.path.exists(os.path.join(folder, "up.prefixes"))), (["_._.._up.prefixes", "log"], False))
    process = client.subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", "--prefixes", folder + "/none"], capture_output=True, text=True)
    check("a folder that is not there", (process.returncode, "--prefixes" in process.stderr), (1, True))


def unloaded(folder):
    """A model that leaves for another one finds its prefixes again."""
    with Logged(folder, "--alias", "big", "--model", "small=" + DRAFT, "--models", "1") as server:
        def text(model):
            return server.post(PLAIN, dict(ASKED, model=model))[1]["choices"]
        one, two = text("big"), text("small")
        check("each model its own", (text("big"), text("small")), (one, two))
    check("both were read again", len(re.findall("prefixes of 64 tokens]", server.lines(), re.M)), 2)
    check("a file for each", {"big.prefixes", "small.prefixes"} <= set(os.listdir(folder)))


def adapted(folder):
    """Prefixes of an adapter are taken again with that adapter, and not with another one of its name."""
    with adapters() as (one, two):
        def asked(lora):
            with Logged(folder, "--lora", "it=" + lora) as server:
                return answered(server, model="it"), server
        first, _ = asked(one)
        again, server = asked(one)
        check("an adapter finds its prefixes again", (again[0], again[1] > 128, "prefixes of 64 tokens" in server.lines()), (first[0], True, True))
        other, server = asked(two)
        check("another one of its name does not", (other[1], "no prefixes are taken" in server.lines(), other[0] != first[0]), (0, True, True))
        with Logged(folder) as plain:
            check("nor does none", answered(plain)[1], 0)


def replaced(folder):
    """An adapter's file changes while the server runs: what is written belongs to the adapter that was loaded."""
    with adapters() as (one, two):
        used = os.path.join(folder, "it.gguf")
        shutil.copy(one, used)
        with Logged(folder, "--lora", "it=" + used) as server:
            answered(server, model="it")
            shutil.copy(two, used + ".new")
            os.rename(used + ".new", used)
        with Logged(folder, "--lora", "it=" + used) as server:
            got = answered(server, model="it")
            check("the new adapter does not take the old one's prefixes", (got[1], "no prefixes are taken" in server.lines()), (0, True))


for run in (lambda folder: refused(folder, restarts(folder)), names, unloaded, adapted, replaced):
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
client.finish()
