#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model in parts, of which one is on the device at a time.

usage: sharded.py DIRECTORY

The directory is that of models.py.
"""

import sys

import acl
import aclnn
import numpy
import vnpu

FEATURES, LAYERS = 64, 3


def load_large_model_sharded(model_path, num_shards):
    shards = []
    for i in range(num_shards):
        shard_path = f"{model_path}_shard{i}.om"
        shard = aclnn.load_model_shard(shard_path)
        shards.append(shard)

    def execute_sharded(inputs):
        outputs = []
        for shard in shards:
            output = aclnn.execute_shard(shard, outputs[-1] if outputs else inputs)
            outputs.append(output)
            # Free the memory of the part before.
            if len(outputs) > 1:
                acl.rt.free(outputs[-2])
        return outputs[-1]
    return execute_sharded


def main():
    acl.rt.set_device(0)
    execute = load_large_model_sharded(f"{sys.argv[1]}/large", LAYERS)
    whole = [vnpu.load_model(f"{sys.argv[1]}/large_shard{i}.om") for i in range(LAYERS)]
    x = numpy.linspace(-1, 1, FEATURES, dtype="float32").reshape(1, FEATURES)
    free, _ = vnpu.mem_get_info()
    for _ in range(3):
        output = execute(x)
        actual = output.numpy()
        acl.rt.free(output)
    expected = x
    for model in whole:
        expected = model.run(expected)[0].numpy()
    if not numpy.array_equal(actual, expected):
        sys.exit("the parts give another result than the whole")
    if vnpu.mem_get_info()[0] < free - (4 << 20):
        sys.exit("memory of the parts is not free")
    print(f"{LAYERS} parts, one after another, give the result of the whole: "
          f"norm {numpy.linalg.norm(actual):.4f}")


main()
