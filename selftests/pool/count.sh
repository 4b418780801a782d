#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The instructions that Documentation/pool.md claims for a pair of an allocation
# and a free, counted again: they may differ by 3 %, so that a claim does not
# outlive its code.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

counted=$(mktemp) || exit 1
trap 'rm -f "$counted" "$counted.claims"' EXIT

# The rows of the table, without its head: NAME|COUNT|COUNT
claims()
{
	awk -F ' *[|] *' '
		/^[|] instructions / { is_table = 1; getline; next }
		!/^[|]/ { is_table = 0 }
		is_table { print $2 "|" $3 "|" $4 }
	' Documentation/pool.md
}

# compare NAME COUNT COUNT: the same row must have been counted.
compare()
{
	awk -F '|' -v name="$1" -v at_once="$2" -v live="$3" '
		function is_near(claim, count) {
			return claim > 0 && count <= 1.03 * claim &&
			       count >= 0.97 * claim
		}
		$1 == name {
			if (is_near(at_once, $2) && is_near(live, $3))
				ok = 1
			print "claimed " at_once " and " live \
			      ", counted " $2 " and " $3
		}
		END { exit !ok }
	' "$counted"
}

all_claimed()
{
	[ "$(claims | cut -d '|' -f 1)" = "$(cut -d '|' -f 1 "$counted")" ]
}

if ! "${B:-build}/selftests/pool/count" >"$counted"; then
	tap_result "not ok" "instructions can be counted"
	tap_end
fi
if reason=$(grep '^# SKIP' "$counted"); then
	tap_skip "instructions of a pair" "${reason#\# SKIP }"
	tap_end
fi
tap_check "each load has a claim" all_claimed
claims >"$counted.claims"
while IFS='|' read -r name at_once live; do
	tap_check "instructions of a pair: $name" compare "$name" "$at_once" \
		"$live"
done <"$counted.claims"
tap_end
