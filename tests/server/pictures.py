"""pictures.py - pictures in requests: read as strata generate reads them, known again, and never taken for another one."""
import base64
import os
import struct
import subprocess
import tempfile
import threading
import time
import zlib

import client
from client import BUILD, STRATA, check, finish, request

CHAT = "/v1/chat/completions"
GREEDY = {"chain": "greedy", "max_tokens": 12, "logprobs": True, "top_logprobs": 3}


def ppm(width, height, colour):
    """A picture whose pixel (x, y) has the colour that a function says."""
    return b"P6 %d %d 255 " % (width, height) + bytes(c for y in range(height) for x in range(width) for c in colour(x, y))


RED, BLUE = ppm(6, 6, lambda x, y: (250, 10 * x, 0)), ppm(6, 6, lambda x, y: (0, 10 * y, 250))
NEARLY = RED[:-1] + bytes([RED[-1] + 1])  # one colour of one pixel, by one


def part(picture, kind="x-portable-pixmap", **more):
    return {"type": "image_url", "image_url": dict(url="data:image/%s;base64,%s" % (kind, base64.b64encode(picture).decode()), **more)}


def png(width, height, pixels):
    """The same of the pixels behind a pixmap's head, as PNG."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + pixels[-3 * width * (height - y):][:3 * width] for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def user(*parts):
    return {"role": "user", "content": [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]}


def ask(server, *messages, **fields):
    status, data = server.post(CHAT, dict(GREEDY, messages=list(messages), **fields))
    if status != 200:
        raise SystemExit(data)
    return data


def said(data):
    """All that the model computed: tokens and numbers."""
    return data["choices"][0]["message"]["content"], data["choices"][0]["logprobs"]


def cached(data):
    return data["usage"]["prompt_tokens_details"]["cached_tokens"]


def pictures_read(server):
    for line in server.get("/metrics")[1].decode().splitlines():
        if line.startswith("strata_pictures_total "):
            return int(line.split()[1])


def generated(server, model, eye, messages, *pictures):
    """What strata generate says to the same text and pictures."""
    template = server.post("/apply-template", {"messages": messages})[1]["prompt"]
    names = []
    for i, picture in enumerate(pictures):
        names += ["--image", os.path.join(work, "%d.ppm" % i)]
        with open(names[-1], "wb") as file:
            file.write(picture)
    out = subprocess.run([STRATA, "generate", "-m", model, "--mmproj", eye, *names, "-p", template, "-n", "12", "--chain", "greedy", "--no-prompt", "--quiet", "--special"],
                         capture_output=True, check=True).stdout
    return out.decode(errors="replace")[:-1]


def are_read(server, model, eye):
    about = server.get("/v1/models")[1]["data"][0]
    check("the model takes pictures", (about["architecture"]["input_modalities"], about["meta"]["picture_tokens"]), (["text", "image"], 64))
    one = ask(server, user(part(RED), "hm"))
    want = generated(server, model, eye, [{"role": "user", "content": "<image>\nhm"}], RED)
    check("a picture is read as generate reads it", one["choices"][0]["message"]["content"], want)
    plain = ask(server, user("", "hm"))
    check("its tokens are counted", one["usage"]["prompt_tokens"] - plain["usage"]["prompt_tokens"], 64)
    talk = [user("a", part(RED)), {"role": "assistant", "content": "b"}, user(part(BLUE, detail="low"), "c")]
    two = ask(server, *talk)
    texts = [{"role": "user", "content": "a\n<image>"}, talk[1], {"role": "user", "content": "<image>\nc"}]
    check("two in two messages, each in its place", two["choices"][0]["message"]["content"], generated(server, model, eye, texts, RED, BLUE))
    check("they are not exchanged", said(two) != said(ask(server, user("a", part(BLUE)), talk[1], user(part(RED), "c"))))
    named = user(part(RED, kind="x-portable-pixmap;name=red.ppm;charset=binary"), "hm")
    check("what more is said of its type changes nothing", said(ask(server, named)), said(one))
    check("a typed <image> is text", ask(server, user(part(RED), "<image>"))["usage"]["prompt_tokens"], one["usage"]["prompt_tokens"] + 5)
    events = server.events(CHAT, dict(GREEDY, messages=[user(part(RED), "hm")], stream_options={"include_usage": True}))
    check("in a stream, too", "".join(c["delta"].get("content", "") for e in events[:-1] for c in e["choices"]), want)
    check("and its usage", events[-2]["usage"]["prompt_tokens"], one["usage"]["prompt_tokens"])


def are_known_again(server):
    first = ask(server, user(part(RED), "hm"))
    before = pictures_read(server)
    again = ask(server, user(part(RED), "hm"))
    check("sent again it is not read again", pictures_read(server), before)
    check("its pages are shared", cached(again) >= 64)
    check("and nothing changes", said(again), said(first))
    status, data = server.post(CHAT, dict(GREEDY, messages=[user(part(png(6, 6, RED), "png"), "hm")]))
    if status == 400 and "lib" in data["error"]["message"]:
        check("a PNG is refused where libpng is not", data["error"]["param"], "messages")
    else:
        check("as PNG it is the same picture", (pictures_read(server), said(data)), (before, said(first)))
    nearly = ask(server, user(part(NEARLY), "hm"))
    check("a picture that is nearly the same is another", (pictures_read(server), cached(nearly) < 64), (before + 1, True))
    salted = ask(server, user(part(RED), "hm"), cache_salt="x")
    check("of another salt it is another's", (pictures_read(server), cached(salted), said(salted)), (before + 2, 0, said(first)))


def never_mistaken(model, eye, options):
    """With one place each picture gets the number, and so the tokens, of the one before."""
    with client.Server("--mmproj", eye, *options, model=model) as server:
        alone = {p: ask(server, user("hm", part(p)), cache_salt=str(i)) for i, p in enumerate((RED, BLUE, NEARLY))}
        check("three pictures, three answers", len({repr(said(a)) for a in alone.values()}), 3)
    with client.Server("--mmproj", eye, "--pictures", "1", *options, model=model) as server:
        for i, picture in enumerate((RED, NEARLY, BLUE, BLUE, RED)):
            answer = ask(server, user("hm", part(picture)))
            check("a number that was another's: the answer is its own", said(answer), said(alone[picture]))
            check("... and what it shares", cached(answer), 64 if i == 3 else 0)
        check("all in one message: too many", server.post(CHAT, {"messages": [user(part(RED), part(BLUE))]})[0], 400)
        busy = server.raw(request(CHAT, {"messages": [user(part(RED))], "chain": "min_tokens:900,temp:1", "context_shift": True, "max_tokens": 100000, "stream": True}))
        while not server.load()["running"]:
            time.sleep(0.01)
        status, data = server.post(CHAT, {"messages": [user(part(BLUE))]})
        check("while it is shown nobody gets its place", (status, data["error"]["type"]), (429, "rate_limit_error"))
        check("who shows it, too, is served", server.post(CHAT, dict(GREEDY, messages=[user(part(RED))]))[0], 200)
        busy.close()
        server.wait_idle()
        check("then it is free", server.post(CHAT, dict(GREEDY, messages=[user(part(BLUE))]))[0], 200)


def shares(model, eye, options):
    """With several keys none holds more places than it leaves to others."""
    keys = os.path.join(work, "keys")
    with open(os.open(keys, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write("mia\nowl\n")
    with client.Server("--mmproj", eye, "--pictures", "4", "--keys", keys, *options, model=model) as server:
        pictures = [ppm(5, 7, lambda x, y, i=i: (9 * i, 30 * x, 30 * y)) for i in range(4)]

        def hold(key, picture):
            body = {"messages": [user(part(picture))], "chain": "min_tokens:900,temp:1", "context_shift": True, "max_tokens": 100000, "stream": True}
            s = server.raw(request(CHAT, body, "Authorization: Bearer %s\r\n" % key))
            s.recv(100)
            return s

        def more(key, picture):
            return server.post(CHAT, dict(GREEDY, messages=[user(part(picture))]), headers={"Authorization": "Bearer " + key})

        held = [hold("mia", p) for p in pictures[:2]]
        status, data = more("mia", pictures[2])
        check("a key holds as many pictures as are free", (status, "this key holds" in data["error"]["message"]), (429, True))
        check("what it shows already takes no more", more("mia", pictures[0])[0], 200)
        block = lambda p: {"type": "image", "source": {"type": "base64", "media_type": "image/x-portable-pixmap", "data": base64.b64encode(p).decode()}}
        counted = [server.post("/v1/messages/count_tokens", {"messages": [{"role": "user", "content": [block(p)]}]}, headers={"x-api-key": "mia"})[0] for p in pictures[1:3]]
        check("its pictures that are counted are its own, too", counted, [200, 429])
        check("another key finds a place", more("owl", pictures[0])[0], 200)
        for s in held:
            s.close()


def in_a_batch(server):
    pictures = [ppm(5, 7, lambda x, y, i=i: (40 * i, 30 * x, 30 * y)) for i in range(6)]
    alone = [ask(server, user(part(p), "hm"), cache_salt="alone") for p in pictures]
    together = [None] * len(pictures)

    def run(i):
        together[i] = ask(server, user(part(pictures[i]), "hm"), cache_salt="together")

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(pictures))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("alone and among many: the same bits", [said(a) for a in together], [said(a) for a in alone])


def see_each_other(model, eye, options):
    """Rows that see all of their picture are read in one batch, whoever else is in it (Gemma 3; Gemma 4: in windowed layers)."""
    with client.Server("--mmproj", eye, *options, model=model) as server:
        check("a picture whose rows see each other", ask(server, user(part(RED), "hm"))["choices"][0]["message"]["content"],
              generated(server, model, eye, [{"role": "user", "content": "<image>\nhm"}], RED))
        in_a_batch(server)
        first = ask(server, user("a", part(RED), "b"))
        again = ask(server, user("a", part(RED), "c"))
        check("its pages are shared, and another text goes on from them", (cached(again) >= 64, said(again)),
              (True, said(ask(server, user("a", part(RED), "c"), cache_salt="other"))))
        check("... and the first answer stays what it was", said(ask(server, user("a", part(RED), "b"))), said(first))


def of_any_size(model, eye, options):
    """Pictures of several shapes: each has its own number of tokens, and places in the text by row and column (Qwen 2.5 VL)."""
    wide, high = (ppm(w, h, lambda x, y: (x, y, 90)) for w, h in ((200, 60), (90, 150)))
    with client.Server("--mmproj", eye, *options, model=model) as server:
        tokens = lambda *pictures: ask(server, user("hm", *map(part, pictures)))["usage"]["prompt_tokens"]
        check("tokens by size: 7 by 2 squares, 3 by 5, and a line and two tokens around each", (tokens(wide) - tokens(), tokens(wide, high) - tokens(wide)), (17, 18))
        check("as generate reads them", ask(server, user("a", part(wide), part(high), "b"))["choices"][0]["message"]["content"],
              generated(server, model, eye, [{"role": "user", "content": "a\n<image>\n<image>\nb"}], wide, high))
        in_a_batch(server)
        first = ask(server, user("a", part(high), "b"))
        ask(server, user("a", part(wide), "b"))
        again = ask(server, user("a", part(high), "c"))
        check("pages behind a picture keep their places", (cached(again) > 0, said(again)), (True, said(ask(server, user("a", part(high), "c"), cache_salt="other"))))
        check("... and so does the first answer", said(ask(server, user("a", part(high), "b"))), said(first))


def in_tiles(model, eye, options):
    """Tiles have text between them (Idefics 3): 56 by 28 pixels are a line of two squares of 4 tokens, and all of them in one."""
    wide, high = (ppm(w, h, lambda x, y: (4 * x, 4 * y, 90)) for w, h in ((56, 28), (28, 56)))
    with client.Server("--mmproj", eye, *options, model=model) as server:
        one = ask(server, user("a", part(wide), "b"))
        check("tiles as generate reads them", one["choices"][0]["message"]["content"],
              generated(server, model, eye, [{"role": "user", "content": "a\n<image>\nb"}], wide))
        plain = ask(server, user("a", "b"))["usage"]["prompt_tokens"]
        around = len("\n") + 2 + 1 + len("<row_1_col_2>") + len("\n\n") + 2 + 1
        check("their tokens and the text between them are counted", one["usage"]["prompt_tokens"] - plain, 3 * 4 + around)
        check("two pictures in tiles", ask(server, user(part(wide), "a", part(high)))["choices"][0]["message"]["content"],
              generated(server, model, eye, [{"role": "user", "content": "<image>\na\n<image>"}], wide, high))
        check("... and the first answer stays what it was", said(ask(server, user("a", part(wide), "b"))), said(one))
        status, data = server.post(CHAT, dict(GREEDY, messages=[user(*[part(wide)] * 9)]))
        check("too many tiles for the context", (status, data["error"]["code"]), (400, "context_length_exceeded"))


def refusals(server):
    good = base64.b64encode(RED).decode()
    url = lambda text: {"type": "image_url", "image_url": {"url": text}}
    cases = [
        ("an address", url("https://example.com/x.png"), "downloads nothing"),
        ("a file's address", url("file:///etc/passwd"), "not an image"),
        ("another media type", url("data:image/webp;base64," + good), "image/webp"),
        ("no media type", url("data:;base64," + good), "the type is"),
        ("a text's media type", url("data:text/plain;base64," + good), "text/plain"),
        ("no base64", url("data:image/png," + good), "not base64"),
        ("no base64 at its end", url("data:image/png;base64;name=a," + good), "not base64"),
        ("letters that are none", url("data:image/png;base64,aGk*"), "character 4 of 4"),
        ("letters in the padding", url("data:image/png;base64,aG=k"), "character 3 of 4"),
        ("letters that say more", url("data:image/png;base64,aGl="), "character 3 of 4"),
        ("letters cut short", url("data:image/png;base64,aGkaG"), "multiple of four"),
        ("nothing", url("data:image/png;base64,"), "no picture"),
        ("no picture", url("data:image/png;base64,aGk="), "no picture"),
        ("another kind of picture", url("data:image/png;base64," + base64.b64encode(b"GIF89a...").decode()), "GIF"),
        ("a picture cut short", part(RED[:40]), "pixmap"),
        ("more pixels than there is memory for", part(b"P6 100000 100000 255 " + b"x" * 50), "pixels"),
        ("detail high", part(RED, detail="high"), "detail"),
        ("a detail that is none", part(RED, detail=5), "detail"),
        ("an unknown key", part(RED, mood="good"), "image_url"),
        ("image_url as a text", {"type": "image_url", "image_url": "data:image/png;base64," + good}, "object"),
        ("no image_url", {"type": "image_url"}, "object"),
        ("a picture and a text in one", dict(part(RED), text="a"), "object"),
        ("a sound", {"type": "input_audio", "input_audio": {"data": good}}, "wanted the type text or image_url"),
    ]
    for name, bad, word in cases:
        status, data = server.post(CHAT, {"messages": [user("a", bad)]})
        error = data["error"]
        check("refused: " + name, (status, error["type"], error["param"], word in error["message"] or error["message"], error["message"].startswith("messages[0]")),
              (400, "invalid_request_error", "messages", True, True))
    for role in ("system", "assistant"):
        check("a picture of the " + role, server.post(CHAT, {"messages": [dict(user(part(RED)), role=role), user("a")]})[0], 400)
    check("too many for the context", server.post(CHAT, {"messages": [user(*[part(RED)] * 5)]})[1]["error"]["code"], "context_length_exceeded")
    check("a template has no pictures", server.post("/apply-template", {"messages": [user(part(RED))]})[0], 400)
    check("a byte that stands for a picture cannot be sent", server.post(CHAT, b'{"messages": [{"role": "user", "content": "\xff"}]}')[0], 400)
    check("a token of one cannot be sent", server.post("/v1/completions", {"prompt": [258]})[1]["error"]["param"], "prompt")


def many_pixels(server):
    """One large picture is read; many of them in a request of 300 KB would take the time of all others."""
    side = 6700
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    large = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(side * (side + 1)))) + chunk(b"IEND", b"")
    status, data = server.post(CHAT, dict(GREEDY, messages=[user(*[part(large, "png")] * 12)]))
    check("a dozen pictures of 45 million pixels", (status, "per request" in data["error"]["message"]), (400, True))
    check("one of them", server.post(CHAT, dict(GREEDY, messages=[user(part(large, "png"))]))[0], 200)


def sent_and_gone(server):
    before = pictures_read(server)
    for i in range(20):
        server.raw(request(CHAT, {"messages": [user(part(ppm(4, 4, lambda x, y: (i, x, y))))]})).close()
    server.wait_idle()
    check("clients that go leave no place taken", server.post(CHAT, dict(GREEDY, messages=[user(*[part(ppm(4, 4, lambda x, y, i=i: (i, 9, y))) for i in range(3)])]))[0], 200)
    check("the server has read some of theirs at most", pictures_read(server) <= before + 23)


def main():
    made = lambda *what: subprocess.run([os.path.join(BUILD, "tests", "families"), *what], check=True)
    model, eye = os.path.join(work, "llama.gguf"), os.path.join(work, "eye.gguf")
    made("llama", "", model)
    made("clip", "image:56", eye)
    options = ("--form", "vicuna")
    with client.Server("--mmproj", eye, *options, model=model) as server:
        are_read(server, model, eye)
        are_known_again(server)
        in_a_batch(server)
        refusals(server)
        many_pixels(server)
        sent_and_gone(server)
    never_mistaken(model, eye, options)
    shares(model, eye, options)
    made("llama", "around", model), made("clip", "gemma3 merge:1 image:56", eye)
    see_each_other(model, eye, options)
    made("gemma4", "=tied post_norms small_gains window:300 windows_listed window_heads keys_as_values rope_freqs layers:4 end_scale around ctx:900 "
         "embedding_length_per_layer_input=0 attention.shared_kv_layers=0", model), made("clip", "gemma4v", eye)
    see_each_other(model, eye, options)
    made("qwen2vl", "around", model), made("clip", "qwen2.5vl patch:14", eye)
    of_any_size(model, eye, options)
    made("llama", "around", model), made("clip", "idefics3 vision.preproc_image_size=56", eye)
    in_tiles(model, eye, options)
    made("llama", "", model), made("clip", "image:56", eye)
    with client.Server(*options, model=model) as server:
        status, data = server.post(CHAT, {"messages": [user(part(RED))]})
        check("without an eye", (status, data["error"]["param"], "--mmproj" in data["error"]["message"]), (400, "messages", True))
        check("the model takes texts", server.get("/v1/models")[1]["data"][0]["architecture"]["input_modalities"], ["text"])
    for wrong, word in ((("--mmproj", model), "reads texts"), (("--pictures", "3"), "needs --mmproj"), (("--mmproj", eye, "--pictures", "0"), "pictures")):
        process = subprocess.run([STRATA, "serve", "-m", model, "--port", "0", *options, *wrong], capture_output=True, text=True)
        check("it does not start with " + wrong[0] + " " + os.path.basename(wrong[1]), (process.returncode > 0, word in process.stderr or process.stderr), (True, True))


with tempfile.TemporaryDirectory() as work:
    main()
finish()
