#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build a kernel that looks for errors (tinyconfig + debug.config, of Debian's
# linux-source) and print the path of its directory, which vnpu-vm boots:
#
#	boot/vmlinuz-RELEASE	the image; its presence says the rest is whole
#	lib/modules/RELEASE/	its modules
#	build/			the tree to build further modules against
#
# usage: build-debug-kernel.sh [--path] [debug|kcsan|rt|gcov]
#
# The others are debug.config as a fragment of their name changes it, line by
# line. --path only prints the directory the kernel has or would have. The name
# holds the source's version and the fragments' hash, so an edit of one makes
# another kernel and nothing is ever stale. JOBS sets make's parallelism
# (default: all processors).

set -eu

die()
{
	echo "build-debug-kernel.sh: $*" >&2
	exit 1
}

need()
{
	command -v "$1" >/dev/null || die "$1 not found: apt-get install $2"
}

# The last line for a symbol counts.
join_fragments()
{
	# shellcheck disable=SC2086 # a list of files without spaces
	(cd "$here" && awk '
		/^CONFIG_/ { name = $0; sub(/=.*/, "", name) }
		/^# CONFIG_.* is not set$/ { name = $2 }
		name { line[name] = $0; name = "" }
		END { for (name in line) print line[name] }' $fragments)
}

# Kconfig silently drops a line whose dependencies are not met.
check_config()
{
	sed -n 's/^\(CONFIG_.*\)=.*/\1/p' "$1" >"$1.set"
	missing=$(
		sed -n '/^CONFIG_/p' "$1.wanted" | grep -vxFf "$1" || :
		sed -n 's/^# \(CONFIG_.*\) is not set$/\1/p' "$1.wanted" |
			grep -xFf "$1.set" | sed 's/$/ is set/' || :
	)
	[ -z "$missing" ] || die "lines of $fragments that Kconfig did not keep:
$missing"
}

build()
{
	make_kernel="make -C $source O=$dir/build"
	# Only the module under test is checked for races, so that each report
	# is about it: the kernel itself has some known, harmless ones.
	[ "$flavour" != kcsan ] ||
		make_kernel="$make_kernel KCSAN_SANITIZE=n"
	mkdir -p "$dir/build"

	$make_kernel tinyconfig
	join_fragments >"$dir/build/.config.wanted"
	"$source/scripts/kconfig/merge_config.sh" -m -O "$dir/build" \
		"$dir/build/.config" "$dir/build/.config.wanted"
	"$source/scripts/config" --file "$dir/build/.config" \
		--set-str LOCALVERSION "-vnpu-$flavour"
	$make_kernel olddefconfig
	check_config "$dir/build/.config"
	$make_kernel "-j$jobs" bzImage modules

	release=$($make_kernel -s kernelrelease)
	$make_kernel INSTALL_MOD_PATH="$dir" modules_install
	mkdir -p "$dir/boot"
	cp "$dir/build/arch/x86/boot/bzImage" "$dir/boot/.vmlinuz"
	mv "$dir/boot/.vmlinuz" "$dir/boot/vmlinuz-$release"
}

report_failure()
{
	[ $? -eq 0 ] || {
		tail -n 30 "$dir/build.log" >&2
		echo "build-debug-kernel.sh: whole log: $dir/build.log" >&2
	}
}

is_built()
{
	[ -n "$(find "$1/boot" -name 'vmlinuz-*' 2>/dev/null)" ]
}

here=$(cd "$(dirname "$0")" && pwd)
jobs=${JOBS:-$(nproc)}
only_path=
[ "${1-}" != --path ] || {
	only_path=1
	shift
}
flavour=${1:-debug}
case $flavour,$# in
debug,[01])	fragments=debug.config ;;
kcsan,1 | rt,1 | gcov,1)
		fragments="debug.config $flavour.config" ;;
*) die "usage: build-debug-kernel.sh [--path] [debug|kcsan|rt|gcov]" ;;
esac

source=$("$here/fetch-source.sh" 6.12)
# shellcheck disable=SC2086 # a list of files without spaces
hash=$(cd "$here" && cat $fragments | sha256sum | cut -c 1-12)
cache=$(dirname "$source")
dir=$cache/$flavour-${source##*/linux-source-6.12-}-$hash

if [ -z "$only_path" ] && ! is_built "$dir"; then
	need gcc gcc
	need make make
	need flex flex
	need bison bison
	need bc bc
	need depmod kmod
	[ -e /usr/include/gelf.h ] ||
		die "gelf.h not found: apt-get install libelf-dev"

	# An interrupted build is resumed.
	mkdir -p "$dir"
	exec 9>"$dir/lock"
	flock 9
	if ! is_built "$dir"; then
		trap report_failure EXIT
		build >"$dir/build.log" 2>&1 9>&-
	fi
fi
echo "$dir"
