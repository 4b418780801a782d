#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write measured figures as a document: goals first, then all figures.

The figures are the JSON output of vnpu-bench all on each kernel, and of
vnpu-bench pool and the benchmarks of driver/core on the host. The file
reasons.txt explains why goals are missed. With --goals-only the document ends
after the goals and reasons, as Documentation/performance.md does.
"""

import argparse
import json
import sys


def time_text(ns):
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.2f} {unit}"
    return f"{ns:.1f} ns" if abs(ns) < 100 else f"{ns:.0f} ns"


def size_text(size):
    units = ["B", "KiB", "MiB", "GiB"]
    while size % 1024 == 0 and len(units) > 1:
        size //= 1024
        units.pop(0)
    return f"{size} {units[0]}"


def contest_name(contest):
    size = contest.get("size_bytes")
    return contest["title"] + (f", {size_text(size)}" if size else "")


def verdict(value, goal):
    return "met" if value <= goal else "missed"


class Goals:
    """The goals: rows by name, with a cell for each place."""

    def __init__(self):
        self.places = []
        self.rows = {}

    def add(self, place, name, goal, figure, result):
        if place not in self.places:
            self.places.append(place)
        row = self.rows.setdefault(name, {"goal": goal, "cells": {}})
        row["cells"][place] = (figure, result)

    def count(self, place):
        cells = [row["cells"][place] for row in self.rows.values()
                 if place in row["cells"]]
        return sum(result == "met" for _, result in cells), len(cells)


def add_contest(goals, place, command, contest):
    first = contest["subjects"][0]["name"]
    for subject in contest["subjects"]:
        if "goal" not in subject:
            continue
        name = f"{command}: {contest_name(contest)}"
        if first != "vnpu":
            name += f", {first}"
        if "count" in contest:
            show = time_text
            goal = f"{show(subject['goal'])} each"
            figure = show(subject["each_ns"])
        else:
            show = "{:.2f}".format
            goal = f"{show(subject['goal'])} of {subject['name']}"
            figure = show(subject["ratio"])
            name += f" ({subject['name']})" if "memfd" in subject["name"] \
                else ""
        if subject["verdict"] == "unsure":
            figure += f", {show(subject['low'])} .. {show(subject['high'])}"
        goals.add(place, name, goal, figure, subject["verdict"])


def add_replay(goals, place, replay):
    """A scattered request must never fail while enough memory is free. For a
    contiguous one, the reasons explain which failures cannot be avoided."""
    name = f"replay: {replay['load']}, {replay['mode']}"
    lost = replay["lost"]
    goals.add(place, f"{name}, refused with enough free memory",
              f"0 of {replay['allocations']}", str(lost), verdict(lost, 0))
    waste = 100 * replay["waste"]
    goals.add(place, f"{name}, waste at the peak", "3 % of the arena",
              f"{waste:.2f} %", verdict(waste, 3))


def add_report(goals, place, report):
    for command in report["commands"]:
        for figure in command["figures"]:
            if "mode" in figure:
                add_replay(goals, place, figure)
            elif "unit" in figure:
                unit = figure["unit"]
                goals.add(place, f"{command['name']}: {figure['title']}",
                          f"{figure['goal']:g} {unit}",
                          f"{figure['value']:.3g} {unit}", figure["verdict"])
            else:
                add_contest(goals, place, command["name"], figure)


def add_core(goals, core, objects):
    rows = [(load["name"], load["ns"], load["goal_ns"])
            for load in core["loads"]]
    rows += [(load["name"], load.get("ns"), load["goal"]) for load in objects]
    for name, ns, goal in rows:
        if goal:
            goals.add("host", f"core: {name}", time_text(goal), time_text(ns),
                      verdict(ns, goal))
    worst = max(core["adverse_us"],
                *(load["worst_us"] for load in core["loads"]))
    goals.add("host", "core: the longest call for memory in one run", "10 us",
              f"{worst:.2f} us", verdict(worst, 10))
    share = core["metadata_bytes_per_page"] / 40.96
    goals.add("host", "core: metadata", "0.1 % of the arena", f"{share:.3f} %",
              verdict(share, 0.1))


def read_reasons(path):
    """Return the reasons, indexed by the beginning of a goal's name."""
    reasons = {}
    names = []
    in_text = True
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            if line[0].isspace():
                for name in names:
                    reasons[name] = (reasons[name] + " " +
                                     line.strip()).strip()
                in_text = True
                continue
            if in_text:
                names = []
            names.append(line.strip())
            reasons[names[-1]] = ""
            in_text = False
    return reasons


def reason_of(reasons, name):
    found = [start for start in reasons if name.startswith(start)]
    return reasons[max(found, key=len)] if found else None


def row_text(cells):
    return "| " + " | ".join(cells) + " |"


def print_table(head, rows):
    print(row_text(head))
    print("|" + "---|" * len(head))
    for row in rows:
        print(row_text(row))
    print()


def goal_rows(goals, reasons, notes):
    for name, row in goals.rows.items():
        cells = [name, row["goal"]]
        for place in goals.places:
            figure, result = row["cells"].get(place, ("", "met"))
            cells.append(figure if result == "met" else
                         f"{figure}, **{result}**")
        if any(result != "met" for _, result in row["cells"].values()):
            reason = reason_of(reasons, name)
            if reason is None:
                print(f"performance.py: {name}: no reason in reasons.txt",
                      file=sys.stderr)
            elif reason not in notes:
                notes.append(reason)
            cells.append(str(notes.index(reason) + 1) if reason else "")
        else:
            cells.append("")
        yield cells


def print_goals(goals, reasons):
    notes = []
    rows = list(goal_rows(goals, reasons, notes))
    print("## Goals\n")
    for place in goals.places:
        print(f"- {place}: %d of %d are met" % goals.count(place))
    print("\nA goal is an upper limit. The number in the last column refers "
          "to the reason for\na missed goal, below the table. **unsure** means "
          "that the 95 % interval, which\nfollows the figure, contains the "
          "goal.\n")
    print_table(["", "at most", *goals.places, "why"], rows)
    for number, note in enumerate(notes, 1):
        print(f"{number}. {note}")
    print()


def subject_cells(contest, subject):
    if "failure" in subject:
        return [subject["name"], "not available", "", "", "", ""]
    cells = [subject["name"], time_text(subject["median_ns"]),
             time_text(subject["p99_ns"]), f"{100 * subject['spread']:.0f} %"]
    if "low" not in subject:
        return cells + ["", ""]
    if "count" in contest:
        show, middle = time_text, subject["each_ns"]
    else:
        show, middle = "{:.3f}".format, subject["ratio"]
    return cells + [show(middle),
                    f"{show(subject['low'])} .. {show(subject['high'])}"]


def print_contests(contests):
    rows = []
    for contest in contests:
        title = contest_name(contest)
        for subject in contest["subjects"]:
            rows.append([title] + subject_cells(contest, subject))
            title = ""
    print_table(["", "", "median", "p99", "spread", "ratio", "95 %"], rows)


def print_replays(replays):
    print_table(
        ["load", "memory", "allocations", "refused", "too large", "compacted",
         "lost", "peak", "waste", "each"],
        [[r["load"], r["mode"], str(r["allocations"]), str(r["refused"]),
          str(r["too_large"]), str(r["compacted"]), str(r["lost"]),
          f"{100 * r['peak']:.1f} %", f"{100 * r['waste']:.2f} %",
          time_text(r["each_ns"])] for r in replays])


def print_report(title, report):
    print(f"## {title}\n")
    print(f"Linux {report['kernel']}, {report['processors']} processors, "
          f"{report['rounds']} rounds.\n")
    for command in report["commands"]:
        print(f"### {command['name']}\n")
        figures = command["figures"]
        contests = [f for f in figures if "title" in f and "subjects" in f]
        replays = [f for f in figures if "mode" in f]
        if contests:
            print_contests(contests)
        if replays:
            print_replays(replays)
        for figure in figures:
            if "unit" in figure:
                print(f"{figure['title']}: {figure['value']:.3g} "
                      f"{figure['unit']}\n")


def print_core(core, objects):
    print("## driver/core on the host\n")
    print("The fastest part of a run; the machine may have other work.\n")
    rows = [[load["name"], time_text(load["ns"]),
             time_text(load["median_ns"])] for load in core["loads"]]
    for load in objects:
        ns = load["ns"] if "ns" in load else load["ms"] * 1e6
        rows.append([load["name"], time_text(ns), ""])
    print_table(["", "best", "median"], rows)


def print_head(about):
    print("<!-- SPDX-License-Identifier: GPL-2.0-only -->\n"
          "# Performance\n\n"
          "`make bench` writes this page, and all figures to "
          "`build/performance.md`.\n"
          "[vnpu-bench(1)](../tools/vnpu-bench/vnpu-bench.1) describes the "
          "measurements.\nUnder emulation only ratios are meaningful, and "
          "they only approximate those on\nhardware.\n")
    print_table(["", ""], [text.split("=", 1) for text in about])


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def parse_args():
    parser = argparse.ArgumentParser(
        prog="performance.py", description="Write measured figures as a document.")
    add = parser.add_argument
    add("--about", action="append", default=[], metavar="NAME=TEXT",
        help="a property of the machine or the measured commit")
    add("--kernel", action="append", default=[], metavar="SERIES=FILE",
        help="output of vnpu-bench all on this kernel")
    add("--goals-only", action="store_true",
        help="write the goals and reasons alone")
    add("--core", metavar="FILE", help="output of bench")
    add("--objects", metavar="FILE", help="output of bench-objects")
    add("--pool", metavar="FILE", help="output of vnpu-bench pool")
    add("reasons", help="why goals are missed")
    return parser.parse_args()


def main():
    args = parse_args()
    kernels = {name: read(path) for name, path in
               (text.split("=", 1) for text in args.kernel)}
    core = read(args.core) if args.core else None
    objects = read(args.objects) if args.objects else []
    goals = Goals()
    for name, report in kernels.items():
        add_report(goals, name, report)
    if core:
        add_core(goals, core, objects)

    print_head(args.about)
    print_goals(goals, read_reasons(args.reasons))
    if args.goals_only:
        return
    for name, report in kernels.items():
        print_report(f"Linux {name}", report)
    if core:
        print_core(core, objects)
    if args.pool:
        print_report("Pools on the host, beside malloc()", read(args.pool))


if __name__ == "__main__":
    main()
