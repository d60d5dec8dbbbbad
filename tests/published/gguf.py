"""Reading a GGUF file whose tensors are F32."""
import math
import struct
from array import array

SCALARS = {0: 'B', 1: 'b', 2: 'H', 3: 'h', 4: 'I', 5: 'i', 6: 'f', 7: '?', 10: 'Q', 11: 'q', 12: 'd'}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        size = struct.calcsize('<' + code)
        value, = struct.unpack_from('<' + code, self.data, self.at)
        self.at += size
        return value

    def text(self):
        size = self.number('Q')
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            item, count = self.number('I'), self.number('Q')
            return [self.value(item) for _ in range(count)]
        return self.number(SCALARS[kind])


def read_gguf(path):
    """Keys, and tensors as {name: (shape, numbers)} with shapes (out, in)."""
    with open(path, 'rb') as file:
        reader = Reader(file.read())
    reader.at = 8
    n_tensors, n_keys = reader.number('Q'), reader.number('Q')
    keys, infos = {}, []
    for _ in range(n_keys):
        key = reader.text()
        keys[key] = reader.value(reader.number('I'))
    for _ in range(n_tensors):
        name = reader.text()
        dims = [reader.number('Q') for _ in range(reader.number('I'))]
        kind, offset = reader.number('I'), reader.number('Q')
        assert kind in (0, 27), name + ' is neither F32 nor I64'
        infos.append((name, dims[::-1], offset, kind))
    start = (reader.at + 31) // 32 * 32
    tensors = {}
    for name, shape, offset, kind in infos:
        numbers = array('q' if kind else 'f')
        numbers.frombytes(reader.data[start + offset:start + offset + numbers.itemsize * math.prod(shape)])
        tensors[name] = (shape, numbers)
    return keys, tensors
