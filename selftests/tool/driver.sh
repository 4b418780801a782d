#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi if the driver is absent, refuses or does not reply; and devices that a
# test program leaves.

. selftests/tool/common.sh

# Errors and replies that strace injects in place of the kernel's.
answers()
{
	answers_status=$1
	answers_word=$2
	shift 2
	refused "$answers_status" "$answers_word" \
		strace -qq -o /dev/null "$@" $smi info --json
}
if command -v strace >/dev/null; then
	tap_check "a driver that does not reply" answers 6 "5 seconds" \
		-e inject=recvmsg:error=EAGAIN:when=5+
	tap_check "a family that does not reply" answers 6 "5 seconds" \
		-e inject=recvmsg:error=EAGAIN
	tap_check "no permission to query" answers 4 "permission" \
		-e inject=sendmsg:error=EPERM:when=2+
	tap_check "no permission for a socket" answers 4 "permission" \
		-e inject=socket:error=EACCES
	tap_check "no memory for a socket" answers 7 "cannot query" \
		-e inject=socket:error=ENOMEM
else
	for name in "a driver that does not reply" "a family that does not reply" \
		"no permission to query" "no permission for a socket" \
		"no memory for a socket"
	do
		tap_skip "$name" "strace is missing"
	done
fi


unload()
{
	rmmod vnpu
}

reload()
{
	# shellcheck disable=SC2086 # a list of words
	insmod "$VNPU_VM_MODULE" ${VNPU_VM_PARAMS-}
}

without_driver()
{
	for options in "" -l -m "-t memory" "-i 0" "-i 99" --json; do
		# shellcheck disable=SC2086 # a list of words
		tap_check "no driver: info $options" \
			refused 2 "not loaded" $smi info $options
	done
	tap_check "no driver: frag" refused 2 "not loaded" $smi frag --fit 1
	tap_check "no driver: set" \
		refused 2 "not loaded" $smi set -t compact -i 0 -y
	tap_check "no driver: exporter" \
		refused 2 "not loaded" $smi exporter --once
	tap_check "no driver: trace" \
		refused 2 "not loaded" $smi trace -o /dev/null -d 1
	for options in proc events "wait --idle" health "info watch"; do
		# shellcheck disable=SC2086 # a list of words
		tap_check "no driver: $options" \
			refused 2 "not loaded" $smi $options
	done
	for options in -h -v "info -h" "frag -h" "set -h" "trace -h" \
		"coredump -h" "exporter -h" "device -h"
	do
		# shellcheck disable=SC2086 # a list of words
		tap_check "no driver: $options" $smi $options
	done
	tap_check "no driver: a wrong command line is still refused as such" \
		refused 1 "'bogus'" $smi info bogus
}

# Read the files of a device until it is removed.
unload_while_read()
{
	mountpoint -q /sys/kernel/debug ||
		mount -t debugfs none /sys/kernel/debug
	while :; do
		cat /sys/class/vnpu/*/* /sys/kernel/debug/vnpu/*/*
	done >"$tmp/read" 2>/dev/null &
	reader=$!
	sleep 1
	# An open file of debugfs holds the module, so it can be removed between
	# two reads.
	unload_status=1
	for _ in $(seq 200); do
		if unload 2>"$tmp/unload"; then
			unload_status=0
			break
		fi
		sleep 0.05
	done
	cat "$tmp/unload"
	kill $reader
	wait $reader
	[ -s "$tmp/read" ] && [ $unload_status -eq 0 ]
}

# The runner counts a device that a program leaves as a failure, and removes it.
leaves_a_device()
{
	printf '#!/bin/sh\n%s device add -m 2M >%s && echo ok 1 && echo 1..1\n' \
		"$smi" /dev/null >"$tmp/leaves"
	chmod +x "$tmp/leaves"
	$smi info -l >"$tmp/devices"
	selftests/run -o "$tmp/run" "$tmp/leaves" && return 1
	grep -q '^not ok .*it left vnpu' "$tmp/run" && $smi info -l |
		diff "$tmp/devices" -
}
if [ -n "${VNPU_VM_MODULE-}" ]; then
	tap_check "a program that leaves a device fails" leaves_a_device
else
	tap_skip "a program that leaves a device fails" "not in a machine"
fi

if [ -n "${VNPU_VM_MODULE-}" ] && $smi info >"$tmp/before" && unload; then
	without_driver
	tap_check "the driver is loaded again" reload
	tap_check "the table is as before" \
		same "$(cat "$tmp/before")
" $smi info
	tap_check "the driver is unloaded while its files are read" \
		unload_while_read
	tap_check "and loaded again" reload
else
	tap_skip "no driver" "the module cannot be unloaded here"
fi

tap_end
