#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hccl/hccl.h and hccl/hccl_ext.h declare exactly the functions that libhccl exports,
# the document lists them, a test calls each, and programs link with it by each of its names.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
cc=${CC:-cc}
cxx=${CXX:-c++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

echo '#include "hccl/hccl_ext.h"' | "$cc" -E -P -I"$build/cann/include" -x c - |
	grep -oE '\b(Hccl|hccl[A-Z])[A-Za-z0-9_]+ *\(([^*]|$)' | sed 's/ *(.*//' | sort -u \
	>"$work/declared"
nm -D --defined-only "$build/lib/libvnpu-hccl.so" |
	awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort >"$work/exported"

same()
{
	[ -s "$work/declared" ] && diff -u "$work/declared" "$work/exported"
}

documented()
{
	for name in $(cat "$work/exported"); do
		grep -q "\`$name\`" Documentation/hccl.md || echo "$name"
	done
}

called()
{
	for name in $(cat "$work/exported"); do
		grep -q "$name(" selftests/hccl/*.[ch] || echo "$name"
	done
}

links()
{
	cat >"$work/x.cc" <<-END
	#include "hccl/hccl.h"

	int main()
	{
		HcclComm comm;

		return HcclCommInitRootInfo(1, nullptr, 0, &comm) != HCCL_E_PTR;
	}
	END
	"$cxx" -std=c++11 -Wall -Werror -I"$build/cann/include" -o "$work/x" \
		"$work/x.cc" -L"$build/cann/lib64" "$@" -lascendcl \
		-Wl,-rpath,"$(realpath "$build")/cann/lib64" && "$work/x"
}

tap_check "the headers declare the functions that the library exports" same
tap_silent "the document lists all functions" documented
tap_silent "a test calls each function" called
tap_check "a program in C++ links with -lhccl" links -lhccl
tap_check "a program in C++ links with -lhcomm" links -lhcomm
tap_end
