# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For scripts that unpack Debian's packages into the cache, to be sourced. What
# is in the cache came there by rename, so it is whole.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vnpu

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

need()
{
	command -v "$1" >/dev/null || die "$1 not found: apt-get install $2"
}

# cache_lock NAME: until the script ends, no other script creates NAME.
cache_lock()
{
	need flock util-linux
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock 9
}

# cache_stage NAME: create NAME in $tmp, which is removed when the script ends.
cache_stage()
{
	# With the lock held, every partial tree is of an interrupted run.
	rm -rf "$cache/.$1".*
	tmp=$(mktemp -d "$cache/.$1.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# cache_download PACKAGE...: download into $tmp, or report the error and fail.
cache_download()
{
	(cd "$tmp" && apt-get -q download "$@") >"$tmp/log" 2>&1 && return
	cat "$tmp/log" >&2
	return 1
}
