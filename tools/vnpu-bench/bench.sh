#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the benchmark in a machine for each kernel and write down what it says:
#
#	bench.sh DOCUMENT KERNEL...
#
# In a machine it calls itself, to bring about what peers need first:
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
	exec "$build/bin/vnpu-bench" all "$@"
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

measure()
{
	tools/vnpu-vm/vnpu-vm --kernel "$1" --arena 1G --mem 2G -- \
		tools/vnpu-bench/bench.sh --inside "$B"
}

# By what the machine runs: told by vnpu-vm, where it is told.
accelerator()
{
	tools/vnpu-vm/vnpu-vm --no-module -v -- true 2>&1 |
		grep -q -- '-accel kvm' && echo "KVM" || echo "emulation (TCG)"
}

new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
{
	cat <<-TEXT
	<!-- SPDX-License-Identifier: GPL-2.0-only -->
	# What it costs

	Written by \`make bench\`; [vnpu-bench(1)](../tools/vnpu-bench/vnpu-bench.1)
	says what the columns mean. Under emulation only ratios mean anything, and
	these only roughly what they would be on hardware.

	| | |
	|---|---|
	| commit | $commit |
	| host | $(nproc) processors, $processor |
	| machine | vnpu-vm, $(accelerator), 2 processors, 2 GiB, and 1 GiB of arena |
	| date | $(date -u +%F) |
	TEXT
	for kernel; do
		echo "==> measuring on Linux $kernel, some minutes" >&2
		printf '\n## Linux %s\n\n```\n' "$kernel"
		measure "$kernel" || exit
		printf '```\n'
	done
	printf '\n'
	# Its licence is that of the document.
	tail -n +2 tools/vnpu-bench/limits.md
} >"$new" || exit
cat "$new" >"$document"
echo "==> $document is written" >&2
