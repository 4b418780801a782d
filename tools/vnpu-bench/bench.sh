#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the benchmarks, in a machine for each kernel and on the host. Write all
# figures to FIGURES, and the goals and reasons alone to GOALS:
#
#	bench.sh [-q] FIGURES GOALS KERNEL...
#
# -q makes the run as short as possible, to test that it works. Inside a machine
# the script calls itself to prepare what the peers need:
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

# For replay; the refused share is within 2 points of that of 1000000 requests.
options=(--ops 200000)
pool_options=()
if [ "${1-}" = -q ]; then
	options=(--rounds 1 --turn 1 --live 500 --ops 500)
	pool_options=(--rounds 1 --turn 1 --test latency)
	shift
fi
[ $# -ge 3 ] || {
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
figures=$1 goals=$2
shift 2

commit=$(git describe --always --dirty --abbrev=12 2>/dev/null) ||
	commit="no repository"
processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
load=$(cut -d ' ' -f 1 /proc/loadavg)

# The accelerator that vnpu-vm chose, from its verbose output.
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
document=(tools/vnpu-bench/performance.py "${kernels[@]}" --core "$tmp/core"
	--objects "$tmp/objects" --pool "$tmp/pool"
	--about "commit=$commit"
	--about "host=$(nproc) processors, $processor"
	--about "load at the start=$load"
	--about "machine=vnpu-vm, $(accelerator), 2 processors, 2 GiB, and 1 GiB of arena"
	--about "date=$(date -u +%F)"
	tools/vnpu-bench/reasons.txt)
"${document[@]}" >"$tmp/figures" || exit
"${document[@]}" --goals-only >"$tmp/goals" 2>/dev/null || exit
cat "$tmp/figures" >"$figures"
cat "$tmp/goals" >"$goals"
echo "==> wrote $figures and $goals" >&2
