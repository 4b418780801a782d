#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test torch_npu, for "make check-torch". The last line is "N passed, N failed,
# N skipped".
#
#	host	all tests, by the engine alone: native.c stands for the driver
#	6.12	in a machine: all but the operators of PyTorch's database, and
#		fewer steps of training; with ALL=1 all of them

set -eu

B=${B:-build}
export B
here=$(dirname "$0")
results=$B/check
mkdir -p "$results"
rm -f "$results"/torch-*.tap
# shellcheck source=/dev/null
. "$B/cann/set_env.sh"

# One thread: others wait for it by spinning, where processors are few.
export OMP_NUM_THREADS=1

failed=no
echo "==> testing on the host"
TORCH_PRELOAD="$(realpath "$B/torch/native.so"):$(realpath "$B/llama/native.so")" \
	RESNET=1 selftests/run -l host -t 3600 -o "$results/torch-host.tap" \
	"$here/basic.py" "$here/arguments.py" "$here/functions.py" "$here/modes.py" \
	"$here/training.py" "$here/programs.py" "$here/examples.py" "$here/opinfo.py" || failed=yes

echo "==> testing on Linux 6.12"
tests="$here/basic.py $here/arguments.py $here/functions.py $here/modes.py"
tests="$tests $here/graphs.py $here/updates.py $here/training.py $here/processes.py"
tests="$tests $here/programs.py $here/examples.py"
[ -z "${ALL-}" ] || tests="$tests $here/opinfo.py"
[ -n "${ALL-}" ] || export TORCH_STEPS=5 TORCH_ROUNDS=2
# shellcheck disable=SC2086 # a list of words
tools/vnpu-vm/vnpu-vm --kernel 6.12 --arena 1G --mem 3G --timeout 14400 \
	--param hang_timeout_ms=300000 -- \
	selftests/run -l 6.12 -t 14000 -o "$results/torch-6.12.tap" $tests ||
	failed=yes

awk '$1 == "#" && $2 == "result" { p += $3; f += $4; s += $5 }
	END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' \
	"$results"/torch-*.tap
[ $failed = no ]
