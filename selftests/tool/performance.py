#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test the document that make bench writes, from invented figures: each goal
has a row with its verdict, and the reason if it is missed. Each reason belongs
to an existing goal.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))

PROGRAM = "tools/vnpu-bench/performance.py"


def subject(name, **more):
    return {"name": name, "median_ns": 1500.0, "p99_ns": 2e6, "spread": 0.1,
            "samples": 9, **more}


def peer(name, ratio, goal, verdict):
    return subject(name, ratio=ratio, low=ratio - 0.01, high=ratio + 0.01,
                   confidence=0.96, goal=goal, verdict=verdict)


def contest(title, *peers, **more):
    return {"title": title, "subjects": [subject("vnpu"), *peers], **more}


REPLAY = {"load": "uniform", "mode": "contiguous", "allocations": 100,
          "refused": 9, "too_large": 4, "compacted": 3, "lost": 2,
          "peak": 0.99, "waste": 0.01, "each_ns": 7000.0}

REPORT = {
    "kernel": "6.12.0-made-up", "processors": 2, "rounds": 9, "commands": [
        {"name": "alloc", "figures": [
            contest("allocate", peer("vgem", 0.2, 0.25, "met"),
                    {"name": "hugetlb", "failure": "no pages"},
                    size_bytes=65536),
            contest("free", peer("vgem", 0.5, 0.25, "missed")),
            contest("both", peer("vgem", 0.25, 0.25, "unsure"))]},
        {"name": "scale", "figures": [
            contest("end", subject("none", each_ns=900.0, low=800.0,
                                   high=990.0, goal=1000, verdict="met"),
                    count=100),
            {"title": "kept", "unit": "B", "value": 392.4, "goal": 64,
             "verdict": "missed"}]},
        {"name": "replay", "figures": [REPLAY]},
    ],
}

CORE = {"loads": [{"name": "4 KiB", "ns": 14.0, "median_ns": 15.5,
                   "goal_ns": 15, "worst_us": 1.5, "refused": 0}],
        "adverse_us": 2.5, "metadata_bytes_per_page": 3.1}
OBJECTS = [{"name": "64 B", "ns": 11.0, "goal": 10},
           {"name": "compact", "ms": 14.0, "goal": 0}]

REASONS = """# Not of the document.
alloc:
\tBecause of all.
alloc: free
\tBecause of
\tthe free.
replay:
scale: kept
\tTwo have this one.
"""

EXPECTED = [
    "- 6.12: 3 of 7 are met",
    "- host: 3 of 4 are met",
    "| alloc: allocate, 64 KiB | 0.25 of vgem | 0.20 |  |  |",
    "| alloc: free | 0.25 of vgem | 0.50, **missed** |  | 1 |",
    "| alloc: both | 0.25 of vgem | 0.25, 0.24 .. 0.26, **unsure** |  | 2 |",
    "| scale: end | 1.00 us each | 900 ns |  |  |",
    "| scale: kept | 64 B | 392 B, **missed** |  | 3 |",
    "| replay: uniform, contiguous, refused with enough free memory "
    "| 0 of 100 | 2, **missed** |  | 3 |",
    "| core: 64 B | 10.0 ns |  | 11.0 ns, **missed** |  |",
    "| core: metadata | 0.1 % of the arena |  | 0.076 % |  |",
    "1. Because of the free.",
    "2. Because of all.",
    "3. Two have this one.",
    "|  | hugetlb | not available |  |  |  |  |",
    "| compact | 14.00 ms |  |",
    "| commit | 123 |",
]


def write(directory, name, content):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        if isinstance(content, str):
            file.write(content)
        else:
            json.dump(content, file)
    return path


def document(*options):
    """Return the document made of the invented figures, and the messages."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [PROGRAM, *options, "--about", "commit=123",
             "--kernel", "6.12=" + write(directory, "kernel", REPORT),
             "--core", write(directory, "core", CORE),
             "--objects", write(directory, "objects", OBJECTS),
             "--pool", write(directory, "pool",
                             {**REPORT, "commands": REPORT["commands"][:1]}),
             write(directory, "reasons", REASONS)],
            capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def has_lines():
    text, _ = document()
    lines = text.splitlines()
    for line in EXPECTED:
        assert line in lines, f"there is no line: {line}"


def reports_missing_reasons():
    _, complaints = document()
    assert complaints.splitlines() == [
        "performance.py: core: 64 B: no reason in reasons.txt"], complaints


def tables_are_whole():
    width = 0
    for line in document()[0].splitlines():
        columns = line.count("|")
        assert not columns or columns == width or not width, line
        width = columns


def goals_alone_are_a_part():
    """With --goals-only the document is the part up to the reasons."""
    whole, _ = document()
    goals, _ = document("--goals-only")
    assert whole.startswith(goals) and len(goals) < len(whole)
    assert goals.rstrip().endswith("Two have this one."), goals


def has_reasons_of_goals():
    """The name of a goal begins with a command and a title.

    The title is in the source of the command, unless it is composed there.
    """
    with open("tools/vnpu-bench/reasons.txt", encoding="utf-8") as file:
        names = [line.strip() for line in file
                 if re.match(r"[a-z]+:", line)]
    assert names, "there are none"
    source = ""
    for name in sorted(os.listdir("tools/vnpu-bench")):
        if name.endswith(".c"):
            with open("tools/vnpu-bench/" + name, encoding="utf-8") as file:
                source += file.read()
    for name in names:
        command, title = name.split(":", 1)
        if command not in ("core", "replay"):
            assert title.strip().split(",")[0] in source, name


def main():
    tests = [has_lines, reports_missing_reasons, tables_are_whole,
             goals_alone_are_a_part, has_reasons_of_goals]
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test()
            result = "ok"
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed += 1
            result = "not ok"
            print(f"# {error}")
        print(f"{result} {number} {test.__name__}")
    print(f"1..{len(tests)}")
    sys.exit(1 if failed else 0)


main()
