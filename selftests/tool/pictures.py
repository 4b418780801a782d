#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi frag --svg: the picture is self-contained, and shows what the
driver reports.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, MIB, Hold, equal, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
SVG = "{http://www.w3.org/2000/svg}"


def run(*args, status=0):
    done = subprocess.run([SMI, *args], check=False, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal((done.returncode, done.stderr.count("\n")), (status, int(status > 0)))
    return done.stdout


def draw(*args):
    """The parsed picture, and the output."""
    with tempfile.TemporaryDirectory() as place:
        name = os.path.join(place, "map.svg")
        text = run("frag", "--svg", name, *args)
        with open(name, encoding="utf-8") as f:
            source = f.read()
    root = ElementTree.fromstring(source)
    equal(root.tag, SVG + "svg")
    for element in root.iter():
        assert element.tag in (SVG + tag for tag in
                               ("svg", "g", "rect", "text", "title")), element
        for key, value in element.attrib.items():
            assert "href" not in key and "url(" not in value, (key, value)
    return root, text


def group(root, name):
    return root.find(f"{SVG}g[@id='{name}']")


def cells(root, device=0):
    """Size, start, used, fixed and dirty bytes, and colour."""
    return [([int(n) for n in re.findall(r"\d+", rect.find(SVG + "title").text)],
             rect.get("fill"))
            for rect in group(root, f"device{device}").iter(SVG + "rect")]


@test("it has the values of info -t frag")
def same():
    with Hold(5 * MIB):
        root, text = draw("-i", "0")
        answer = json.loads(run("info", "-t", "frag", "-i", "0", "--json"))
    equal(text, "")
    expected = [[c["size_bytes"], c["used_bytes"], c["fixed_bytes"],
                 c["dirty_bytes"]] for c in answer["devices"][0]["map"]]
    found = [numbers for numbers, _ in cells(root)]
    equal([[size, *rest] for size, _, *rest in found], expected)
    starts = [start for _, start, *_ in found]
    equal(starts, [sum(c[0] for c in expected[:i])
                   for i in range(len(expected))])
    equal(sum(used for _, _, used, _, _ in found), 5 * MIB)


@test("colours, and a legend for them")
def colours():
    with Hold(5 * MIB, "-h"):
        root, _ = draw()
    legend = [rect.get("fill") for rect in group(root, "legend").iter(SVG + "rect")]
    equal(len(set(legend)), 10)
    equal(len(list(group(root, "legend").iter(SVG + "text"))), 2)
    for (size, _, used, fixed, _), colour in cells(root):
        if not used:
            equal(colour, legend[0])
        elif used == size:
            equal(colour, legend[9 if fixed else 4])


@test("it lies within its frame")
def frame():
    root, _ = draw()
    width, height = int(root.get("width")), int(root.get("height"))
    equal(root.get("viewBox"), f"0 0 {width} {height}")
    for rect in list(root.iter(SVG + "rect"))[1:]:
        assert int(rect.get("x")) + int(rect.get("width")) <= width
        assert int(rect.get("y")) + int(rect.get("height")) <= height


@test("a picture and the fit check at once")
def both():
    _, text = draw("--fit", "1M", "--json")
    assert json.loads(text)["devices"][0]["fits"]


@test("files that cannot be written, and missing devices")
def failures():
    run("frag", "--svg", "/nosuch/file", status=7)
    run("frag", "--svg", "/dev/full", status=7)
    run("frag", "--svg", "/dev/null", "-i", "63", status=3)


if __name__ == "__main__":
    run_tests()
