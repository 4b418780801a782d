#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples run: training that becomes faster, and a model that atc compiles."""

import os
import re
import subprocess
import sys
import tempfile

from common import equal, main, test

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../lib/examples/python")


def example(name, *arguments):
    """Return the lines that an example prints."""
    out = subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *arguments],
                         text=True, check=False, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    assert out.returncode == 0, out.stdout
    print("".join(f"# {line}\n" for line in out.stdout.splitlines()), end="")
    return out.stdout.splitlines()


@test
def throughput():
    """Configurations of training lose the same; the second one needs less memory."""
    lines = example("throughput.py", "--steps", "3", "--rounds", "1")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[-4:]]
    equal([row[0] for row in rows], ["default", "+ memory", "+ streams", "+ copies"])
    assert all(float(row[1]) > 0 for row in rows), rows
    assert float(rows[1][2]) < float(rows[0][2]), rows


if "TORCH_PRELOAD" not in os.environ:
    @test
    def export():
        """A network exported to ONNX and compiled by atc gives the result of PyTorch."""
        with tempfile.TemporaryDirectory() as directory:
            lines = example("export.py", directory)
            equal(sorted(os.listdir(directory)), ["network.om", "network.onnx"])
        found = re.fullmatch(r"torch.onnx, atc and acl.mdl give the result of PyTorch "
                             r"within (\S+)", lines[-1])
        assert found and float(found[1]) < 1e-5, lines


main()
