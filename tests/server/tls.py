"""tls.py - docs/examples/strata-nginx.conf: nginx in front of the server, with TLS; events come as they are made."""
import http.client
import json
import ssl
import subprocess
import tempfile
import time

from client import SLOW, Server, check, finish, free_port
from nginx import missing, nginx

NAME = "strata.example.org"


def connect(port, trusted):
    """A connection to the proxy, by its name."""
    context = ssl.create_default_context(cafile=trusted)
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30 * SLOW)

    def connect_as_name():
        http.client.HTTPConnection.connect(connection)
        connection.sock = context.wrap_socket(connection.sock, server_hostname=NAME)
    connection.connect = connect_as_name
    return connection


def ask(port, trusted, method, path, body=None, host=NAME):
    connection = connect(port, trusted)
    connection.request(method, path, json.dumps(body) if body else None, {"Host": host, "Content-Type": "application/json"})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, data


def stream(port, trusted):
    """Seconds to the first event and to the end, and how many tokens came."""
    connection = connect(port, trusted)
    begin = time.time()
    connection.request("POST", "/v1/completions", json.dumps({"prompt": "Once", "max_tokens": 400, "stream": True, "ignore_eos": True, "stream_options": {"include_usage": True}}),
                       {"Host": NAME, "Content-Type": "application/json"})
    answer = connection.getresponse()
    first, tokens = None, 0
    while True:
        line = answer.readline()
        if not line:
            break
        if line.startswith(b"data: {"):
            first = first or time.time() - begin
            tokens = (json.loads(line[6:]).get("usage") or {}).get("completion_tokens", tokens)
    connection.close()
    return first, time.time() - begin, tokens


def through_nginx(port, trusted):
    check("an answer through TLS", json.loads(ask(port, trusted, "POST", "/v1/completions", {"prompt": "Once", "max_tokens": 4})[1])["object"], "text_completion")
    first, whole, tokens = stream(port, trusted)
    check("events come while the text is written", (tokens, first < whole / 2), (400, True))
    check("of an error, too, as the server says it", ask(port, trusted, "POST", "/v1/completions", {"prompt": 5})[0], 400)
    check("another host is refused", ask(port, trusted, "GET", "/v1/models", host="evil.example.org")[0], 403)
    check("what is for the operator is not there", [ask(port, trusted, "GET", path)[0] for path in ("/metrics", "/slots")], [403, 403])
    check("a body that is too long ends at nginx", ask(port, trusted, "POST", "/v1/completions", {"prompt": "a" * (4 << 20)})[0], 413)


if not missing("openssl"):
    with tempfile.TemporaryDirectory() as folder, Server("--allow-host", NAME) as server:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + NAME, "-addext", "subjectAltName=DNS:" + NAME,
                        "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"], check=True, capture_output=True)
        port = free_port()
        with nginx(folder, "strata-nginx.conf", (("listen 443", "listen 127.0.0.1:%d" % port), ("127.0.0.1:8080", "127.0.0.1:%d" % server.port),
                                                 ("/etc/ssl/certs/strata.pem", folder + "/cert.pem"), ("/etc/ssl/private/strata.key", folder + "/key.pem"))) as runs:
            if runs:
                through_nginx(port, folder + "/cert.pem")
finish()
