#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and run a program as on a machine with CANN: with include and library
# directories, and the environment of set_env.sh.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
cann=$PWD/$build/cann
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$cann/set_env.sh"

environment()
{
	[ -n "${ASCEND_HOME_PATH-}" ] && [ -d "$ASCEND_HOME_PATH/include/acl" ] &&
	case ":$LD_LIBRARY_PATH:" in
	*":$cann/lib64:"*) ;;
	*) return 1 ;;
	esac
}

build_and_run()
{
	cc -o "$work/sample" lib/examples/minimal.c "-I$build/cann/include" \
		"-L$build/cann/lib64" -lascendcl && "$work/sample"
}

resolves_to_ours()
{
	ldd "$build/examples/minimal" | grep "libvnpu.so.1 => $cann/lib64/"
}

# The names that programs link or load at run time.
loads()
{
	for name in libascendcl.so libacl_rt.so; do
		[ "$(readlink -f "$cann/lib64/$name")" = \
		  "$(readlink -f "$build/lib/libvnpu.so")" ] || return 1
	done
}

pool()
{
	"$build/examples/acl-memory-pool" >"$work/out" || return 1
	grep -q 'all data verified' "$work/out" &&
		grep -q 'error 207001' "$work/out"
}

# A wrong argument is a usage error, not a run.
pool_usage()
{
	"$build/examples/acl-memory-pool" --nonsense
	[ $? -eq 2 ]
}

fragmentation_usage()
{
	for arguments in 0 x 1x "1 2" --nonsense "--wait 0"; do
		# shellcheck disable=SC2086 # a list of words
		"$build/examples/fragmentation" $arguments </dev/null
		[ $? -eq 2 ] || return 1
	done
}

fragmentation_shown()
{
	lib/examples/fragmentation.sh "$build" 32 >"$work/out" || {
		cat "$work/out"
		return 1
	}
	grep -q 'error 207001' "$work/out" &&
		grep -q 'compaction would help' "$work/out" &&
		grep -q 'hold what they held' "$work/out" || return 1
	# Before and after: with more runs than can be counted, and with few.
	grep -A 30 'info -t frag' "$work/out" |
		sed -n 's/.*Fragmentation(permille) *: //p' >"$work/index"
	cat "$work/index"
	[ "$(sed -n 1p "$work/index")" -gt "$(sed -n 2p "$work/index")" ]
}

tap_check "set_env.sh sets the environment" environment
tap_check "both libraries lead to libvnpu" loads
tap_check "the sample runs" "$build/examples/minimal"
tap_check "the sample runs as C++" "$build/selftests/lib/minimal-cxx"
tap_check "the sample runs with the static library" \
	"$build/selftests/lib/minimal-static"
tap_check "the sample is linked to ours" resolves_to_ours
tap_check "the memory pool verifies its data and explains a failure" pool
tap_check "the memory pool refuses an unknown option" pool_usage
tap_check "fragmentation refuses wrong arguments" fragmentation_usage
tap_check "only compaction makes a run possible, and its effect is shown" \
	fragmentation_shown
if command -v cc >/dev/null; then
	tap_check "the sample is built and runs" build_and_run
else
	tap_skip "the sample is built and runs" "no compiler"
fi
tap_end
