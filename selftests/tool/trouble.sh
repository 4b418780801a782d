#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi inject and reset: faults, resets, access rights, and the output.
# selftests/uapi tests their effects.

. selftests/tool/common.sh

# has LABEL VALUE FILE: the file must have a line with this label and value
has()
{
	grep -qx "	$1 *: $2" "$3"
}

cleared()
{
	"$smi" inject clear -i 0 -y && [ -z "$("$smi" inject list)" ]
}
tap_check "no faults" cleared

set_one()
{
	"$smi" inject set -k engine-slow -i 0 -e vector -d 7 -y >"$tmp/set" &&
		"$smi" inject list >"$tmp/list" && cat "$tmp/list" &&
		cmp "$tmp/set" "$tmp/list" &&
		has 'NPU ID' 0 "$tmp/list" &&
		has 'Fault' engine-slow "$tmp/list" &&
		has 'Client' NA "$tmp/list" &&
		has 'Engine' vector "$tmp/list" &&
		has 'Nth' NA "$tmp/list" &&
		has 'Delay(us)' 7 "$tmp/list" &&
		has 'Hits' 0 "$tmp/list"
}
tap_check "a fault is set and listed" set_one

more()
{
	"$smi" inject set -k alloc-fail -i 0 -c 18446744073709551615 -n 3 -y &&
		"$smi" inject set --kind=engine-hang --id=0 --engine=copy \
			--client=9 --yes &&
		"$smi" inject set -k doorbell-lost -i 0 -c 9 -y &&
		[ "$("$smi" inject list | grep -c 'NPU ID')" -eq 4 ]
}
tap_check "and more of them" more

again()
{
	"$smi" inject set -k alloc-fail -i 0 -c 18446744073709551615 -n 5 -y &&
		"$smi" inject list >"$tmp/list" && cat "$tmp/list" &&
		[ "$(grep -c 'NPU ID' "$tmp/list")" -eq 4 ] &&
		has 'Nth' 5 "$tmp/list" && ! has 'Nth' 3 "$tmp/list"
}
tap_check "the same again takes its place" again

# Faults that repeat, and random ones.
opportunities()
{
	"$smi" inject set -k host-alloc-fail -i 0 -c 9 -r 3 -y >"$tmp/set" &&
		has 'Fault' host-alloc-fail "$tmp/set" &&
		has 'Nth' 3 "$tmp/set" && has 'Every' 3 "$tmp/set" &&
		has 'Seed' NA "$tmp/set" &&
		"$smi" inject set -k access-fault -i 0 -c 9 -a 0x1000 \
			-p 250000 -s 0 -y >"$tmp/set" &&
		has 'Fault' access-fault "$tmp/set" &&
		has 'Nth' NA "$tmp/set" && has 'Every' NA "$tmp/set" &&
		has 'Probability(ppm)' 250000 "$tmp/set" &&
		has 'Seed' 0 "$tmp/set" &&
		"$smi" inject clear -k host-alloc-fail -i 0 -c 9 -y &&
		"$smi" inject clear -k access-fault -i 0 -c 9 -a 0x1000 -y
}
tap_check "opportunities are counted and drawn" opportunities

of_cores()
{
	"$smi" inject set -k core-slow -i 0 -c 9 -d 7 -n 5 -y >"$tmp/set" &&
		has 'Fault' core-slow "$tmp/set" &&
		has 'Nth' 5 "$tmp/set" && has 'Delay(us)' 7 "$tmp/set" &&
		"$smi" inject clear -k core-slow -i 0 -c 9 -y || return 1
	for kind in core-hang core-die core-twice core-garbage; do
		"$smi" inject set -k $kind -i 0 -c 9 -n 2 -r 3 -y \
			>"$tmp/set" &&
			has 'Fault' $kind "$tmp/set" &&
			has 'Engine' NA "$tmp/set" &&
			has 'Nth' 2 "$tmp/set" && has 'Every' 3 "$tmp/set" &&
			"$smi" inject clear -k $kind -i 0 -c 9 -y || return 1
	done
}
tap_check "faults of cores" of_cores

# valid VIEW COMMAND...: its JSON must conform to the schema.
valid()
{
	view=$1
	shift
	"$@" --json >"$tmp/json" && cat "$tmp/json" &&
		PYTHONPATH=selftests/tool python3 -B -c '
import json, sys
from schema import Schema
Schema("Documentation/vnpu-smi.schema.json").validate(
    sys.argv[1], json.load(sys.stdin))' "$view" <"$tmp/json"
}
tap_check "JSON of a list" valid faults "$smi" inject list
tap_check "JSON of the faults that are set" valid faults \
	"$smi" inject set -k alloc-fail -i 0 -c 77 -y
tap_check "JSON of a fault of cores" valid faults \
	"$smi" inject set -k core-garbage -i 0 -c 78 -y
"$smi" inject clear -k core-garbage -i 0 -c 78 -y
tap_check "JSON of the faults that are removed" valid faults \
	"$smi" inject clear -k alloc-fail -i 0 -c 77 -y

clear_one()
{
	"$smi" inject clear -k engine-hang -i 0 -c 9 -e copy -y &&
		"$smi" inject list >"$tmp/list" &&
		[ "$(grep -c 'NPU ID' "$tmp/list")" -eq 3 ] &&
		! has Fault engine-hang "$tmp/list"
}
tap_check "one is cleared" clear_one
tap_check "one that is not there is not" refused 7 "no such object" \
	"$smi" inject clear -k engine-hang -i 0 -c 9 -e copy -y
tap_check "all are cleared" cleared

# An address of a client that does not exist, so that no access meets it.
at_address()
{
	"$smi" inject set -k ecc-uncorrected -i 0 -c 9 -a 0x7f00DEAD000 -y \
		>"$tmp/set" && cat "$tmp/set" &&
		has 'Fault' ecc-uncorrected "$tmp/set" &&
		has 'Address' 0x7f00dead000 "$tmp/set" &&
		has 'Nth' 1 "$tmp/set" &&
		"$smi" inject set -k ecc-corrected -i 0 -c 9 -a 4096 -n 2 -y |
			grep -q 'Address *: 0x1000$' &&
		"$smi" inject clear -k ecc-corrected -i 0 -c 9 -a 0x1000 -y &&
		refused 7 "no such object" "$smi" inject clear \
			-k ecc-uncorrected -i 0 -c 9 -a 0x7f00dead001 -y
}
tap_check "an error of memory is at an address" at_address
tap_check "JSON of one" valid faults "$smi" inject list
tap_check "its counters" valid ecc "$smi" info -t ecc
tap_check "it is cleared with all" cleared

fails()
{
	"$smi" inject set -k alloc-fail -i 0 -y &&
		! $hold 4096 true && $hold 4096 true &&
		"$smi" inject list >"$tmp/list" && cat "$tmp/list" &&
		has 'Nth' 0 "$tmp/list" && has 'Hits' 1 "$tmp/list"
}
tap_check "it happens, and is counted" fails
tap_check "and cleared" cleared

resets()
{
	"$smi" set -t reset -i 0 -y >"$tmp/reset" && cat "$tmp/reset" &&
		has 'NPU ID' 0 "$tmp/reset" && has 'Health' OK "$tmp/reset" &&
		first=$(sed -n 's/^	Resets So Far *: //p' "$tmp/reset") &&
		"$smi" set -t reset -i 0 -y >"$tmp/reset" &&
		has 'Resets So Far' $((first + 1)) "$tmp/reset" &&
		"$smi" info -i 0 --json | grep -q "\"resets\": *$((first + 1))\\>"
}
tap_check "a device is reset" resets
tap_check "JSON of a reset" valid reset "$smi" set -t reset -i 0 -y

# The value of a line of text.
field()
{
	sed -n "s/^	$1 *: //p" "$2"
}

comes_and_goes()
{
	"$smi" device add -m 16M >"$tmp/device" && cat "$tmp/device" &&
		has 'State' added "$tmp/device" &&
		has 'Memory(B)' 16777216 "$tmp/device" &&
		id=$(field 'NPU ID' "$tmp/device") && [ "$id" -gt 0 ] &&
		"$smi" info -l | grep -q "NPU ID *: $id\$" &&
		"$smi" device remove -i "$id" -y >"$tmp/device" &&
		has 'State' removed "$tmp/device" &&
		refused 3 "does not exist" "$smi" info -t board -i "$id"
}
tap_check "a device comes and goes" comes_and_goes
tap_check "JSON of a new device" valid device "$smi" device add -m 2M
"$smi" info -l --json >"$tmp/devices"
last=$(grep -o '"id": [0-9]*' "$tmp/devices" | sed -n '$s/.* //p')
tap_check "JSON of one that is removed" valid device \
	"$smi" device remove -i "$last" -y
tap_check "a size that no device can have" refused 1 "multiple of 2M" \
	"$smi" device add -m 3M
tap_check "... and one that the driver refuses, which says why" \
	refused 7 "up to 512 GiB" "$smi" device add -m 1T
tap_check "more memory than there is" refused 7 "not enough memory" \
	"$smi" device add -m 256G
tap_check "a device that is not there is not removed" \
	refused 3 "no such device" "$smi" device remove -i 63 -y
tap_check "it asks before it removes one" \
	refused 7 "(y/n)" sh -c "echo n | $smi device remove -i 0"

# confirmed STATUS ANSWER COMMAND...: answer the question for confirmation
confirmed()
{
	confirmed_status=0
	confirmed_expected=$1
	confirmed_answer=$2
	shift 2
	printf '%b' "$confirmed_answer" | "$@" >"$tmp/out" 2>"$tmp/err" ||
		confirmed_status=$?
	cat "$tmp/out" "$tmp/err"
	grep -q '(y/n)' "$tmp/err" &&
		[ $confirmed_status -eq "$confirmed_expected" ]
}
for command in "set -t reset -i 0" "inject set -k doorbell-lost -i 0 -c 1" \
	"inject clear -i 0"
do
	# shellcheck disable=SC2086 # a list of words
	tap_check "no: $command" confirmed 7 'n\n' "$smi" $command
	# shellcheck disable=SC2086
	tap_check "no answer: $command" confirmed 7 '' "$smi" $command
	# shellcheck disable=SC2086
	tap_check "yes: $command" confirmed 0 'y\n' "$smi" $command
done

for command in "set -t reset -i 0 -y" "inject list" "inject clear -i 0 -y" \
	"inject set -k alloc-fail -i 0 -y" "device add -m 2M" \
	"device remove -i 0 -y"
do
	# shellcheck disable=SC2086 # a list of words
	tap_check "a user without rights is refused: $command" \
		refused 4 "permission" setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$smi" $command
	# shellcheck disable=SC2086
	tap_check "so is the root of a user namespace: $command" \
		refused 4 "permission" unshare -Urn "$smi" $command
done

tap_end
