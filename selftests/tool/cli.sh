#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi's command line: accepted options, and the message and exit status of
# each mistake.

. selftests/tool/common.sh

version=$(sed -n 's/^VERSION[[:space:]]*:= *//p' Makefile)

prints()
{
	"$@" >"$tmp/out" 2>"$tmp/err" && [ -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
}

# The exit status that it returns, and the one in its help.
has_line()
{
	word=$1
	shift
	"$@" | grep -qE -- "$word"
}

usage()
{
	usage_word=$1
	shift
	tap_check "refused: vnpu-smi $*" refused 1 "$usage_word" "$smi" "$@"
}

no_device()
{
	no_device_word=$1
	shift
	tap_check "no such device: vnpu-smi $*" \
		refused 3 "$no_device_word" "$smi" "$@"
}

for option in -h --help; do
	tap_check "$option" prints "$smi" $option
	tap_check "info $option" prints "$smi" info $option
	tap_check "frag $option" prints "$smi" frag $option
	tap_check "set $option" prints "$smi" set $option
	tap_check "trace $option" prints "$smi" trace $option
	tap_check "coredump $option" prints "$smi" coredump $option
	tap_check "exporter $option" prints "$smi" exporter $option
	tap_check "inject $option" prints "$smi" inject $option
	for verb in events proc hccl wait health top snapshot diff "info watch"; do
		# shellcheck disable=SC2086 # a list of words
		tap_check "$verb $option" prints "$smi" $verb $option
	done
done
for option in -v --version; do
	tap_check "$option" same "vnpu-smi version: $version
" "$smi" $option
done
for status in 0 1 2 3 4 5 6 7 8; do
	tap_check "exit status $status is documented" \
		has_line "^  $status  " "$smi" --help
done

for options in "" "-i 0" -j --json "--id 0" "--id=0" -i0 "-i 00" -l --list -m \
	--mapping "-t memory" "-tmemory" "--type=usages" "-t proc-mem -i 0" \
	"-t memory -i 0 -c 0" "-t usages --id 0 --chip 0" "-lj" "-j -m" "-i 0 -l" \
	"-t frag" "-t frag -i 0 -c 0"
do
	# shellcheck disable=SC2086 # a list of words
	tap_check "accepted: info $options" prints "$smi" info $options
done

for options in "--fit 1" "-f 4K" "--fit=2M -C" "-f1G --page 2M -i 0" \
	"--fit 1T --contiguous -j" "-f 3 -p1G"
do
	# shellcheck disable=SC2086 # a list of words
	tap_check "accepted: frag $options" prints "$smi" frag $options
done

usage "'--fit' is needed" frag
usage "'--fit' is needed" frag --contiguous -i 0
usage "'-f'" frag -f
usage "go with '--fit'" frag --svg "$tmp/map" --json
usage "go with '--fit'" frag --svg "$tmp/map" -p 2M
usage "'-s' is given twice" frag -s "$tmp/map" --svg "$tmp/map"
usage "''" frag --fit ""
usage "'0'" frag --fit 0
usage "'0K'" frag --fit 0K
usage "'K'" frag --fit K
usage "'4k'" frag --fit 4k
usage "'4KB'" frag --fit 4KB
usage "'-1'" frag --fit -1
usage "'1.5G'" frag --fit 1.5G
usage "'8388608T'" frag --fit 8388608T
usage "'18446744073709551617'" frag --fit 18446744073709551617
usage "'-f' is given twice" frag -f 1 -f 1
usage "the page size must be" frag -f 1 -p 1M
usage "'-p' is given twice" frag -f 1 -p 2M -p 2M
usage "'-x'" frag -f 1 -x
usage "'--json'" frag -f 1 --json=1
usage "vnpu-smi frag --help" frag --bogus
usage "'all'" frag -f 1 all
usage "'x'" frag -f 1 -i x

usage "'-t' is needed" set
usage "'-t' is needed" set -i 0 -y
usage "'-i' is needed" set -t compact
usage "'bogus'" set -t bogus -i 0
usage "'-t' is given twice" set -t compact -t compact -i 0
usage "'all'" set -t compact -i 0 all
usage "no option of type quota" set -t compact -i 0 --uid 1
usage "'-i' is needed" set -t quota --uid 1 --limit 1
usage "'--client', '--uid' and '--cgroup' is needed" \
	set -t quota -i 0 --limit 1
usage "'--client', '--uid' and '--cgroup' is allowed" \
	set -t quota -i 0 --uid 1 --client 1 --limit 1
usage "'--limit' and '--remove' is needed" set -t quota -i 0 --uid 1
usage "'--limit' and '--remove' is needed" \
	set -t quota -i 0 --uid 1 --limit 1 --remove
usage "'--limit' is given twice" \
	set -t quota -i 0 --uid 1 --limit 1 --limit 1
usage "belong to no device" \
	set -t quota -i 0 --uid 1 --resource bindings --limit 1
usage "use '--uid'" \
	set -t quota --cgroup 1 --resource threads --limit 1
usage "memory.max" \
	set -t quota --cgroup 1 --resource host-memory --limit 1
usage "needs a size, not" set -t quota -i 0 --uid 1 --limit 1X
usage "needs a size, not" set -t quota -i 0 --uid 1 --limit -1
usage "not the number of a uid" set -t quota -i 0 --uid root --limit 1
usage "not the number of a client" set -t quota -i 0 --client 1K --limit 1
usage "not the number of a cgroup" set -t quota -i 0 --cgroup '' --limit 1
usage "'--limit' needs a value" set -t quota -i 0 --uid 1 --limit
usage "vnpu-smi set --help" set -x

usage "'0'" set -t reset -i 0 0
usage "takes no '-d'" set -t reset -i 0 -d 1
usage "takes no '-d'" set -t quota -i 0 --uid 1 --limit 1 -d 1
usage "'-d' is needed" set -t op-timeout
usage "applies to all devices" set -t op-timeout -d 1 -i 0
usage "applies to all devices" set -t op-timeout -d 1 --uid 1
usage "'1s'" set -t op-timeout -d 1s
usage "'4294967296'" set -t op-timeout -d 4294967296

usage "list, set or clear" inject
usage "'bogus'" inject bogus
usage "'-k'" inject -k engine-hang -i 0 set
usage "'list'" inject list list
usage "list takes" inject list -i 0
usage "'-i' is needed" inject clear
usage "'-i' is needed" inject set -k engine-hang
usage "'-k' is needed" inject set -i 0
usage "'-k' is needed" inject clear -i 0 -c 1
usage "'-k' is given twice" inject set -k engine-hang -k engine-hang -i 0
usage "'hang'" inject set -k hang -i 0
usage "'cube'" inject set -k engine-hang -i 0 -e cube
usage "'-e' is given twice" inject set -k engine-hang -i 0 -e copy -e copy
usage "'-e' is only for" inject set -k alloc-fail -i 0 -e copy
usage "'0'" inject set -k alloc-fail -i 0 -n 0
usage "'-1'" inject set -k alloc-fail -i 0 -n -1
usage "'1x'" inject set -k alloc-fail -i 0 -c 1x
usage "'18446744073709551616'" \
	inject set -k alloc-fail -i 0 -c 18446744073709551616
usage "'-n' is given twice" inject set -k alloc-fail -i 0 -n 1 -n 1
usage "'-d' is only for" inject set -k engine-slow -i 0
usage "'-d' is only for" inject set -k engine-hang -i 0 -d 1
usage "takes no '-n'" inject set -k engine-slow -i 0 -d 1 -n 1
usage "takes no '-n'" inject set -k engine-slow -i 0 -d 1 -p 1
usage "'-d' is only for" inject set -k core-slow -i 0
usage "'-d' is only for" inject set -k core-hang -i 0 -d 1
usage "'-p' cannot be combined with" inject set -k alloc-fail -i 0 -r 1 -p 1
usage "'1000001'" inject set -k alloc-fail -i 0 -p 1000001
usage "'0'" inject set -k alloc-fail -i 0 -r 0
usage "'-s' needs '-p'" inject set -k alloc-fail -i 0 -s 1
usage "'-s' is given twice" inject set -k alloc-fail -i 0 -p 1 -s 0 -s 0
usage "'x'" inject set -k alloc-fail -i 0 -p 1 -s x
usage "clear takes" inject clear -k engine-slow -i 0 -d 1
usage "clear takes" inject clear -k alloc-fail -i 0 -s 1
usage "'-a' is only for" inject set -k access-fault -i 0 -c 1
usage "'-a' is only for" inject set -k ecc-corrected -i 0 -c 1
usage "'-a' is only for" inject set -k alloc-fail -i 0 -a 0x1000
usage "'-e' is only for" inject set -k event-overrun -i 0 -e copy
usage "'-e' is only for" inject set -k core-slow -i 0 -d 1 -e copy
usage "'-d' is only for" inject set -k event-overrun -i 0 -d 1
usage "'-a' needs '-c'" inject set -k ecc-corrected -i 0 -a 0x1000
usage "'-a' is given twice" \
	inject set -k ecc-corrected -i 0 -c 1 -a 0x1000 -a 0x1000
usage "'-k' is needed" inject clear -i 0 -a 0x1000
usage "list takes" inject list -a 0x1000
usage "'--fields' needs '--format csv'" info --fields id
usage "unknown field 'bogus'" info --format csv --fields id,bogus
usage "unknown format 'xml'" info -t board --format xml
usage "'--format csv' exclude each other" info -j --format csv
usage "'--fields' is given twice" \
	info --format csv --fields id --fields id
usage "'--format' needs a value" set -t reset -i 0 --format
usage "belongs to another list" \
	info --format csv --fields engines.count,processes.pid
usage "go with '--fit'" frag --svg "$tmp/map" --format csv
usage "unknown field 'x'" coredump /dev/null --format csv --fields x
for address in 0 0x0 -1 0x 1000x 0xg 0x10000000000000000; do
	usage "'$address' is not an address" \
		inject set -k ecc-corrected -i 0 -c 1 -a $address
done
usage "vnpu-smi inject --help" inject set -x

usage "needs a terminal" top -d 1
usage "count 0 is invalid" top -n 0
usage "the delay must be" top -b -d 0.09
usage "the delay must be" top -b -d 3601
usage "'x'" top -n x
usage "unknown field 'bogus'" top --fields pid,bogus
usage "unknown format 'xml'" top --format xml
usage "'--format xml'" top --json --format xml
usage "'all'" top -b all

usage "count 0 is invalid" events -n 0
usage "'x'" events -n x
usage "'-n' is given twice" events -n 1 -n 1
usage "'bogus'" events -e bogus
usage "'1s'" events -t 1s
usage "'.5'" events -t .5
usage "'1.'" events -t 1.
usage "'4294967296'" events -t 4294967296
usage "'--format xml'" events -j --format xml
usage "unknown format 'xml'" events --format xml
usage "unknown field ''" events --fields ""
usage "unknown field 'bogus'" events --fields time,bogus
usage "unknown field 'tim'" events --fields tim
usage "too many fields" proc --fields "$(printf 'pid,%.0s' $(seq 30))pid"
usage "'--fields' cannot be combined with JSON" proc -j --fields pid
usage "'--format' is given twice" proc --format csv --format csv
usage "'--fields' needs a value" proc --fields
usage "'-x'" proc -rx
usage "'all'" proc all
usage "vnpu-smi proc --help" proc --bogus
usage "'--running'" proc --running=1
usage "one of '--free' and '--idle'" wait
usage "one of '--free' and '--idle'" wait --idle --free 1G
usage "'0'" wait --free 0
usage "'1g'" wait --free 1g
usage "'-i' and '-a'" wait --idle -i 0 -a

usage "'0.009x'" info watch -d 0.009x
usage "0.01 seconds" info watch -d 0.009
usage "count 0 is invalid" info watch -n 0
usage "'x'" info watch -s x
usage "''" info watch -s ""
usage "'-s' is for text" info watch -s a -j
usage "'-c' needs '-i'" info watch -c 0
usage "'all'" info watch all
usage "vnpu-smi info watch --help" info watch --bogus
usage "0.1 to 3600" top -d 0
usage "0.1 to 3600" top -d 3601
usage "needs a terminal" top
usage "'all'" health all

usage "no command"
usage "''" ""
usage "'top2'" top2
usage "'-x'" -x
usage "'--json'" --json info
usage "'--versions'" --versions
usage "'info'" -h info
usage "'2'" -v 2
usage "'all'" info all
usage "'0'" info 0
usage "'x'" info -- x
usage "'-x'" info -x
usage "'-x'" info -lx
usage "'--frob'" info --frob
usage "'--frob'" info --frob=1
usage "'--json'" info --json=1
usage "'--list'" info --list=x
usage "'-t'" info -t
usage "'--type'" info --type
usage "'-i'" info -i
usage "'--id'" info --id
usage "'-c'" info -t memory -i 0 -c
usage "unknown type ''" info -t ""
usage "'board2'" info -t board2
usage "'Memory'" info -t Memory
usage "'mem'" info -t mem
usage "''" info -i ""
usage "'x'" info -i x
usage "'-1'" info -i -1
usage "'+1'" info -i +1
usage "' 0'" info -i " 0"
usage "'0x0'" info -i 0x0
usage "'0,1'" info -i 0,1
usage "'1.0'" info -i 1.0
usage "'4294967296'" info -i 4294967296
usage "'18446744073709551616'" info -i 18446744073709551616
usage "'-l' and '-m'" info -l -m
usage "'-m' and '-l'" info -ml
usage "'-t' and '-l'" info -t memory -l
usage "'-l' is given twice" info -l -l
usage "'-t' is given twice" info -t memory -t usages
usage "'-i' is given twice" info -i 0 -i 0
usage "'-c' is given twice" info -t memory -i 0 -c 0 -c 0
usage "'-c' needs '-t'" info -i 0 -c 0
usage "'-c' needs '-t'" info -l -i 0 -c 0
usage "'-c' needs '-i'" info -t memory -c 0
usage "'q'" info -t memory -i 0 -c q
tap_check "refused: an argument that would write to the terminal" \
	refused 1 "'a?[31m?b'" "$smi" info "$(printf 'a\033[31m\nb')"

no_device "no such device" proc -i 99
no_device "chip 1" info watch -i 0 -c 1
no_device "device 99" info watch -i 99 -n 1
no_device "device 99" health -i 99
no_device "device 99" info -t topo -i 99
no_device "device 99" wait --idle -i 99
no_device "device 64" info -i 64
no_device "device 4294967295" info -i 4294967295
no_device "device 99" info -l -i 99
no_device "device 99" info -m -i 99 --json
no_device "device 99" info -t memory -i 99
no_device "device 99" info -t proc-mem -i 99 -c 0
no_device "device 99" info -t frag -i 99
no_device "no such device" set -t compact -i 99 -y
no_device "no such device" set -t reset -i 99 -y
no_device "no such device" inject set -k engine-hang -i 99 -y
no_device "no such device" inject clear -i 99 -y
no_device "device 99" frag --fit 1 -i 99
no_device "chip 1" info -t memory -i 0 -c 1
no_device "chip 4294967295" info -t usages -i 0 -c 4294967295

full()
{
	full_status=0
	"$@" >/dev/full 2>"$tmp/err" || full_status=$?
	[ $full_status -eq 7 ] && grep -q 'No space left' "$tmp/err"
}

for options in -h -v info "info --json" "info -l" "info -t frag" "frag -f 1"; do
	# shellcheck disable=SC2086 # a list of words
	tap_check "a full disk is noticed: $options" full "$smi" $options
done

closed()
{
	closed_status=0
	"$@" >&- 2>"$tmp/err" || closed_status=$?
	[ $closed_status -eq 7 ]
}

tap_check "a closed standard output is noticed" closed "$smi" info

tap_end
