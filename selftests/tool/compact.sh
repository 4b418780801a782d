#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compaction on request: a fragmented device is compacted while its client runs
# and keeps all contents (fragment.c checks them); access rights.

. selftests/tool/common.sh

fragment=$B/selftests/tool/fragment
half=$(($($query | awk 'NR == 1 { print $4 }') / 2))
export half fragment

# value LABEL FILE: the first of the lines with this label
value()
{
	sed -n "s/^	$1 *: //p" "$2" | head -n 1
}

# seen [OPTION]: the output of info before and after a forced compaction.
seen()
{
	# shellcheck disable=SC2016 # for the inner shell
	"$fragment" "$@" 65536 sh -c '
		$smi info -t frag -i 0 >"$tmp/before" &&
		$smi set -t compact -i 0 -y >"$tmp/set" &&
		$smi info -t frag -i 0 >"$tmp/after"' || return 1
	cat "$tmp/before" "$tmp/set" "$tmp/after"
	[ "$(value 'Free Runs' "$tmp/before")" -gt 100 ] &&
		[ "$(value 'Fragmentation(permille)' "$tmp/before")" -gt 900 ] &&
		[ "$(value 'Free Runs' "$tmp/after")" -le 3 ] &&
		[ "$(value 'Fragmentation(permille)' "$tmp/after")" -le 10 ] &&
		[ "$(value 'Free(MB)' "$tmp/before")" -eq \
			"$(value 'Free(MB)' "$tmp/after")" ]
}
tap_check "a device in pieces has one free run after it" seen

counted()
{
	[ "$(value 'Moved(byte)' "$tmp/set")" -ge $((half / 4)) ] &&
		[ "$(value 'Compactions So Far' "$tmp/after")" -eq \
			$(($(value 'Compactions So Far' "$tmp/before") + 1)) ] &&
		[ "$(value 'Largest Free(MB)' "$tmp/after")" -ge \
			$((half / MIB * 99 / 100)) ]
}
tap_check "the moved bytes are reported" counted

# useful [OPTION]
useful()
{
	# shellcheck disable=SC2016 # for the inner shell
	"$fragment" "$@" 65536 sh -c '
		! $smi frag --fit $((half / 2)) -C -i 0 | grep -q "Fits  *: Yes" &&
		$smi set -t compact -i 0 -y &&
		$smi frag --fit $((half / 2)) -C -i 0 | grep "Fits  *: Yes"'
}
tap_check "a run that did not fit before fits now" useful

tap_check "contiguous objects are moved to one side, too" seen -c
tap_check "and are counted" counted
tap_check "and make room" useful -c

# The length that a fit check promises is the length that is free after it.
promised()
{
	# shellcheck disable=SC2016 # for the inner shell
	"$fragment" -c 65536 sh -c '
		$smi frag --fit $half -C -i 0 --json >"$tmp/fit" &&
		$smi set -t compact -i 0 -y &&
		$smi info -i 0 --json >"$tmp/info"' &&
		python3 - "$tmp" <<'EOP'
import json, sys

def load(name):
    with open(f"{sys.argv[1]}/{name}") as f:
        [device] = json.load(f)["devices"]
    return device

fit, info = load("fit"), load("info")
assert (fit["largest_after_compaction_bytes"] ==
        info["memory"]["largest_free_block_bytes"]), (fit, info)
EOP
}
tap_check "the longest run is as long as a fit check promises" promised

idle()
{
	"$smi" set -t compact -i 0 -y >"$tmp/set" && cat "$tmp/set" &&
		[ "$(value 'Moved(byte)' "$tmp/set")" -eq 0 ]
}
tap_check "an idle device has nothing to move" idle

fixed()
{
	"$fragment" -t 65536 "$smi" set -t compact -i 0 -y >"$tmp/set" &&
		[ "$(value 'Moved(byte)' "$tmp/set")" -eq 0 ]
}
tap_check "fixed memory is not moved" fixed

schema()
{
	"$smi" set -t compact -i 0 -y --json >"$tmp/json" &&
		PYTHONPATH=selftests/tool python3 -B -c '
import json, sys
from schema import Schema
Schema("Documentation/vnpu-smi.schema.json").validate(
    "compact", json.load(sys.stdin))' <"$tmp/json"
}
tap_check "JSON conforms to the schema" schema

# confirmed STATUS ANSWER: answer the question for confirmation
confirmed()
{
	confirmed_status=0
	printf '%b' "$2" | "$smi" set -t compact -i 0 >"$tmp/out" 2>"$tmp/err" ||
		confirmed_status=$?
	cat "$tmp/out" "$tmp/err"
	grep -q '(y/n)' "$tmp/err" && [ $confirmed_status -eq "$1" ]
}
tap_check "yes" confirmed 0 'y\n'
tap_check "no" confirmed 7 'n\n'
tap_check "another word" confirmed 7 'yesterday\n'
tap_check "no answer" confirmed 7 ''

tap_check "a user without rights is refused" \
	refused 4 "permission" setpriv --reuid=65534 --regid=65534 \
	--clear-groups "$smi" set -t compact -i 0 -y
tap_check "so is the root of a user namespace" \
	refused 4 "permission" unshare -Urn "$smi" set -t compact -i 0 -y

tap_end
