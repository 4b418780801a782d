#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels below valgrind: it follows their stacks, and reports what depends on
# memory of a core that the kernel has not written, and nothing else.

program=${B:-build}/selftests/aicore/exec_guest
out=$(mktemp)
trap 'rm -f "$out"' EXIT

if ! command -v valgrind >/dev/null; then
	echo "1..0 # SKIP there is no valgrind"
	exit 0
fi
valgrind --error-exitcode=9 "$program" once >"$out" 2>&1
status=$?
line=$(grep -n UNWRITTEN selftests/aicore/exec_guest.c | cut -d: -f1)
failed=0
if [ $status -eq 9 ] && grep -q "read_unwritten (exec_guest.c:$line)" "$out"; then
	echo "ok 1 a read of what was never written is reported with its line"
else
	echo "not ok 1 a read of what was never written is reported with its line"
	failed=1
fi
if grep -q 'ERROR SUMMARY: 1 errors from 1 contexts' "$out"; then
	echo "ok 2 ... and nothing else"
else
	echo "not ok 2 ... and nothing else"
	failed=1
fi
[ $failed -eq 0 ] || sed 's/^/# /' "$out"
echo "1..2"
exit $failed
