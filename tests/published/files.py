"""What safetensors and torch.save write."""
import json
import math
import os
import struct
import zipfile
from array import array


def bf16(x):
    bits, = struct.unpack('<I', struct.pack('<f', x))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def stored(numbers, kind):
    if kind == 'F16':
        return struct.pack('<%de' % len(numbers), *numbers)
    if kind == 'BF16':
        return struct.pack('<%dH' % len(numbers), *map(bf16, numbers))
    return numbers.tobytes()


def f8(code):
    """Sign, 4 bits of exponent, 3 of fraction."""
    size, fraction = code >> 3 & 15, code & 7
    value = (fraction / 8) * 2 ** -6 if size == 0 else (1 + fraction / 8) * 2 ** (size - 7)
    return -value if code & 128 else value


F8 = {f8(code): code for code in range(255)[::-1] if code & 127 != 127}


def eight_bits(name, shape, numbers):
    """Blocks of 128 rows of 128 numbers, and what each is multiplied by: 1/16, 1/32 in turn."""
    scales = [1 / 16 if (row // 128 + col // 128) % 2 else 1 / 32 for row in range(0, shape[0], 128) for col in range(0, shape[1], 128)]
    wide = (shape[1] + 127) // 128
    codes = bytes(F8[x / scales[i // shape[1] // 128 * wide + i % shape[1] // 128]] for i, x in enumerate(numbers))
    return {name: (shape, codes, 'F8_E4M3'), name + '_scale_inv': ([(shape[0] + 127) // 128, wide], array('f', scales), 'F32')}


def write_safetensors(path, tensors, kind):
    header, data = {'__metadata__': {'format': 'pt'}}, b''
    if kind == 'F8':
        small = {name: eight_bits(name, *value) for name, value in tensors.items() if name.endswith('_proj.weight')}
        tensors, kind = {key: value for name in tensors for key, value in small.get(name, {name: tensors[name]}).items()}, 'F32'
    for name, (shape, numbers, *stored_as) in tensors.items():
        own = stored_as[0] if stored_as else 'U8' if isinstance(numbers, bytes) else 'I64' if numbers.typecode == 'q' else kind if len(shape) > 1 else 'F32'
        raw = numbers if isinstance(numbers, bytes) else stored(numbers, own)
        header[name] = {'dtype': own, 'shape': shape, 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


class Opcodes:
    """The opcodes of a state_dict as torch.save writes them: protocol 2, each value remembered."""

    def __init__(self):
        self.out, self.memo = bytearray(b'\x80\x02'), {}

    def remember(self):
        self.out += b'q' + bytes([len(self.memo)]) if len(self.memo) < 256 else b'r' + struct.pack('<I', len(self.memo))

    def once(self, key, code):
        if key in self.memo:
            at = self.memo[key]
            self.out += b'h' + bytes([at]) if at < 256 else b'j' + struct.pack('<I', at)
            return
        self.out += code
        self.remember()
        self.memo[key] = len(self.memo)

    def always(self, code):
        self.once(object(), code)

    def text(self, text):
        raw = text.encode()
        self.once(text, b'X' + struct.pack('<I', len(raw)) + raw)

    def name(self, module, name):
        self.once((module, name), ('c%s\n%s\n' % (module, name)).encode())

    def number(self, n):
        self.out += b'K' + bytes([n]) if n < 256 else b'M' + struct.pack('<H', n) if n < 65536 else b'J' + struct.pack('<i', n)

    def numbers(self, numbers):
        if not numbers or len(numbers) > 3:
            self.out += b'('
        for n in numbers:
            self.number(n)
        if not numbers:
            self.out[-1:] = b')'
        elif len(numbers) > 3:
            self.always(b't')
        else:
            self.always(bytes([0x84 + len(numbers)]))

    def ordered(self):
        self.name('collections', 'OrderedDict')
        self.always(b')R')

    def tensor(self, storage, key, count, shape):
        self.name('torch._utils', '_rebuild_tensor_v2')
        self.out += b'(('
        self.text('storage')
        self.name('torch', storage)
        self.text(key)
        self.text('cpu')
        self.number(count)
        self.always(b't')
        self.out += b'Q'
        self.number(0)
        self.numbers(shape)
        self.numbers([math.prod(shape[i + 1:]) for i in range(len(shape))])
        self.out += b'\x89'
        self.ordered()
        self.always(b't')
        self.always(b'R')


def write_torch(path, tensors, kind):
    storages = {'F32': 'FloatStorage', 'F16': 'HalfStorage', 'BF16': 'BFloat16Storage'}
    code = Opcodes()
    code.ordered()
    code.out += b'('
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for key, (name, (shape, numbers)) in enumerate(tensors.items()):
            own = kind if len(shape) > 1 else 'F32'
            archive.writestr('archive/data/%d' % key, stored(numbers, own))
            code.text(name)
            code.tensor(storages[own], str(key), len(numbers), shape)
        code.out += b'u}'
        code.remember()
        code.memo[0] = len(code.memo)
        code.text('_metadata')
        code.ordered()
        code.out += b'sb.'
        archive.writestr('archive/data.pkl', bytes(code.out))
        archive.writestr('archive/byteorder', 'little')
        archive.writestr('archive/version', '3\n')


def write_shards(folder, tensors, kind, count, torch):
    name, end, write = ('pytorch_model', 'bin', write_torch) if torch else ('model', 'safetensors', write_safetensors)
    if count == 1:
        return write(os.path.join(folder, '%s.%s' % (name, end)), tensors, kind)
    where = {}
    for i in range(count):
        part = {key: tensors[key] for n, key in enumerate(tensors) if n % count == i}
        file = '%s-%05d-of-%05d.%s' % (name, i + 1, count, end)
        write(os.path.join(folder, file), part, kind)
        where.update({key: file for key in part})
    write_json(folder, '%s.%s.index.json' % (name, end), {'metadata': {'total_size': 0}, 'weight_map': where})


def write_json(folder, name, value):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        json.dump(value, file, ensure_ascii=False)
