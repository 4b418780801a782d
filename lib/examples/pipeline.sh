#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of "make run-examples" about streams: run a pipeline over three streams,
# show how busy the engines are, and check that it is faster than one stream.
#
#	lib/examples/pipeline.sh [BUILD [RUNS]]
#
# Runs as root with the module loaded, from the top of the tree; BUILD is the
# output directory of make (default build), RUNS how often each is measured.

set -u

build=${1:-build}
runs=${2:-30}
smi=$build/bin/vnpu-smi
exec 2>&1

fail()
{
	printf '\nFAILED: %s\n' "$*"
	exit 1
}

look()
{
	printf '\n$ vnpu-smi %s\n' "$*"
	"$smi" "$@" || fail "vnpu-smi $*"
	echo
}

# Shows what the program prints, and keeps the last line.
follow()
{
	while IFS= read -r line <&3; do
		printf '%s\n' "$line"
		case $line in
		"$1"*)	return 0 ;;
		esac
	done
	return 1
}

. "$build/cann/set_env.sh" || fail "no set_env.sh"
coproc run { exec "$build/examples/pipeline" "$runs" 2>&1; }
# shellcheck disable=SC2154 # set by coproc
pid=$run_PID
exec 3<&"${run[0]}"
follow "one stream:" || fail "the program ended early"
look info -t usages -i 0
look info -t stream -i 0
follow "three streams:" || fail "the program ended early"
echo "$line" | awk '{ exit !($5 > 1) }' || fail "one stream is as fast"
wait "$pid" || fail "the program exited with $?"
