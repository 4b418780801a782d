#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's style, checked by its own tools, and the licences. KSRC names a
# kernel source tree, which has these tools.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

top=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

sources()
{
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . -path ./build -prune -o -type f -printf '%P\n'
	fi | sort | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done
}

of_type()
{
	echo "$all" | grep -E "$1"
}

# Ignored, because: this tree has no MAINTAINERS; no_licence knows the licence
# of each file; kernel_doc checks that locks are described in the kernel-doc of
# their struct; a macro for a row of a table may use an argument twice; user
# space, where core is built, too, has no BIT(); compat.h exists to test
# versions; events in trace*.h have the kernel's usual form; VNPU_TASK_NAMES is
# a list; and a failed condition ends its test of driver/core.
checkpatch()
{
	ignore=$1
	shift
	# It leaves a file in the git tree in which it is started.
	for f; do
		echo "$top/$f"
	done | (cd "$tmp" && xargs perl "$KSRC/scripts/checkpatch.pl" --no-tree \
		--strict --terse --no-summary --show-types \
		--max-line-length=100 \
		--ignore "FILE_PATH_CHANGES,SPDX_LICENSE_TAG,$ignore" \
		--ignore UNCOMMENTED_DEFINITION,MACRO_ARG_REUSE -f) |
		sed "s|^$top/||"
}

# shellcheck disable=SC2046 # lists of words
checkpatch_all()
{
	checkpatch , $(of_type '^driver/.*\.[ch]$' |
		grep -vE '^driver/(core/|tests/|(compat|trace(_mem)?)\.h$)')
	checkpatch OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT \
		driver/trace.h driver/trace_mem.h
	checkpatch LINUX_VERSION_CODE,CONSTANT_COMPARISON driver/compat.h
	checkpatch BIT_MACRO $(of_type '^(uapi|driver/core)/.*\.[ch]$' |
		grep -v '/vnpu_task\.h$')
	checkpatch BIT_MACRO,COMPLEX_MACRO uapi/linux/vnpu_task.h
	checkpatch MACRO_WITH_FLOW_CONTROL $(of_type '^driver/tests/.*\.[ch]$')
}

kernel_doc()
{
	# shellcheck disable=SC2086 # a list of words
	"$KSRC/scripts/kernel-doc" -none -Werror $1
}

no_licence()
{
	for f in $all; do
		case $f in
		LICENSES/* | COPYING | *.png | *.xz) continue ;;
		uapi/*)	id='GPL-2\.0-only WITH Linux-syscall-note' ;;
		lib/*.mk) id='(MIT|GPL-2\.0-only)' ;;
		lib/*)	id='MIT' ;;
		*)	id='GPL-2\.0-only' ;;
		esac
		head -n 3 "$f" |
			grep -qE "SPDX-License-Identifier: $id( (-->|\*/)|\",)?\$" ||
			echo "$f"
	done
}

whitespace()
{
	for f in $all; do
		case $f in
		LICENSES/* | *.png | *.xz) continue ;;
		esac
		grep -nE '[[:space:]]+$' "$f" | sed "s|^|$f:|"
		[ -z "$(tail -c 1 "$f")" ] || echo "$f: no newline at its end"
	done
}

# Find the marks that git leaves in a file that it cannot merge.
conflicts()
{
	for f in $all; do
		grep -nE '^(<{7} |={7}$|>{7} |\|{7} )' "$f" | sed "s|^|$f:|"
	done
}

# Tabs count 8. checkpatch checks C, as it accepts strings that must not be
# split.
long_lines()
{
	for f in $(of_type '\.(sh|py|mk|yaml)$|Makefile$|Kbuild$|^[^.]*$'); do
		case $f in
		LICENSES/*) continue ;;
		esac
		expand "$f" | awk -v f="$f" 'length > 100 {
			print f ":" FNR ": " length " columns" }'
	done
}

shell_scripts()
{
	for f in $all; do
		case $(head -n 1 "$f" | tr -d '\0') in
		'#!/bin/sh' | '#!/bin/bash') echo "$f" ;;
		esac
	done
}

all=$(sources)
tap_silent "every file names its licence" no_licence
tap_silent "no stray white space" whitespace
tap_silent "no line is over 100 columns" long_lines
tap_silent "no conflict is left from a merge" conflicts
# shellcheck disable=SC2046 # a list of words
tap_check "shellcheck" shellcheck -x -S warning $(shell_scripts)
if [ -n "${KSRC-}" ]; then
	tap_silent "checkpatch --strict" checkpatch_all
	tap_check "kernel-doc" \
		kernel_doc "$(of_type '^(driver|uapi)/.*\.[ch]$')"
else
	tap_skip "checkpatch --strict" "KSRC names no kernel source"
	tap_skip "kernel-doc" "KSRC names no kernel source"
fi
tap_end
