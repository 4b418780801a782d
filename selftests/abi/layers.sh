#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The layers of the tree: which files may include and call which others.
# Comments are blanked before the search.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

# Print C without comments, with line numbers kept: FILE:LINE:TEXT for each line
# that matches the extended regular expression $1 in the files after it.
uses()
{
	pattern=$1
	shift
	for file; do
		[ -f "$file" ] || continue
		perl -0777 -pe '
			s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*")}{
				my $s = $1;
				$s =~ /^"/ ? $s : $s =~ s/[^\n]//gr
			}gse' "$file" | grep -nE -- "$pattern" |
			sed "s|^|$file:|"
	done
	return 0
}

files()
{
	find "$@" -name '*.[ch]' 2>/dev/null | sort
}

includes()
{
	allowed=$1
	shift
	uses '^[[:space:]]*#[[:space:]]*include' "$@" |
		grep -vE -- "[<\"]($allowed)[>\"]"
}

# Print the entries of $1 that are not named by the alternatives in $2.
except()
{
	echo "$1" | grep -vE "^($2)\$"
}

uapi=$(files uapi)
core=$(files driver/core)
core_names=$(echo "$core" | sed 's|.*/||' | paste -sd '|' | sed 's/\./\\./g')
core_names="$core_names|normal_table\.h"	# which the build generates
driver=$(except "$(files driver)" 'driver/(core|tests)/.*')
lib=$(files lib/src)
ops=$(files lib/ops)
ops_names=$(echo "$ops" | sed 's|.*/||' | paste -sd '|' | sed 's/\./\\./g')
tools=$(files tools/common tools/vnpu-smi tools/vnpu-bench tools/vnpu-plan \
	tools/vnpu-prof tools/vnpu-model tools/atc)
# The benchmarks that use nodes of other drivers.
peers='tools/vnpu-bench/(peer\.c|drm_abi\.h)'
# The benchmark that uses the device without the library.
ring='tools/vnpu-bench/ring\.c'

locks='(raw_)?spin_|mutex_|rw_|down_|up_|rcu_'
clocks='ktime_|jiffies'
prints='printk|printf|(pr|dev)_[a-z]+\('
user='copy_(to|from)_user|copy_struct_from_user|copyin|copyout'
user="$user|(__)?(get|put)_user|(clear|strncpy_from|memdup)_user"
abi=$(sed -n 's/^struct \(vnpu_[a-z_]*\) {/\1/p' uapi/linux/vnpu.h |
	paste -sd '|')

tap_silent "rooms: no include goes up, and headers declare functions of their room" \
	selftests/abi/rooms.py

tap_silent "architecture.md and reasons.md name rooms and functions that exist" \
	selftests/abi/names.py

tap_silent "exported functions set the name of the call" \
	selftests/abi/calls.py

# Word splitting of the lists is intended from here on.
# shellcheck disable=SC2046,SC2086
{
tap_silent "uapi headers include only linux/types.h, ioctl.h and vnpu.h" \
	includes 'linux/types\.h|linux/ioctl\.h|linux/vnpu\.h' $uapi

tap_silent "driver/core includes only its own headers" \
	includes "$core_names" $(except "$core" 'driver/core/core_internal\.h')

tap_silent "driver/core has no locks, clocks, user pointers or prints" \
	uses "\\<($locks|$clocks|$user|__user|$prints)" $core

tap_silent "only the driver's edge touches user memory" \
	uses "\\<($user)" \
	$(except "$driver" \
		'driver/(ioctl/(engine|ioctl|file)|va/copy|device/sysfs|netlink/netlink)\.[ch]')

tap_silent "only the driver's edge knows the structs of the ABI" \
	uses "struct ($abi)\\>" \
	$(except "$driver" 'driver/(ioctl/.*|device/sysfs|netlink/netlink)\.[ch]')

tap_silent "driver/compat.h alone tests kernel versions" \
	uses 'LINUX_VERSION_CODE|KERNEL_VERSION' \
	$(except "$driver $core" 'driver/compat\.h') $core

tap_silent "in the library io.c alone calls ioctl" \
	uses '\<ioctl\>|sys/ioctl\.h' $(except "$lib" 'lib/src/io/io\.c')

tap_silent "in the library io.c and io_*.c alone know the ABI" \
	uses "linux/vnpu\.h|struct ($abi)\>" \
	$(except "$lib" 'lib/src/io/.*')

tap_silent "the operator engine includes only its own headers and those of libc" \
	includes "(\.\./|vec/)*($ops_names)|immintrin\.h|(errno|math|std[a-z]*|string)\.h" \
	$ops

tap_silent "the operator engine has no locks, clocks or system calls" \
	uses '\<(pthread_|clock_|(ioctl|mmap|open|read|write|syscall)\()' $ops

tap_silent "tools call no ioctl and read no debugfs" \
	uses '\<ioctl\>|sys/ioctl\.h|/sys/kernel/debug' \
	$(except "$tools" "$peers|$ring")

tap_silent "in the benchmark, only the ring uses the driver's interface" \
	uses 'linux/vnpu|VNPU_IOCTL' \
	$(except "$(files tools/vnpu-bench)" "$ring|.*\.mk")

tap_silent "the peers do not use the driver" \
	uses '/dev/vnpu|vnpu\.h' $(echo "$tools" | grep -E "^$peers\$")
}
tap_end
