#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-bench pool, which needs no device: it runs to its end and prints what
# makes sense as JSON.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

bench=${B:-build}/bin/vnpu-bench

text()
{
	"$bench" pool -r 1 -t 1 -T latency | grep 'tcmalloc\|glibc'
}

sane()
{
	"$bench" pool -r 1 -t 1 -T "$1" -n 2 --json |
		python3 -B selftests/tool/bench_output.py pool
}

tap_check "a table of allocators" text
tap_check "latency: figures make sense" sane latency
tap_check "concurrent: figures make sense" sane concurrent
tap_end
