#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of kernels: programs as vnpu-cc compiles them, with launches by
# <<<>>>. One computes, the other shows an exception.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# Run a program, and look for a text in its output.
prints()
{
	LD_LIBRARY_PATH=$build/cann/lib64 "$build/examples/$1" >"$out" 2>&1 ||
		{ cat "$out"; return 1; }
	grep -q "$2" "$out" || { cat "$out"; return 1; }
}

tap_check "a kernel adds two vectors" prints vector-add " 0 of them wrong"
tap_check "its output appears" grep -q "^block 0 of 8 has added" "$out"
tap_check "a failed kernel is reported, and the next one runs" \
	prints exception "the next launch returns 0"
tap_check "with kernel, block and address" \
	grep -q "kernel fill, block [1-3], address 0x[0-9a-f]*: " "$out"
tap_check "with the line" grep -q "exception.asc:[0-9]*" "$out"
tap_check "with the nearest allocation" \
	grep -q "behind 0x[0-9a-f]*, .* of aclrtMalloc" "$out"
tap_check "with the arguments" grep -q "^callback: kernel fill" "$out"
tap_end
