#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples with offline models check their results; here are the figures that
do not depend on time.
"""

import os
import re
import subprocess
import sys

from harness import FILES, main, test

B = os.environ.get("B", "build")
ENV = {**os.environ, "LD_LIBRARY_PATH": f"{B}/cann/lib64", "PYTHONDONTWRITEBYTECODE": "1",
       "PATH": f"{os.path.abspath(B)}/cann/bin:{os.environ['PATH']}"}
SMALL = ("32", "8")     # side of an image, and channels


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=ENV, check=False)
    assert done.returncode == 0, (command, done.returncode, done.stdout)
    return done.stdout


def figures(text, beginning):
    """The numbers of the line that begins with some words."""
    found = re.search(f"^{re.escape(beginning)} +([0-9].*)$", text, re.M)
    assert found, (beginning, text)
    return [float(word) for word in found.group(1).split()]


@test
def resnet50_with_and_without_reuse_and_fusion():
    compiled = run(sys.executable, "lib/examples/inference.py", FILES.dir.name, *SMALL)
    plain, reuse, fused = (figures(compiled, name) for name in ("plain", "reuse", "fused"))
    # Launches, traffic and work memory.
    assert plain[:2] == reuse[:2] and plain[2] > 4 * reuse[2], compiled
    assert fused[0] < plain[0] / 2 and fused[1] < plain[1], compiled
    out = run(f"{B}/examples/inference", FILES.dir.name, "1")
    assert figures(out, "tensors share memory")[0] == reuse[2], (compiled, out)
    assert figures(out, "... and operators are fused")[0] == fused[2], (compiled, out)
    assert figures(out, "8")[0] > 0, out


@test
def frames_of_a_video():
    run(sys.executable, "lib/examples/python/models.py", FILES.dir.name)
    out = run(f"{B}/examples/video", FILES.dir.name, "5")
    assert figures(out, "one step after the other")[0] == 6, out
    assert figures(out, "pipeline of two streams")[0] == 0, out
    assert "all frames are as expected" in out, out


if __name__ == "__main__":
    raise SystemExit(main())
