#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Find the precision of each part of a model that loses less than one percent.

usage: precision.py DIRECTORY

The directory is that of models.py.
"""

import os
import sys

from cann.tools import AutoPrecisionSelector


def main():
    os.chdir(sys.argv[1])
    selector = AutoPrecisionSelector(
        model_path="network.onnx",
        calibration_data="samples.npy",
        target_metric="throughput",
        accuracy_constraint="<1% loss")
    best_config = selector.search(
        search_space={
            "attention": ["fp16", "bf16", "int8"],
            "ffn": ["fp16", "int8"],
            "embedding": ["fp16", "int8"]},
        max_iterations=100)
    for config in selector.tried:
        print(f"{str(config):45} loss {config.accuracy_loss:8.4%}  "
              f"throughput {config.throughput_improvement:.2f}x  {config.size} bytes")
    print(f"the best: {best_config}")
    print(f"its size: {best_config.size} bytes, of {max(c.size for c in selector.tried)}")
    print(f"expected loss: {best_config.accuracy_loss:.2%}")


main()
