#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-bench: its command line; each command must complete and print plausible
# JSON. The figures themselves are not tested, as other work runs on the
# machine.

. selftests/tool/common.sh

bench=$B/bin/vnpu-bench
# The shortest run possible.
short="-r 1 -t 1 -l 500 -o 500"

# wrong WORD ARGUMENT...: the command line must be refused with WORD.
wrong()
{
	wrong_word=$1
	shift
	tap_check "refused: vnpu-bench $*" \
		refused 1 "$wrong_word" "$bench" "$@"
}

tap_check "version" same "vnpu-bench version: $(sed -n \
	's/^VERSION[[:space:]]*:= //p' Makefile)
" "$bench" --version

helps()
{
	"$bench" "$@" >"$tmp/out" && grep -q '^usage: vnpu-bench' "$tmp/out"
}
tap_check "help" helps --help
tap_check "help of a command" helps alloc -h

wrong "no command"
wrong "'bogus'" bogus
wrong "'all'" alloc all
wrong "'0'" alloc -r 0
wrong "'1001'" alloc --rounds 1001
wrong "'x'" alloc -t x
wrong "''" alloc --turn ""
wrong "'-1'" replay --ops=-1
wrong "'9'" scale --live 9
wrong "'4294967296'" replay -s 4294967296
wrong "invalid option -- 'x'" alloc -x
wrong "'bogus'" pool --test bogus
wrong "'129'" pool -n 129
wrong "--bogus" alloc --bogus
wrong "requires an argument" alloc -r
tap_check "no such device" refused 2 "device 63 cannot be used" \
	"$bench" alloc -d 63

full()
{
	full_status=0
	# shellcheck disable=SC2086 # a list of words
	"$bench" replay $short >/dev/full 2>"$tmp/err" || full_status=$?
	[ $full_status -eq 3 ] && grep -q 'cannot write the output' "$tmp/err"
}
tap_check "a full disk is noticed" full

polled=$(cat /sys/module/vnpu/parameters/poll_us)

used()
{
	"$smi" info --json | grep -o '"used_bytes": *[0-9]*' |
		awk -F: '{ sum += $2 } END { print sum + 0 }'
}

runs()
{
	# shellcheck disable=SC2086 # a list of words
	"$bench" "$1" $short >"$tmp/text" && cat "$tmp/text" &&
		grep -q "^$1: " "$tmp/text" && [ "$(used)" -eq 0 ]
}
sane()
{
	# shellcheck disable=SC2086 # a list of words
	"$bench" "$1" $short --json >"$tmp/json" &&
		python3 -B selftests/tool/bench_output.py "$1" <"$tmp/json" &&
		[ "$(used)" -eq 0 ]
}
for command in wait replay; do
	tap_check "$command runs" runs $command
done
for command in alloc map copy submit wait streams scale replay; do
	tap_check "$command: JSON with plausible figures" sane $command
done

polls()
{
	cat /sys/module/vnpu/parameters/poll_us
}
tap_check "engines sleep as late as before" same "$polled
" polls

# Devices that were added are removed, and settings are restored, soon after the
# tool was killed.
killed()
{
	"$bench" "$1" -r 9 -t 100 -l 500 >"$tmp/killed" 2>&1 &
	killed_pid=$!
	until $2; do
		kill -0 $killed_pid 2>/dev/null || return 1
	done
	kill -9 $killed_pid
	wait $killed_pid 2>/dev/null
	for _ in $(seq 600); do
		$2 || return 0
		sleep 0.1
	done
	return 1
}
crowded()
{
	[ "$(find /sys/class/vnpu -name 'vnpu[0-9]*' | wc -l)" -gt "$devices" ]
}
sleepy()
{
	[ "$(polls)" != "$polled" ]
}
devices=$(find /sys/class/vnpu -name 'vnpu[0-9]*' | wc -l)
tap_check "killed with devices that it added" killed scale crowded
tap_check "killed with engines that it made to sleep" killed wait sleepy

repeats()
{
	for run in 1 2; do
		"$bench" replay -o 500 --seed 5 --json |
			grep -E 'allocations|refused|compacted|lost' \
			>"$tmp/run$run" || return 1
	done
	[ -s "$tmp/run1" ] && diff "$tmp/run1" "$tmp/run2"
}
tap_check "a replay makes the same requests for the same seed" repeats

documented()
{
	for option in $("$bench" --help | grep -o -- '--[a-z]*' | sort -u); do
		for file in vnpu-bench.1 vnpu-bench.bash-completion; do
			sed 's/\\-/-/g' "tools/vnpu-bench/$file" |
				grep -q -- "$option\>" || echo "$file: $option"
		done
	done
}
tap_silent "manual and completion have every option" documented

tap_end
