"""two.py - docs/examples/strata-nginx-two.conf: two servers behind nginx; a conversation stays on one, and survives its end."""
import http.client
import json
import signal
import tempfile

from client import SLOW, Server, check, finish, free_port
from nginx import missing, nginx

NAME = "strata.example.org"
BEGINNING = "Once there was a little fox who lived in a wood with a hen and an owl. " * 12  # several pages of the prefix cache


def ask(port, session, prompt, more=0):
    """Status, text and cached tokens of a completion in a session."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30 * SLOW)
    connection.request("POST", "/v1/completions", json.dumps({"prompt": prompt, "max_tokens": 4 + more, "temperature": 0}),
                       {"Host": NAME, "Content-Type": "application/json", "X-Session": session})
    answer = connection.getresponse()
    data = json.loads(answer.read())
    connection.close()
    if answer.status != 200:
        return answer.status, None, 0
    return 200, data["choices"][0]["text"], data["usage"].get("prompt_tokens_details", {}).get("cached_tokens", 0)


def requests_of(server):
    """How many completions a server has answered."""
    return sum(int(line.split()[-1]) for line in server.ask("GET", "/metrics")[2].decode().splitlines()
               if line.startswith("strata_http_requests_total") and "completions" in line and '"200"' in line)


def through_nginx(port, servers):
    first = [ask(port, "s%d" % i, BEGINNING + str(i)) for i in range(12)]
    check("twelve conversations are answered", [status for status, _, _ in first], [200] * 12)
    counts = [requests_of(server) for server in servers]
    check("by both servers, each once", (sum(counts), min(counts) > 0), (12, True))
    again = [ask(port, "s%d" % i, BEGINNING + str(i)) for i in range(12)]
    check("each stays on its server", [requests_of(server) for server in servers], [2 * count for count in counts])
    check("which has its beginning", min(cached for _, _, cached in again) >= 64, True)
    check("and says the same", [text for _, text, _ in again], [text for _, text, _ in first])
    servers[0].process.send_signal(signal.SIGTERM)
    servers[0].process.wait(60 * SLOW)
    moved = [ask(port, "s%d" % i, BEGINNING + str(i)) for i in range(12)]
    check("when one ends, the other answers for it", [(status, text) for status, text, _ in moved], [(200, text) for _, text, _ in first])


if not missing():
    with tempfile.TemporaryDirectory() as folder, Server("--allow-host", NAME) as one, Server("--allow-host", NAME) as two:
        port = free_port()
        with nginx(folder, "strata-nginx-two.conf", (("listen 80", "listen 127.0.0.1:%d" % port), ("127.0.0.1:8081", "127.0.0.1:%d" % one.port),
                                                     ("127.0.0.1:8082", "127.0.0.1:%d" % two.port))) as runs:
            if runs:
                through_nginx(port, (one, two))
finish()
