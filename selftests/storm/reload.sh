#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Load and unload the module repeatedly while processes open, use and close the
# node all the time: unloading is refused while the module is in use, and
# otherwise affects no process. VNPU_STORM multiplies rounds and time.
#
# Runs as root from the top of the source tree, with the module loaded.

set -u

B=${B:-build}
module=$B/kmod/$(uname -r)/vnpu.ko
probe=$B/selftests/isolation/probe
params=/sys/module/vnpu/parameters
rounds=$((50 * ${VNPU_STORM:-1}))
# A slow machine does fewer rounds in this time, but some.
seconds=$((60 * ${VNPU_STORM:-1}))
users=2

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
[ -f "$module" ] || skip_all "no $module"
[ -d "$params" ] || skip_all "the module is not loaded"

# A string parameter that was not set reads as "(null)".
original=()
for name in ndevs arena region; do
	value=$(cat "$params/$name")
	[ "$value" = "(null)" ] || original+=("$name=$value")
done
tmp=$(mktemp -d)
cp "$module" "$tmp/vnpu.ko"

restore()
{
	local end=$((SECONDS + 30))

	while [ -d "$params" ] && [ $SECONDS -lt $end ]; do
		"$probe" unload >/dev/null
	done
	insmod "$tmp/vnpu.ko" "${original[@]}"
}
trap 'restore; rm -rf "$tmp"' EXIT

churners=()
for _ in $(seq $users); do
	# They open the node as fast as they can, and must not prevent unloading
	# for ever.
	nice "$probe" churn 3600000 >/dev/null &
	churners+=($!)
done

# For each way to hold it: the module cannot be unloaded, and can be afterwards.
held=0
mkfifo "$tmp/in"
for kind in file mapping orphan; do
	[ -d "$params" ] || insmod "$tmp/vnpu.ko" "${original[@]}"
	exec {out}< <("$probe" hold $kind <"$tmp/in")
	exec {in}>"$tmp/in"
	read -r _ <&"$out"
	for _ in $(seq 20); do
		[ "$("$probe" unload)" = EAGAIN ] || held=1
	done
	exec {in}>&- {out}<&-
done

unloaded=0
refused=0
loaded=0
end=$((SECONDS + seconds))
while [ $unloaded -lt $rounds ] && [ $SECONDS -lt $end ]; do
	[ -d "$params" ] || insmod "$tmp/vnpu.ko" ndevs=$((unloaded % 3 + 1)) \
		arena=4M || { loaded=1; break; }
	# On a slow kernel they have it open nearly all the time. Starting a
	# program for each try would miss the moments in which they have not.
	read -r refusals answer < <("$probe" insist 1000)
	refused=$((refused + refusals))
	case $answer in
	unloaded) unloaded=$((unloaded + 1)) ;;
	EAGAIN)	;;
	*)	loaded=1
		break ;;
	esac
done
alive=0
for pid in "${churners[@]}"; do
	kill -0 "$pid" 2>/dev/null || alive=1
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
done
trap 'rm -rf "$tmp"' EXIT
left=$([ -d "$params" ] || insmod "$tmp/vnpu.ko"; "$probe" calm)
restore
restored=$?

n=0
failed=0
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=$((failed + 1))
	fi
}

echo "# unloaded $unloaded times, refused $refused times while in use"
result $held "a module in use is not unloaded"
result $loaded "it is loaded, unloaded or refused, and nothing else"
# All of them on a normal kernel; but 18 of 50 on the debug kernel of a busy
# host, besides 557 refusals.
result $((unloaded < rounds / 10)) "unloaded again and again"
result $alive "no user of the node was harmed"
[ "$left" = calm ] || echo "# $left"
result "$([ "$left" = calm ]; echo $?)" "nothing is left, and no process is stuck"
result $restored "loaded as before"
echo "1..$n"
[ $failed -eq 0 ]
