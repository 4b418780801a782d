#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The profiles of chips, as host code and kernels see them: Documentation/launch.md.

build=${B:-build}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
count=0

# check CHIP LINE: a program with VNPU_SOC=CHIP prints LINE.
check()
{
	count=$((count + 1))
	VNPU_SOC=$1 LD_LIBRARY_PATH="$build/cann/lib64" \
		"$build/selftests/aicore/soc" >"$out" 2>&1
	if grep -q "^$2\$" "$out"; then
		echo "ok $count $1"
	else
		echo "not ok $count $1"
		sed 's/^/# /' "$out"
	fi
}

# The error of a deadlock depends on the kinds of cores.
check 310 'Ascend310 cube 2 vector 2 memories 248 1024 64 64 256 all 0 more 50[0-9]*'
check 310P 'Ascend310P3 cube 8 vector 8 memories 256 1024 64 64 256 all 0 more 50[0-9]*'
check 910B1 'Ascend910B1 cube 24 vector 48 memories 192 512 64 64 128 all 0 more 50[0-9]*'
check 910B3 'Ascend910B3 cube 20 vector 40 memories 192 512 64 64 128 all 0 more 50[0-9]*'
check 950 'Ascend950PR_9599 cube 32 vector 64 memories 248 512 64 64 256 all 0 more 50[0-9]*'
echo "1..$count"
