#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a machine: measure two builds in turns. Each turn reverses their order.
#
#	turns.sh ROUNDS "COMMAND..." BASE NEW [OPTION...]
#
# Prints an object for each run, {"side": "base" or "new", "report": what
# vnpu-bench printed}.

set -eu

rounds=$1 commands=$2 base=$3 new=$4
shift 4

# measure BUILD COMMAND [OPTION...]: on one processor, the order of two threads
# must not depend on how long each has run, so a thread that waits for an engine
# has a higher priority than the engine. The end of a process is left to kernel
# threads.
measure()
{
	bench=$1/bin/vnpu-bench
	shift
	case $1 in
	scale)	"$bench" "$@" ;;
	*)	chrt -f 1 "$bench" "$@" ;;
	esac
}

# turn SIDE BUILD [OPTION...]
turn()
{
	side=$1 build=$2
	shift 2
	# shellcheck disable=SC2086 # a list of words
	insmod "$build/kmod/$(uname -r)/vnpu.ko" $VNPU_VM_PARAMS
	for command in $commands; do
		printf '{ "side": "%s", "report":\n' "$side"
		measure "$build" "$command" "$@"
		echo "}"
	done
	rmmod vnpu
}

sysctl -qw kernel.sched_rt_runtime_us=-1
modprobe vgem
sysctl -qw vm.nr_hugepages=200
round=1
while [ "$round" -le "$rounds" ]; do
	echo "==> round $round of $rounds" >&2
	if [ $((round % 2)) -eq 0 ]; then
		turn new "$new" "$@"
		turn base "$base" "$@"
	else
		turn base "$base" "$@"
		turn new "$new" "$@"
	fi
	round=$((round + 1))
done
