"""heads.py - heads of requests that a proxy in front may read otherwise, and names that are another's."""
import json
import socket

from client import Server, check, finish, read_all

BODY = b'{"prompt":"a","max_tokens":1}'
CHUNKS = b"1d\r\n" + BODY + b"\r\n0\r\n\r\n"
SECOND = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
LENGTH = b"Content-Length: 29\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def post(fields, body=BODY):
    return b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + fields + b"\r\n" + body


def get(fields, line=b"GET /health HTTP/1.1"):
    return line + b"\r\n" + fields + b"\r\n"


REFUSED = [("chunks in HTTP/1.0, whose readers know no such thing", 400, post(CHUNKED, CHUNKS).replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"Host", b"Connection: keep-alive\r\nHost")),
           ("two lengths", 400, post(b"Content-Length: 2\r\n" + LENGTH)), ("the longer first", 400, post(LENGTH + b"Content-Length: 2\r\n")), ("the same twice", 400, post(LENGTH + LENGTH)),
           ("a length and chunks", 400, post(LENGTH + CHUNKED, CHUNKS)), ("chunks and a length", 400, post(CHUNKED + LENGTH, CHUNKS)), ("chunked twice", 501, post(CHUNKED + CHUNKED, CHUNKS)),
           ("packed", 501, post(b"Transfer-Encoding: gzip\r\n")), ("packed and chunked", 501, post(b"Transfer-Encoding: gzip, chunked\r\n", CHUNKS)), ("another word", 501, post(b"Transfer-Encoding: xchunked\r\n", CHUNKS)),
           ("a space before a colon", 400, get(b"Host: localhost\r\nX-A : b\r\n")), ("a length so", 400, post(b"Content-Length : 29\r\n")), ("a host so", 400, get(b"Host : localhost\r\n")),
           ("no host", 400, get(b"")), ("two hosts", 400, get(b"Host: localhost\r\nHost: localhost\r\n")), ("two different ones", 400, get(b"Host: localhost\r\nHost: evil.example\r\n")),
           ("a bare CR in a value", 400, get(b"Host: localhost\r\nX-A: a\rHost: b\r\n")), ("a control character", 400, get(b"Host: localhost\r\nX-A: a\x01b\r\n")), ("a DEL", 400, get(b"Host: localhost\r\nX-A: a\x7fb\r\n")),
           ("a name with brackets", 400, get(b"Host: localhost\r\nX(A): b\r\n")), ("a line that goes on at once", 400, b"GET /health HTTP/1.1\r\n Host: localhost\r\n\r\n"),
           ("a host of a thousand bytes", 400, get(b"Host: " + b"a" * 1000 + b"\r\n"))]
BY_LIBRARY = [("a list of lengths", post(b"Content-Length: 29, 29\r\n")), ("a length with a sign", post(b"Content-Length: +29\r\n")), ("one in hex", post(b"Content-Length: 0x1d\r\n")), ("none", post(b"Content-Length:\r\n")),
              ("a chunk's length that is none", post(CHUNKED, b"zz\r\n" + CHUNKS)), ("one below 0", post(CHUNKED, b"-" + CHUNKS)), ("a line without a colon", get(b"Host: localhost\r\nX-A\r\n")),
              ("a zero byte in a name", get(b"Host: localhost\r\nX\0A: b\r\n")), ("HTTP 2", b"GET /health HTTP/2.0\r\nHost: localhost\r\n\r\n"), ("http", b"GET /health http/1.1\r\nHost: localhost\r\n\r\n")]


def heads(server):
    for name, status, data in REFUSED:
        got = read_all(server.raw(data + SECOND))
        head, _, body = got.partition(b"\r\n\r\n")
        try:
            plain = json.loads(body)["error"]["message"] != ""  # one answer, and nothing behind it
        except ValueError:
            plain = body
        check("%s: refused, and the connection ends" % name, (int(got[9:12]), b"Connection: close" in head, plain), (status, True, True))
    for name, data in BY_LIBRARY:
        got = read_all(server.raw(data + SECOND))
        check("the library refuses %s, and what follows is not read" % name, (got[9:12] in (b"400", b"505"), b'"object":"list"' in got), (True, False))
    for name, data in (("chunks", post(CHUNKED, CHUNKS)), ("a length", post(LENGTH)), ("the whole address", get(b"Host: localhost\r\n", b"GET http://localhost/health HTTP/1.1")),
                       ("of https", get(b"Host: localhost\r\n", b"GET https://localhost:1/health HTTP/1.1")), ("HTTP 1.0 without a host", b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")):
        got = read_all(server.raw(data + SECOND))
        check("taken: " + name, (got.count(b"HTTP/1."), got.count(b" 200 OK"), b'"object":"list"' in got), (2, 2, True))
    got = read_all(server.raw(get(b"Host: localhost\r\nConnection: close\r\n", b"GET http://localhost HTTP/1.1")))
    check("an address without a path is the page", b"text/html" in got, True)
    got = read_all(server.raw(get(b"Host: localhost\r\nConnection: close\r\n", b"GET http://evil.example/v1/models HTTP/1.1")))
    check("the address's name counts, not the field", got[9:12], b"403")


def names():
    own = socket.gethostname()
    with Server("--host", "0.0.0.0", "--allow-host", "chat.example.org", "--allow-host", "two") as server:
        def ask(host, more=None, path="/v1/models"):
            return server.ask("GET", path, None, dict({"Host": host}, **(more or {})))[0]

        check("names that are this server's", [ask(h) for h in ("chat.example.org", "CHAT.example.org:443", "chat.example.org.", "two", own, "localhost", "LOCALHOST", "localhost.", "127.0.0.1:8", "[::1]:9", "10.1.2.3")], [200] * 11)
        check("names that may be another's", [ask(h) for h in ("evil.example", "chat.example.org.evil.example", "xtwo", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3.4.x", ".")], [403] * 7)
        same = {"Host": "evil.example:%d" % server.port, "Origin": "http://evil.example:%d" % server.port}
        status, _, data = server.ask("POST", "/v1/completions", {"prompt": "a"}, same)
        check("a page whose name leads here", (status, "--allow-host evil.example" in data["error"]["message"]), (403, True))
        check("a load balancer asks for health by any name", ask("any.example", path="/health"), 200)
        check("but not for metrics", ask("any.example", path="/metrics"), 403)


with Server() as main:
    heads(main)
names()
finish()
