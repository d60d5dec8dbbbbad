"""thirty.py - docs/layer6/class.md: keys made by its command, the server started by its line, thirty pupils at once, and one with a loop."""
import concurrent.futures
import os
import re
import subprocess
import tempfile

from client import ROOT, Server, check, finish

PLAIN = "/v1/completions"
with open(os.path.join(ROOT, "docs", "layer6", "class.md")) as file:
    PAGE = file.read()


def made_keys(folder):
    """The page's own command, in another folder."""
    command = re.search(r"^```sh\n(key\(\).*?)^```", PAGE, re.M | re.S).group(1)
    subprocess.run(command, shell=True, cwd=folder, check=True)
    with open(os.path.join(folder, "keys")) as file:
        return {re.search(r"name=(\S+)", line).group(1): line.split()[0] for line in file}


def options(folder):
    """Those of the page's line."""
    with open(os.path.join(ROOT, "docs", "examples", "class.sh")) as file:
        simulated = [re.search(r"--users 30 .*?--places 8", text, re.S).group(0).replace("\\\n", "").split() for text in (PAGE, file.read())]
    check("the page has the options of its script", simulated[0], simulated[1])
    line = re.search(r"^strata serve -m model.gguf (--keys keys .*?)\n```", PAGE, re.M | re.S).group(1).replace("\\\n", "")
    os.mkdir(os.path.join(folder, "cache"))
    here = {"keys": os.path.join(folder, "keys"), "cache": os.path.join(folder, "cache"), "8081": "0", "2048": "1024"}
    return [here.get(word, word) for word in line.split()]


def ask(server, key, **fields):
    body = dict({"prompt": "Once upon a time", "max_tokens": 20, "temperature": 0}, **fields)
    status, _, got = server.ask("POST", PLAIN, body, {"Authorization": "Bearer " + key})
    return status, got["choices"][0]["text"] if status == 200 else got["error"]["message"]


def lesson(keys, server):
    pupils = [key for name, key in keys.items() if name != "teacher"]
    check("thirty pupils and a teacher", (len(pupils), len(set(keys.values()))), (30, 31))
    alone = ask(server, pupils[0])
    with concurrent.futures.ThreadPoolExecutor(60) as many:
        check("all thirty at once have the same answer", set(many.map(lambda key: ask(server, key), pupils)), {alone})
        loop = [many.submit(ask, server, pupils[0], max_tokens=400, ignore_eos=True) for _ in range(20)]
        others = list(many.map(lambda key: ask(server, key), pupils[1:]))
        check("nobody minds the one with the loop", set(others), {alone})
        statuses = [job.result()[0] for job in loop]
        check("who is told so at once", (set(statuses) <= {200, 429}, statuses.count(429) > 0, statuses.count(200) > 0), (True, True, True))
    check("more than a pupil may ask for", (ask(server, pupils[0], priority=1)[0], ask(server, pupils[0], n=3)[0]), (400, 400))
    check("the teacher may", ask(server, keys["teacher"], priority=5)[0], 200)
    check("a stranger may nothing", ask(server, "0" * 24)[0], 401)
    check("an answer has its limit", ask(server, pupils[3], max_tokens=900, ignore_eos=True)[0], 200)


with tempfile.TemporaryDirectory() as folder:
    keys = made_keys(folder)
    with Server(*options(folder)) as server:
        lesson(keys, server)
    check("the prefixes are kept for the next lesson", os.listdir(os.path.join(folder, "cache")), ["storyteller.gguf.prefixes"])
finish()
