#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Load and unload the module. Invalid parameters are refused, each with its
# errno and a message that names the parameter; valid ones are accepted. The
# module does not unload while it is in use, and the arena has no contents after
# a reload. At the end the module is loaded with its former parameters.
#
# Runs as root from the top of the source tree, with the module loaded.

set -u

B=${B:-build}
module=$B/kmod/$(uname -r)/vnpu.ko
probe=$B/selftests/isolation/probe
params=/sys/module/vnpu/parameters

n=0
failed=0

result()
{
	local ok=$1
	shift
	n=$((n + 1))
	if [ "$ok" -eq 0 ]; then
		echo "ok $n $*"
	else
		echo "not ok $n $*"
		failed=$((failed + 1))
	fi
}

note()
{
	echo "# $*"
}

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit 4
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
[ -f "$module" ] || skip_all "no $module"
[ -d "$params" ] || skip_all "the module is not loaded"

# A string parameter that was not set reads as "(null)".
param()
{
	local value
	value=$(cat "$params/$1")
	[ "$value" = "(null)" ] || echo "$value"
}

ndevs=$(param ndevs)
arena=$(param arena)
region=$(param region)
soc=$(param soc)
original=(ndevs="$ndevs" soc="$soc" ${arena:+arena="$arena"} ${region:+region="$region"})

is_loaded()
{
	[ -d /sys/module/vnpu ]
}

unload()
{
	! is_loaded || rmmod vnpu
}

restore()
{
	unload && insmod "$module" "${original[@]}"
}

# A copy, since it is read more than a hundred times.
tmp=$(mktemp -d)
cp "$module" "$tmp/vnpu.ko"
module=$tmp/vnpu.ko
mkfifo "$tmp/in" "$tmp/out"
trap 'restore; rm -rf "$tmp"' EXIT

# bytes SIZE: print a size in the module's notation in bytes.
bytes()
{
	case $1 in
	*[kK])	echo $((${1%?} << 10)) ;;
	*[mM])	echo $((${1%?} << 20)) ;;
	*[gG])	echo $((${1%?} << 30)) ;;
	*)	echo $(($1)) ;;
	esac
}

# try_load NAME=VALUE...: set $error to insmod's message, and write $mark to the
# kernel's log before the kernel's messages.
marks=0
try_load()
{
	local status
	marks=$((marks + 1))
	mark="vnpu-selftest $$ $marks"
	echo "$mark" >/dev/kmsg
	error=$(insmod "$module" "$@" 2>&1)
	status=$?
	error=${error##*: }
	return $status
}

# refuse ERROR PARAMETER NAME=VALUE...: the last word is wrong. ERROR is
# insmod's message, with alternatives separated by |. The log must name
# PARAMETER; judge checks this for all loads at once.
refused=()
faults=()
refuse()
{
	local errors=$1 name=$2 fault=
	shift 2

	if try_load "$@"; then
		fault="was loaded"
		unload
	elif ! [[ $error =~ ^($errors)$ ]]; then
		fault="insmod: $error"
	elif is_loaded || [ -e /dev/vnpu ]; then
		fault="something was left behind"
	fi
	refused+=("$mark|$name|$*")
	faults+=("$fault")
}

judge()
{
	local i mark name what said

	dmesg >"$tmp/log"
	for i in "${!refused[@]}"; do
		IFS='|' read -r mark name what <<<"${refused[i]}"
		said=$(sed -e "1,/$mark\$/d" -e '/vnpu-selftest/,$d' "$tmp/log")
		if [ -n "${faults[i]}" ]; then
			note "${faults[i]}"
			result 1 "refused: $what"
		elif ! grep -q "vnpu: .*$name" <<<"$said"; then
			note "the log does not name $name: $said"
			result 1 "refused: $what"
		else
			result 0 "refused: $what"
		fi
	done
	refused=()
	faults=()
}

# accept NDEVS BYTES NAME=VALUE...: the module must load with NDEVS devices of
# BYTES each.
accept()
{
	local count=$1 bytes=$2 good=1
	shift 2

	if ! try_load "$@"; then
		note "insmod: $error"
	elif [ "$("$probe" list | uniq -c | xargs)" != "$count $bytes" ]; then
		note "count and size: $("$probe" list | uniq -c | xargs)"
	elif ! unload; then
		note "does not unload"
	elif [ -e /dev/vnpu ]; then
		note "/dev/vnpu is still there"
	else
		good=0
	fi
	is_loaded && unload
	result $good "accepted: ${*:-no parameters}"
}

# in_use KIND: the module does not unload while the node is held in this way.
in_use()
{
	local kind=$1 good=1 answer tries=100

	"$probe" hold "$kind" <"$tmp/in" >"$tmp/out" &
	exec 8>"$tmp/in" 9<"$tmp/out"
	read -r -u 9 answer
	if [ "$answer" != ready ]; then
		note "cannot hold it"
	else
		answer=$("$probe" unload)
		if [ "$answer" != EAGAIN ] && [ "$answer" != EBUSY ]; then
			note "unload: $answer"
		elif rmmod vnpu 2>/dev/null; then
			note "rmmod unloads it"
		elif [ ! -e /dev/vnpu ]; then
			note "/dev/vnpu is gone"
		else
			good=0
		fi
	fi
	exec 8>&- 9<&-
	wait
	# An orphan is not a child of this shell, which cannot wait for it.
	while [ "$(cat /sys/module/vnpu/refcnt)" -ne 0 ] &&
			[ $((tries--)) -gt 0 ]; do
		sleep 0.05
	done
	result $good "in use by $kind: not unloaded"
}

invalid="Invalid parameters|Invalid argument"
range="Numerical result out of range"
busy="Device or resource busy"
nomem="Cannot allocate memory"

echo "TAP version 13"

for kind in file mapping orphan; do
	in_use $kind
done

"$probe" write && unload && insmod "$module" "${original[@]}" &&
	"$probe" scan
result $? "contents that a client left are gone after a reload"

unload
result $? "unloads when it is not in use"

refuse "$invalid" ndevs ndevs=0
refuse "$invalid" ndevs ndevs=65
refuse "$invalid|$range" ndevs ndevs=-1
refuse "$invalid|$range" ndevs ndevs=4294967297
refuse "$invalid" ndevs ndevs=two
refuse "$invalid" ndevs ndevs=2x
refuse "$invalid" ndevs ndevs=

refuse "$invalid" arena arena=0
refuse "$invalid" arena arena=1
refuse "$invalid" arena arena=4K
refuse "$invalid" arena arena=3M
refuse "$invalid" arena arena=2097153
refuse "$invalid" arena arena=-2M
refuse "$invalid" arena arena=2MM
refuse "$invalid" arena arena=2M,
refuse "$invalid" arena arena=M
refuse "$invalid" arena arena=much
refuse "$invalid" arena arena=1E
refuse "$invalid" arena arena=99999999999999999999G
# Sizes that would be valid if they were truncated to 64 bits.
refuse "$invalid" arena arena=18446744073711648768
refuse "$invalid" arena arena=17592186044418M
refuse "$invalid" arena arena=0x10000000000200000
refuse "$nomem" arena arena=512G
refuse "$nomem" arena ndevs=64 arena=1G

refuse "$invalid" soc soc=
refuse "$invalid" soc soc=910
refuse "$invalid" soc soc=Ascend910B1x
refuse "$invalid" soc soc=910B1,310P
refuse "$invalid" soc "soc=$(printf '%01023d' 0)"

refuse "$invalid" host_quota host_quota=
refuse "$invalid" host_quota host_quota=-1
refuse "$invalid" host_quota host_quota=much
refuse "$invalid" host_quota host_quota=1Q

refuse "$invalid" region region=much
refuse "$invalid" region region=64M
refuse "$invalid" region 'region=64M$'
refuse "$invalid" region 'region=$0x30000000'
refuse "$invalid" region 'region=64M@0x30000000'
refuse "$invalid" region 'region=64M$0x30000000x'
refuse "$invalid" region 'region=0$0x30000000'
refuse "$invalid" region 'region=3M$0x30000000'
refuse "$invalid" region 'region=64M$0x30000001'
refuse "$invalid" region 'region=64M$0x30001000'
refuse "$invalid" region 'region=4M$0xffffffffffe00000'
refuse "$busy|$nomem" region 'region=2M$0xffffffffffe00000'
refuse "$busy|$nomem|$invalid" region 'region=64M$0x8000000000000'

# The kernel's code is memory that the kernel uses on any machine.
kernel=$(sed -n 's/^ *\([0-9a-f]*\)-.*Kernel code$/\1/p' /proc/iomem)
kernel=$((0x${kernel:-1000000} & ~0x1fffff))
refuse "$busy" region "region=2M\$$(printf '%#x' $kernel)"

if [ -n "$region" ]; then
	total=$(bytes "${region%%\$*}")
	base=$(bytes "${region#*\$}")
	at=$(printf '$%#x' $base)
	refuse "$invalid" region ndevs=2 arena="$total" "region=$total$at"
	refuse "$invalid" arena ndevs=2 "region=2M$at"
	refuse "$invalid" region arena=$((total + (2 << 20))) \
		"region=$total$at"
	# A region that extends beyond the reserved memory.
	refuse "$busy" region \
		"region=$total$(printf '$%#x' $((base - (32 << 20))))"

	judge
	accept 1 $total "region=$total$at"
	accept 2 $((total / 4)) ndevs=2 arena=$((total / 4)) "region=$total$at"
	accept 16 $((2 << 20)) ndevs=16 arena=2M "region=$total$at"
	accept 3 $((total / 3 & ~0x1fffff)) ndevs=3 "region=$total$at"
fi
judge
accept 1 $((2 << 20)) arena=2M
accept 1 $((2 << 20)) arena=2M soc=ascend910b3
accept 1 $((2 << 20)) ndevs=1 arena=0x200000
accept 4 $((16 << 20)) ndevs=4 arena=16M
accept 64 $((2 << 20)) ndevs=64 arena=2048K
accept 2 $((64 << 20)) arena=64m ndevs=2 region=

# The kernel's memory is in several runs; no run is as large as this.
said=
insmod "$module" arena=512M region= && said=$("$probe" exceed) && unload
good=$?
[ -z "$said" ] || note "the arena is $said"
result $good "a run longer than any free one is refused"

# Twenty times, with work in between and with different parameters.
good=0
for i in $(seq 20); do
	case $((i % 4)) in
	0) shape=(ndevs=2 arena=32M) ;;
	1) shape=("${original[@]}") ;;
	2) shape=(ndevs=1 "arena=$((2 * i))M") ;;
	3) shape=(ndevs="$i" arena=4M) ;;
	esac
	insmod "$module" "${shape[@]}" && "$probe" write && unload && continue
	note "round $i: ${shape[*]}"
	good=1
	break
done
result $good "loaded and unloaded 20 times"

# The memory that was written is about to be cleared, is being cleared, or was.
good=0
for i in $(seq 10); do
	insmod "$module" arena=64M region= scrub_ms=1 && "$probe" write &&
		sleep "0.00$((i - 1))" && unload && continue
	note "round $i"
	good=1
	break
done
result $good "unloaded while memory is cleared"

# While other processes open and close the node all the time.
"$probe" churn 4000 >/dev/null &
first=$!
"$probe" churn 4000 >/dev/null &
second=$!
rounds=0
end=$((SECONDS + 4))
while [ $SECONDS -lt $end ]; do
	is_loaded || insmod "$module" arena=4M
	[ "$("$probe" unload)" != unloaded ] || rounds=$((rounds + 1))
done
wait $first
good=$?
wait $second || good=1
note "$rounds rounds"
result $good "unloaded while other processes try to use it"

restore
good=$?
trap 'rm -rf "$tmp"' EXIT
for name in ndevs arena region; do
	[ "$(param $name)" = "${!name}" ] || good=1
done
result $good "loaded as before"

echo "1..$n"
[ $failed -eq 0 ]
