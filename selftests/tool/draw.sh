#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Have vnpu-smi draw pictures for screenshots.py, in a machine:
#
#	draw.sh DIRECTORY

set -eu

B=${B:-build}
smi=$B/bin/vnpu-smi
export LD_LIBRARY_PATH="$B/lib"

# Small holes all over the device, and a program that has allocated some of
# them.
"$B/selftests/tool/fragment" 1048576 "$B/selftests/tool/hold" 20971520 \
	"$smi" frag --svg "$1/frag.svg"
"$smi" trace --html "$1/trace.html" -- "$B/examples/pipeline"
