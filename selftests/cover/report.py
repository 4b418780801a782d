#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Say which lines of the driver tests have run, and which not.

usage: report.py FARM MACHINES DOCUMENT [TAP...]

FARM is the directory the module was built in, which has the compiler's notes;
MACHINES the one with what collect.sh brought home, an archive for each machine.
gcov tells how often each line ran in each of them. The sum goes to DOCUMENT,
with the lines that nothing ran under the reasons that reasons.md has for them,
and the programs that ran, which are in the files TAP.
Fails if fewer lines ran than are promised.
"""

import collections
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# What is promised, in percent.
PARTS = (("driver/", 90), ("driver/core/", 95))

HEAD = """<!-- SPDX-License-Identifier: GPL-2.0-only -->
# What tests run of the driver

Written by `make coverage`: tests of `make check-vm`, all or those named below, on
a kernel with gcov that also has KUnit and fault injection (`vnpu-vm --kernel
gcov`). A line counts if the module ran it, in any of the machines. `driver/core`
counts by what uses it in the kernel, KUnit among that; its tests in user space do
not count. `driver/tests` is left out.

The compiler optimizes as it does for other kernels, so that what it has removed
is not a line. Code of headers counts once, wherever it was inlined.

| | |
|---|---|
| commit | {commit} |
| kernel | {kernel} |
| compiler | {compiler} |
| machines | {machines} |
| programs | {programs} |
| date | {date} |
"""


class Source:
    """The lines of a file that are code: how often each ran, and whose it is."""

    def __init__(self):
        self.count = collections.Counter()
        self.functions = set()

    def add(self, entry):
        for line in entry["lines"]:
            self.count[line["line_number"]] += line["count"]
        for f in entry["functions"]:
            self.functions.add((f["start_line"], f["end_line"], f["name"]))

    def function(self, number):
        """Whose line it is: of what macros make at one place, any."""
        return min((last - first, name)
                   for first, last, name in self.functions | {(0, 1 << 30, "")}
                   if first <= number <= last)[1] or "inlined"

    def missed(self):
        return sorted(n for n, count in self.count.items() if not count)


def gcov(farm, directory):
    """Yield (path, what gcov says) of each source, as one machine ran it."""
    notes = []
    for note in glob.glob(os.path.join(farm, "driver/**/*.gcno"),
                          recursive=True):
        copy = os.path.join(directory, os.path.relpath(note, farm))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(note, copy)
        notes.append(copy)
    # Where there are no counts beside the notes, nothing ran.
    said = subprocess.run(["gcov", "--json-format", "--stdout"] + sorted(notes),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    if said.returncode:
        sys.exit("report.py: gcov failed; was the module built anew since?")
    for text in said.stdout.splitlines():
        for entry in json.loads(text)["files"] if text else ():
            # The farm has symbolic links to the sources.
            path = os.path.join(farm, entry["file"])
            yield os.path.relpath(os.path.realpath(path), TOP), entry


def counts(archive, directory):
    """Unpack what was counted; the links beside it lead nowhere here."""
    with tarfile.open(archive) as tar:
        tar.extractall(directory, [m for m in tar if not m.issym()])


def measure(farm, machines):
    sources = collections.defaultdict(Source)
    for machine in machines:
        with tempfile.TemporaryDirectory() as directory:
            counts(machine, directory)
            for path, entry in gcov(farm, directory):
                if path.startswith("driver/") and \
                        not path.startswith("driver/tests/"):
                    sources[path].add(entry)
    return sources


def row(name, sources):
    lines = sum(len(s.count) for s in sources)
    ran = lines - sum(len(s.missed()) for s in sources)
    percent = 100 * ran / lines if lines else 100
    # Never rounded up to what was not reached.
    return percent, f"| {name} | {lines} | {ran} | {int(percent * 10) / 10} |"


def table(title, rows):
    return [f"| {title} | lines | run | % |", "|---|--:|--:|--:|"] + rows


def ranges(source):
    """Yield (function, "12-15, 20") of what was missed: code between two missed
    lines that is no line by itself does not divide them."""
    code = {n: i for i, n in enumerate(sorted(source.count))}
    runs = []
    for n in source.missed():
        name = source.function(n)
        if runs and runs[-1][0] == name and code[runs[-1][2]] + 1 == code[n]:
            runs[-1][2] = n
        else:
            runs.append([name, n, n])
    found = collections.defaultdict(list)
    for name, first, last in runs:
        found[name].append(f"{first}-{last}" if first < last else f"{first}")
    for name, numbers in found.items():
        yield name, ", ".join(numbers)


def read_reasons():
    """reasons.md: a heading, why, and indented the functions of each file it
    is about ("*" for all of them)."""
    groups, of = [], {}
    with open(os.path.join(HERE, "reasons.md")) as f:
        for line in f:
            match = re.match(r"    (\S+): (.*)", line)
            if match:
                for name in match[2].split():
                    of[match[1], name] = len(groups) - 1
            elif line.startswith("### "):
                groups.append([line.rstrip()])
            elif groups:
                groups[-1].append(line.rstrip())
    return ["\n".join(g).strip() for g in groups], of


def missed_by_reason(sources):
    groups, of = read_reasons()
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(sources):
        for name, numbers in ranges(sources[path]):
            group = of.get((path, name), of.get((path, "*"), len(groups)))
            found[group][path].append(f"`{name}` {numbers}")
    groups.append("### Not explained")
    for group in sorted(found):
        yield groups[group] + "\n"
        for path, functions in found[group].items():
            yield f"- {path}: " + "; ".join(functions)
        yield ""


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def programs(taps):
    """Of each directory, how many ran."""
    ran = collections.Counter()
    for tap in taps:
        with open(tap, errors="replace") as f:
            ran.update(os.path.dirname(line.split()[2]) for line in f
                       if re.match(r"# program \S", line))
    del ran["cover"]
    return ", ".join(f"{n} of {name}" for name, n in sorted(ran.items()))


def main(farm, directory, document, *taps):
    machines = sorted(glob.glob(os.path.join(directory, "machine-*.tar")))
    sources = measure(farm, machines)
    if not sources:
        sys.exit(f"report.py: no counts in {directory}")

    parts, short = [], []
    for prefix, promised in PARTS:
        percent, text = row(prefix, [s for path, s in sources.items()
                                     if path.startswith(prefix)])
        parts.append(text)
        if percent < promised:
            short.append(f"{percent:.1f} % of {prefix}, {promised} % promised")
    text = [HEAD.format(
        commit=output("git", "-C", TOP, "describe", "--always", "--dirty",
                      "--abbrev=12"),
        kernel=os.path.basename(os.path.normpath(farm)),
        compiler=output("gcov", "--version").splitlines()[0],
        machines=len(machines), programs=programs(taps),
        date=datetime.date.today())]
    text += table("part", parts)
    text += ["", "## Lines that nothing ran", ""]
    text += missed_by_reason(sources)
    text += ["## By file", ""]
    text += table("file", [row(path, [sources[path]])[1]
                           for path in sorted(sources)])
    with open(document, "w") as f:
        f.writelines(line + "\n" for line in text)
    print("\n".join(table("part", parts)))
    if short:
        sys.exit("report.py: only " + ", ".join(short))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
