#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A part of "make run-examples": show a fragmented arena, a request for a run that
# does not fit, and the arena before and after compaction.
#
#	lib/examples/fragmentation.sh [BUILD [MIB]]
#
# Runs as root with the module loaded, from the top of the tree; BUILD is the
# output directory of make (default build), MIB the size of the run.

set -u

build=${1:-build}
mib=${2:-256}
smi=$build/bin/vnpu-smi
exec 2>&1

fail()
{
	printf '\nFAILED: %s\n' "$*"
	exit 1
}

# Shows what the program prints until it pauses or ends.
follow()
{
	local line

	while IFS= read -r line <&3; do
		case $line in
		paused:*)	return 0 ;;
		esac
		printf '%s\n' "$line"
	done
	return 1
}

look()
{
	printf '\n$ vnpu-smi %s\n' "$*"
	"$smi" "$@" || fail "vnpu-smi $*"
	echo
}

. "$build/cann/set_env.sh" || fail "no set_env.sh"
coproc run { exec "$build/examples/fragmentation" --wait "$mib" 2>&1; }
# shellcheck disable=SC2154 # set by coproc
pid=$run_PID
exec 3<&"${run[0]}" 4>&"${run[1]}"
follow || fail "the program ended early"
look info -t frag -i 0
look frag --fit "${mib}M" --contiguous -i 0
echo >&4
follow || fail "the program ended early"
look info -t frag -i 0
echo >&4
follow
wait "$pid" || fail "the program exited with $?"
