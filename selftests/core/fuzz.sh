#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz targets of driver/core, VNPU_FUZZ_SECONDS each (default 3), where there
# is a clang that can build them. "make fuzz-core" gives them more.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

# What make has told its children is not for one that is started here.
unset MAKEFLAGS MAKELEVEL MFLAGS

clang=${CLANG:-clang}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

can_fuzz()
{
	echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void)
		{ return 0; }' |
		"$clang" -fsanitize=fuzzer,address,undefined -x c -o "$tmp/probe" -
}

# What a target has found stays in the folder of the build.
fuzz()
{
	make -s B="${B:-build}" TIME="${VNPU_FUZZ_SECONDS:-3}" "fuzz-core-$1"
}

for target in buddy compact slab va; do
	if can_fuzz >"$tmp/log" 2>&1; then
		tap_check "$target" fuzz "$target"
	else
		tap_skip "$target" "no clang with libFuzzer"
	fi
done
tap_end
