#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of an unpacked linux-source tree, fetching it first if it is
# not cached. Checks use parts that no headers package has: kselftest's lib.mk
# and harness, checkpatch.pl, tools/include, and the source of the debug kernel.
#
# usage: fetch-source.sh [SERIES]         (default 6.12)
#
# The tree is $XDG_CACHE_HOME/vnpu/linux-source-SERIES-VERSION. It appears there
# by rename, so an existing tree is complete. It is shared: build out of it
# (O=), never in it. Standard output is the path alone.

set -eu

# shellcheck source=tools/build/cache.sh
. "$(dirname "$0")/../../tools/build/cache.sh"

newest_cached()
{
	find "$cache" -maxdepth 1 -type d -name "$package-[0-9]*" |
		sort -V | tail -n 1
}

[ $# -le 1 ] || die "usage: fetch-source.sh [SERIES]"
series=${1:-6.12}
package=linux-source-$series
mkdir -p "$cache"

version=
if command -v apt-cache >/dev/null; then
	version=$(apt-cache --no-all-versions show "$package" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1)
fi
if [ -z "$version" ]; then
	# Without package lists an earlier download is used.
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
	cache_lock "$package"
fi
if [ ! -d "$tree" ]; then
	cache_stage "$package"
	if ! cache_download "$package=$version"; then
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
