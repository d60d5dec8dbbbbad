"""service.py - the server as a service: not ready while it loads, tells systemd when it is, and its unit is locked up."""
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from client import MODEL, ROOT, SLOW, STRATA, check, finish, free_port

UNIT = os.path.join(ROOT, "docs", "examples", "strata-serve.service")
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant: "


def look(port, path, body=None):
    """Status and message; None where no server listens yet."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20 * SLOW)
        connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        data = json.loads(answer.read())
        connection.close()
        return answer.status, data.get("error", {}).get("message", "")
    except OSError:
        return None


def readiness():
    """A template that is a pipe keeps the server loading for as long as we like."""
    port, health = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        pipe, told = os.path.join(folder, "template"), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        os.mkfifo(pipe)
        told.bind(os.path.join(folder, "notify"))
        told.settimeout(20 * SLOW)
        process = subprocess.Popen([STRATA, "serve", "-m", MODEL, "--port", str(port), "--health-port", str(health), "--quiet", "-t", "2", "--form", "@" + pipe],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, NOTIFY_SOCKET=os.path.join(folder, "notify")))
        end = time.time() + 20 * SLOW
        while look(health, "/health") is None and time.time() < end:
            time.sleep(0.02)
        loading = (503, "the model is being loaded")
        check("while it loads it is not healthy, at either port", [look(p, "/health") for p in (health, port)], [loading] * 2)
        check("and answers nothing", [look(port, "/v1/completions", {"prompt": "a"}), look(port, "/v1/models"), look(port, "/nothing")], [loading] * 3)
        told.setblocking(False)
        try:
            early = told.recv(100)
        except BlockingIOError:
            early = b""
        check("nor is systemd told", early, b"")
        told.settimeout(20 * SLOW)
        with open(pipe, "w") as file:
            file.write(TEMPLATE)
        check("then systemd is told", told.recv(100), b"READY=1")
        check("and it is healthy, and answers", [look(health, "/health"), look(port, "/health"), look(port, "/v1/completions", {"prompt": "a", "max_tokens": 1})], [(200, "")] * 3)
        process.terminate()
        errors = process.communicate(timeout=60)[1]
        check("it ends", (process.returncode, "Sanitizer" in errors), (0, False))


def unit():
    if not shutil.which("systemd-analyze"):
        print("ok the unit is not looked at: there is no systemd-analyze")
        return
    with tempfile.TemporaryDirectory() as folder:
        path, program = os.path.join(folder, "strata-serve.service"), os.path.join(folder, "strata")
        os.symlink(STRATA, program)  # a unit's line has no path with a space
        with open(UNIT) as file, open(path, "w") as to:
            to.write(file.read().replace("/usr/bin/strata", program))
        got = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
        said = [line for line in (got.stdout + got.stderr).splitlines() if "strata-serve" in line]
        check("systemd understands the unit", (got.returncode, said), (0, []))
        got = subprocess.run(["systemd-analyze", "security", "--offline=true", path], capture_output=True, text=True)
        level = re.search(r"exposure level for \S+: ([\d.]+)", got.stdout)
        check("and finds little that it may do", level and float(level.group(1)) < 2, True)


def options_of_the_unit():
    """Its line starts the server, with a file of keys as systemd makes it."""
    with open(UNIT) as file:
        line = re.search(r"^ExecStart=/usr/bin/strata (.*)$", file.read(), re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.open(folder + "/keys", os.O_CREAT | os.O_WRONLY, 0o400), "w") as file:
            file.write("secret\n")
        here = {"${CREDENTIALS_DIRECTORY}/keys": folder + "/keys", "${CACHE_DIRECTORY}": folder, "/var/lib/strata/model.gguf": MODEL, "8080": "0", "8081": "0"}
        process = subprocess.Popen([STRATA] + [here.get(word, word) for word in line.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        check("the unit's line starts a server", " answers at http://127.0.0.1:" in process.stdout.readline(), True)
        process.terminate()
        process.communicate(timeout=60)
        check("which ends", process.returncode, 0)


readiness()
unit()
options_of_the_unit()
finish()
