#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz targets of driver/core by libFuzzer, VNPU_FUZZ_SECONDS each (default
# 3). "make fuzz-core" runs them longer.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

# make's options for its children must not affect the make that is started here.
unset MAKEFLAGS MAKELEVEL MFLAGS

# Findings of a target stay in the folder of the build.
fuzz()
{
	make -s B="${B:-build}" TIME="${VNPU_FUZZ_SECONDS:-3}" "fuzz-core-$1"
}

for target in allocator compact slab va; do
	tap_check "$target" fuzz "$target"
done
tap_end
