# SPDX-License-Identifier: GPL-2.0-only
"""Check the output of vnpu-bench --json: bench_output.py COMMAND <JSON

Every figure is a finite number, intervals contain their median, and sums are
correct. Print what is wrong and exit with 1 on failure.
"""

import json
import math
import sys


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def numbers(value, path=""):
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}")
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from numbers(member, f"{path}[{i}]")
    else:
        yield path, value


def check_subject(contest, subject, is_first):
    name = f"{contest['title']}: {subject['name']}"
    if "failure" in subject:
        assert not is_first, f"{name}: {subject['failure']}"
        return
    assert subject["median_ns"] > 0, f"{name}: it took no time"
    assert subject["p99_ns"] > 0, f"{name}: it took no time"
    assert subject["spread"] >= 0, name
    assert subject["samples"] >= 1, name
    if is_first:
        return
    middle = subject["each_ns" if "count" in contest else "ratio"]
    assert subject["low"] <= middle <= subject["high"], f"{name}: {subject}"
    assert 0 <= subject["confidence"] <= 1, name
    if "goal" in subject:
        assert subject["verdict"] in ("met", "missed", "unsure"), name


def check_contest(contest):
    subjects = contest["subjects"]
    assert len(subjects) >= 2, f"{contest['title']}: there is no peer"
    assert any("failure" not in peer for peer in subjects[1:]), \
        f"{contest['title']}: no peer takes part"
    for i, subject in enumerate(subjects):
        check_subject(contest, subject, i == 0)


def check_replay(figure):
    name = f"{figure['load']}, {figure['mode']}"
    assert figure["allocations"] > 0, name
    assert figure["requests"] >= figure["allocations"], name
    assert figure["refused"] == figure["too_large"] + figure["compacted"] + \
        figure["lost"], f"{name}: {figure}"
    if figure["mode"] == "scattered":
        assert figure["lost"] == 0, f"{name}: refused, but it was free"
    assert 0 < figure["peak"] <= 1, name
    assert 0 <= figure["waste"] < 1, name


def check_figure(figure):
    # In a short run there can be room left from before.
    assert figure["value"] >= 0, figure
    met = figure["value"] <= figure["goal"]
    assert figure["verdict"] == ("met" if met else "missed"), figure


def check_times(name, times):
    assert times["operations"] > 0, name
    assert 0 <= times["p50_ns"] <= times["p99_ns"] <= times["p999_ns"], name


def check_trace(figure):
    assert figure["operations"] > 0 and figure["peak_bytes"] > 0, figure
    subjects = figure["subjects"]
    own = ["vnpu", "vnpu compact", "vnpu remap"]
    assert [s["name"] for s in subjects[:len(own)]] == own
    assert any("failure" not in peer for peer in subjects[len(own):]), \
        f"{figure['trace']}: no peer takes part"
    for i, subject in enumerate(subjects):
        name = f"{figure['trace']}: {subject['name']}"
        if "failure" in subject:
            assert i >= len(own), f"{name}: {subject['failure']}"
            continue
        if i < len(own) and "capacity_bytes" in subject:
            assert figure["peak_bytes"] <= subject["capacity_bytes"] <= \
                subject["reserved_bytes"], name
        assert subject["operations_per_second"] > 0, name
        assert sum(t["operations"] for t in subject["classes"]) == \
            figure["operations"], name
        for times in subject["classes"]:
            check_times(name, times)


def check(command, figure):
    if command == "replay":
        check_replay(figure)
    elif "trace" in figure:
        check_trace(figure)
    elif "unit" in figure:
        check_figure(figure)
    else:
        check_contest(figure)


def main():
    command = sys.argv[1]
    report = json.load(sys.stdin, parse_constant=no_constant)
    assert [c["name"] for c in report["commands"]] == [command]
    for path, value in numbers(report):
        assert value is not None, f"{path} is not finite"
        if isinstance(value, float):
            assert math.isfinite(value), f"{path} is not finite"
    figures = report["commands"][0]["figures"]
    assert figures, "there are no figures"
    for figure in figures:
        check(command, figure)


try:
    main()
except (AssertionError, KeyError, ValueError) as e:
    sys.exit(f"bench_output.py: {type(e).__name__}: {e}")
