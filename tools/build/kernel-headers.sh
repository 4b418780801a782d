#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print a directory against which modules for a Debian kernel can be built:
#
#	kernel-headers.sh SERIES[-cloud]|RELEASE	(6.12, 6.1.0-9-amd64)
#
# SERIES-cloud is Debian's flavour for virtual machines, which has fewer options.
# For a series it is the newest installed one, as for vnpu-vm, else apt's
# candidate, unpacked into the cache: installing the headers of 6.12 would
# install its kernel, too, by dependency, which is for the owner of the machine
# to decide. Standard output is the path alone.

set -eu

# shellcheck source=tools/build/cache.sh
. "$(dirname "$0")/cache.sh"

# The releases of a series and flavour among the directories of installed or
# unpacked headers, newest first.
releases_in()
{
	find "$1" -maxdepth 1 -type d \
		-name "linux-headers-$series.*$flavour-$arch" 2>/dev/null |
		sed 's|.*/linux-headers-||' |
		if [ -n "$flavour" ]; then
			cat
		else
			grep -Ev -- "-(cloud|rt)-$arch\$"
		fi | sort -rV
}

# The dependencies of a package, one a line.
depends_of()
{
	apt-cache --no-all-versions show "$1" 2>/dev/null |
		sed -n '/^Depends: /{s///;s/[,|] */\n/g;p;q}' | sed 's/ .*//'
}

# A removed package can leave a directory, but not these.
usable()
{
	grep -qs "UTS_RELEASE \"$release\"" \
		"$1/include/generated/utsrelease.h" &&
		[ -x "$1/scripts/mod/modpost" ]
}

[ $# -eq 1 ] || die "usage: kernel-headers.sh SERIES[-cloud]|RELEASE"
arch=$(dpkg --print-architecture 2>/dev/null) || arch=amd64

release=$1
series=${1%-cloud}
flavour=${1#"$series"}
if [ "${series#*-}" = "$series" ]; then
	meta=linux-headers-$series$flavour-$arch
	# Debian 12's own kernel has no series in the name of its metapackage.
	[ "$series" != 6.1 ] || meta=linux-headers$flavour-$arch

	release=$(releases_in /usr/src | head -n 1)
	[ -n "$release" ] || release=$(depends_of "$meta" |
		sed -n "s/^linux-headers-\($series\.\)/\1/p" | head -n 1)
	# Without package lists, use the packages that an earlier run unpacked.
	[ -n "$release" ] || release=$(releases_in "$cache" | head -n 1)
	[ -n "$release" ] || die "no candidate for $meta: run apt-get update"
fi

name=linux-headers-$release
root=$cache/$name
unpacked=$root/usr/src/$name
for kdir in "/lib/modules/$release/build" "/usr/src/$name" "$unpacked"; do
	if usable "$kdir"; then
		echo "$kdir"
		exit
	fi
done

need dpkg-deb dpkg
cache_lock "$name"
if ! usable "$unpacked"; then
	cache_stage "$name"
	parts=$(depends_of "$name" | grep -E '^linux-(headers|kbuild)-') ||
		die "apt knows no package $name: run apt-get update"
	# shellcheck disable=SC2086 # a list of words
	cache_download "$name" $parts || die "cannot download $name"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	# The one absolute path in them.
	sed -i "s|/usr/src/|$root/usr/src/|" "$tmp/root/usr/src/$name/Makefile"
	rm -rf "$root"
	mv -T "$tmp/root" "$root"
	usable "$unpacked" || die "$name is not as expected"
fi
echo "$unpacked"
