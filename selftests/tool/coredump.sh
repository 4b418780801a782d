#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi coredump: all of the dump of a reset device is parsed. dump_fuzz.c
# tests invalid dumps.

. selftests/tool/common.sh

busy=$B/selftests/tool/busy
dumps=/sys/class/devcoredump

if [ ! -d $dumps ]; then
	tap_skip "a dump of a device" "the kernel has no device coredumps"
	tap_end
fi

# An existing dump keeps a later one out.
forget()
{
	for forget_dump in $dumps/devcd*/data; do
		[ ! -e "$forget_dump" ] || echo 1 >"$forget_dump"
	done
}

# has LABEL VALUE: the text must have a line with this label and value
has()
{
	grep -qx "	$1 *: $2" "$tmp/text"
}

take()
{
	forget
	"$busy" -k vector -s 3 "$smi" set -t reset -i 0 -y &&
		cat $dumps/devcd*/data >"$tmp/dump" && cat "$tmp/dump" &&
		"$smi" coredump $dumps/devcd*/data >"$tmp/text" &&
		cat "$tmp/text"
}
tap_check "a dump is read from its place in sysfs" take
forget

head_of()
{
	cat "$tmp/text"
	has 'Kernel' "$(uname -r)" && has 'Reason' admin && has 'NPU ID' 0 &&
		has 'Time' '20[0-9-]*T[0-9:]*Z' && has 'UUID' '[0-9a-f-]*' &&
		[ "$(wc -L <"$tmp/text")" -le 80 ]
}
tap_check "it reports the reset device, the time and the reason" head_of

lines()
{
	cat "$tmp/text"
	[ "$(grep -cE "^	(copy|vector)[0-9]+ " "$tmp/text")" -eq \
		"$(grep -c ^engine "$tmp/dump")" ] &&
		[ "$(grep -cE "^	[0-9]+ .* (ready|running) " \
			"$tmp/text")" -eq "$(grep -c ^stream "$tmp/dump")" ] &&
		grep -q " fill " "$tmp/text"
}
tap_check "it lists all engines and streams" lines

json()
{
	"$smi" coredump --json "$tmp/dump" >"$tmp/json" &&
		PYTHONPATH=selftests/tool python3 -B - "$tmp/json" "$tmp/dump" <<-'END'
	import json, sys
	from schema import Schema
	with open(sys.argv[1], encoding="utf-8") as f:
	    dump = json.load(f)
	Schema("Documentation/vnpu-smi.schema.json").validate("coredump", dump)
	with open(sys.argv[2], encoding="utf-8") as f:
	    lines = [line.split() for line in f]
	for word, records in ("engine", dump["engines"]), ("stream", dump["streams"]):
	    dumped = [dict(pair.split("=") for pair in line[1:])
	            for line in lines if line[0] == word]
	    assert len(dumped) == len(records), word
	    for a, b in zip(dumped, records):
	        for key in a.keys() & b.keys() - {"stream", "client", "task"}:
	            if key != "ring_state":
	                assert a[key] == str(b[key]), (key, a, b)
	        assert ("task" in a) == (b["task"] is not None), (a, b)
	        assert "task" not in a or int(a["task"]) == b["task"]["seq"]
	END
}
tap_check "JSON has each of its numbers" json

tap_check "options may follow the file" "$smi" coredump "$tmp/dump" -j

sed '$d' "$tmp/dump" >"$tmp/part"
tap_check "a truncated dump is refused" refused 7 "is truncated" \
	"$smi" coredump "$tmp/part"
sed 's/ id=0 / id=x /' "$tmp/dump" >"$tmp/wrong"
tap_check "an invalid number is refused" refused 7 "line 3 has a wrong value of id" \
	"$smi" coredump "$tmp/wrong"
tap_check "an empty file is refused" refused 7 "is truncated" "$smi" coredump /dev/null
tap_check "an endless file is refused" refused 7 "too long" \
	"$smi" coredump /dev/zero
tap_check "no file" refused 7 "No such file" "$smi" coredump "$tmp/nosuch"
tap_check "a directory" refused 7 "directory" "$smi" coredump "$tmp"
chmod 600 "$tmp/dump"
tap_check "a file of another user" refused 4 "ermission" \
	setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$smi" coredump "$tmp/dump"
tap_check "no name" refused 1 "no file" "$smi" coredump
tap_check "two names" refused 1 "unexpected" "$smi" coredump a b
tap_check "an unknown option" refused 1 "bogus" \
	"$smi" coredump --bogus

tap_end
