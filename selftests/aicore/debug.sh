#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A debugger in a kernel, by the commands of Documentation/debugging.md.

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
		sed 's/^/# /' "$dir/program" "$dir/gdb"
	fi
}

if ! command -v gdb >/dev/null; then
	echo "1..0 # SKIP there is no gdb"
	exit 0
fi
"${B:-build}/selftests/aicore/debug" >"$dir/program" 2>&1 &
program=$!
while ! grep -q ^core "$dir/program" && kill -0 $program 2>/dev/null; do
	sleep 0.1
done
core=$(sed -n 's/^core //p' "$dir/program")
# shellcheck disable=SC2016 # $sp is the debugger's
gdb -q -batch -nx -p "$core" \
	-ex 'set breakpoint pending on' \
	-ex 'break add' \
	-ex 'continue' \
	-ex 'backtrace' \
	-ex 'print count' \
	-ex 'print (**(struct vnpu_block **)(((long)$sp | 0x3ffff) - 7)).count' \
	-ex 'print *(float (*)[4])(x + 4)' \
	-ex 'next' -ex 'next' \
	-ex 'shell sleep 1' \
	-ex 'delete' \
	-ex 'detach' >"$dir/gdb" 2>&1 </dev/null

grep -q 'hit Breakpoint 1.*add (' "$dir/gdb"
ok $? "a breakpoint in a kernel is hit"
grep -q 'kernels.asc:[0-9]*$' "$dir/gdb"
ok $? "... at a line of its source"
# shellcheck disable=SC2016 # $1 and so on are the debugger's
grep -q '^\$1 = 1024' "$dir/gdb" && grep -q '^\$2 = 4' "$dir/gdb"
ok $? "... where its parameters and its block can be printed"
# shellcheck disable=SC2016
grep -q '^\$3 = {1, 2, 3, 4}' "$dir/gdb"
ok $? "... and device memory"
wait $program
ok $? "then the launch ends without its time limit"
grep -q 'result 0, word 1000 is 2000' "$dir/program"
ok $? "... with its result"
echo "1..$count"
