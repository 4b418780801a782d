#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module builds for each kernel without a warning of the compiler (W=1) or
# of sparse (C=2), in a directory of its own so that everything is compiled.
# Warnings about the kernel's own headers do not count. The module also builds
# for the cloud flavours, whose kernels lack CONFIG_SYNC_FILE.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# Kbuild's message that 6.1's headers have no vmlinux for BTF is not a warning.
warnings()
{
	grep -E 'warning:|error:|WARNING|ERROR' "$out/log" |
		grep -v 'Skipping BTF'
}

build()
{
	kdir=$(tools/build/kernel-headers.sh "$1") || return
	shift
	MAKEFLAGS=-j$(nproc) tools/build/kmod.sh "$kdir" "$out" modules "$@" \
		>"$out/log" 2>&1 || {
		warnings
		tail -n 5 "$out/log"
		return 1
	}
	found=$(warnings | grep -vE '^/usr/src/|/linux-headers-')
	echo "$found"
	[ -z "$found" ]
}

for series in ${SERIES:-6.1 6.12}; do
	tap_check "W=1 and C=2 on $series" build "$series" W=1 C=2
	tap_check "$series-cloud" build "$series-cloud"
done
tap_end
