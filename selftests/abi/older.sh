#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The ABI is compatible: a library from before the last addition works with the
# current module, and the current library with the earlier module as far as it
# uses only what existed. The tests of the library show it, each version with
# its own.
#
# OLDER names another commit. Everything is built in $B/older, from git
# archives.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=${B:-build}
series=6.12
older=$B/older
tests="device context memory copy vmm async event event_order"

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# The first commit of the stable ABI, which was published first. While it is
# empty the ABI may change, and the earlier version is its last change itself.
since=

# The last commit before an addition to the ABI, or without one, the first
# commit of the stable ABI. It is unknown in an archive or a shallow clone.
before_last_change()
{
	local last

	last=$(git log -1 --format=%H -- selftests/abi/uapi.layout) &&
		[ -n "$last" ] || return
	if [ -z "$since" ]; then
		echo "$last"
	elif git merge-base --is-ancestor "$last" "$since"; then
		git rev-parse -q --verify "$since^{commit}"
	else
		git rev-parse -q --verify "$last^"
	fi
}

git rev-parse --git-dir >/dev/null 2>&1 || skip_all "no git repository"
commit=${OLDER:-$(before_last_change)}
[ -n "$commit" ] || skip_all "the history does not reach back"
git cat-file -e "$commit^{commit}" 2>/dev/null || skip_all "no commit $commit"

# programs TREE BUILD: the tests that a tree has, as programs in its build.
programs()
{
	local name

	for name in $tests; do
		[ ! -e "$1/selftests/lib/$name.c" ] ||
			echo "$2/selftests/lib/$name"
	done
}

build()
{
	rm -rf "$older"
	mkdir -p "$older/src" || return
	git archive "$commit" | tar -x -C "$older/src" || return
	# shellcheck disable=SC2046 # a list of words
	env -u MAKEFLAGS make -C "$older/src" -s -j2 B=build \
		modules-$series lib $(programs "$older/src" build)
}

# run MODULE PROGRAM...
run()
{
	local module=$1
	shift

	tools/vnpu-vm/vnpu-vm --kernel $series --timeout 600 \
		--module "$module" -- selftests/run -o "$older/run.tap" "$@"
}

module_in()
{
	local file

	for file in "$1"/kmod/"$series".*/vnpu.ko; do
		case $file in
		*-vnpu-*) ;;
		*)	echo "$file"
			return ;;
		esac
	done
}

echo "# of then: $(git log -1 --format='%h %s' "$commit")"
tap_check "the earlier version builds" build
# shellcheck disable=SC2046 # lists of words
tap_check "the earlier library works with the current module" \
	run "$(module_in "$B")" $(programs "$older/src" "$older/src/build")
# shellcheck disable=SC2046
tap_check "the current library works with the earlier module" \
	run "$(module_in "$older/src/build")" $(programs . "$B")
tap_end
