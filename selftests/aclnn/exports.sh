#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The headers of aclnn declare exactly the functions that libvnpu-op exports, the
# document lists all operators, and programs in C++ link.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

build=${B:-build}
library=$build/lib/libvnpu-op.so
cc=${CC:-cc}
cxx=${CXX:-c++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for path in "$build"/cann/include/aclnnop/*.h; do
	echo "#include \"aclnnop/${path##*/}\""
done >"$work/all.h"

# Without the functions of libvnpu, which acl/acl.h declares.
"$cc" -E -P -I"$build/cann/include" -x c "$work/all.h" |
	grep -oE '\bacl[A-Za-z0-9_]+ *\(([^*]|$)' | sed 's/ *(.*//' | sort -u \
	>"$work/declared"
printf '#include "%s.h"\n' acl/acl acl/acl_op_compiler |
	"$cc" -E -P -I"$build/cann/include" -x c - |
	grep -oE '\bacl[A-Za-z0-9_]+ *\(([^*]|$)' | sed 's/ *(.*//' |
	sort -u >"$work/libvnpu"
comm -23 "$work/declared" "$work/libvnpu" >"$work/headers"

nm -D --defined-only "$library" | awk '$2 == "T" && !/@LIBVNPU_OP_PRIVATE/ { print $3 }' |
	sed 's/@.*//' | sort >"$work/exported"

same()
{
	[ -s "$work/headers" ] && diff -u "$work/headers" "$work/exported"
}

documented()
{
	awk -v mode=document -f lib/aclnn/generate.awk lib/aclnn/table/*.ops |
		sort >"$work/list"
	sed -n '/^<!-- list -->$/,/^<!-- end -->$/p' Documentation/aclnn.md |
		sed '1d; $d' | diff -u - "$work/list"
}

types()
{
	grep -oE '(\{|\() ?"[A-Za-z0-9]+", "' lib/aclnn/single_table.c |
		sed 's/", ".*//; s/.*"//' | sort -u >"$work/types"
	grep -oE '(UNARY|BINARY|REDUCE)\("[A-Za-z0-9]+' lib/aclnn/single_table.c |
		sed 's/.*"//' | sort -u - "$work/types" >"$work/all_types"
	sed -n '/^## Single operators$/,/^## How/p' Documentation/aclnn.md |
		grep -oE '`[A-Z][A-Za-z0-9]+`' | tr -d '`' | sort -u \
		>"$work/named"
	[ -s "$work/types" ] && diff -u "$work/named" "$work/all_types"
}

in_cxx()
{
	cat >"$work/x.cc" <<-END
	#include "aclnnop/aclnn_abs.h"

	int main()
	{
		uint64_t size = 0;
		aclOpExecutor *executor = nullptr;

		return aclnnAbsGetWorkspaceSize(nullptr, nullptr, &size,
						&executor) == OK;
	}
	END
	"$cxx" -std=c++17 -Wall -Werror -I"$build/cann/include" -o "$work/x" \
		"$work/x.cc" -L"$build/cann/lib64" -lopapi -lnnopbase \
		-lascendcl -Wl,-rpath,"$(realpath "$build")/cann/lib64" &&
		"$work/x"
}

tap_check "headers declare the functions that the library exports" same
tap_check "the document lists all operators (make aclnn-document)" documented
tap_check "the document lists all types of single operators" types
tap_check "a program in C++ links, and gets an error without a device" in_cxx
tap_end
