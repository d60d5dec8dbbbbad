"""files.py - a server of one file, on loopback, that behaves as servers and networks do.

    files.py FILE FOLDER    writes FOLDER/port when it listens, a line for each request to FOLDER/log

The first part of a path says how:

    /whole      with ranges, size and ETag             /norange   breaks once, and has no ranges
    /cut        breaks once in the middle              /gone      so, and answers the next two requests not at all
    /break      breaks each time, 1000 bytes further   /slow      stops in the middle until FOLDER/go is there
    /changed    breaks, and is another file then       /replaced  so, and does not say it (a weak ETag)
    /longer     as /changed, and has a byte more
    /endless    says no size, and ends by closing      /empty     nothing
    /redirect   to /whole      /tofile  to file:///    /loop      to itself
    /page       a web page     /made    a file of the size that the table says, and of other bytes
    /hf, /hfwrong   a redirect that announces size and SHA-256, as Hugging Face does: right ones, and wrong ones"""
import hashlib
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATA = open(sys.argv[1], "rb").read()
FOLDER = sys.argv[2]
OTHER = DATA[:-1] + bytes([DATA[-1] ^ 1])  # as long, with another last byte
seen, lock = {}, threading.Lock()


class Files(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def redirect(self, place, *headers):
        self.reply(302, (("Location", place), ("Content-Length", "0"), *headers))

    def wanted(self):
        """The byte from which the file is wanted."""
        wanted = self.headers.get("Range")
        return int(wanted[6:].split("-")[0]) if wanted else 0

    def file(self, data, ranges=True, end=None, size=True, tag=True):
        """The file, from where it is wanted and has not changed; up to `end` as if the connection broke there."""
        etag = '"%s"' % hashlib.md5(data).hexdigest() if tag else 'W/"1"'
        same = self.headers.get("If-Range") in (None, etag)
        start = self.wanted() if ranges and same else 0
        headers = [("ETag", etag)]
        if start >= len(data):
            return self.reply(416, [*headers, ("Content-Range", "bytes */%d" % len(data)), ("Content-Length", "0")])
        if start:
            headers.append(("Content-Range", "bytes %d-%d/%d" % (start, len(data) - 1, len(data))))
        if size:
            headers.append(("Content-Length", str(len(data) - start)))
        self.reply(206 if start else 200, headers, data[start:end])

    def do_GET(self):
        how = self.path.split("/")[1]
        with lock:
            times = seen[self.path] = seen.get(self.path, 0) + 1
            with open(FOLDER + "/log", "a") as log:
                print(self.path, self.headers.get("Range"), self.headers.get("If-Range"), file=log)
        half = len(DATA) // 2
        if how == "whole":
            self.file(DATA)
        elif how == "norange":
            self.file(DATA, ranges=False, end=half if times == 1 else None)
        elif how == "cut":
            self.file(DATA, end=half if times == 1 else None)
        elif how == "gone":
            if times == 1 or times > 3:
                self.file(DATA, end=half if times == 1 else None)
            else:
                self.close_connection = True
        elif how == "break":
            self.file(DATA, end=max(self.wanted(), half) + 1000)
        elif how == "changed":
            self.file(DATA if times == 1 else OTHER, end=half if times == 1 else None)
        elif how == "longer":
            self.file(DATA if times == 1 else DATA + b"!", end=half if times == 1 else None)
        elif how == "replaced":
            self.file(DATA if times == 1 else OTHER, end=half if times == 1 else None, tag=False)
        elif how == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:half])
            open(FOLDER + "/waits", "w").close()
            while not os.path.exists(FOLDER + "/go"):
                time.sleep(0.02)
            time.sleep(0.4)
            self.wfile.write(DATA[half:])
        elif how == "endless":
            self.file(DATA, size=False)
        elif how == "page":
            self.reply(200, [("Content-Type", "text/html"), ("Content-Length", "44")], b"<!DOCTYPE html><title>Please log in</title>\n")
        elif how == "empty":
            self.reply(200, [("Content-Length", "0")])
        elif how == "redirect":
            self.redirect("/whole/x.gguf")
        elif how == "tofile":
            self.redirect("file://" + os.path.abspath(sys.argv[1]))
        elif how == "loop":
            self.redirect(self.path)
        elif how in ("hf", "hfwrong") and self.path.endswith("moon.gguf"):
            data = DATA if how == "hf" else OTHER
            self.redirect("/whole/moon.gguf", ("X-Linked-Size", str(len(data))),
                          ("X-Linked-ETag", '"%s"' % hashlib.sha256(data).hexdigest()))
        elif how == "hf" and self.path.endswith("stories260K.gguf"):
            self.redirect("/whole/x.gguf", ("X-Linked-Size", str(len(DATA))))
        elif how == "made" and self.path.endswith("stories260K.gguf"):
            self.file(b"GGUF" + bytes(1185376 - 4))
        else:
            self.reply(404, [("Content-Length", "0")])


server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
server.daemon_threads = True
with open(FOLDER + "/port.new", "w") as port:
    print(server.server_address[1], file=port)
os.rename(FOLDER + "/port.new", FOLDER + "/port")
server.serve_forever()
