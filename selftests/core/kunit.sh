#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of driver/core inside the kernel, in a machine whose kernel has
# KUnit; skipped elsewhere. SEED= and STEPS= repeat and extend.

set -u
module=${B:-build}/kmod/$(uname -r)/vnpu_kunit.ko
results=/sys/kernel/debug/kunit/vnpu_core/results

echo "TAP version 13"
if [ ! -f "$module" ]; then
	echo "1..0 # SKIP no vnpu_kunit.ko for this kernel"
	exit 4
fi
insmod "$module" "seed=${SEED:-0}" "steps=${STEPS:-20000}" || exit 1
log=$(cat "$results")
rmmod vnpu_kunit

# Results of tests are indented by eight; that of the suite is not, and shows
# that the log is complete.
echo "$log" | awk '
/^        (not )?ok [0-9]+ / {
	n++
	sub(/^ +/, "")
	sub(/ok [0-9]+/, "ok " n)
	print
	next
}
/^(not )?ok / {
	n++
	sub(/ok [0-9]+/, "ok " n)
	whole = $0
	next
}
{ print "# " $0 }
END {
	if (!whole)
		whole = "not ok " ++n " the results are incomplete"
	print whole
	print "1.." n
	exit whole !~ /^ok/
}'
