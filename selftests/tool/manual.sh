#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual and the completion agree with the command line.

. selftests/tool/common.sh
. tools/vnpu-smi/vnpu-smi.bash-completion

PATH=$(realpath "$B/bin"):$PATH

# completes EXPECTED WORD...: possible completions of the last word.
completes()
{
	local expected=$1
	shift

	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_vnpu_smi
	echo "${COMPREPLY[*]}"
	[ "${COMPREPLY[*]}" = "$expected" ]
}

ids=$($query | cut -d ' ' -f 1 | xargs)
tap_check "complete a verb" completes "info" vnpu-smi inf
tap_check "complete another verb" completes "frag" vnpu-smi f
tap_check "complete the types of set" \
	completes "compact op-timeout quota reset" vnpu-smi set -t ""
tap_check "complete the actions of inject" \
	completes "list set clear" vnpu-smi inject ""
tap_check "complete a fault" completes "doorbell-lost" vnpu-smi inject set -k d
tap_check "complete an error of memory" \
	completes "ecc-corrected ecc-uncorrected" vnpu-smi inject set -k ecc
tap_check "complete a loss of events" \
	completes "event-overrun" vnpu-smi inject set -k ev
tap_check "complete a fault of cores" \
	completes "core-hang core-die core-slow core-twice core-garbage" \
	vnpu-smi inject set -k core
tap_check "complete an option of inject" \
	completes "--kind" vnpu-smi inject clear --k
tap_check "complete an option of frag" completes "--fit" vnpu-smi frag --fit
tap_check "complete an option of trace" \
	completes "--duration" vnpu-smi trace --d
tap_check "complete an option of diff" \
	completes "--fail-on-leak" vnpu-smi diff before --fa
tap_check "complete a file" completes "COPYING" vnpu-smi coredump COPYI
tap_check "complete another way to export" \
	completes "--once" vnpu-smi exporter --o
tap_check "complete a page class" completes "2M" vnpu-smi frag --page 2
tap_check "complete an option of info watch" completes "--show" \
	vnpu-smi info watch --sh
tap_check "complete the actions of info" completes "watch" vnpu-smi info w
tap_check "complete a type" completes "memory" vnpu-smi info -t m
tap_check "complete all types" \
	completes "board common memory usages health product ecc temp power \
proc-mem topo err-count op-timeout frag quota stream engine" vnpu-smi info --type ""
tap_check "complete a device" completes "$ids" vnpu-smi info -i ""
tap_check "complete an option" completes "--json" vnpu-smi info -l --j
tap_check "complete an event" completes "health" vnpu-smi events -e he
tap_check "complete a field" completes "memory_bytes memory_peak_bytes" \
	vnpu-smi proc --format csv --fields mem
tap_check "complete a field of a type" completes "op_timeout_ms" \
	vnpu-smi info -t op-timeout --fields op
tap_check "complete a field of top" completes "busy_percent" \
	vnpu-smi top --fields busy_p
tap_check "complete a form" completes "csv" vnpu-smi health --format c
tap_check "complete a device of another verb" \
	completes "$ids" vnpu-smi wait --idle --id ""
tap_check "complete nothing" completes "" vnpu-smi bogus -

# Long options of all verbs.
options=$(for verb in info "info watch" frag events proc hccl wait health top set \
		snapshot diff trace coredump exporter device inject; do $smi $verb --help; done |
	grep -o -- '--[a-z][a-z]*' | sort -u)

known_to()
{
	local option

	for option in $options; do
		# The manual writes a dash as an escape.
		sed 's/\\-/-/g' "$1" | grep -q -- "$option\>" || {
			echo "$option is missing"
			return 1
		}
	done
}
tap_check "the manual has every option" known_to tools/vnpu-smi/vnpu-smi.1
tap_check "the completion has every option" known_to \
	tools/vnpu-smi/vnpu-smi.bash-completion

statuses()
{
	local n

	for n in 0 1 2 3 4 5 6 7 8; do
		grep -A 1 '^\.TP' tools/vnpu-smi/vnpu-smi.1 | grep -qx "\.B $n" ||
			return 1
	done
}
tap_check "the manual has every exit status" statuses

if command -v mandoc >/dev/null; then
	tap_silent "mandoc finds no error in the manual" \
		mandoc -T lint -W warning tools/vnpu-smi/vnpu-smi.1
else
	tap_skip "mandoc finds no error in the manual" "mandoc is missing"
fi

tap_end
