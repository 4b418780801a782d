#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print a directory against which modules for a Debian kernel can be built:
#
#	kernel-headers.sh SERIES|RELEASE	(6.12, 6.1.0-9-amd64)
#
# Installed headers are used if they are of that release. Otherwise the
# packages are unpacked into the cache: installing the headers of 6.12
# would install its kernel too, by dependency, and that belongs to whoever
# owns the machine. Standard output is the path alone.

set -eu

die()
{
	echo "kernel-headers.sh: $*" >&2
	exit 1
}

need()
{
	command -v "$1" >/dev/null || die "$1 not found: apt-get install $2"
}

# The first package of a field like "a (= 1), b | c" that begins with $1.
dependency()
{
	tr ',|' '\n\n' | sed -n "s/^ *\($1[^ ]*\).*/\1/p" | head -n 1
}

depends_of()
{
	apt-cache --no-all-versions show "$1" 2>/dev/null |
		sed -n 's/^Depends: //p' | head -n 1
}

[ $# -eq 1 ] || die "usage: kernel-headers.sh SERIES|RELEASE"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vnpu
arch=$(dpkg --print-architecture 2>/dev/null) || arch=amd64

case $1 in
6.1)	meta=linux-headers-$arch ;;
*-*)	meta= release=$1 ;;
*)	meta=linux-headers-$1-$arch ;;
esac

if [ -n "$meta" ]; then
	release=
	if command -v apt-cache >/dev/null; then
		release=$(depends_of "$meta" | dependency linux-headers-)
		release=${release#linux-headers-}
	fi
	if [ -z "$release" ]; then
		# Without package lists what an earlier run fetched still serves.
		kdir=$(find "$cache" /usr/src -maxdepth 1 -type d \
			-name "linux-headers-$1.*-$arch" 2>/dev/null |
			sort -V | tail -n 1)
		release=${kdir##*/linux-headers-}
		[ -n "$release" ] ||
			die "no candidate for $meta: run apt-get update"
	fi
fi

# A partial installation and a removed package leave directories without
# these.
usable()
{
	grep -qs "UTS_RELEASE \"$release\"" \
		"$1/include/generated/utsrelease.h" &&
		[ -x "$1/scripts/mod/modpost" ]
}

for kdir in /lib/modules/"$release"/build \
		/usr/src/linux-headers-"$release" \
		"$cache/linux-headers-$release/usr/src/linux-headers-$release"; do
	if usable "$kdir"; then
		echo "$kdir"
		exit
	fi
done

need flock util-linux
need dpkg-deb dpkg
mkdir -p "$cache"
root=$cache/linux-headers-$release
exec 9>"$cache/linux-headers-$release.lock"
flock 9
if ! usable "$kdir"; then
	rm -rf "$cache/.linux-headers-$release".*
	tmp=$(mktemp -d "$cache/.linux-headers-$release.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP

	deps=$(depends_of "linux-headers-$release")
	[ -n "$deps" ] || die "no package linux-headers-$release"
	common=$(echo "$deps" | dependency linux-headers-)
	kbuild=$(echo "$deps" | dependency linux-kbuild-)
	if ! (cd "$tmp" && apt-get -q download "linux-headers-$release" \
			"$common" "$kbuild") >"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		die "cannot download linux-headers-$release"
	fi
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	# The one absolute path in them.
	sed -i "s|/usr/src/|$root/usr/src/|" \
		"$tmp/root/usr/src/linux-headers-$release/Makefile"
	rm -rf "$root"
	mv -T "$tmp/root" "$root"
	usable "$kdir" || die "linux-headers-$release is not as expected"
fi
echo "$kdir"
