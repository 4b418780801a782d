#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare AllReduce of libhccl with that of MPI over shared memory, four ranks each,
in turns in one machine. Prints a table: medians of the turns, and their ratio.

usage: mpi.py BUILD [TURNS]             default: 3 turns
"""

import json
import os
import shlex
import statistics
import subprocess
import sys

MACHINE = ["--kernel", "6.12", "--devices", "4", "--arena", "128M"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4",
          "--mca", "btl", "self,vader", "--mca", "plm", "isolated"]
UNITS = ("B", "KiB", "MiB")


def turn(bench, peer):
    """Return the commands of a turn. Each side prints a line that names it."""
    return (f"echo libhccl; {bench} hccl --json -r 3 -t 100; "
            f"echo MPI; {shlex.join(MPIRUN)} {peer}")


def measure(build, turns):
    """Return what the machine printed."""
    bench, peer = (os.path.realpath(os.path.join(build, path)) for path in
                   ("bin/vnpu-bench", "tools/vnpu-bench/mpi_peer"))
    done = subprocess.run(
        ["tools/vnpu-vm/vnpu-vm", *MACHINE, "--", "sh", "-ec",
         "\n".join([turn(bench, peer)] * turns)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        check=False)
    if done.returncode:
        raise SystemExit(f"the machine failed: exit status {done.returncode}")
    return done.stdout


def collect(text):
    """Return the nanoseconds of each side, by size: lists over the turns."""
    sides = {"libhccl": {}, "MPI": {}}
    for part in text.split("libhccl\n")[1:]:
        report, peer = part.split("\nMPI\n")
        for figure in json.loads(report)["commands"][0]["figures"]:
            sides["libhccl"].setdefault(figure["size_bytes"], []).append(
                figure["subjects"][0]["median_ns"])
        for line in peer.splitlines():
            size, ns = line.split()
            sides["MPI"].setdefault(int(size), []).append(float(ns))
    return sides["libhccl"], sides["MPI"]


def name(size):
    unit = 0
    while size % 1024 == 0 and unit < len(UNITS) - 1:
        size //= 1024
        unit += 1
    return f"{size} {UNITS[unit]}"


def main(argv):
    ours, theirs = collect(measure(argv[1], int((argv[2:] or ["3"])[0])))
    print("| AllReduce of float32 | libhccl | MPI | ratio |\n|---|---|---|---|")
    for size in sorted(ours):
        own, peer = (statistics.median(side[size]) / 1e6
                     for side in (ours, theirs))
        print(f"| {name(size)} | {own:.3g} ms | {peer:.3g} ms | "
              f"{own / peer:.2f} |")


if __name__ == "__main__":
    main(sys.argv)
