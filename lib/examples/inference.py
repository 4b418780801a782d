#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes ResNet-50 as an ONNX model, and compiles it in several ways for the example
inference.c.

usage: inference.py DIRECTORY [SIDE [WIDTH]]

SIDE is that of an image, a multiple of 32, 224 by default. WIDTH is the number of
channels behind the first convolution, a multiple of 8, 64 by default; smaller numbers
make a smaller network with as many operators. Weights are random numbers with a seed.

plain.om is compiled without passes and without sharing of memory; reuse.om shares
memory; fused.om has all passes, too; batch.om takes 1, 2, 4 or 8 images at a time.
atc compiles the models; . set_env.sh puts it into PATH.
"""

import array
import json
import math
import os
import random
import subprocess
import sys

import onnx_file

CLASSES = 1000
BLOCKS = (3, 4, 6, 3)
BLOCK = 65521                   # random numbers: a prime, so that no two rows are equal
MIB = 1 << 20


class Network:
    """The model, while operators are appended to it."""

    def __init__(self, side):
        self.m = onnx_file.Model("resnet50")
        numbers = random.Random(50)
        self.block = [numbers.uniform(-1, 1) for _ in range(BLOCK)]
        self.count = 0
        self.m.input("image", ["batch", 3, side, side])
        self.at = "image"

    def weight(self, name, dims, scale):
        """Random numbers from -scale to scale; large weights repeat them."""
        count = math.prod(dims)
        data = array.array("f", [number * scale for number in self.block]).tobytes()
        data *= count // BLOCK + 1
        self.m.constant(name, dims, data[:4 * count])

    def node(self, operator, inputs, **attributes):
        self.count += 1
        self.at = f"{operator.lower()}{self.count}"
        self.m.node(operator, inputs, [self.at], **attributes)
        return self.at

    def conv(self, x, channels_in, channels, kernel=1, stride=1, gain=1.0):
        """A convolution and its normalisation, as frameworks export them."""
        name = f"layer{self.count}"
        self.weight(f"{name}.weight", [channels, channels_in, kernel, kernel],
                    math.sqrt(6 / (channels_in * kernel * kernel)))
        for part, value in (("scale", gain), ("shift", 0.1), ("mean", 0.05), ("var", 1.1)):
            self.m.constant(f"{name}.{part}", [channels], [value] * channels)
        x = self.node("Conv", [x, f"{name}.weight"], kernel_shape=[kernel, kernel],
                      strides=[stride, stride], pads=[kernel // 2] * 4)
        return self.node("BatchNormalization", [x] + [f"{name}.{part}" for part in
                                                      ("scale", "shift", "mean", "var")])

    def relu(self, x):
        return self.node("Relu", [x])

    def bottleneck(self, x, channels_in, width, stride):
        around = x
        if channels_in != 4 * width:
            around = self.conv(x, channels_in, 4 * width, stride=stride, gain=0.7)
        x = self.relu(self.conv(x, channels_in, width))
        x = self.relu(self.conv(x, width, width, 3, stride))
        x = self.conv(x, width, 4 * width, gain=0.5)
        return self.relu(self.node("Add", [x, around]))


def resnet50(side, width):
    n = Network(side)
    x = n.relu(n.conv("image", 3, width, 7, 2))
    x = n.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = width
    for stage, blocks in enumerate(BLOCKS):
        for block in range(blocks):
            x = n.bottleneck(x, channels, width << stage, 2 if stage and not block else 1)
            channels = 4 * width << stage
    x = n.node("Flatten", [n.node("GlobalAveragePool", [x])])
    n.weight("classes.weight", [channels, CLASSES], 1 / math.sqrt(channels))
    n.m.constant("classes.bias", [CLASSES], [0.0] * CLASSES)
    n.m.output(n.node("Gemm", [x, "classes.weight", "classes.bias"]))
    return n.m


def compile_model(folder, name, *options):
    """Compile, and return the report."""
    report = os.path.join(folder, f"{name}.json")
    subprocess.run(["atc", f"--model={folder}/resnet50.onnx", "--framework=5",
                    f"--output={folder}/{name}", "--soc_version=Ascend310P3",
                    f"--report={report}", *options], check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    folder = sys.argv[1]
    side, width = (int(word) for word in (sys.argv[2:] + ["224", "64"][len(sys.argv) - 2:]))
    with open(os.path.join(folder, "resnet50.onnx"), "wb") as file:
        file.write(resnet50(side, width).bytes())
    switches = os.path.join(folder, "no_fusion.json")
    with open(switches, "w", encoding="utf-8") as file:
        json.dump({"Switch": {"GraphFusion": {"ALL": "off"}}}, file)
    off, one = f"--fusion_switch_file={switches}", f"--input_shape=image:1,3,{side},{side}"
    print(f"{'':10} {'launches':>8} {'traffic, MiB':>12} {'work memory, MiB':>16}")
    for name, options in (("plain", (one, off, "--disable_reuse_memory=1")),
                          ("reuse", (one, off)), ("fused", (one,))):
        gear = compile_model(folder, name, *options)["gain"][1]
        print(f"{name:10} {gear['launches']:8} {gear['traffic_bytes'] / MIB:12.1f} "
              f"{gear['work_bytes'] / MIB:16.2f}")
    compile_model(folder, "batch", f"--input_shape=image:-1,3,{side},{side}",
                  "--dynamic_batch_size=1,2,4,8")


if __name__ == "__main__":
    main()
