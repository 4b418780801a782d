#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the models of the other examples in this directory, and compiles them.

usage: models.py DIRECTORY [HEIGHT WIDTH]

super_resolution.om, denoise.om and color_enhance.om are for video.py, and for video.c:
a frame of bytes, 16 x 24 by default, becomes one of twice the size. large_shard0.om to
large_shard2.om are for sharded.py: three layers of a network. network.onnx and samples.npy are for
precision.py. atc compiles the models; . set_env.sh puts it into PATH.
"""

import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import onnx_file
from onnx_file import FLOAT, INT64, UINT8

HEIGHT, WIDTH = 16, 24          # of a frame that comes in, by default
FEATURES, LAYERS = 64, 3        # of the network in shards


def super_resolution():
    """Bytes in, floats of twice the height and width out."""
    m = onnx_file.Model("super_resolution")
    m.input("input", [1, HEIGHT, WIDTH, 3], UINT8)
    m.node("Cast", ["input"], ["wide"], to=FLOAT)
    m.node("Transpose", ["wide"], ["planes"], perm=[0, 3, 1, 2])
    # Each channel becomes four of the same, which then lie beside each other.
    m.constant("four", [12, 3, 1, 1], [float(c % 3 == i) for c in range(12)
                                       for i in range(3)])
    m.node("Conv", ["planes", "four"], ["copies"], kernel_shape=[1, 1])
    m.node("DepthToSpace", ["copies"], ["large"], blocksize=2)
    m.output("large")
    return m


def denoise():
    """The mean of 3 x 3 in each channel."""
    m = onnx_file.Model("denoise")
    m.input("input", [1, 3, 2 * HEIGHT, 2 * WIDTH])
    m.constant("mean", [3, 1, 3, 3], [1 / 9] * 27)
    m.node("Conv", ["input", "mean"], ["smooth"], kernel_shape=[3, 3], pads=[1, 1, 1, 1],
           group=3)
    m.output("smooth")
    return m


def color_enhance():
    """More contrast; then bytes again."""
    m = onnx_file.Model("color_enhance")
    m.input("input", [1, 3, 2 * HEIGHT, 2 * WIDTH])
    m.constant("gain", [1], [1.2])
    m.constant("shift", [1], [-25.6])
    m.constant("low", [], [0.0])
    m.constant("high", [], [255.0])
    m.node("Mul", ["input", "gain"], ["strong"])
    m.node("Add", ["strong", "shift"], ["shifted"])
    m.node("Clip", ["shifted", "low", "high"], ["limited"])
    m.node("Transpose", ["limited"], ["pixels"], perm=[0, 2, 3, 1])
    m.node("Cast", ["pixels"], ["bytes"], to=UINT8)
    m.output("bytes")
    return m


def layer(m, name, inputs, rows, columns):
    scale = 1 / math.sqrt(rows)
    m.constant(f"{name}.weight", [rows, columns],
               [random.uniform(-scale, scale) for _ in range(rows * columns)])
    m.node("MatMul", [inputs, f"{name}.weight"], [name])
    return name


def shard(number):
    m = onnx_file.Model(f"shard{number}")
    m.input("input", [1, FEATURES])
    m.node("Tanh", [layer(m, f"layer{number}", "input", FEATURES, FEATURES)], ["output"])
    m.output("output")
    return m


def network():
    """A block of a language model: an embedding, attention, and two products."""
    words, width = 50, 32
    m = onnx_file.Model("network")
    m.input("words", [8], INT64)
    m.constant("embedding.weight", [words, width],
               [random.uniform(-1, 1) for _ in range(words * width)])
    m.node("Gather", ["embedding.weight", "words"], ["x"])
    q, k, v = (layer(m, f"attention.{part}", "x", width, width) for part in "qkv")
    m.node("Transpose", [k], ["kt"], perm=[1, 0])
    m.node("MatMul", [q, "kt"], ["scores"])
    m.node("Softmax", ["scores"], ["shares"], axis=1)
    m.node("MatMul", ["shares", v], ["mixed"])
    m.node("Relu", [layer(m, "ffn.up", "mixed", width, 4 * width)], ["hidden"])
    m.output(layer(m, "ffn.down", "hidden", 4 * width, width))
    return m


def compile_model(folder, name, model):
    path = os.path.join(folder, name)
    with open(path + ".onnx", "wb") as file:
        file.write(model.bytes())
    subprocess.run(["atc", f"--model={path}.onnx", "--framework=5", f"--output={path}",
                    "--soc_version=Ascend910B1"], check=True, stdout=subprocess.DEVNULL)


def main():
    global HEIGHT, WIDTH
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        HEIGHT, WIDTH = (int(word) for word in sys.argv[2:])
    random.seed(28)
    for make in (super_resolution, denoise, color_enhance):
        compile_model(folder, make.__name__, make())
    for number in range(LAYERS):
        compile_model(folder, f"large_shard{number}", shard(number))
    with open(os.path.join(folder, "network.onnx"), "wb") as file:
        file.write(network().bytes())
    samples = [random.randrange(50) for _ in range(4 * 8)]
    with open(os.path.join(folder, "samples.npy"), "wb") as file:
        file.write(onnx_file.npy([4, 8], samples, INT64))


main()
