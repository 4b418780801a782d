#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The exports of the library, its version map and its headers name the same
# calls, and a test in this directory or of the planner uses each of them.
# fail_nth makes each fail, or there is a reason why not, and the library's
# fuzzer calls each.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
library=$build/lib/libvnpu.so
cc=${CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Functions that headers declare: a name before a parenthesis that does not
# begin a pointer to a function.
printf '#include "%s.h"
' acl/acl acl/acl_dump acl/acl_op_compiler acl/acl_platform \
		acl/acl_prof acl/acl_rt_compile acl/acl_rt_ext \
		acl/acl_rt_memory_soma acl/ops/acl_cblas \
		vnpu/kernel |
	cat - lib/include/vnpu.h |
	"$cc" -E -P -Ilib/include -Ilib/ascendc/include - |
	grep -oE '\b(acl|vnpu_)[A-Za-z0-9_]+ *\([^*]' |
	sed 's/ *(.*//' | sort -u >"$work/headers"

# What is exported for libvnpu-op alone is no part of the interface.
sed '/^LIBVNPU_PRIVATE/,/^}/d; s/#.*//; s,/\*.*\*/,,' lib/libvnpu.map |
	tr -d ' \t' |
	grep -oE '^(acl|vnpu_)[A-Za-z0-9_]+;' | tr -d ';' |
	sort >"$work/map"

nm -D --defined-only "$library" |
	awk '$2 == "T" && !/@LIBVNPU_PRIVATE/ { print $3 }' |
	sed 's/@.*//' | sort >"$work/exported"

same()
{
	[ -s "$work/$1" ] && diff -u "$work/$1" "$work/$2"
}

only_functions()
{
	! nm -D --defined-only "$library" | grep -v ' [TA] '
}

# Interposable: the library must use a preloaded aclrtMalloc(), too.
not_symbolic()
{
	! readelf -d "$library" | grep -i symbolic
}

# acl-prototypes.c names them all; it does not count.
each_called()
{
	for file in selftests/lib/*.c selftests/plan/*.c selftests/pool/*.c; do
		case $file in
		*/acl-*)	;;
		*)		cat "$file" ;;
		esac
	done | grep -oE '\b(acl|vnpu_)[A-Za-z0-9_]+' | sort -u >"$work/called"
	comm -23 "$work/headers" "$work/called" >"$work/not"
	[ ! -s "$work/not" ] || {
		cat "$work/not"
		return 1
	}
}

# Names of sweeps: in a table, in sweep_once(), or in a list of rows.  A sweep
# also calls the function of its name.
swept()
{
	cat selftests/lib/fail_nth*.[ch] >"$work/sweeps"
	{
		grep -oE '(\{|_metadata,) "(acl|vnpu_)[A-Za-z0-9_]+' "$work/sweeps" |
			sed 's/.*"//'
		grep -oE '\bROW\((acl|vnpu_)[A-Za-z0-9_]+' "$work/sweeps" |
			sed 's/.*(//'
	} | sort -u >"$work/swept"
	grep -oE '\b((acl|vnpu_)[A-Za-z0-9_]+\(|ROW\((acl|vnpu_)[A-Za-z0-9_]+)' \
		"$work/sweeps" | sed 's/^ROW(//; s/(//' | sort -u >"$work/done"
	comm -13 "$work/done" "$work/swept" >"$work/misnamed"
	[ ! -s "$work/misnamed" ] || {
		cat "$work/misnamed"
		return 1
	}
}

# Each call is in exactly one of both, and has a reason in the second.
each_fails()
{
	swept || return 1
	list=selftests/lib/fail_nth_none.txt
	if grep -vnE '^#|^(acl|vnpu_)[A-Za-z0-9_]+ [a-z].{7}' "$list"; then
		return 1
	fi
	sed '/^#/d; s/ .*//' "$list" | sort - "$work/swept" >"$work/fails"
	diff -u "$work/map" "$work/fails"
}

# Named in a table of the fuzzer, or of arguments of callbacks; and called,
# possibly by a macro.
each_fuzzed()
{
	cat selftests/fuzz/library*.c >"$work/fuzzer"
	grep -oE '\b([A-Z_]+\((acl|vnpu_)[A-Za-z0-9_]+,|(acl|vnpu_)[A-Za-z0-9_]+\()' \
		"$work/fuzzer" | sed 's/[,(]$//; s/.*(//' | sort -u >"$work/made"
	{
		grep -oE '\b(ROW|CALL|CALL_ALONE)\((acl|vnpu_)[A-Za-z0-9_]+' \
			"$work/fuzzer" | sed 's/.*(//'
		grep -oE '\baclrtGet[A-Za-z]+FromExceptionInfo' "$work/fuzzer"
	} | sort -u | comm -12 - "$work/made" >"$work/fuzzed"
	comm -23 "$work/map" "$work/fuzzed" >"$work/missing"
	[ ! -s "$work/missing" ] || {
		cat "$work/missing"
		return 1
	}
}

whole_families()
{
	sed '/^#/d; s/^[^ ]* //' selftests/lib/families.txt |
		sort >"$work/families"
	[ -s "$work/families" ] || return 1
	comm -23 "$work/families" "$work/map" >"$work/missing"
	[ ! -s "$work/missing" ] || {
		cat "$work/missing"
		return 1
	}
}

tap_check "the map is sorted and names no call twice" \
	sh -c 'sort -cu "$1"' sh "$work/map"
tap_check "headers declare the calls that the map exports" same headers map
tap_check "the library exports the calls of the map" same exported map
tap_check "the library exports functions only" only_functions
tap_check "families are whole" whole_families
tap_check "calls can be interposed" not_symbolic
tap_check "a test uses each call" each_called
tap_check "each call is made to fail, or need not be" each_fails
tap_check "the fuzzer makes each call" each_fuzzed
tap_end
