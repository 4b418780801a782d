# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared parts of the tests of vnpu-smi, to be sourced from the repository's root.

. selftests/abi/tap.sh

B=${B:-build}
smi=$B/bin/vnpu-smi
hold=$B/selftests/tool/hold
query=$B/selftests/tool/query
MIB=$((1024 * 1024))

# Accept process names in any language; the output must not depend on our
# locale.
export LC_ALL=C.UTF-8

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# For the shells that hold starts.
export B smi hold query MIB tmp

# same EXPECTED COMMAND...: the command must succeed and print EXPECTED.
same()
{
	same_expected=$1
	shift
	"$@" >"$tmp/actual" || {
		echo "exit status $?"
		return 1
	}
	printf '%s' "$same_expected" | diff -u - "$tmp/actual"
}

newline='
'

# refused STATUS WORD COMMAND...: the command must fail with this exit status,
# print nothing on standard output, and one line with WORD on standard error.
refused()
{
	refused_status=$1
	refused_word=$2
	shift 2
	refused_actual=0
	refused_error=$("$@" 2>&1 >"$tmp/out") || refused_actual=$?
	echo "exit status $refused_actual, standard error:"
	echo "$refused_error"
	case $refused_error in
	*"$newline"*)	return 1 ;;
	*"$refused_word"*) ;;
	*)		return 1 ;;
	esac
	[ "$refused_actual" -eq "$refused_status" ] && [ ! -s "$tmp/out" ]
}
