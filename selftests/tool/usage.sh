#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi's usage of engines and streams: busy while they work, and not after.

. selftests/tool/common.sh

busy=$B/selftests/tool/busy

# usage LABEL: the value in the info -t usages in $tmp/out.
usage()
{
	sed -n "s/^	$1 Usage Rate(%) *: //p" "$tmp/out"
}

view()
{
	"$@" >"$tmp/out" && cat "$tmp/out"
}

idle()
{
	view "$smi" info -t usages -i 0 && [ "$(usage Aicore)" = 0 ] &&
		[ "$(usage Aivector)" = 0 ] && [ "$(usage 'Copy Engine')" = 0 ]
}
tap_check "engines that have not run are not busy" idle

vector()
{
	view "$busy" -k vector "$smi" info -t usages -i 0 &&
		[ "$(usage Aicore)" -gt 50 ] && [ "$(usage Aicore)" -le 100 ] &&
		[ "$(usage Aivector)" = "$(usage Aicore)" ] &&
		[ "$(usage 'Copy Engine')" = 0 ]
}
tap_check "vector engines are busy" vector

copy()
{
	view "$busy" -k copy "$smi" info -t usages -i 0 &&
		[ "$(usage 'Copy Engine')" -gt 50 ] &&
		[ "$(usage 'Copy Engine')" -le 100 ] && [ "$(usage Aicore)" = 0 ]
}
tap_check "copy engines are busy" copy

waiting()
{
	view "$busy" -k wait "$smi" info -t usages -i 0 &&
		[ "$(usage Aicore)" -le 2 ] && [ "$(usage 'Copy Engine')" -le 2 ]
}
tap_check "to wait is not to be busy" waiting

tap_check "and when it is over they are not busy" idle

# The column AICore(%) of device 0.
aicore()
{
	sed -n '/^| 0  *|/{s/.*| \([0-9]*\) .*\/.*\/.*/\1/p;q}' "$tmp/out"
}

table()
{
	view "$busy" -k vector "$smi" info &&
		[ "$(aicore)" -gt 50 ] && [ "$(aicore)" -le 100 ] &&
		! grep -qvE '^[|+].{97}[|+]$' "$tmp/out"
}
table_idle()
{
	view "$smi" info && [ "$(aicore)" = 0 ]
}
tap_check "the table shows that none is" table_idle
tap_check "... and that one is" table

streams()
{
	# shellcheck disable=SC2016 # for the inner shell
	view "$busy" -k vector -s 5 sh -c '
		echo $BUSY_PID >"$tmp/pid"; "$smi" info -t stream -i 0' &&
		[ "$(wc -L <"$tmp/out")" -le 80 ] &&
		[ "$(awk -v pid="$(cat "$tmp/pid")" '
			$2 == pid && ($4 == "running" || $4 == "ready") &&
			$5 > 0 && $5 <= 2048 && $9 == 0	{ n++ }
			END				{ print n + 0 }' \
			"$tmp/out")" = 5 ]
}
tap_check "streams are shown at work" streams

# shellcheck disable=SC2016 # for awk
export three_wait='
	$4 == "blocked" && $5 == 2000 && $6 == 0 && $7 == "wait" && $8 >= 100 { n++ }
	END { exit n != 3 }'

# Soon: an engine has to reach these tasks, and 100 ms have to pass.
blocked()
{
	# shellcheck disable=SC2016 # for the inner shell
	"$busy" -k wait -s 3 sh -c '
		for _ in $(seq 300); do
			"$smi" info -t stream -i 0 >"$tmp/out" || exit
			awk "$three_wait" "$tmp/out" && exit
			sleep 0.1
		done
		exit 1'
	blocked_status=$?
	cat "$tmp/out"
	return $blocked_status
}
tap_check "streams are shown to wait, and for how long" blocked

tap_check "none is left" same "	NPU ID                         : 0
	Chip Count                     : 1

	No stream in device.
	Chip ID                        : 0

" $smi info -t stream -i 0

tap_end
