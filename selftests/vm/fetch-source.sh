#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of an unpacked linux-source tree, fetching it first if it
# is not cached. Checks borrow from it what no headers package carries:
# kselftest's lib.mk and harness, checkpatch.pl, tools/include, and the
# source of the debug kernel.
#
# usage: fetch-source.sh [SERIES]		(default 6.12)
#
# The tree is $XDG_CACHE_HOME/vnpu/linux-source-SERIES-VERSION. It appears
# there by rename, so a tree that exists is whole, and it is shared: build
# out of it (O=), never in it. Standard output is the path alone.

set -eu

die()
{
	echo "fetch-source.sh: $*" >&2
	exit 1
}

need()
{
	command -v "$1" >/dev/null || die "$1 not found: apt-get install $2"
}

newest_cached()
{
	find "$cache" -maxdepth 1 -type d -name "$package-[0-9]*" |
		sort -V | tail -n 1
}

[ $# -le 1 ] || die "usage: fetch-source.sh [SERIES]"
series=${1:-6.12}
package=linux-source-$series
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vnpu
mkdir -p "$cache"

need flock util-linux

version=
if command -v apt-cache >/dev/null; then
	version=$(apt-cache --no-all-versions show "$package" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1)
fi
if [ -z "$version" ]; then
	# Without package lists an earlier download still serves.
	tree=$(newest_cached)
	[ -n "$tree" ] || die "no candidate for $package: run apt-get update"
	echo "$tree"
	exit
fi

tree=$cache/$package-$version
if [ ! -d "$tree" ]; then
	need dpkg-deb dpkg
	need tar tar
	need xz xz-utils

	exec 9>"$cache/$package.lock"
	flock 9
fi
if [ ! -d "$tree" ]; then
	# Under the lock every partial tree is an interrupted run's.
	rm -rf "$cache/.$package".*
	tmp=$(mktemp -d "$cache/.$package.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP

	if ! (cd "$tmp" && apt-get -q download "$package=$version") \
			>"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		tree=$(newest_cached)
		[ -n "$tree" ] || die "cannot download $package=$version"
		echo "$tree"
		exit
	fi
	dpkg-deb -x "$tmp"/*.deb "$tmp/package"
	mkdir "$tmp/tree"
	tar -xJf "$tmp/package/usr/src/$package.tar.xz" \
		-C "$tmp/tree" --strip-components=1
	mv -T "$tmp/tree" "$tree"
fi
echo "$tree"
