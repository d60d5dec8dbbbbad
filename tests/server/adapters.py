"""adapters.py - two adapters for the storyteller, of random numbers, for requests to choose."""
import contextlib
import os
import random
import re
import struct
import subprocess
import tempfile

from client import MODEL, STRATA


def shapes():
    """The matrices of attention and of the networks: name, outputs, inputs."""
    told = subprocess.run([STRATA, "inspect", MODEL], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(blk\.\d+\.(?:attn_q|attn_k|attn_v|attn_output|ffn_gate|ffn_up|ffn_down))\.weight +\w+ +\((\d+), (\d+)\)", told)
    assert len(found) >= 7, told
    return [(name, int(out), int(width)) for name, out, width in found]


def write(path, seed, strength):
    """An adapter of rank 2 with random numbers, as a GGUF file."""
    r, tensors, data = random.Random(seed), [], b""
    text = lambda t: struct.pack("<Q", len(t)) + t.encode()
    for name, out, width in shapes():
        for end, rows, cols in (("lora_a", 2, width), ("lora_b", out, 2)):
            tensors.append(text("%s.weight.%s" % (name, end)) + struct.pack("<IQQIQ", 2, cols, rows, 0, len(data)))
            data += struct.pack("<%df" % (rows * cols), *(r.gauss(0, strength) for _ in range(rows * cols)))
            data += bytes(-len(data) % 32)
    pairs = [text(k) + struct.pack("<I", 8) + text(v) for k, v in (("general.type", "adapter"), ("general.architecture", "llama"), ("adapter.type", "lora"))]
    pairs.append(text("adapter.lora.alpha") + struct.pack("<If", 6, 2.0))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs + tensors)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + data)


@contextlib.contextmanager
def adapters():
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name + ".gguf") for name in ("one", "two")]
        for seed, path in enumerate(paths):
            write(path, seed, 0.12)
        yield paths
