#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of several devices check their results, and vnpu-bench measures
# AllReduce.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
export LD_LIBRARY_PATH="$build/cann/lib64"

says()
{
	pattern=$1
	shift
	"$@" | grep -Eq "$pattern"
}

figures()
{
	"$build/bin/vnpu-bench" hccl -r 1 -t 1 --json |
		python3 -B selftests/tool/bench_output.py hccl
}

tap_check "data-parallel has the same results beside" \
	says "reduction beside .*communication" "$build/examples/data-parallel" 1 32
tap_check "all-reduce prints right results for all sizes" \
	says "8388608 .* success" "$build/examples/all-reduce" 1
tap_check "planned-gradients reuses memory after the collective that reads it" \
	says "planned memory: +48 KiB" "$build/examples/planned-gradients" 1 64
tap_check "all-gather-matmul multiplies what has come" \
	says "products of what has come: +[0-9]+ us" \
	"$build/examples/all-gather-matmul" 1
tap_check "prefill-decode moves caches between devices" \
	says "all tokens are those of the host" "$build/examples/prefill-decode" 2
tap_check "vnpu-bench hccl compares sizes" figures
tap_end
