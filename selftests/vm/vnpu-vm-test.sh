#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of vnpu-vm: a command in it runs as on the host, and no error of the
# machine or its kernel counts as success of the command.

set -u
cd "$(dirname "$0")/../.." || exit 1
kernel=6.12
# shellcheck source=selftests/vm/machines.sh
. selftests/vm/machines.sh

help_needs_nothing()
{
	env -i PATH=/usr/bin:/bin HOME=/nonexistent \
		"$top/tools/vnpu-vm/vnpu-vm" --help | grep -q '^usage: vnpu-vm'
}

streams_are_apart()
{
	plain -- sh -c 'echo out; echo err >&2; echo more >/dev/stderr' \
		>out 2>err &&
		[ "$(cat out)" = out ] && [ "$(cat err)" = "err
more" ]
}

output_is_whole()
{
	head -c 20000000 /dev/urandom >random
	plain -- cat random >out && cmp random out
}

input_is_whole()
{
	head -c 5000000 /dev/urandom >random
	vm --no-module -- cat <random >out && cmp random out &&
		status 3 vm --no-module -- sh -c 'exit 3' <random
}

args_and_environment()
{
	local -a args=("a b" "" $'two\nlines' "'\"\\\$x" "*" $'\xff\xfe' "-v")

	export ODD=$'line\n\xff"\'$ =;'
	# shellcheck disable=SC2016 # expanded in the guest
	plain -- bash -c 'printf "%s\0" "$@" "$ODD" "$PWD" "$HOSTNAME"' \
		bash "${args[@]}" >out || return
	printf '%s\0' "${args[@]}" "$ODD" "$tmp" vnpu-vm >expected
	cmp out expected
}

directory_is_shared()
{
	mkdir -p "a, b"
	(cd "a, b" && plain -- sh -c \
		'echo new >file; mkdir d; echo gone >/etc/vnpu-vm-test') &&
		[ "$(cat "a, b/file")" = new ] && [ -d "a, b/d" ] &&
		[ ! -e /etc/vnpu-vm-test ]
}

leftovers_end()
{
	plain -- sh -c 'sleep 100000 & echo started' >out &&
		[ "$(cat out)" = started ]
}

guest_is_usable()
{
	# shellcheck disable=SC2016 # expanded in the guest
	plain -- sh -ec '
		[ "$(id -u)" = 0 ]
		unshare -U true
		unshare -pf --mount-proc true
		[ -d /sys/kernel/tracing/events ]
		[ -d "/lib/modules/$(uname -r)/kernel" ]
		[ "$VNPU_VM" = "$(uname -r)" ]
		modprobe vgem
		[ -n "$(ls /dev/dri)" ]
	'
}

refuses_root_directory()
{
	(cd / && plain -- true) 2>err
	[ $? -eq 125 ] && says "current directory is /"
}

bad_options()
{
	fails 125 usage: vm --no-such-option -- true &&
		fails 125 usage: vm --smp none -- true &&
		fails 125 usage: vm --devices 65 -- true &&
		fails 125 usage: vm --arena 0 -- true &&
		fails 125 usage: vm --param x -- true &&
		fails 125 usage: vm --icount --smp 2 -- true &&
		fails 125 usage: vm true &&
		fails 125 usage: vm -- &&
		fails 125 "no kernel 9.9" vm --kernel 9.9 -- true &&
		fails 125 "cannot read the kernel" vm --kernel ./none -- true &&
		fails 125 "not an x86 kernel" vm \
			--kernel "$top/Makefile" -- true &&
		fails 125 "cannot read the module" vm --module none -- true
}

# The end of the guest is not the end of the command.
guest_resets()
{
	fails 125 "before the command ended" \
		plain -- sh -c 'sync; echo b >/proc/sysrq-trigger; sleep 100'
}

dies_while_booting()
{
	fails 125 "did not boot" plain --cmdline rdinit=/none -- true
}

panics()
{
	fails 126 "sysrq triggered crash" \
		plain --dmesg log -- sh -c 'echo c >/proc/sysrq-trigger' &&
		grep -q 'Linux version' log
}

user_text_is_no_splat()
{
	plain --dmesg log -- sh -c 'for text in "WARNING: CPU: 0" "BUG: none" \
		"<0>Kernel panic - not syncing: no"; do
			echo "$text" >/dev/kmsg
		done' && grep -q 'WARNING: CPU' log && grep -q panic log
}

is_tainted()
{
	fails 126 tainted \
		plain -- sh -c 'echo 512 >/proc/sys/kernel/tainted'
}

three_at_once()
{
	local n pids=() failed=0

	for n in 1 2 3; do
		plain -- sh -c "echo $n; exit $n" >out.$n &
		pids+=($!)
	done
	for n in 1 2 3; do
		wait "${pids[n - 1]}"
		if [ $? -ne $n ] || [ "$(cat out.$n)" != $n ]; then
			failed=1
		fi
	done
	return $failed
}

# qemu_of MARK: find its process by a word of its command line
qemu_of()
{
	pgrep -f "qemu-system.*$1"
}

# dies_of SIGNAL: QEMU ends with vnpu-vm, and no file stays.
dies_of()
{
	local mark="vnpu_test.$1=$$" pid
	mkdir -p "tmp.$1"

	TMPDIR=$PWD/tmp.$1 "$top/tools/vnpu-vm/vnpu-vm" --kernel "$kernel" \
		--no-module --cmdline "$mark" -- sleep 1000 </dev/null &
	pid=$!
	for _ in {1..100}; do
		! qemu_of "$mark" >/dev/null || break
		sleep 0.1
	done
	sleep 2
	qemu_of "$mark" >/dev/null || return
	kill "-$1" $pid
	wait $pid
	for _ in {1..300}; do
		qemu_of "$mark" >/dev/null || break
		sleep 0.1
	done
	! qemu_of "$mark" && [ -z "$(ls -A "tmp.$1")" ]
}

broken_pipe()
{
	vm --no-module -- yes </dev/null | head -n 1 >out
	[ "${PIPESTATUS[0]}" -eq 141 ] && [ "$(cat out)" = y ]
}

terminal()
{
	local pid status

	mkfifo keys
	SHELL=/bin/sh timeout -k 10 "$limit" script -qec \
		"stty rows 33 cols 99; '$top/tools/vnpu-vm/vnpu-vm' \
		--kernel $kernel --no-module" out <keys >/dev/null &
	pid=$!
	exec 3>keys
	printf 'stty size; tty; exit 9\n' >&3
	wait $pid
	status=$?
	exec 3>&-
	[ $status -eq 9 ] && grep -q '33 99' out && grep -q /dev/pts/0 out
}

loads()
{
	# shellcheck disable=SC2016 # expanded in the guest
	with none --devices 3 -- sh -ec '
		cd /sys/module/vnpu/parameters
		[ "$(cat ndevs)" = 3 ]
		[ "$(cat arena)" = 1G ]
		[ "$(cat region)" = "0xc0000000\$0x100000000" ]
		! grep -q "^1[0-9a-f]*-.* : System RAM" /proc/iomem
	' && with none --no-carve -- grep -q null \
		/sys/module/vnpu/parameters/region
}

bad_modules()
{
	fails 125 "Numerical argument" with refuse -- true &&
		says "vnpu: told to refuse" &&
		fails 126 "told to warn" with warn -- true &&
		fails 126 "NULL pointer dereference" with oops -- true &&
		fails 126 "cannot unload" with hold -- true
}

tap_check "--help needs nothing" help_needs_nothing
tap_check "exit status 0" status 0 plain -- true
tap_check "exit status 7" status 7 plain -- sh -c 'exit 7'
# shellcheck disable=SC2016 # expanded in the guest
tap_check "death of a signal" status 143 plain -- sh -c 'kill $$'
tap_check "no such command" fails 127 "No such file" plain -- ./none
tap_check "standard output and error are apart" streams_are_apart
tap_check "20 MB of output are whole" output_is_whole
tap_check "standard input is whole, or may be ignored" input_is_whole
tap_check "odd arguments and environment" args_and_environment
tap_check "the current directory alone is shared" directory_is_shared
tap_check "processes left behind end" leftovers_end
tap_check "the guest is usable" guest_is_usable
tap_check "Linux 6.1" status 0 plain --kernel 6.1 -- true
tap_check "/ is refused" refuses_root_directory
tap_check "bad options" bad_options
tap_check "time-out" fails 124 "timed out" plain --timeout 8 -- sleep 1000
tap_check "the guest resets" guest_resets
tap_check "the guest does not boot" dies_while_booting
tap_check "the guest panics" panics
tap_check "logs of user space are not splats" user_text_is_no_splat
tap_check "taint" is_tainted
tap_check "three at once" three_at_once
tap_check "SIGTERM" dies_of TERM
tap_check "SIGKILL" dies_of KILL
tap_check "a reader that leaves" broken_pipe
tap_check "a shell in a terminal" terminal
tap_check "instruction counting" status 0 plain --icount -- true
tap_check "a module is built" build_module
tap_check "it is loaded, with its region" loads
tap_check "modules that go wrong" bad_modules
tap_end
