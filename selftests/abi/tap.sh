# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for checks written in shell, to be sourced.

tap_count=0
tap_failed=0

tap_result()
{
	tap_count=$((tap_count + 1))
	[ "$1" = ok ] || tap_failed=$((tap_failed + 1))
	echo "$1 $tap_count $2"
}

# tap_check NAME COMMAND...: a check passes if the command does; its output
# explains a failure.
tap_check()
{
	tap_name=$1
	shift
	if tap_output=$("$@" 2>&1); then
		tap_result ok "$tap_name"
	else
		tap_result "not ok" "$tap_name"
		echo "$tap_output" | head -n 60 | sed 's/^/# /'
	fi
}

# tap_silent NAME COMMAND...: a check that prints what is wrong.
tap_silent()
{
	tap_name=$1
	shift
	tap_check "$tap_name" tap_prints_nothing "$@"
}

tap_prints_nothing()
{
	tap_found=$("$@" 2>&1) || :
	echo "$tap_found"
	[ -z "$tap_found" ]
}

tap_skip()
{
	tap_result ok "$1 # SKIP $2"
}

tap_end()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
