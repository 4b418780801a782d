#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uapi headers compile alone, in every language and word size of user space,
# and so do those of the library.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

cc=${CC:-gcc}
cxx=${CXX:-g++}
# With -m32, a 64-bit compiler lacks the path of the kernel's headers, although
# the headers support both.
sys=/usr/include/$("$cc" -print-multiarch)

# Freestanding: then stdint.h and stddef.h are the compiler's own, and no 32-bit
# C library is needed.
compile()
{
	header=$1
	shift
	echo "#include <$header>" | "$@" -fsyntax-only -ffreestanding -Wall \
		-Wextra -Werror -Iuapi -Ilib/include -idirafter "$sys" -
}

each_standard()
{
	header=$1
	for bits in 32 64; do
		for std in c90 c99 c11 c17; do
			[ "$std" != c90 ] || [ "$2" = c90 ] || continue
			tap_check "$header as $std, $bits bits" compile "$header" \
				"$cc" -m$bits -std=$std -x c
		done
		for std in c++98 c++11 c++20; do
			[ "$std" != c++98 ] || [ "$2" = c90 ] || continue
			tap_check "$header as $std, $bits bits" compile "$header" \
				"$cxx" -m$bits -std=$std -x c++
		done
	done
	tap_check "$header by clang" compile "$header" clang -std=c99 -x c
}

for path in uapi/linux/*.h; do
	each_standard "${path#uapi/}" c90
done
for path in lib/include/*.h $(find lib/include/acl lib/include/aclnn lib/include/hccl \
		lib/include/vnpu -name '*.h' | sort); do
	[ ! -f "$path" ] || each_standard "${path#lib/include/}" c99
done

# The headers of operators, which are made of tables, each by itself.
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir "$made/aclnnop"
awk -v mode=headers -v dir="$made/aclnnop" -f lib/aclnn/generate.awk \
	lib/aclnn/table/*.ops

operators()
{
	for path in "$made"/aclnnop/*.h; do
		compile "aclnnop/${path##*/}" "$@" -I"$made" || return 1
	done
}

tap_check "headers of operators as c99" operators "$cc" -std=c99 -x c
tap_check "headers of operators as c++11" operators "$cxx" -std=c++11 -x c++
tap_end
