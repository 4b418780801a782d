#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the cost of two commits, in instructions.

Both are built below the build directory, each from its own source, and
measured in one machine that counts instructions as time: the modules are
loaded in turns, and each is measured by its own library and vnpu-bench. A
figure has changed if its medians differ by more than the limit, and the runs
of the two sides do not overlap.

The exit status is 0 even if figures have changed, and 1 if there is no
comparison.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

LIMIT = 0.02

COMMANDS = ["alloc", "map", "copy", "submit", "wait", "streams", "scale"]
# Rounds and milliseconds of a turn, within a run; and allocations alive.
RUN = ["--json", "--rounds", "3", "--turn", "1", "--live", "10000"]

QUICK_COMMANDS = ["submit", "wait"]

MACHINE = ["--icount", "--no-module", "--arena", "512M", "--mem", "2G"]


class Failure(Exception):
    """There is no comparison."""


def run(command, **options):
    """Run a command; print its output only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **options)
    if done.returncode:
        raise Failure(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def tell(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def resolve(name):
    """Return the commit of a name."""
    return run(["git", "rev-parse", "--verify", "--end-of-options",
                name + "^{commit}"]).strip()


def unpack(commit, directory):
    """Extract the source of a commit; git would have to forget a worktree."""
    new = directory + ".new"
    run(["rm", "-rf", new])
    os.makedirs(new)
    archive = os.path.join(new, "source.tar")
    run(["git", "archive", "--output", archive, commit])
    run(["tar", "-C", new, "-xf", archive])
    os.unlink(archive)
    os.rename(new, directory)


def build(name, output, kernel):
    """Build a commit, and return the build directory.

    An existing build, of the working tree for example, is used as it is.
    """
    if os.path.isfile(os.path.join(name, "bin", "vnpu-bench")):
        return os.path.realpath(name)
    commit = resolve(name)
    source = os.path.join(output, "compare", commit)
    if not os.path.isdir(source):
        unpack(commit, source)
    if not os.path.isdir(os.path.join(source, "tools", "vnpu-bench")):
        raise Failure(f"{name} has no vnpu-bench")
    tell(f"building {name}, {commit[:12]}")
    # Variables of our own make are for this tree only.
    environ = {key: value for key, value in os.environ.items()
               if key not in ("B", "KDIR", "MAKEFLAGS", "MAKELEVEL")}
    run([os.environ.get("MAKE", "make"), "-s", f"-j{os.cpu_count()}",
         f"modules-{kernel}", "lib", "build/bin/vnpu-bench"],
        cwd=source, env=environ)
    return os.path.realpath(os.path.join(source, "build"))


def measure(args, builds):
    """Return the output of the runs of both sides, see turns.sh."""
    tell(f"measuring {args.rounds} rounds, by instructions")
    done = subprocess.run(
        ["tools/vnpu-vm/vnpu-vm", *MACHINE, "--kernel", args.kernel, "--",
         "tools/vnpu-bench/turns.sh", str(args.rounds),
         " ".join(args.commands), *builds, *RUN],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        check=False)
    if done.returncode:
        raise Failure(f"the machine failed: exit status {done.returncode}")
    return done.stdout


def figures(report):
    """Yield a name and a number for each of vnpu's figures in a report."""
    for command in report["commands"]:
        for contest in command["figures"]:
            if "subjects" not in contest:
                continue
            subject = contest["subjects"][0]
            name = f"{command['name']}: {contest['title']}"
            if "size_bytes" in contest:
                name += f", {contest['size_bytes']} B"
            yield name, subject["median_ns"]


def collect(text):
    """Return the figures of each side, by name: lists over all runs."""
    found = {"base": {}, "new": {}}
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        run_of, end = decoder.raw_decode(text)
        for name, value in figures(run_of["report"]):
            found[run_of["side"]].setdefault(name, []).append(value)
        text = text[end:]
    return found["base"], found["new"]


def has_moved(base, new):
    """Return whether the sides differ, and not by chance."""
    change = statistics.median(new) / statistics.median(base) - 1
    return abs(change) > LIMIT and (min(new) > max(base) or
                                    max(new) < min(base))


def compare(base, new):
    """Return a line for each figure that both sides have."""
    for name in sorted(base.keys() & new.keys()):
        before = statistics.median(base[name])
        after = statistics.median(new[name])
        yield {
            "name": name,
            "base": before,
            "new": after,
            "change": after / before - 1,
            "moved": has_moved(base[name], new[name]),
        }


def print_text(result):
    moved = [row for row in result["figures"] if row["moved"]]
    if moved:
        print(f"{'instructions':60} {'base':>12} {'new':>12}  change")
    for row in moved:
        print(f"{row['name']:60} {row['base']:12.0f} {row['new']:12.0f} "
              f"{100 * row['change']:+6.1f} %")
    print(f"{len(moved)} of {len(result['figures'])} figures moved by more "
          f"than {100 * LIMIT:.0f} %, from {result['base']} to "
          f"{result['new']}")
    for side in ("base", "new"):
        for name in result["only_" + side]:
            print(f"only {result[side]} has: {name}")


def parse_args():
    parser = argparse.ArgumentParser(
        prog="compare.py", description="Compare what two commits cost.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true",
                        help="a few figures and rounds, to see that it works")
    parser.add_argument("--kernel", default="6.12", help="6.12 or 6.1")
    parser.add_argument("base", help="a commit, or a directory with a build")
    parser.add_argument("new", nargs="?", default="HEAD",
                        help="another one; HEAD by default")
    args = parser.parse_args()
    args.commands = QUICK_COMMANDS if args.quick else COMMANDS
    args.rounds = 3 if args.quick else 5
    return args


def main():
    args = parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)),
                          "..", ".."))
    output = os.environ.get("B", "build")
    os.makedirs(output, exist_ok=True)
    builds = [build(name, output, args.kernel)
              for name in (args.base, args.new)]
    base, new = collect(measure(args, builds))
    result = {
        "base": args.base,
        "new": args.new,
        "kernel": args.kernel,
        "figures": list(compare(base, new)),
        "only_base": sorted(base.keys() - new.keys()),
        "only_new": sorted(new.keys() - base.keys()),
    }
    if args.json:
        json.dump(result, sys.stdout, indent="\t")
        print()
    else:
        print_text(result)


if __name__ == "__main__":
    try:
        main()
    except Failure as e:
        sys.exit(f"compare.py: {e}")
