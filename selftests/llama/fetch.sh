#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of llama.cpp's source, fetching it first if it is not cached.
#
# npm's package node-llama-cpp has it as a git bundle, for builds of its own. It
# is cloned into the cache, where it appears by rename, so what is there is whole.
# Builds are elsewhere. Standard output is the path alone.

set -eu

# shellcheck source=tools/build/cache.sh
. "$(dirname "$0")/../../tools/build/cache.sh"

package=node-llama-cpp
version=3.22.1
sum=5f5d1105d5df040738d87b8290e5d17e7362131cdcfdb0831618e0ea528b4a51
bundle=package/llama/gitRelease.bundle

name=llama.cpp
tree=$cache/$name-$version
if [ ! -d "$tree" ]; then
	need npm npm
	need git git
	need tar tar
	cache_lock "$name"
fi
if [ ! -d "$tree" ]; then
	cache_stage "$name"
	(cd "$tmp" && npm pack --silent "$package@$version") >"$tmp/log" 2>&1 || {
		cat "$tmp/log" >&2
		die "cannot download $package@$version"
	}
	tar -xzf "$tmp/$package-$version.tgz" -C "$tmp" "$bundle"
	echo "$sum  $tmp/$bundle" | sha256sum --check --status ||
		die "$package@$version: $bundle has another checksum"
	git clone --quiet "$tmp/$bundle" "$tmp/tree" 2>"$tmp/log" || {
		cat "$tmp/log" >&2
		die "cannot clone $bundle"
	}
	mv -T "$tmp/tree" "$tree"
fi
echo "$tree"
