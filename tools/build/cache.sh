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

# cache_lock NAME: from here to its end no other script makes NAME.
cache_lock()
{
	need flock util-linux
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock 9
}

# cache_stage NAME: $tmp, where NAME is made; it goes when the script ends.
cache_stage()
{
	# Under the lock every partial tree is an interrupted run's.
	rm -rf "$cache/.$1".*
	tmp=$(mktemp -d "$cache/.$1.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# cache_download PACKAGE...: into $tmp, or fail and say why.
cache_download()
{
	(cd "$tmp" && apt-get -q download "$@") >"$tmp/log" 2>&1 && return
	cat "$tmp/log" >&2
	return 1
}
