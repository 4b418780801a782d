#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi's text: npu-smi's layout to the byte, with the right numbers. Scripts
# for npu-smi work without changes.

. selftests/tool/common.sh

version=$(sed -n 's/^VERSION[[:space:]]*:= *//p' Makefile)
driver=$(cat /sys/module/vnpu/version)
count=$($query | wc -l)
total_mib=$(($($query | awk 'NR == 1 { print $3 }') / MIB))
uuid=$($query | awk 'NR == 1 { print $6 }')
name=$($query | awk 'NR == 1 { print $8 }')

# The tool under the name that scripts use.
mkdir "$tmp/bin"
ln -s "$(realpath "$smi")" "$tmp/bin/npu-smi"
PATH=$tmp/bin:$PATH

thin=\
+---------------------------+---------------+-----------------------------------------------------+
thick=\
+===========================+===============+=====================================================+

# expected_table HUGE: print what npu-smi prints for the 910B family, with the
# same spaces, from the facts in $tmp/query and the processes on device 0, whose
# lines "PID:NAME:MB" are in $tmp/processes.
expected_table()
{
	echo "+-----------------------------------------------------------------\
--------------------------------+"
	printf '| npu-smi %-24s Version: %-53s |\n' "$version" "$driver"
	echo "$thin"
	echo "| NPU   Name                | Health        | Power(W)    Temp(C)\
           Hugepages-Usage(page) |"
	echo "| Chip                      | Bus-Id        | AICore(%)   \
Memory-Usage(MB)  HBM-Usage(MB)         |"
	echo "$thick"
	huge=$1
	while read -r id _ total free _ _ bus_id name; do
		printf '| %-5d %-20s| %-13s | 0.0         0                 ' \
			"$id" "$name" OK
		printf '%-6d/ %-13d |\n' "$huge" $((total / MIB / 2))
		printf '| 0                         | %-13s | ' "$bus_id"
		printf '0           0    / 0          %-6d/ %-13d |\n' \
			$(((total - free) / MIB)) $((total / MIB))
		echo "$thick"
		huge=0
	done <"$tmp/query"

	echo "$thin"
	echo "| NPU     Chip              | Process id    | Process name        \
     | Process memory(MB)       |"
	echo "$thick"
	while read -r id _; do
		if [ "$id" -eq 0 ] && [ -s "$tmp/processes" ]; then
			while IFS=: read -r pid name mib; do
				printf '| 0       0                 | '
				printf '%-13d | %-24s | %-24d |\n' \
					"$pid" "$name" "$mib"
			done <"$tmp/processes"
		else
			printf '| No running processes found in NPU %-7d' "$id"
			printf '%54s |\n' ''
		fi
		echo "$thick"
	done <"$tmp/query"
}

# Save a table in $tmp/actual, and the facts of the same moment.
take_table()
{
	$query >"$tmp/query" && $smi info >"$tmp/actual"
}

table_is_right()
{
	expected_table "$1" >"$tmp/expected"
	diff -u "$tmp/expected" "$tmp/actual"
}

idle_table()
{
	: >"$tmp/processes"
	take_table && table_is_right 0
}
tap_check "the table of idle devices, to the byte" idle_table

busy_table()
{
	# Four processes with two clients of 3 MiB each, and one with a page.
	# shellcheck disable=SC2016 # for the inner shells
	$hold -n 'last one' 4096 sh -c '
		export HOLD_LAST="$HOLD_PIDS"
		$hold -p 4 -c 2 -n worker $((3 * MIB)) sh -c "
			\$query >\$tmp/query && \$smi info >\$tmp/actual
			echo \$HOLD_LAST:last one:0
			printf \"%d:worker:6\\\\n\" \$HOLD_PIDS"' \
		>"$tmp/unsorted" || return 1
	sort -n "$tmp/unsorted" >"$tmp/processes"
	[ "$(wc -l <"$tmp/processes")" -eq 5 ] && table_is_right 0
}
tap_check "the table of a busy device, to the byte" busy_table

huge_table()
{
	# shellcheck disable=SC2016 # for the inner shell
	$hold -h -n huge $((9 * MIB)) sh -c '
		echo "$HOLD_PIDS:huge:10" >"$tmp/processes"
		$query >"$tmp/query" && $smi info >"$tmp/actual"' &&
		table_is_right 5
}
tap_check "huge pages are counted" huge_table

# A name that would break the frame or control the terminal.
frame_holds()
{
	$hold -n "$(printf 'a|b\n\033[7m\351\342\200\256|')" 4096 \
		$smi info >"$tmp/actual" || return 1
	cat "$tmp/actual"
	grep -qF '| a?b??[7m???              |' "$tmp/actual" &&
		[ "$(wc -L <"$tmp/actual")" -eq 99 ] &&
		! grep -qvE '^[|+].{97}[|+]$' "$tmp/actual"
}
tap_check "a hostile name keeps to its cell" frame_holds

wide_name()
{
	$hold -n '显存设备' 4096 $smi info >"$tmp/actual" || return 1
	grep -F '| 显存设备                 |' "$tmp/actual"
}
tap_check "a name in wide characters keeps to its columns" wide_name

only_one()
{
	$smi info -i $((count - 1)) | awk -v id=$((count - 1)) '
		$1 == "|" && $2 ~ /^[0-9]+$/ && /OK/ && $2 != id	{ bad = 1 }
		END					{ exit bad || NR != 14 }'
}
tap_check "-i leaves one device" only_one

opened_only()
{
	# shellcheck disable=SC2016 # for the inner shell
	$hold -c 3 0 sh -c '$smi info && $smi info -t proc-mem -i 0' |
		tee "$tmp/actual" | grep -c '^| No running processes found in NPU' |
		grep -qx "$count" &&
		grep -q '^	No process in device\.$' "$tmp/actual"
}
tap_check "a process that only opened the device is not listed" opened_only

# A typical script, which was not written for vnpu.
cat >"$tmp/script" <<'END'
npu-smi info | awk -F '|' '
/NPU +Chip/		{ in_processes = 1 }
!in_processes && $2 ~ /^ *[0-9]+ +[A-Za-z0-9]+ *$/ {
	split($2, id, " ")
	gsub(/ /, "", $3)
	health = $3
	next
}
!in_processes && $2 ~ /^ *[0-9]+ *$/ {
	n = split($4, cells, /[ \/]+/)
	print "device", id[1], id[2], health, cells[n - 2], cells[n - 1]
}
in_processes && $3 ~ /^ *[0-9]+ *$/ {
	split($2, id, " ")
	print "process", id[1], $3 + 0, $4, $5 + 0
}' | tr -s ' '
npu-smi info | grep -A 1 '^| 0 ' | sed -n 2p | awk '{ print $(NF-1), $(NF-3) }'
npu-smi info -l | grep 'NPU ID' | awk '{ print $4 }' | sort -n | tail -n 1
npu-smi info -t usages -i 0 | grep 'HBM Capacity(MB)' | awk -F: '{ print $2 + 0 }'
npu-smi info -t usages -i 0 -c 0 | grep 'HBM Usage Rate(%)' | awk -F: '{ print $2 + 0 }'
npu-smi info -t proc-mem -i 0 | grep -o 'Process id:[0-9]*' | cut -d: -f2
npu-smi info -m | awk 'NR > 1 && $3 ~ /^[0-9]+$/ { print $1, $2, $3 }' | tail -n 1
END

old_script()
{
	export script="$tmp/script"
	# shellcheck disable=SC2016 # for the inner shell
	$hold -n trainer $((64 * MIB)) sh -c '
		echo "$HOLD_PIDS" >"$tmp/pid"
		sh "$script" >"$tmp/actual"' || return 1
	pid=$(cat "$tmp/pid")
	{
		echo "device 0 $name OK 64 $total_mib"
		i=1
		while [ $i -lt "$count" ]; do
			echo "device $i $name OK 0 $total_mib"
			i=$((i + 1))
		done
		echo "process 0 $pid trainer 64"
		echo "$total_mib 64"
		echo $((count - 1))
		echo "$total_mib"
		echo $((64 * 100 / total_mib))
		echo "$pid"
		echo "$((count - 1)) 0 $((count - 1))"
	} >"$tmp/expected"
	diff -u "$tmp/expected" "$tmp/actual"
}
tap_check "a script that was written for npu-smi" old_script

tap_check "info -l" same "	Total Count                    : 1

	NPU ID                         : 0
	Product Name                   : $name
	Serial Number                  : $uuid
	Chip Count                     : 1

" $smi info -l -i 0

tap_check "info -m" same "\
	NPU ID                         Chip ID                        Chip Logic ID\
                  Chip Phy-ID                    Chip Name
	0                              0                              0            \
                  0                              $name
" $smi info -m -i 0

facts="	DDR Capacity(MB)               : 0
	DDR Clock Speed(MHz)           : NA
	HBM Capacity(MB)               : $total_mib
	HBM Clock Speed(MHz)           : NA
	HBM Temperature(C)             : NA
	HBM Manufacturer ID            : NA
"
head="	NPU ID                         : 0
	Chip Count                     : 1

"
tail="	Chip ID                        : 0

"
tap_check "info -t memory" same "$head$facts$tail" $smi info -t memory -i 0
tap_check "info -t memory of a chip" \
	same "$facts" $smi info -t memory -i 0 -c 0

tap_check "info -t usages" same "$head\
	DDR Capacity(MB)               : 0
	DDR Usage Rate(%)              : 0
	DDR Hugepages Total(page)      : 0
	DDR Hugepages Usage Rate(%)    : 0
	HBM Capacity(MB)               : $total_mib
	HBM Usage Rate(%)              : $((33 * 100 / total_mib))
	Aicore Usage Rate(%)           : 0
	Aivector Usage Rate(%)         : 0
	Aicpu Usage Rate(%)            : NA
	Ctrlcpu Usage Rate(%)          : NA
	DDR Bandwidth Usage Rate(%)    : NA
	HBM Bandwidth Usage Rate(%)    : NA
	NPU Utilization(%)             : 0
	Aicube Usage Rate(%)           : NA
	Copy Engine Usage Rate(%)      : 0
$tail" $hold $((33 * MIB)) $smi info -t usages -i 0

tap_check "info -t proc-mem of an idle device" \
	same "$head	No process in device.
$tail" $smi info -t proc-mem -i 0

proc_mem()
{
	# shellcheck disable=SC2016 # for the inner shell
	$hold -n "$(printf 'a\tb')" -c 2 $((5 * MIB)) sh -c '
		printf "\tProcess id:%-7d Process name:%-17s %s\n" \
			"$HOLD_PIDS" "a?b" "Process memory(MB):10" \
			>"$tmp/expected"
		$smi info -t proc-mem -i 0 -c 0' >"$tmp/actual" &&
		diff -u "$tmp/expected" "$tmp/actual"
}
tap_check "info -t proc-mem" proc_mem

all_devices()
{
	$smi info -t memory | grep -c 'NPU ID' | grep -qx "$count" &&
		$smi info -l | grep -qx "	Total Count                    : $count" &&
		[ "$($smi info -m | wc -l)" -eq $((count + 1)) ]
}
tap_check "without -i all devices are shown" all_devices

tap_end
