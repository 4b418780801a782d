#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a small network for images of digits, an image, and what the network
makes of it, computed by plain Python.

usage: network.py DIRECTORY

The files are network.onnx, input.npy and expected.npy. The weights are random
numbers with a seed: the network has learned nothing.
"""

import math
import random
import sys

import onnx_file

SIZE, CHANNELS, CLASSES = 16, 8, 10


def numbers(count, scale):
    # Of few bits, so that a file of f32 has the same numbers.
    return [round(random.uniform(-scale, scale) * 4096) / 4096 for _ in range(count)]


def convolve(x, w, bias):
    """3 x 3, padded by 1, of one channel; then Relu."""
    def at(row, column):
        return x[row * SIZE + column] if 0 <= row < SIZE and 0 <= column < SIZE else 0

    return [max(0, bias[c] + sum(w[c * 9 + i * 3 + k] * at(row + i - 1, column + k - 1)
                                 for i in range(3) for k in range(3)))
            for c in range(CHANNELS) for row in range(SIZE) for column in range(SIZE)]


def pool(x):
    """The largest of 2 x 2."""
    half = SIZE // 2
    return [max(x[c * SIZE * SIZE + (2 * row + i) * SIZE + 2 * column + k]
                for i in range(2) for k in range(2))
            for c in range(CHANNELS) for row in range(half) for column in range(half)]


def softmax(x):
    powers = [math.exp(v - max(x)) for v in x]
    return [p / sum(powers) for p in powers]


def main():
    where = sys.argv[1]
    random.seed(26)
    features = CHANNELS * SIZE * SIZE // 4
    image = numbers(SIZE * SIZE, 1)
    kernel, bias = numbers(CHANNELS * 9, 0.5), numbers(CHANNELS, 0.1)
    dense, offset = numbers(features * CLASSES, 0.1), numbers(CLASSES, 0.1)

    m = onnx_file.Model("network")
    m.input("image", ["batch", 1, SIZE, SIZE])
    m.constant("kernel", [CHANNELS, 1, 3, 3], kernel)
    m.constant("bias", [CHANNELS], bias)
    m.constant("dense", [features, CLASSES], dense)
    m.constant("offset", [CLASSES], offset)
    m.node("Conv", ["image", "kernel", "bias"], ["conv"], pads=[1, 1, 1, 1])
    m.node("Relu", ["conv"], ["relu"])
    m.node("MaxPool", ["relu"], ["pool"], kernel_shape=[2, 2], strides=[2, 2])
    m.node("Flatten", ["pool"], ["flat"])
    m.node("Gemm", ["flat", "dense", "offset"], ["sums"])
    m.node("Softmax", ["sums"], ["classes"], axis=1)
    m.output("classes")

    x = pool(convolve(image, kernel, bias))
    sums = [offset[c] + sum(x[i] * dense[i * CLASSES + c] for i in range(features))
            for c in range(CLASSES)]
    for name, content in [
            ("network.onnx", m.bytes()),
            ("input.npy", onnx_file.npy([1, 1, SIZE, SIZE], image)),
            ("expected.npy", onnx_file.npy([1, CLASSES], softmax(sums)))]:
        with open("%s/%s" % (where, name), "wb") as f:
            f.write(content)


main()
