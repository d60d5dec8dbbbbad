"""clients.py - strata serve beside llama.cpp's llama-server (LLAMA_CPP=DIR; without it alone), by what clients see: N clients at once, each of which
sends REQUESTS requests one after another, prompts of random tokens, answers of random lengths, the same ones (SEED) to both, in
turns.  Then what strata simulate expects of the same requests at the times at which they came, from costs that strata bench
serve measured.

MODEL is a file that both read (default: random weights, LAYERS layers of a 1.1B model in FORMAT); CLIENTS, REQUESTS, ROUNDS,
THREADS of a server (default: all but one, which is for the clients), PROMPT_TOKENS and ANSWER_TOKENS (mean lengths) change what
is measured.  CSV=FILE keeps the table.  With GOAL=1 it fails where Strata is behind with 4 clients or more, or the simulator's 95th percentile of gaps is more than 15 % off."""
import json
import os
import random
import re
import selectors
import socket
import statistics
import subprocess
import sys
import time

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
STRATA = os.environ.get("STRATA", "build/bin/strata")
WORK = "build/peers"
THREADS = os.environ.get("THREADS") or str(max(1, len(os.sched_getaffinity(0)) - 1))


def whole(name, default, smallest):
    text = os.environ.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) >= smallest):
        sys.exit("peers: %s is '%s': wanted a number from %d" % (name, text, smallest))
    return int(text)


ROUNDS, REQUESTS, SEED = whole("ROUNDS", 3, 1), whole("REQUESTS", 3, 1), whole("SEED", 1, 0)
PROMPT, ANSWER = whole("PROMPT_TOKENS", 64, 2), whole("ANSWER_TOKENS", 32, 4)  # half of it is two tokens and a gap
CLIENTS = [int(n) if n.isascii() and n.isdigit() else 0 for n in os.environ.get("CLIENTS", "1 4 16 64").split()]
MAX_CLIENTS = 256  # KV slots of a server
CTX = 2 * (PROMPT + ANSWER)
TEXT = re.compile(rb'"text":"[^"]')  # an event with a text that is not empty
VOCAB = 200  # of the prompts' tokens: below it no file has special ones for both programs


def run(command, out=subprocess.DEVNULL):
    """A program that says itself what is wrong."""
    if subprocess.run(command, stdout=out).returncode:
        sys.exit("peers: this failed: " + " ".join(command))


def llama_server():
    if not os.environ.get("LLAMA_CPP"):
        return None
    for folder in ("build/bin", "bin", "."):
        path = os.path.join(os.environ["LLAMA_CPP"], folder, "llama-server")
        if os.access(path, os.X_OK):
            return path
    sys.exit("peers: no llama-server in $LLAMA_CPP, $LLAMA_CPP/bin or $LLAMA_CPP/build/bin")


def model():
    if os.environ.get("MODEL"):
        return os.environ["MODEL"]
    kind, layers = os.environ.get("FORMAT", "Q8_0"), os.environ.get("LAYERS", "4")
    path = "%s/%s-%s.gguf" % (WORK, kind, layers)
    if not os.path.exists(path):
        run([STRATA, "bench", "make-model", path, kind, "--layers", layers], sys.stderr)
    return path


def trace(clients, seed=SEED):
    """For each client its requests: tokens of the prompt, and how many of the answer.  Half to one and a half of the mean."""
    draw = random.Random(seed * 1000 + clients)
    return [[([draw.randrange(3, VOCAB) for _ in range(draw.randint(PROMPT // 2, PROMPT * 3 // 2))], draw.randint(ANSWER // 2, ANSWER * 3 // 2))
             for _ in range(REQUESTS)] for _ in range(clients)]


# ------------------------------------------------------------------ one server


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def start(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1200):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
                s.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                if b" 200 " in s.recv(64):
                    return process
        except OSError:
            pass
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    sys.exit("peers: it did not start: " + " ".join(command))


def ours(path, clients, port):
    return [STRATA, "serve", "-m", path, "--port", str(port), "--quiet", "-t", THREADS, "--places", str(clients), "--queue", "256", "--ctx", str(CTX)]


def theirs(path, clients, port):
    return [llama_server(), "-m", path, "--host", "127.0.0.1", "--port", str(port), "-t", THREADS, "-np", str(clients), "-c", str(CTX * clients), "--no-webui", "-ngl", "0", "--log-disable"]


class Client:
    """Sends its requests one by one over connections of its own, and notes when the events come."""

    def __init__(self, port, requests, begin):
        self.port, self.requests, self.begin, self.done = port, list(requests), begin, []
        self.next()

    def next(self):
        self.prompt, self.answer = self.requests.pop(0)
        body = json.dumps({"prompt": self.prompt, "max_tokens": self.answer, "ignore_eos": True, "temperature": 0, "stream": True, "cache_prompt": False}).encode()
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.sent, self.times, self.rest = time.perf_counter() - self.begin, [], b""
        self.socket.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        """False: this request is over."""
        data = self.socket.recv(65536)
        now = time.perf_counter() - self.begin
        whole = self.rest + data
        self.times += [now] * len(TEXT.findall(whole))
        self.rest = whole[-8:]  # one byte less than a match
        if data:
            return True
        if not self.times:
            sys.exit("peers: no answer: %.300r" % whole)
        self.done.append((self.sent, self.times, len(self.prompt), self.answer))
        self.socket.close()
        return False


def play(port, requests):
    begin = time.perf_counter()
    clients = [Client(port, r, begin) for r in requests]
    with selectors.DefaultSelector() as ready:
        for c in clients:
            ready.register(c.socket, selectors.EVENT_READ, c)
        while ready.get_map():
            for key, _ in ready.select():
                c = key.data
                if c.read():
                    continue
                ready.unregister(key.fileobj)
                if c.requests:
                    c.next()
                    ready.register(c.socket, selectors.EVENT_READ, c)
    return [d for c in clients for d in c.done]


# ------------------------------------------------------------------ figures


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def figures(done):
    gaps = [b - a for _, times, _, _ in done for a, b in zip(times, times[1:])]
    firsts = [times[0] - sent for sent, times, _, _ in done]
    whole = max(times[-1] for _, times, _, _ in done)
    return [sum(answer for *_, answer in done) / whole] + [1000 * percentile(x, s) for x in (firsts, gaps) for s in (0.5, 0.95)]


def measure(command, clients, path):
    port = free_port()
    process = start(command(path, clients, port), port)
    try:
        play(port, trace(clients, SEED + 1))  # the server has warmed up: Strata's has learned what its steps cost
        return play(port, trace(clients))
    finally:
        process.terminate()
        process.wait()


def expected(clients, done):
    """What the simulator says of requests that come at these times."""
    with open(WORK + "/came.csv", "w") as file:
        print("arrival,prompt,answer", file=file)
        for sent, _, prompt, answer in sorted((d[0], 0, d[2], d[3]) for d in done):
            print("%.6f,%d,%d" % (sent, prompt, answer), file=file)
    run([STRATA, "simulate", "--trace", WORK + "/came.csv", "--costs", WORK + "/clients-costs", "--places", str(clients), "--policy", "chunked", "--stretch", "1.25", "--pace", "50", "--csv", WORK + "/expected.csv"])
    with open(WORK + "/expected.csv") as file:
        names, values = (line.strip().split(",") for line in file.readlines()[:2])
    row = dict(zip(names, values))
    return [float(row[name]) for name in ("tokens_per_second", "first_p50_ms", "first_p95_ms", "gap_p50_ms", "gap_p95_ms")]


def costs(path):
    run([STRATA, "bench", "serve", "-m", path, "-t", THREADS, "--places", str(max(CLIENTS)), "--users", "8", "-p", str(PROMPT), "-n", str(ANSWER),
         "--costs", WORK + "/clients-costs"])


def version():
    if not llama_server():
        return ""
    said = subprocess.run([llama_server(), "--version"], capture_output=True, text=True)
    return "; llama-server " + (re.findall(r"version: (.*)", said.stderr + said.stdout) or ["?"])[0]


def middle(rows):
    return [statistics.median(column) for column in zip(*rows)]


def show(name, clients, row):
    print("%-14s %7d %9.1f %9.0f %9.0f %9.1f %9.1f" % (name, clients, *row), flush=True)


def keep(head, rows):
    """The table, in the file that CSV names."""
    try:
        with open(os.environ["CSV"], "w") as file:
            print(head, "server,clients,tokens_per_second,first_p50_ms,first_p95_ms,gap_p50_ms,gap_p95_ms", *(",".join(map(str, row)) for row in rows), sep="\n", file=file)
    except OSError as error:
        sys.exit("peers: CSV is '%s': %s" % (os.environ["CSV"], error.strerror))


def main():
    if not CLIENTS or min(CLIENTS) < 1 or max(CLIENTS) > MAX_CLIENTS:
        sys.exit("peers: CLIENTS is '%s': wanted numbers of clients from 1 to %d, such as '1 4 16'" % (os.environ.get("CLIENTS"), MAX_CLIENTS))
    if not os.access(STRATA, os.X_OK):
        sys.exit("peers: STRATA is '%s': wanted a program. Run make first" % STRATA)
    if os.environ.get("CSV") and not os.access(os.path.dirname(os.environ["CSV"]) or ".", os.W_OK):
        sys.exit("peers: CSV is '%s': wanted a file in a folder that can be written" % os.environ["CSV"])
    os.makedirs(WORK, exist_ok=True)
    path, result, far = model(), [], 0
    print("%s%s; %s threads, %d requests a client, prompts of about %d tokens, answers of about %d, medians of %d rounds in turns" % (
        os.path.basename(path), version(), THREADS, REQUESTS, PROMPT, ANSWER, ROUNDS))
    print("%-14s %7s %9s %9s %9s %9s %9s" % ("", "clients", "tokens/s", "first p50", "first p95", "gap p50", "gap p95 ms"))
    costs(path)
    for n in CLIENTS:
        rows = {"strata": [], "simulated": []}
        for _ in range(ROUNDS):
            if llama_server():
                rows.setdefault("llama-server", []).append(figures(measure(theirs, n, path)))
            done = measure(ours, n, path)
            rows["strata"].append(figures(done))
            rows["simulated"].append(expected(n, done))
        table = {name: middle(rows[name]) for name in rows}
        for name in table:
            show(name, n, table[name])
        result += [[name, n] + ["%.4g" % x for x in table[name]] for name in table]
        far += n >= 4 and "llama-server" in table and table["strata"][0] < table["llama-server"][0]
        far += abs(table["simulated"][4] / table["strata"][4] - 1) > 0.15
    if os.environ.get("CSV"):
        keep("# made by: %sROUNDS=%d REQUESTS=%d CSV=FILE python3 tests/peers/clients.py; %s%s, a server's threads: %s" % (
            "LLAMA_CPP=DIR " if llama_server() else "", ROUNDS, REQUESTS, os.path.basename(path), version(), THREADS), result)
    if os.environ.get("GOAL") and far:
        sys.exit("peers: %d goals are missed" % far)


main()
