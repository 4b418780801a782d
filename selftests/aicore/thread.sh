#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# VNPU_CORE=thread: kernels in the process of the program.

build=${B:-build}
program=$build/selftests/aicore/thread
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

ok()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		sed 's/^/# /' "$dir/out"
	fi
}

# Run the program for $1, with its output in $dir/out.
run()
{
	VNPU_CORE=thread "$program" "$1" >"$dir/out" 2>&1
}

export LD_LIBRARY_PATH="$build/cann/lib64" TMPDIR="$dir"

run compute
ok $? "kernels run, twice from the start"
test "$(grep -c 'result 1128, process the same' "$dir/out")" -eq 2
ok $? "... in the process, where blocks wait for each other"
test "$(grep -c '^the sum is 1128' "$dir/out")" -eq 2
ok $? "... and print"
test "$(grep -c "check: 507036 .*kernel positive, block [0-3]: assertion" \
	"$dir/out")" -eq 2
ok $? "a failed assertion is an error of the stream"
test "$(find "$dir" -path '*/vnpu-kernels-*/thread.asc-*.so' | wc -l)" -eq 1
ok $? "the image is stored once"

run fork
test "$(grep -c 'result 1128, process the same' "$dir/out")" -eq 2
ok $? "a child does not keep the core of its parent"

run fault
test $? -eq 139
ok $? "a fault is a signal of the program"

if [ -e /dev/vnpu1 ]; then
	run devices
	grep -q 'launch on device 0: 0' "$dir/out" &&
		grep -q '507000.*VNPU_CORE=thread' "$dir/out"
	ok $? "the launch on a second device is refused"
fi

VNPU_CORE=unknown ASCEND_GLOBAL_LOG_LEVEL=3 ASCEND_SLOG_PRINT_TO_STDOUT=1 \
	"$program" compute >"$dir/out" 2>&1
grep -q 'VNPU_CORE = "unknown" is not known' "$dir/out"
ok $? "an unknown value is reported"
echo "1..$count"
