"""Tensors that are several of ours in one."""
import math
from array import array

from .rows import joined, rows_of, transposed


def latent_maps(shape, k, v):
    """For each head the rows that make its keys, then those that make its values."""
    heads, latent, plain = shape
    size, out = len(v) // heads, array('f')
    for h in range(heads):
        out.extend(transposed([latent, plain], k[h * latent * plain:(h + 1) * latent * plain])[1] + v[h * size:(h + 1) * size])
    return [len(out) // latent, latent], out


def delta_maps(keys, a, qkv, gate):
    """q, k, v and the gate of each key head."""
    d, heads, values = (keys[a + '.ssm.' + x] for x in ('state_size', 'group_count', 'time_step_rank'))
    rows, gates, v, out = rows_of(*qkv), rows_of(*gate), values // heads * d, []
    for h in range(heads):
        for first in (h * d, (heads + h) * d):
            out += rows[first:first + d]
        out += rows[2 * heads * d + h * v:2 * heads * d + h * v + v] + gates[h * v:h * v + v]
    return [len(out), qkv[0][1]], joined(out)


def both_of(cls, gate, up):
    """Gate and up of all experts in one: (experts, in, 2 out), in turn (gpt-oss) or one behind the other."""
    (experts, n, d), out = gate[0], array('f')
    for e in range(experts):
        g, u = (rows_of([n, d], x[1][e * n * d:(e + 1) * n * d]) for x in (gate, up))
        rows = [row for pair in zip(g, u) for row in pair] if cls == 'GptOssForCausalLM' else g + u
        out.extend(transposed([2 * n, d], joined(rows))[1])
    return [experts, d, 2 * n], out


FOUR_BITS = [0, .5, 1, 1.5, 2, 3, 4, 6]


def four_bits(shape, numbers):
    """Blocks of 32 numbers in 16 bytes, the first of two in the lower half, and their exponents."""
    blocks, scales = bytearray(), bytearray()
    for at in range(0, len(numbers), 32):
        block = numbers[at:at + 32]
        largest = max(map(abs, block))
        e = math.floor(math.log2(largest)) - 2 if largest else -127
        codes = [FOUR_BITS.index(abs(x) / 2 ** e) + (8 if x < 0 else 0) for x in block]
        scales.append(e + 127)
        blocks.extend(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
    rows = [shape[0], shape[1], shape[2] // 32]
    return (rows + [16], bytes(blocks)), (rows, bytes(scales))


def in_turn(gate, up):
    """Rows (or, of vectors, numbers) of each expert's gate and up in turn."""
    g, u = (rows_of([math.prod(x[0][:-1]), x[0][-1]], x[1]) if len(x[0]) > 2 else [[y] for y in x[1]] for x in (gate, up))
    return [gate[0][0], 2 * gate[0][1]] + gate[0][2:], joined([row for pair in zip(g, u) for row in pair])


def fused_experts(cls, here, name, suffix, tensors, full, mxfp4):
    """What gpt-oss, Llama 4 and Qwen 3 VL call them."""
    place = here + ('feed_forward.experts.' if cls == 'Llama4ForCausalLM' else 'mlp.experts.')
    shape, numbers = tensors[full]
    if name.startswith('ffn_down'):
        if suffix == '.bias':
            return {place + 'down_proj_bias': (shape, numbers)}
        if mxfp4:
            return dict(zip((place + 'down_proj_blocks', place + 'down_proj_scales'), four_bits(shape, numbers)))
        size, out = shape[1] * shape[2], array('f')
        for e in range(shape[0]):
            out.extend(transposed(shape[1:], numbers[e * size:(e + 1) * size])[1])
        return {place + 'down_proj': ([shape[0], shape[2], shape[1]], out)}
    if name.startswith('ffn_up'):
        return {}
    up = tensors[full.replace('gate', 'up')]
    if suffix == '.bias':
        return {place + 'gate_up_proj_bias': in_turn((shape, numbers), up)}
    if mxfp4:
        return dict(zip((place + 'gate_up_proj_blocks', place + 'gate_up_proj_scales'), four_bits(*in_turn((shape, numbers), up))))
    return {place + 'gate_up_proj': both_of(cls, (shape, numbers), up)}
