"""client.py - a server to test, and ways to talk to it: whole requests, events, and raw bytes."""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
STRATA = os.path.join(BUILD, "bin", "strata")
MODEL = os.path.join(ROOT, "layer5_models", "models", "storyteller.gguf")
SLOW = 10 if re.search(r"/[at]san$", BUILD) else 1  # how much longer things may take

failures = 0


def check(name, got, wanted=True):
    """A line for run_tests.sh."""
    global failures
    if got == wanted:
        print("ok " + name, flush=True)
    else:
        failures += 1
        print("not ok %s: %.600r is not %.600r" % (name, got, wanted), flush=True)


class Server:
    """A server on a port of its own; with-statements end it."""

    def __init__(self, *options, model=MODEL):
        self.process = subprocess.Popen(
            [STRATA, "serve", "-m", model, "--port", "0", "--quiet", "-t", "2", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://\[?(.*?)\]?:(\d+)$", line)
        if not found:
            raise SystemExit("the server did not start: " + self.process.stderr.read())
        self.host, self.port = found.group(1), int(found.group(2))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        check("a server ends as it should", self.stop(), 0)

    def stop(self, sig=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sig)
        _, errors = self.process.communicate(timeout=60)
        if self.process.returncode or "Sanitizer" in errors or "runtime error" in errors:
            print(errors[-6000:])
        return self.process.returncode

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Status, headers and body (JSON read) of one request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout * SLOW)
        head = {} if body is None else {"Content-Type": "application/json"}
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        head.update(headers or {})
        connection.request(method, path, body, head)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        try:
            data = json.loads(data)
        except ValueError:
            pass
        return answer.status, dict(answer.getheaders()), data

    def post(self, path, body, **more):
        status, _, data = self.ask("POST", path, body, **more)
        return status, data

    def get(self, path):
        status, _, data = self.ask("GET", path)
        return status, data

    def events(self, path, body):
        """The lines behind `data: ` of a stream, each read as JSON but [DONE]; their frames are checked."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60 * SLOW)
        connection.request("POST", path, json.dumps(dict(body, stream=True)),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        frames = text.split("\n\n")
        assert answer.status == 200 and frames.pop() == "", text
        frames = [f for f in frames if f != ":"]
        assert all(f.startswith("data: ") and "\n" not in f for f in frames), text
        return [f[6:] if f == "data: [DONE]" else json.loads(f[6:]) for f in frames]

    def raw(self, data=b""):
        s = socket.create_connection((self.host, self.port), timeout=20 * SLOW)
        if data:
            s.sendall(data)
        return s

    def load(self):
        return self.get("/load")[1]

    def wait_idle(self, seconds=20):
        """Until nothing runs or waits; then the load."""
        end = time.time() + seconds * SLOW
        while time.time() < end:
            load = self.load()
            if load["running"] == load["waiting"] == 0:
                return load
            time.sleep(0.02)
        return self.load()


@contextlib.contextmanager
def storyteller_with(template, **names):
    """A file of the storyteller with a chat template, and with other names for some tokens, of the same length."""
    with open(MODEL, "rb") as file:
        data = file.read()
    for old, new in names.values():
        assert len(old) == len(new) and data.count(old) == 1
        data = data.replace(old, new)
    key, form = b"tokenizer.chat_template", template.encode()
    form += b"{#" + b" " * (-(8 + len(key) + 4 + 8 + len(form) + 4) % 32) + b"#}"  # what follows keeps its alignment
    pair = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(form)) + form
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        file.write(data[:16] + struct.pack("<Q", struct.unpack("<Q", data[16:24])[0] + 1) + pair + data[24:])
        file.flush()
        yield file


def storyteller_with_middles():
    """The storyteller with three marks in the place of other tokens of as many bytes."""
    with open(MODEL, "rb") as file:
        data = file.read()
    words = [w for w in re.findall(rb"\x0c\0{7}(\xc4\xa0[a-z]{10})", data) if data.count(w) == 1]
    for old, new in ((b"<|im_start|>", b"<fim_prefix>"), (words[0], b"<fim_suffix>"), (words[1], b"<fim_middle>")):
        data = data.replace(old, new)
    file = tempfile.NamedTemporaryFile(suffix=".gguf")
    file.write(data)
    file.flush()
    return file


def request(path, body, more=""):
    data = json.dumps(body).encode()
    return ("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
            % (path, more, len(data))).encode() + data


def read_all(s):
    data = b""
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            data += piece
    except (ConnectionResetError, TimeoutError, socket.timeout):
        pass
    return data


def generate(*options):
    """What strata generate says to the same."""
    return subprocess.run([STRATA, "generate", "-m", MODEL, "--quiet", *options],
                          capture_output=True, check=True).stdout.decode()[:-1]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def finish():
    sys.exit(1 if failures else 0)
