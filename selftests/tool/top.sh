#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi top on a terminal, by tmux: the screen at any size, and the effect of
# keys.

. selftests/tool/common.sh

export TERM=screen
# A list of words; the limit is for a server that does not respond.
tmux="timeout 20 tmux -L vnpu-top-$$ -f /dev/null"

if ! command -v tmux >/dev/null; then
	tap_skip "the whole screen" "tmux is missing"
	tap_end
fi

# start COLUMNS LINES [VARIABLE=VALUE...]: run top, and show how it ends.
start()
{
	start_columns=$1
	start_lines=$2
	shift 2
	$tmux new-session -d -x "$start_columns" -y "$start_lines" \
		"env $* $smi top -d 0.2; echo ended with \$?; sleep 60"
}

stop()
{
	$tmux kill-server
	sleep 0.2
}

screen()
{
	$tmux capture-pane -p "$@" >"$tmp/screen"
	cat "$tmp/screen"
}

keys()
{
	$tmux send-keys "$@"
}

# shows WORD: the word must be on the screen soon.
shows()
{
	for _ in $(seq 100); do
		screen | grep -qE -- "$1" && return
		sleep 0.1
	done
	screen
	return 1
}

# first_is PID: it must soon be first in the list; in a short interval it may
# not have been busy.
first_is()
{
	for _ in $(seq 100); do
		[ "$(screen | sed -n '/^Pid/{n;p}' | cut -d ' ' -f 1)" = \
			"$1" ] && return
		sleep 0.1
	done
	cat "$tmp/screen"
	return 1
}

# Processes that hold memory as long as one is busy, which runs until it is
# stopped.
mkfifo "$tmp/fifo"
exec 3<>"$tmp/fifo"
# shellcheck disable=SC2016 # for the inner shell
$hold -n holder $((8 * MIB)) "$B/selftests/tool/busy" -s 3 sh -c '
	echo $HOLD_PIDS $BUSY_PID >"$tmp/pids.new"
	mv "$tmp/pids.new" "$tmp/pids"
	read -r _' <"$tmp/fifo" &
for _ in $(seq 100); do
	[ -e "$tmp/pids" ] && break
	sleep 0.1
done
read -r holder busy <"$tmp/pids"

at_work()
{
	start 80 24
	shows '^[1-9][0-9]* .* [1-9][0-9]*  *3 busy' &&
		shows '^[1-9][0-9]* .* 0  *0 holder' &&
		shows '^  0 OK  *vec +[1-9][0-9]*%.*[▂▃▄▅▆▇█].* cpy .* mem +10M/' &&
		shows '2 processes' &&
		shows '^q quit' &&
		[ "$(wc -l <"$tmp/screen")" -eq 24 ]
}
tap_check "devices and processes, at 80x24" at_work

sorted()
{
	first_is "$busy" && keys m &&
		shows '^by Mem' && first_is "$holder" && keys p &&
		shows '^by Pid' && first_is "$(printf '%s\n' "$holder" "$busy" |
			sort -n | head -n 1)" && keys g &&
		shows '^by Peak' && first_is "$holder" && keys b &&
		shows '^by Busy' && first_is "$busy"
}
tap_check "sorted by the key that was pressed" sorted

resized()
{
	$tmux resize-window -x 30 -y 8
	shows '^vnpu-smi top' && shows '^q quit' || return 1
	[ "$(wc -l <"$tmp/screen")" -eq 8 ] || return 1
	$tmux resize-window -x 200 -y 50
	shows 'p pid$' && shows '3 busy'
}
tap_check "on screens of other sizes" resized

not_killed()
{
	keys m
	shows '^by Mem' || return 1
	keys Home k
	shows "^End process $holder, holder, by SIGTERM\?" || return 1
	keys n
	shows 'nothing was changed' && kill -0 "$holder"
}
tap_check "a process is not ended if one says no" not_killed

killed()
{
	keys End k
	shows "^End process $busy, busy, by SIGTERM\?" || return 1
	keys y
	# The holders hold memory as long as that one runs.
	shows "SIGTERM was sent to process $busy" &&
		shows 'no process uses a device'
}
tap_check "and is if one says yes" killed

ended()
{
	keys q
	shows 'ended with 0'
}
tap_check "q quits" ended
stop
echo >&3
wait

# Add devices up to number 15; print the added ones.
add_devices()
{
	for number in $(seq 15); do
		[ -e "/sys/class/vnpu/vnpu$number" ] && continue
		echo 4M >/sys/class/vnpu/new_device && echo "$number"
	done
}

# device_column TEXT MEMORY: check the column of a process, which has 8
# characters.
device_column()
{
	shows "^.{18}$(printf '%-8s' "$1" | sed 's/+/[+]/') {8}$2 "
}

# Numbers of two digits, too: a plus within the column marks what does not fit.
many_devices()
{
	start 100 40
	device_column 10,11,12 3 && device_column 10,11+ 4 &&
		device_column 0,1,2,3 4 && device_column 0,1,2,3+ 5 &&
		device_column 9,10,11+ 4 && device_column 8,9,10+ 6
	status=$?
	stop
	return $status
}
added=$(add_devices)
$hold -d 10 -r 3 $MIB $hold -d 10 -r 4 $MIB $hold -r 4 $MIB $hold -r 5 $MIB \
	$hold -d 9 -r 4 $MIB $hold -d 8 -r 6 $MIB sh -c '
	echo >"$tmp/held"
	read -r _' <"$tmp/fifo" &
for _ in $(seq 100); do
	[ -e "$tmp/held" ] && break
	sleep 0.1
done
tap_check "as many devices of a process as fit" many_devices
echo >&3
wait
for number in $added; do
	echo "$number" >/sys/class/vnpu/del_device
done

plain()
{
	start 80 24 NO_COLOR=1 LC_ALL=C
	"$B/selftests/tool/busy" -s 3 sleep 3
	shows '^  0 OK  *vec .*[.:=+*#].* cpy' &&
		screen -e | grep OK &&
		! grep -qE "$(printf '\033')\[[34][0-7]m" "$tmp/screen"
}
tap_check "no colour and no other character where they are not wanted" plain
stop

tap_check "not where there is no terminal" \
	refused 1 "needs a terminal" "$smi" top
tap_check "no such terminal" sh -c '
	TERM=bogus timeout 20 script -qec "$smi top" /dev/null </dev/null |
		grep -q "check TERM" || ! command -v script'

operators()
{
	start 80 24
	"$B/selftests/tool/busy" -k launch -s 1 sh -c 'read -r _' <"$tmp/fifo" &
	keys o
	shows '^operators by time' &&
		shows '^[1-9][0-9]* +0 nothing +[1-9][0-9]* .* 100 busy' &&
		shows '^q quit.*o processes' && keys o && shows '^by Busy%' &&
		shows '^q quit.*p pid$'
	status=$?
	stop
	echo >&3
	wait
	return $status
}
tap_check "operators at the press of a key" operators

without_driver()
{
	rmmod vnpu || return 1
	start 80 24
	shows 'not loaded' && shows 'ended with 2'
	status=$?
	stop
	# shellcheck disable=SC2086 # a list of words
	insmod "$VNPU_VM_MODULE" ${VNPU_VM_PARAMS-} && return $status
}
if [ -n "${VNPU_VM_MODULE-}" ]; then
	tap_check "the message is seen when it ends" without_driver
else
	tap_skip "the message is seen when it ends" \
		"the module cannot be unloaded here"
fi

tap_end
