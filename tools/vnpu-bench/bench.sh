#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the benchmarks, in a machine for each kernel and on the host, and write
# down what they say:
#
#	bench.sh [-q] DOCUMENT KERNEL...
#
# With -q as short as it can be: to see that it works. In a machine it calls
# itself, to bring about what peers need first:
#
#	bench.sh --inside BUILD [OPTION...]

set -u
cd "$(dirname "$0")/../.." || exit 2

B=${B:-build}

if [ "${1-}" = --inside ]; then
	build=$2
	shift 2
	modprobe vgem
	# For two buffers of the largest size, and what is in between.
	sysctl -qw vm.nr_hugepages=200
	exec "$build/bin/vnpu-bench" all --json "$@"
fi

# Of a replay; what is refused of 1000000 is the same share to within 2 points.
options=(--ops 200000)
pool_options=()
if [ "${1-}" = -q ]; then
	options=(--rounds 1 --turn 1 --live 500 --ops 500)
	pool_options=(--rounds 1 --turn 1 --test latency)
	shift
fi
[ $# -ge 2 ] || {
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
document=$1
shift

commit=$(git describe --always --dirty --abbrev=12 2>/dev/null) ||
	commit="no repository"
processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
load=$(cut -d ' ' -f 1 /proc/loadavg)

# By what the machine runs: told by vnpu-vm, where it is told.
accelerator()
{
	tools/vnpu-vm/vnpu-vm --no-module -v -- true 2>&1 |
		grep -q -- '-accel kvm' && echo "KVM" || echo "emulation (TCG)"
}

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
kernels=()
for kernel; do
	echo "==> measuring on Linux $kernel, some minutes" >&2
	tools/vnpu-vm/vnpu-vm --kernel "$kernel" --arena 1G --mem 2G -- \
		tools/vnpu-bench/bench.sh --inside "$B" "${options[@]}" \
		>"$tmp/$kernel" || exit
	kernels+=(--kernel "$kernel=$tmp/$kernel")
done
echo "==> measuring on the host" >&2
"$B/selftests/core/bench" --json >"$tmp/core" || exit
"$B/selftests/core/bench-objects" --json >"$tmp/objects" || exit
"$B/bin/vnpu-bench" pool --json "${pool_options[@]}" >"$tmp/pool" || exit
tools/vnpu-bench/performance.py "${kernels[@]}" --core "$tmp/core" \
	--objects "$tmp/objects" --pool "$tmp/pool" \
	--about "commit=$commit" \
	--about "host=$(nproc) processors, $processor" \
	--about "load at the start=$load" \
	--about "machine=vnpu-vm, $(accelerator), 2 processors, 2 GiB, and 1 GiB of arena" \
	--about "date=$(date -u +%F)" \
	tools/vnpu-bench/reasons.txt >"$tmp/document" || exit
cat "$tmp/document" >"$document"
echo "==> $document is written" >&2
