#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz targets of driver/core by libFuzzer, VNPU_FUZZ_SECONDS each (default 3).
# "make fuzz-core" gives them more.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

# What make has told its children is not for one that is started here.
unset MAKEFLAGS MAKELEVEL MFLAGS

# What a target has found stays in the folder of the build.
fuzz()
{
	make -s B="${B:-build}" TIME="${VNPU_FUZZ_SECONDS:-3}" "fuzz-core-$1"
}

for target in buddy compact slab va; do
	tap_check "$target" fuzz "$target"
done
tap_end
