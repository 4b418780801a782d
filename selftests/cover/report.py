#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Report which lines of the driver the tests run, and which not.

usage: report.py FARM MACHINES DOCUMENT [TAP...]

FARM is the directory in which the module was built, with the compiler's notes.
MACHINES has an archive of collect.sh for each machine. gcov counts how often
each line ran in each of them. DOCUMENT gets the sums, the lines that no test
runs, with the reasons from reasons.md, and the numbers of programs from the TAP
files. The exit status is nonzero if the coverage is below the required one.
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
# Required coverage, in percent.
PARTS = (("driver/", 90), ("driver/core/", 95))

HEAD = """<!-- SPDX-License-Identifier: GPL-2.0-only -->
# Test coverage of the driver

`make coverage` writes this page. It runs the tests of `make check-vm`, all or those
named below, on a kernel with gcov, KUnit and fault injection (`vnpu-vm --kernel
gcov`). A line counts as run if the module executed it in any of the machines.
`driver/core` is measured by its use in the kernel, which includes KUnit; its tests
in user space do not count. `driver/tests` is excluded.

The compiler optimizes as for other kernels, so lines that it removes do not count.
Code in headers counts once, wherever it is inlined.

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
    """The lines of code of a file: how often each ran, and its function."""

    def __init__(self):
        self.count = collections.Counter()
        self.functions = set()

    def add(self, entry):
        for line in entry["lines"]:
            self.count[line["line_number"]] += line["count"]
        for f in entry["functions"]:
            self.functions.add((f["start_line"], f["end_line"], f["name"]))

    def function(self, number):
        """Return the function of a line; any, if macros define several there."""
        return min((last - first, name)
                   for first, last, name in self.functions | {(0, 1 << 30, "")}
                   if first <= number <= last)[1] or "inlined"

    def missed(self):
        return sorted(n for n, count in self.count.items() if not count)


def gcov(farm, directory):
    """Yield (path, output of gcov) of each source, for one machine."""
    notes = []
    for note in glob.glob(os.path.join(farm, "driver/**/*.gcno"),
                          recursive=True):
        copy = os.path.join(directory, os.path.relpath(note, farm))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(note, copy)
        notes.append(copy)
    # Without counts beside the notes, no line ran.
    said = subprocess.run(["gcov", "--json-format", "--stdout"] + sorted(notes),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    if said.returncode:
        sys.exit("report.py: gcov failed; was the module rebuilt since?")
    for text in said.stdout.splitlines():
        for entry in json.loads(text)["files"] if text else ():
            # The farm has symbolic links to the sources.
            path = os.path.join(farm, entry["file"])
            yield os.path.relpath(os.path.realpath(path), TOP), entry


def counts(archive, directory):
    """Unpack the counts, without the symbolic links, which are dangling here."""
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
    # Round down, so that the figure is never too high.
    return percent, f"| {name} | {lines} | {ran} | {int(percent * 10) / 10} |"


def table(title, rows):
    return [f"| {title} | lines | run | % |", "|---|--:|--:|--:|"] + rows


def ranges(source):
    """Yield (function, "12-15, 20") for missed lines: a range continues over
    lines that are not code."""
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
    """Read reasons.md: headings, reasons, and the indented functions of each
    file to which a reason applies ("*" for all of them)."""
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
    """Return the number of programs that ran, by directory."""
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
    text += ["", "## Lines that no test runs", ""]
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
