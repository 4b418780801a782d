#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of promtool, which checks what an exporter says.
#
# Where it is not installed, Debian's package is unpacked into the cache, 19 MB
# to fetch: to install it would start a server of Prometheus, and that is for
# the owner of the machine to decide. Standard output is the path alone.

set -eu

die()
{
	echo "promtool.sh: $*" >&2
	exit 1
}

if command -v promtool; then
	exit
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vnpu
promtool=$cache/prometheus/usr/bin/promtool
mkdir -p "$cache"
exec 9>"$cache/prometheus.lock"
flock 9
if [ ! -x "$promtool" ]; then
	# Under the lock every partial tree is an interrupted run's.
	rm -rf "$cache/.prometheus".*
	tmp=$(mktemp -d "$cache/.prometheus.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP

	if ! (cd "$tmp" && apt-get -q download prometheus) >"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		die "cannot download prometheus"
	fi
	mkdir -p "$tmp/tree/usr/bin"
	dpkg-deb --fsys-tarfile "$tmp"/*.deb |
		tar -xC "$tmp/tree" ./usr/bin/promtool
	rm -rf "$cache/prometheus"
	mv -T "$tmp/tree" "$cache/prometheus"
fi
echo "$promtool"
