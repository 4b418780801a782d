#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The ABI lasts: a library from before the ABI last grew works with the module
# of today, and the library of today with the module of then, where it asks for
# nothing that was not there. The tests of the library show it, those of its own
# time for each.
#
# OLDER names another commit. All is made in $B/older, of what git archived.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=${B:-build}
series=6.12
older=$B/older
tests="device context memory copy vmm async event"

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# The commit from which on the ABI is kept: nothing before it was published.
# While it is empty the ABI may change, and "then" is its last change itself.
since=

# The last commit before the ABI grew, or where it has not grown since it is
# kept, the first that has it; not known from an archive or a clone that is not
# whole.
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

programs()
{
	local name

	for name in $tests; do
		echo "$1/selftests/lib/$name"
	done
}

build()
{
	rm -rf "$older"
	mkdir -p "$older/src" || return
	git archive "$commit" | tar -x -C "$older/src" || return
	# shellcheck disable=SC2046 # a list of words
	env -u MAKEFLAGS make -C "$older/src" -s -j2 B=build \
		modules-$series lib $(programs build)
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
tap_check "what was then can be built" build
# shellcheck disable=SC2046 # lists of words
tap_check "the library of then works with the module of today" \
	run "$(module_in "$B")" $(programs "$older/src/build")
# shellcheck disable=SC2046
tap_check "the library of today works with the module of then" \
	run "$(module_in "$older/src/build")" $(programs "$B")
tap_end
