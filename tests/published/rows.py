"""Orders of rows: as GGUF files have them, and as checkpoints do."""
import math
import struct
from array import array


def rows_of(shape, numbers):
    width = shape[-1] if len(shape) > 1 else 1
    return [numbers[i:i + width] for i in range(0, len(numbers), width)]


def joined(rows):
    out = array('f')
    for row in rows:
        out.extend(row)
    return out


def half_split(shape, numbers, heads):
    """Pairs that turn together lie side by side in GGUF; there, a half head apart."""
    rows, d = rows_of(shape, numbers), shape[0] // heads
    out = []
    for h in range(heads):
        head = rows[h * d:(h + 1) * d]
        out += head[0::2] + head[1::2]
    return shape, joined(out)


def half_split_both(shape, numbers, heads, kv_heads):
    """The same of all queries and keys in one map with values."""
    width = shape[-1] if len(shape) > 1 else 1
    rows = shape[0] // (heads + 2 * kv_heads) * (heads + kv_heads)
    return shape, half_split([rows] + shape[1:], numbers[:rows * width], heads + kv_heads)[1] + numbers[rows * width:]


def by_heads(shape, numbers, heads):
    """All q, all k, all v in GGUF; there q, k and v of each head."""
    rows, d = rows_of(shape, numbers), shape[0] // heads // 3
    out = []
    for h in range(heads):
        for part in range(3):
            first = (part * heads + h) * d
            out += rows[first:first + d]
    return shape, joined(out)


def halved_qkv(shape, numbers, heads, kv_heads):
    """All q, all k, all v, as in GGUF, but pairs that turn together a half head apart."""
    rows, d = rows_of(shape, numbers), shape[0] // (heads + 2 * kv_heads)
    out = []
    for h in range(heads + kv_heads):
        head = rows[h * d:(h + 1) * d]
        out += head[0::2] + head[1::2]
    return shape, joined(out + rows[(heads + kv_heads) * d:])


def regrouped(shape, numbers, heads, kv_heads):
    """Query heads of a key head side by side in GGUF; there one of each key head, then another."""
    rows, d, n = rows_of(shape, numbers), shape[0] // heads, heads // kv_heads
    order = [rows[(g * n + j) * d + i] for j in range(n) for g in range(kv_heads) for i in range(d)]
    return shape, joined(order)


def by_groups(shape, numbers, heads, kv_heads):
    """All q, all k, all v in GGUF; there the query heads of each key head, then its k and its v."""
    rows, d, per = rows_of(shape, numbers), shape[0] // (heads + 2 * kv_heads), heads // kv_heads
    out = []
    for g in range(kv_heads):
        for head in list(range(g * per, g * per + per)) + [heads + g, heads + kv_heads + g]:
            out += rows[head * d:head * d + d]
    return shape, joined(out)


def transposed(shape, numbers):
    if len(shape) == 1:
        return shape, numbers
    rows = rows_of(shape, numbers)
    return shape[::-1], array('f', [x for column in zip(*rows) for x in column])


def single(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def log_rate(a):
    """The f32 number l with -exp(l) = a, which the test has seen to."""
    bits, = struct.unpack('<i', struct.pack('<f', math.log(-a)))
    for step in sorted(range(-8, 9), key=abs):
        l, = struct.unpack('<f', struct.pack('<i', bits + step))
        if single(-math.exp(l)) == a:
            return l
    raise ValueError('no logarithm of %r' % -a)
