# SPDX-License-Identifier: MIT
"""Writes ONNX models and .npy files, with Python's own modules alone.

    m = Model()
    m.input("x", [1, 4])
    m.constant("w", [4, 2], [0.5] * 8)
    m.node("MatMul", ["x", "w"], ["y"])
    m.output("y")
    open("model.onnx", "wb").write(m.bytes())
"""

import struct

FLOAT, UINT8, INT64, FLOAT16 = 1, 2, 7, 10
CODES = {FLOAT: "f", UINT8: "B", INT64: "q", FLOAT16: "e"}
DESCR = {FLOAT: "<f4", UINT8: "|u1", INT64: "<i8", FLOAT16: "<f2"}


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field of a message: an integer, or bytes and texts."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def raw(kind, values):
    """The elements of a list; bytes are those of the elements already."""
    if isinstance(values, bytes):
        return values
    return struct.pack("<%d%s" % (len(values), CODES[kind]), *values)


def tensor(name, dims, values, kind=FLOAT):
    """A message TensorProto."""
    return (b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name)
            + field(9, raw(kind, values)))


def attribute(name, value):
    head = field(1, name)
    if isinstance(value, int):
        return head + field(3, value) + field(20, 2)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, str):
        return head + field(4, value) + field(20, 3)
    return head + b"".join(field(8, i) for i in value) + field(20, 7)


def info(name, dims, kind):
    """A message ValueInfoProto; a size is a number, or a text if it is open."""
    shape = b"".join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


class Model:
    """A model that is written."""

    def __init__(self, name="model", opset=13):
        # Weights may be large, so the parts are not copied each time.
        self.graph = bytearray(field(2, name))
        self.opset = opset

    def input(self, name, dims, kind=FLOAT):
        self.graph += field(11, info(name, dims, kind))

    def output(self, name):
        self.graph += field(12, field(1, name))

    def constant(self, name, dims, values, kind=FLOAT):
        self.graph += field(5, tensor(name, dims, values, kind))

    def node(self, operator, inputs, outputs, name=None, domain="", **attributes):
        self.graph += field(1, b"".join(field(1, i) for i in inputs)
                            + b"".join(field(2, o) for o in outputs)
                            + field(3, name or outputs[0]) + field(4, operator)
                            + b"".join(field(5, attribute(*a)) for a in attributes.items())
                            + field(7, domain))

    def bytes(self):
        return field(1, 8) + field(7, self.graph) + field(8, field(1, "") + field(2, self.opset))


def npy(dims, values, kind=FLOAT):
    """A file of NumPy."""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (DESCR[kind], tuple(dims))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + raw(kind, values)
