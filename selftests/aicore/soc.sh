#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The profiles of chips, as host code and kernels see them: Documentation/launch.md.
# Each is selected by VNPU_SOC for the process, and by the module's parameter soc
# for the devices. At the end the module is loaded with its former parameters.
#
# Runs as root from the top of the source tree, with the module loaded.

build=${B:-build}
module=$build/kmod/$(uname -r)/vnpu.ko
params=/sys/module/vnpu/parameters
device=/sys/class/vnpu/vnpu0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
count=0

result()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		sed 's/^/# /' "$out"
	fi
}

# check NAME LINE [VNPU_SOC=CHIP]: the program prints LINE.
check()
{
	name=$1 line=$2
	shift 2
	env LD_LIBRARY_PATH="$build/cann/lib64" "$@" \
		"$build/selftests/aicore/soc" >"$out" 2>&1
	grep -q "^$line\$" "$out"
	result $? "$name"
}

# load CHIP: load the module anew, once the last core has ended.
load()
{
	tries=100
	while ! rmmod vnpu && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	insmod "$module" ndevs="$ndevs" soc="$1" ${arena:+arena="$arena"} \
		${region:+region="$region"}
}

# shows NAME AI_CORES VECTOR_CORES: sysfs and vnpu-smi show them.
shows()
{
	[ "$(cat $device/soc)" = "$1" ] &&
		[ "$(cat $device/ai_cores)" = "$2" ] &&
		[ "$(cat $device/vector_cores)" = "$3" ] &&
		"$build/bin/vnpu-smi" info -t common -i 0 |
			grep "Aicore Count *: $2\$"
}

# A string parameter that was not set reads as "(null)".
param()
{
	sed 's/^(null)$//' "$params/$1"
}

ndevs=$(param ndevs)
arena=$(param arena)
region=$(param region)
soc=$(param soc)

# The error of a deadlock depends on the kinds of cores.
lines='310 Ascend310 cube 2 vector 2 memories 248 1024 64 64 256
310P Ascend310P3 cube 8 vector 8 memories 256 1024 64 64 256
910B1 Ascend910B1 cube 24 vector 48 memories 192 512 64 64 128
910B3 Ascend910B3 cube 20 vector 40 memories 192 512 64 64 128
950 Ascend950PR_9599 cube 32 vector 64 memories 248 512 64 64 256'
ends='all 0 more 50[0-9]*'

while read -r chip soc_name _ cubes _ vectors rest; do
	expected="$soc_name cube $cubes vector $vectors $rest $ends"
	check "$chip of a process" "$expected" VNPU_SOC="$chip"
	load "$chip" >"$out" 2>&1
	check "$chip of the devices" "$expected"
	shows "$soc_name" "$cubes" "$vectors" >"$out" 2>&1
	result $? "$chip in sysfs and vnpu-smi"
done <<EOF
$lines
EOF

load "$soc" >"$out" 2>&1
result $? "the module is loaded as before"
echo "1..$count"
