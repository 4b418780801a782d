#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Have the headers of kernels, and with --source a kernel source tree and
# promtool, in the cache:
#
#	fetch.sh [--source] SERIES...
#
# A package that is gone from the archive means that apt's lists are old;
# then they are fetched anew, once. Only promtool can be done without: what needs
# it is skipped.

set -eu
cd "$(dirname "$0")/../.."

fetch()
{
	[ -z "$source" ] || selftests/vm/fetch-source.sh >/dev/null || return
	for series; do
		tools/build/kernel-headers.sh "$series" >/dev/null || return
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
# What the first try complains of, the second one may not.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ fetch "$@" && promtool; } 2>"$log" || {
	tools/build/deps.sh --refresh build
	fetch "$@"
	promtool || true
}
