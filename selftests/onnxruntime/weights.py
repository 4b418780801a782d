#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Give a network of ONNX's light models seeded weights.

usage: weights.py MODEL OUTPUT SEED

Their weights are nodes ConstantOfShape, which are all the same number.  Each
becomes an initializer.  Only these messages are changed, so a small reader of
protocol buffers is enough.
"""

import array
import math
import random
import struct
import sys

BLOCK = 65521
INT64 = 7       # of TensorProto.DataType


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """Yield number, wire type and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            size = 8 if kind == 1 else 4
            if kind == 2:
                size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, kind, value


def field(number, kind, value):
    key = varint(number << 3 | kind)
    if kind == 0:
        return key + varint(value)
    return key + (varint(len(value)) if kind == 2 else b"") + value


def first(message, number, default=b""):
    return next((v for n, _, v in fields(message) if n == number), default)


def integers(tensor):
    """The elements of a tensor of i64."""
    raw = first(tensor, 9)
    if raw:
        return struct.unpack(f"<{len(raw) // 8}q", raw)
    out = []
    for number, kind, value in fields(tensor):
        if number != 7:
            continue
        if kind == 0:
            out.append(value)
        at = 0
        while kind == 2 and at < len(value):
            item, at = read_varint(value, at)
            out.append(item)
    return tuple(out)


def make_tensor(name, dims, generator):
    """Weights that keep the size of elements; others are 0.5 to 1."""
    count = math.prod(dims)
    if len(dims) > 1:
        limit = math.sqrt(3 * dims[0] / count)
        values = [generator.uniform(-limit, limit) for _ in range(min(count, BLOCK))]
    else:
        values = [generator.uniform(0.5, 1) for _ in range(count)]
    block = array.array("f", values).tobytes()
    raw = (block * (count * 4 // len(block) + 1))[:count * 4]
    return (b"".join(field(1, 0, d) for d in dims) + field(2, 0, 1) +
            field(8, 2, name) + field(9, 2, raw))


def change_graph(graph, generator):
    shapes = {first(v, 8): integers(v) for n, _, v in fields(graph)
              if n == 5 and first(v, 2) == INT64}
    out = []
    for number, kind, value in fields(graph):
        if number == 1 and first(value, 4) == b"ConstantOfShape" and \
                first(value, 1) in shapes:
            tensor = make_tensor(first(value, 2), shapes[first(value, 1)], generator)
            out.append(field(5, 2, tensor))
        else:
            out.append(field(number, kind, value))
    return b"".join(out)


def seed(source, target, number):
    """Write a model with seeded weights."""
    with open(source, "rb") as file:
        model = file.read()
    generator = random.Random(number)
    with open(target, "wb") as file:
        for n, kind, value in fields(model):
            file.write(field(n, kind, change_graph(value, generator) if n == 7 else value))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    seed(sys.argv[1], sys.argv[2], int(sys.argv[3]))
