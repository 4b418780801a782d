#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Save the kernel's line counts of vnpu.ko, as the last program of a machine: an
# archive for each in $B/coverage, which report.py adds up. The kernel keeps the
# counts of unloaded modules (gcov_persist).

set -u
gcov=/sys/kernel/debug/gcov
into=${B:-build}/coverage

echo "TAP version 13"
if [ ! -d "$gcov" ]; then
	echo "1..0 # SKIP this kernel does not count lines"
	exit 4
fi
echo "1..1"

fail()
{
	echo "not ok 1 $*"
	exit 1
}

# The kernel names them by the directory in which the objects were built.
driver=$(find "$gcov" -path "*/kmod/$(uname -r)/driver" -type d)
[ -n "$driver" ] || fail "counts of no file: was the module built for it?"
tmp=$(mktemp -d) || fail "no directory"
trap 'rm -rf "$tmp"' EXIT
# These files have no size before they are read, so tar cannot be used.
cp -r "$driver" "$tmp/driver" || fail "counts cannot be read"
mkdir -p "$into"
archive=$(mktemp "$into/machine-XXXXXX.tar") || fail "no archive"
tar -C "$tmp" -cf "$archive" driver || fail "counts cannot be kept"
echo "ok 1 counts of $(find "$tmp" -name '*.gcda' | wc -l) files"
