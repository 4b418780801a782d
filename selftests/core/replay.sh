#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The size of an arena that recorded loads need, relative to their peak of live
# memory, contiguous and scattered, in thousandths: the figures of
# Documentation/allocator.md, which are the same on every machine. "make
# replay-core" prints them.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

replay=${B:-build}/selftests/core/replay

# suffices TRACE CONTIGUOUS SCATTERED: the trace needs at most these sizes.
suffices()
{
	"$replay" "selftests/core/traces/$1.tr.xz" |
		awk -v contiguous="$2" -v scattered="$3" '
			{ print }
			NR == 2 {
				found = sprintf("%.0f", $5 * 1000) <= contiguous &&
					sprintf("%.0f", $6 * 1000) <= scattered
			}
			END { exit !found }'
}

tap_check "ResNet-50" suffices resnet50 1002 1000
tap_check "a transformer" suffices transformer 1004 1000
tap_check "a language model server" suffices serving 1178 1000
tap_check "Pangu, twice" suffices pangu 1120 1000
tap_end
