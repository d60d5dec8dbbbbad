"""cases.py - every command with a small input, for run.py: one row each.

A row: name, program, arguments; then what stdin is, which files it writes, which of them are not there before, which are
written line by line, the words of an answer that is not whole and says so, and whether what it prints are times.
"""
import os
import shutil
import subprocess
import sys
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
BIN = os.path.join(BUILD, "bin")
MODELS = os.path.join(ROOT, "layer5_models", "models")

Case = namedtuple("Case", "name program arguments stdin files fresh grows partly times", defaults=("", (), (), (), None, False))


def row(program, line, **more):
    """The command of a line; a word with spaces has underscores."""
    return Case(more.pop("name", line.split(" -m ")[0][:36]), program, [w.replace("~", " ") for w in line.split()], **more)


LAB, OWN, CHAT, CONVERT = "strata-lab", "strata", "strata-chat", "strata-convert"
TINY = "--dim 64 --hidden 64 --layers 1 --heads 2 --kv-heads 1 --eval-documents 1 --threads 1 --batch 100"
WRITE = "generate -m draft.gguf -t 2 -n 4 --quiet "
STORY = "a fox ran home\n<|endoftext|>\n"
CASES = [
    Case("story", "story", ["-m", "draft.gguf", "-n", "4"]),
    row(OWN, WRITE + "-p Once", name="generate"),
    row(OWN, WRITE + "--trace t.csv --chain dry:1,top_k:9,min_p:0.1,xtc:0.5,temp:0.7", files=("t.csv",), name="generate --trace"),
    row(OWN, WRITE + "--chain ban:fox,no_repeat:2,penalties:rep=1.2,mirostat_v2:5 --logprobs 2", name="generate, more samplers"),
    row(OWN, WRITE + "--schema schema.json", name="generate --schema"),
    row(OWN, WRITE + "--grammar list.gbnf", name="generate, a grammar"),
    row(OWN, WRITE + "--beams 2", name="generate --beams"),
    row(OWN, WRITE + "--particles 2 --regex [a-z~]+", name="generate --particles"),
    row(OWN, WRITE + "--aligned 2 --regex [a-z~]+", name="generate --aligned"),
    row(OWN, WRITE + "--best-of 2", name="generate --best-of"),
    row(OWN, WRITE + "--draft lookup", name="generate --draft lookup"),
    row(OWN, "generate -m storyteller.gguf -t 2 -n 4 --quiet --draft draft.gguf", name="generate --draft"),
    row(OWN, WRITE + "--stop fox --stop . -p -", stdin="a fox\n", name="generate --stop"),
    row(OWN, WRITE + "--chat -p Hi", name="generate --chat"),
    row(OWN, "diffuse -m masked.gguf -n 4 -t 1 --quiet -p a", name="diffuse"),
    row(OWN, "inspect draft.gguf", partly=b"no memory plan: draft.gguf"),
    row(OWN, "inspect published/model.safetensors", name="inspect safetensors"),
    row(OWN, "inspect --families"),
    row(OWN, "dump draft.gguf output_norm.weight", name="dump"),
    row(OWN, "samplers top_k", name="samplers NAME"),
    row(OWN, "samplers"),
    row(OWN, "chain --chain top_k:2,temp:2 --logits -", stdin="2\n1\n0.5\n", name="chain"),
    row(OWN, "chain --chain top_p:0.9 --logits - --draws 9", stdin="2\n1\n0.5\n", name="chain --draws"),
    row(OWN, "grammar --gbnf list.gbnf --sample 3", name="grammar --gbnf"),
    row(OWN, "grammar --schema schema.json --explain {\"a\":", name="grammar --schema"),
    row(OWN, "grammar --regex [a-c]+x? --mask a -m draft.gguf", name="grammar --mask"),
    row(OWN, "watermark -m draft.gguf", stdin="the fox ran home and the hen ran home\n", name="watermark"),
    row(OWN, "tokenize -m draft.gguf", stdin="the fox\n", name="tokenize"),
    row(OWN, "tokenize -m draft.gguf --explain", stdin="the fox\n", name="tokenize --explain"),
    row(OWN, "tokenize -m draft.gguf --decode", stdin="70 71\n", name="tokenize --decode"),
    row(OWN, "template --template form.jinja --input talk.json", name="template"),
    row(OWN, "logits -m draft.gguf --tokens 1,2 --last -t 1", name="logits"),
    row(OWN, "embed -m ranker.gguf the~fox a~hen -t 1 --json", name="embed"),
    row(OWN, "rerank -m ranker.gguf --query fox the~fox a~hen -t 1", name="rerank"),
    row(OWN, "help generate"),
    row(CHAT, "chat -m draft.gguf -n 4 -t 1 --quiet", stdin="hello\nbye\n", name="chat"),
    row(CONVERT, "convert published new.gguf Q8_0 -t 1", files=("new.gguf",), name="convert"),
    row(CONVERT, "convert pickled new.gguf -t 1", files=("new.gguf",), name="convert, torch.save"),
    row(CONVERT, "quantize small.gguf new.gguf Q4_0 -t 1", files=("new.gguf",), name="quantize"),
    row(LAB, "train --out new.gguf --vocab-from small.gguf --steps 2 --log l.csv --checkpoint c --resume " + TINY,
        files=("new.gguf", "l.csv", "c"), fresh=("l.csv", "c"), grows=("l.csv",), name="train", times=True),
    row(LAB, "train --out new.gguf --vocab 270 --corpus corpus.txt --steps 1 " + TINY, files=("new.gguf",), name="train, new words", times=True),
    row(LAB, "train --out new.gguf --lora 2 --from small.gguf --steps 1 --corpus corpus.txt " + TINY,
        files=("new.gguf",), name="train --lora", times=True),
    row(LAB, "world --documents 2", name="world"),
    row(LAB, "world check", stdin=STORY, name="world check"),
    row(LAB, "world score texts.txt", name="world score"),
    row(LAB, "compare -m draft.gguf --documents 2 -n 20 -t 1 --chains greedy top_k:3 --csv c.csv --html c.html --plot c.svg",
        files=("c.csv", "c.html", "c.svg"), name="compare", times=True),
    row(LAB, "tune -m draft.gguf --documents texts.txt -n 8 -t 1 --chains greedy top_k:3 --out t.csv --plot t.svg", files=("t.csv", "t.svg"), fresh=("t.csv",), grows=("t.csv",), name="tune"),
    row(LAB, "perplexity -m draft.gguf -f texts.txt -t 1", name="perplexity"),
    row(LAB, "look attention -m draft.gguf -p the~fox -t 1", name="look attention"),
    row(LAB, "look heads -m draft.gguf -p the~fox -t 1", name="look heads"),
    row(LAB, "look owner -m draft.gguf --documents 1 -t 1", name="look owner"),
    row(LAB, "figure effects", name="figure effects"),
    row(LAB, "figure beams -m draft.gguf --documents 2 -n 8 -t 1", name="figure beams"),
    row(LAB, "bench samplers --seconds 0 --size 2048 --chain top_k:5", times=True, name="bench samplers"),
    row(LAB, "bench model -m draft.gguf -p 4 -n 2 --rounds 1 -t 1", times=True, name="bench model"),
    row(LAB, "profile -m draft.gguf -p 4 -n 2 -t 1 --trace p.json", files=("p.json",), times=True, name="profile"),
    row(LAB, "simulate --costs costs.csv --users 3 --seconds 20 --csv s.csv", files=("s.csv",), name="simulate"),
    row(LAB, "simulate -m draft.gguf --bandwidth 40 --flops 200 --network 1Gb/s --decode 2 --machines 3 --csv s.csv", files=("s.csv",), name="simulate together"),
]

TEXTS = {
    "schema.json": '{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}, "b": {"enum": [1, "x"]}}, "required": ["a"]}',
    "list.gbnf": 'root ::= item ("," item)*\nitem ::= [a-z]+ | "(" root ")"\n',
    "form.jinja": "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n{% endfor %}",
    "talk.json": '{"messages": [{"role": "user", "content": "a fox"}, {"role": "assistant", "content": "ran"}]}',
    "costs.csv": "batch 1 0.00004 0\nbatch 8 0.0002 0\nbatch 32 0.0005 0\nrow 0.000004\npast 0\nseen 0\n",
    "corpus.txt": "a fox ran home\n<|endoftext|>\na hen was sad\n<|endoftext|>\n" * 3,
}


def started(case):
    """What starts a case without another program in between: a program takes the name it is called by for its command."""
    own = case.program == "story" or case.arguments[0] == "help"
    return {"args": [case.program] * own + case.arguments, "executable": os.path.join(BIN, case.program)}


def prepare(folder):
    """The files that the commands read."""
    def run(*words, executable=None):
        subprocess.run(words, executable=executable and os.path.join(BIN, executable), check=True, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    for name, text in TEXTS.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
    for name in ("draft.gguf", "storyteller.gguf"):
        shutil.copy(os.path.join(MODELS, name), folder)
    families = os.path.join(BUILD, "tests", "families")
    run(families, "bert", "wordpiece scores:1", "ranker.gguf")
    run(families, "llada", "", "masked.gguf")
    run("train", "--out", "small.gguf", "--vocab", "270", "--corpus", "corpus.txt", "--steps", "1", *TINY.split(), executable=LAB)
    run("quantize", "small.gguf", "plain.gguf", "F32", executable=CONVERT)
    publish = os.path.join(ROOT, "tests", "publish.py")
    run(sys.executable, publish, "plain.gguf", "published", "LlamaForCausalLM")
    run(sys.executable, publish, "plain.gguf", "pickled", "LlamaForCausalLM", "--kind", "torch")
    with open(os.path.join(folder, "texts.txt"), "w", encoding="utf-8") as out:
        subprocess.run(["world", "--documents", "2"], executable=os.path.join(BIN, LAB), check=True, stdout=out, stderr=subprocess.DEVNULL)
