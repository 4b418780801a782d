#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The demonstration that "make run" shows: the module, an AscendCL program
# that pools device memory, vnpu-smi before, during and after it, kernels, and a
# network.
#
#	lib/examples/demo.sh [BUILD]
#
# Runs as root with the module loaded, from the top of the tree; BUILD is the
# output directory of make (default build).

set -u

build=${1:-build}
smi=$build/bin/vnpu-smi
program=$build/examples/acl-memory-pool
exec 2>&1

step()
{
	printf '\n=== %s\n' "$*"
}

fail()
{
	printf '\nFAILED: %s\n' "$*"
	exit 1
}

# Bytes that are in use on all devices.
used_bytes()
{
	"$smi" info --json | grep -o '"used_bytes": *[0-9]*' |
		awk -F: '{ sum += $2 } END { print sum + 0 }'
}

# Whether process $1 is listed with memory.
holds_memory()
{
	"$smi" info --json | tr -d ' \n' |
		grep -q "\"pid\":$1,\"name\":\"[^\"]*\",\"memory_bytes\":[1-9]"
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

step "the module"
grep '^vnpu ' /proc/modules || fail "vnpu is not loaded"
dmesg 2>/dev/null | grep 'vnpu' | tail -n 5
ls -l /dev/vnpu || fail "no /dev/vnpu"

step "vnpu-smi before: nothing is in use"
"$smi" info || fail "vnpu-smi info"
[ "$(used_bytes)" = 0 ] || fail "memory is in use before anything ran"

step "an AscendCL program that pools device memory"
. "$build/cann/set_env.sh" || fail "no set_env.sh"
coproc run { exec "$program" --wait 2>&1; }
# shellcheck disable=SC2154 # set by coproc
pid=$run_PID
exec 3<&"${run[0]}" 4>&"${run[1]}"
follow || fail "the program ended early"

step "vnpu-smi during: the program (pid $pid) holds memory"
"$smi" info || fail "vnpu-smi info"
holds_memory "$pid" || fail "vnpu-smi does not list the program"

step "the program continues"
echo >&4
follow || fail "the program ended early"
echo >&4
follow
wait "$pid" || fail "the program exited with $?"

step "vnpu-smi after: all memory is back"
"$smi" info || fail "vnpu-smi info"
[ "$(used_bytes)" = 0 ] || fail "memory is still in use"

step "a kernel that adds two vectors on eight cores"
"$build/examples/vector-add" || fail "vector-add exited with $?"

step "a kernel that writes behind its memory, and is reported"
"$build/examples/exception" || fail "exception exited with $?"

step "a network, compiled from ONNX, run on the device and verified"
tmp=$(mktemp -d) || fail "no temporary directory"
trap 'rm -rf "$tmp"' EXIT
python3 lib/examples/network.py "$tmp" || fail "no network was written"
"$build/cann/bin/atc" --model="$tmp/network.onnx" --framework=5 \
	--output="$tmp/network" --soc_version=Ascend310P3 \
	--input_shape="image:1,1,16,16" || fail "atc exited with $?"
"$build/bin/vnpu-model" run --input="$tmp/input.npy" \
	--expect="$tmp/expected.npy" "$tmp/network.om" ||
	fail "the network gave other results than plain Python"

printf '\nSUCCESS: the demonstration ended well\n'
