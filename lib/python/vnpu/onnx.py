# SPDX-License-Identifier: MIT
"""ONNX files: their nodes, and other types for their weights.

A message of protobuf is a list of fields, each a number and a value: an integer, or
bytes. Fields that are not changed are kept as they are.
"""

import struct

import numpy

FLOAT, INT8, FLOAT16 = 1, 3, 10

# Fields of ModelProto, GraphProto, NodeProto and TensorProto.
GRAPH = 7
NODE, INITIALIZER = 1, 5
INPUT, OUTPUT, NODE_NAME, OP_TYPE, ATTRIBUTE = 1, 2, 3, 4, 5
DIMS, DATA_TYPE, FLOAT_DATA, TENSOR_NAME, RAW_DATA = 1, 2, 4, 8, 9


def _read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("this is no ONNX file: a number does not end")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Return the fields of a message: (number, kind, value)."""
    out, at = [], 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _read_varint(data, at)
        elif kind in (1, 2, 5):
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = _read_varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("this is no ONNX file: it ends within a field")
        else:
            raise ValueError(f"this is no ONNX file: it has a field of kind {kind}")
        out.append((number, kind, value))
    return out


def _varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(parts):
    """Return the bytes of fields."""
    out = []
    for number, kind, value in parts:
        out.append(_varint(number << 3 | kind))
        if kind == 0:
            out.append(_varint(value))
        else:
            out.append((_varint(len(value)) if kind == 2 else b"") + value)
    return b"".join(out)


def _text(number, text):
    return number, 2, text.encode()


def _all(parts, number):
    return [value for n, _, value in parts if n == number]


def _first(parts, number, default=b""):
    return next(iter(_all(parts, number)), default)


def node(op_type, inputs, output, attributes=()):
    """Return the field of a node of a graph."""
    parts = [_text(INPUT, name) for name in inputs]
    parts += [_text(OUTPUT, output), _text(NODE_NAME, output), _text(OP_TYPE, op_type)]
    for name, number in attributes:
        parts.append((ATTRIBUTE, 2, message([_text(1, name), (3, 0, number), (20, 0, 2)])))
    return NODE, 2, message(parts)


def initializer(name, array, kind):
    """Return the field of a constant of a graph."""
    parts = [(DIMS, 0, n) for n in array.shape]
    parts += [(DATA_TYPE, 0, kind), _text(TENSOR_NAME, name),
              (RAW_DATA, 2, array.tobytes())]
    return INITIALIZER, 2, message(parts)


class Weight:
    """A constant of a graph: its name, and its elements if they are f32, else None."""

    def __init__(self, content):
        parts = fields(content)
        self.name = _first(parts, TENSOR_NAME).decode()
        self.shape = self._numbers(parts)
        raw = _first(parts, RAW_DATA)
        if not raw:
            raw = b"".join(_all(parts, FLOAT_DATA))
        self.array = None
        size = int(numpy.prod(self.shape, dtype=int)) * 4
        if _first(parts, DATA_TYPE, 0) == FLOAT and raw and len(raw) == size:
            self.array = numpy.frombuffer(raw, "<f4").reshape(self.shape)

    @staticmethod
    def _numbers(parts):
        """Return sizes, which are one by one, or packed."""
        out = []
        for number, kind, value in parts:
            if number == DIMS and kind == 0:
                out.append(value)
            elif number == DIMS:
                at = 0
                while at < len(value):
                    size, at = _read_varint(value, at)
                    out.append(size)
        return tuple(out)


def graph_of(data):
    """Return the fields of a model, and those of its graph."""
    model = fields(data)
    graph = _first(model, GRAPH, None)
    if not isinstance(graph, bytes):
        raise ValueError("this is no ONNX file: it has no graph")
    return model, fields(graph)


def uses(graph):
    """Return the names of the nodes that use each value."""
    out = {}
    for content in _all(graph, NODE):
        parts = fields(content)
        name = " ".join(value.decode() for value in
                        (_first(parts, NODE_NAME), *_all(parts, OUTPUT)))
        for value in _all(parts, INPUT):
            out.setdefault(value.decode(), []).append(name)
    return out


def with_graph(model, graph):
    """Return the bytes of a model with another graph."""
    return message([(n, kind, message(graph) if n == GRAPH else value)
                    for n, kind, value in model])


def packed(weight, precision):
    """Return the fields of a weight in another type, and of nodes that convert it."""
    name, array = weight.name, weight.array
    if precision == "fp16":
        return [initializer(name + "/fp16", array.astype("<f2"), FLOAT16),
                node("Cast", [name + "/fp16"], name, [("to", FLOAT)])]
    if precision == "bf16":
        bits = array.view("<u4")
        # Round to the nearest, and to the even one of two.
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
        return [initializer(name, bits.astype("<u4").view("<f4"), FLOAT)]
    scale = numpy.float32(max(float(numpy.abs(array).max()), 1e-12) / 127)
    numbers = numpy.clip(numpy.rint(array / scale), -127, 127).astype("i1")
    return [initializer(name + "/int8", numbers, INT8),
            initializer(name + "/scale", numpy.full((1,) * array.ndim, scale), FLOAT),
            node("Cast", [name + "/int8"], name + "/wide", [("to", FLOAT)]),
            node("Mul", [name + "/wide", name + "/scale"], name)]


def convert(data, choose):
    """Return a model. choose(weight, users) names the type of each of its weights.

    Weights are constants of f32 with two dimensions and two elements at least, so
    that the scales of a model that was converted before are none. "fp32" leaves one.
    """
    model, graph = graph_of(data)
    users, heads, tail = uses(graph), [], []
    for number, kind, value in graph:
        weight = Weight(value) if number == INITIALIZER else None
        if weight is None or weight.array is None or weight.array.ndim < 2 or \
                weight.array.size < 2:
            tail.append((number, kind, value))
            continue
        precision = choose(weight, users.get(weight.name, []))
        if precision == "fp32":
            tail.append((number, kind, value))
        else:
            heads += packed(weight, precision)
    # Nodes that convert come before those that use their results.
    return with_graph(model, heads + tail)
