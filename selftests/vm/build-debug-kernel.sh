#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the debug kernel (tinyconfig + debug.config of Debian's linux-source)
# and print the path of its directory, which vnpu-vm --kernel debug boots:
#
#	boot/vmlinuz-RELEASE	the image; its presence says the rest is whole
#	lib/modules/RELEASE/	its modules
#	build/			the tree to build further modules against
#
# usage: build-debug-kernel.sh [--path]
#
# --path only prints the directory the kernel has or would have. The name
# holds the source's version and the fragment's hash, so an edit of
# debug.config makes another kernel and nothing is ever stale. JOBS sets
# make's parallelism (default: all processors).

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

# Kconfig drops a line whose dependencies are not met without a word.
check_config()
{
	sed -n 's/^\(CONFIG_.*\)=.*/\1/p' "$1" >"$1.set"
	missing=$(
		sed -n '/^CONFIG_/p' "$fragment" | grep -vxFf "$1" || :
		sed -n 's/^# \(CONFIG_.*\) is not set$/\1/p' "$fragment" |
			grep -xFf "$1.set" | sed 's/$/ is set/' || :
	)
	[ -z "$missing" ] || die "debug.config lines that Kconfig did not keep:
$missing"
}

build()
{
	make_kernel="make -C $source O=$dir/build"
	mkdir -p "$dir/build"

	$make_kernel tinyconfig
	"$source/scripts/kconfig/merge_config.sh" -m -O "$dir/build" \
		"$dir/build/.config" "$fragment"
	"$source/scripts/config" --file "$dir/build/.config" \
		--set-str LOCALVERSION -vnpu-debug
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
fragment=$here/debug.config
jobs=${JOBS:-$(nproc)}
only_path=
case $*, in
,) ;;
--path,) only_path=1 ;;
*) die "usage: build-debug-kernel.sh [--path]" ;;
esac

source=$("$here/fetch-source.sh" 6.12)
hash=$(sha256sum "$fragment" | cut -c 1-12)
cache=$(dirname "$source")
dir=$cache/debug-${source##*/linux-source-6.12-}-$hash

if [ -z "$only_path" ] && ! is_built "$dir"; then
	need gcc gcc
	need make make
	need flex flex
	need bison bison
	need bc bc
	need depmod kmod
	[ -e /usr/include/gelf.h ] ||
		die "gelf.h not found: apt-get install libelf-dev"

	# An interrupted build is taken up where it stopped.
	mkdir -p "$dir"
	exec 9>"$dir/lock"
	flock 9
	if ! is_built "$dir"; then
		trap report_failure EXIT
		build >"$dir/build.log" 2>&1 9>&-
	fi
fi
echo "$dir"
