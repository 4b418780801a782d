#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of promtool, which checks the output of an exporter.
#
# If it is not installed, Debian's package is unpacked into the cache, 19 MB to
# fetch: installing it would start a server of Prometheus, which is for the
# owner of the machine to decide. Standard output is the path alone.

set -eu

# shellcheck source=tools/build/cache.sh
. "$(dirname "$0")/cache.sh"

if command -v promtool; then
	exit
fi
promtool=$cache/prometheus/usr/bin/promtool
cache_lock prometheus
if [ ! -x "$promtool" ]; then
	cache_stage prometheus
	cache_download prometheus || die "cannot download prometheus"
	mkdir -p "$tmp/tree/usr/bin"
	dpkg-deb --fsys-tarfile "$tmp"/*.deb |
		tar -xC "$tmp/tree" ./usr/bin/promtool
	rm -rf "$cache/prometheus"
	mv -T "$tmp/tree" "$cache/prometheus"
fi
echo "$promtool"
