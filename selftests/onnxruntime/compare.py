#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare networks with seeded weights with onnxruntime, on one thread each.

usage: compare.py BUILD NETWORKS

NETWORKS is a folder with light_*.onnx of ONNX's backend tests.  The outputs must
be equal within tolerances.  Times and memory are printed beside what they should
be: 1.5 times that of onnxruntime, and 0.9 times.  They are figures of a machine,
and no failures.  Memory is the peak of the whole process here, and there what the
process grew by with the model.
"""

import array
import glob
import json
import os
import random
import subprocess
import sys

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
LOOP = "5"
ROUNDS = 4
MIB = 1 << 20


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          **options).stdout


def run_here(build, om, image, expected):
    """Return the least time of a run in ms, and the peak of memory in bytes."""
    command = [f"{build}/bin/vnpu-model", "run", "--host", "--json", f"--loop={LOOP}",
               f"--input={image}", f"--expect={expected}", om]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return json.loads(out)["least_ms"], usage.ru_maxrss * 1024


def run_peer(folder, model, image, result):
    script = os.path.join(SCRIPTS, "peer.js")
    env = dict(os.environ, NODE_PATH=os.path.join(folder, "node_modules"))
    return json.loads(output("node", script, model, image, result, LOOP, env=env))


def compare(build, folder, network, image):
    name = os.path.basename(network)[len("light_"):-len(".onnx")]
    base = os.path.join(folder, name)
    # In a process of its own: the peak that the kernel reports for a process
    # includes what its parent had when it started.
    output(sys.executable, os.path.join(SCRIPTS, "weights.py"), network, base + ".onnx", "26")
    output(f"{build}/cann/bin/atc", f"--model={base}.onnx", "--framework=5",
           f"--output={base}", "--soc_version=Ascend310P3")
    here, peer = [], []
    # In turns, so that a load of the machine meets both.
    for _ in range(ROUNDS):
        peer.append(run_peer(folder, base + ".onnx", image, base + ".bin"))
        here.append(run_here(build, base + ".om", image, base + ".bin"))
    ms, memory = (min(figures) for figures in zip(*here))
    peer_ms = min(p["ms"] for p in peer)
    peer_memory = min(p["bytes"] for p in peer)
    print(f"{name:14} {ms:8.1f} {peer_ms:8.1f} {ms / peer_ms:6.2f} "
          f"{memory / MIB:8.1f} {peer_memory / MIB:8.1f} {memory / peer_memory:6.2f}",
          flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, networks = sys.argv[1:]
    folder = os.path.join(build, "selftests", "onnxruntime")
    found = sorted(glob.glob(os.path.join(networks, "light_*.onnx")))
    if not found:
        sys.exit(f"compare.py: '{networks}' has no light_*.onnx")
    generator = random.Random(1)
    image = os.path.join(folder, "image.bin")
    with open(image, "wb") as file:
        array.array("f", [generator.random() for _ in range(3 * 224 * 224)]).tofile(file)
    print(f"{'':14} {'ms':>8} {'peer':>8} {'<= 1.5':>6} {'MiB':>8} {'peer':>8} {'<= 0.9':>6}")
    for network in found:
        compare(build, folder, network, image)


if __name__ == "__main__":
    main()
