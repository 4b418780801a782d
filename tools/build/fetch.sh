#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Download the headers of kernels, and with --source those of their cloud
# flavours, a kernel source tree and promtool, into the cache:
#
#	fetch.sh [--source] SERIES...
#
# If a package is missing in the archive, apt's lists are old; then they are
# fetched again, once. Only promtool is optional: tests that need it are
# skipped.

set -eu
cd "$(dirname "$0")/../.."

fetch()
{
	[ -z "$source" ] || selftests/vm/fetch-source.sh >/dev/null || return
	for series; do
		tools/build/kernel-headers.sh "$series" >/dev/null || return
		[ -z "$source" ] ||
			tools/build/kernel-headers.sh "$series-cloud" \
				>/dev/null || return
	done
}

promtool()
{
	[ -z "$source" ] || tools/build/promtool.sh >/dev/null
}

source=
if [ "${1-}" = --source ]; then
	source=yes
	shift
fi
# Errors of the first try are hidden, but not those of the second.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ fetch "$@" && promtool; } 2>"$log" || {
	tools/build/deps.sh --refresh build
	fetch "$@"
	promtool || true
}
