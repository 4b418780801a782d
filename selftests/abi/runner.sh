#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The runner accepts complete programs only, and the sum counts their results: a
# suite that cannot fail would show nothing.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# expect RESULT STATUS: the results of the program on standard input are counted
# as "PASSED FAILED SKIPPED", and selftests/run exits with STATUS. Programs that
# do not end have a short time limit; others have one that a busy machine does
# not reach.
limit=600
expect()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$tmp/program"
	chmod +x "$tmp/program"
	rm -f "$tmp/out"
	selftests/run -t $limit -o "$tmp/out" "$tmp/program" >"$tmp/said"
	status=$?
	cat "$tmp/said" "$tmp/out"
	grep -qx "# result $1" "$tmp/out" && [ $status -eq "$2" ] &&
		grep -qx '# end of run' "$tmp/out"
}

# The last line of the whole suite, for a program with these results.
sums()
{
	printf '#!/bin/sh\n%s\n' "$3" >"$tmp/program"
	B=$tmp STATIC_TESTS="$tmp/program" selftests/check static \
		>"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	[ "$(tail -n 1 "$tmp/said")" = "$1" ] && [ $status -eq "$2" ]
}

tap_check "all pass" expect "2 0 0" 0 <<'T'
echo 1..2; echo ok 1 a; echo ok 2 b
T
tap_check "the plan may be at the end" expect "1 0 0" 0 <<'T'
echo ok 1 a; echo 1..1
T
tap_check "a skip is neither" expect "1 0 1" 0 <<'T'
echo 1..2; echo ok 1 a; echo 'ok 2 b # SKIP no device'
T
tap_check "all of it may be skipped" expect "0 0 1" 0 <<'T'
echo '1..0 # SKIP no kernel'; exit 4
T
tap_check "a failure" expect "1 1 0" 1 <<'T'
echo 1..2; echo ok 1 a; echo not ok 2 b; exit 1
T
tap_check "a failure that exits with 0" expect "0 1 0" 1 <<'T'
echo 1..1; echo not ok 1 a
T
tap_check "a failure without a result" expect "1 1 0" 1 <<'T'
echo 1..1; echo ok 1 a; exit 3
T
tap_check "too few results" expect "1 1 0" 1 <<'T'
echo 1..2; echo ok 1 a
T
tap_check "too many results" expect "2 1 0" 1 <<'T'
echo 1..1; echo ok 1 a; echo ok 2 b
T
tap_check "no plan" expect "1 1 0" 1 <<'T'
echo ok 1 a
T
tap_check "an empty plan" expect "0 1 0" 1 <<'T'
echo 1..0
T
tap_check "no output" expect "0 1 0" 1 <<'T'
exit 0
T
tap_check "a crash within a line" expect "1 1 0" 1 <<'T'
echo 1..2; printf 'ok 1 a'; kill -SEGV $$
T
killed()
{
	expect "0 1 0" 1 <<-'T' && grep -q 'killed, perhaps' "$tmp/said"
	kill -KILL $$
	T
}
tap_check "killed before the time limit" killed
no_end()
{
	limit=5
	expect "1 1 0" 1 <<-'T' && grep -q 'no end after 5 s' "$tmp/said"
	echo 1..2; echo ok 1 a; sleep 600
	T
}
tap_check "no end" no_end
deaf()
{
	limit=1
	expect "0 1 0" 1 <<-'T' && grep -q 'no end after 1 s' "$tmp/said"
	trap "" TERM; sleep 600
	T
}
tap_check "no end, and signals are ignored" deaf
# gone: no process of the last program exists any more. The program has printed
# their ids, one a line; a zombie has an empty name.
gone()
{
	[ -s "$tmp/left" ] || return
	while read -r pid; do
		! grep -q . "/proc/$pid/cmdline" 2>/dev/null || return
	done <"$tmp/left"
}
# One in a session of its own, and a child of it.
left="setsid sh -c 'echo \$\$ >>$tmp/left; sleep 600 & echo \$! >>$tmp/left
	wait' & until [ \$(wc -l <$tmp/left) -eq 2 ]; do sleep 0.1; done"
leaves()
{
	: >"$tmp/left"
	printf '%s\n' "$left" "$3" | expect "$1" "$2" && gone
}
limit=5
tap_check "remaining processes are killed at the time limit" \
	leaves "0 1 0" 1 'sleep 600'
limit=600
tap_check "... and at the end of a program" \
	leaves "1 0 0" 0 'echo 1..1; echo ok 1'
tap_check "... or dies" leaves "0 1 0" 1 'kill -SEGV $$'
tap_check "results of subtests are not counted" expect "1 0 0" 0 <<'T'
echo 1..1; echo '    not ok 1 part'; echo ok 1 whole
T

tap_check "a sum" sums "2 passed, 0 failed, 1 skipped" 0 \
	'echo 1..3; echo ok 1; echo ok 2; echo "ok 3 # SKIP x"'
tap_check "a sum with a failure" sums "1 passed, 1 failed, 0 skipped" 1 \
	'echo 1..2; echo ok 1; echo not ok 2; exit 1'
tap_check "a run that passes nothing fails" \
	sums "0 passed, 0 failed, 1 skipped" 1 'echo 1..0 "# SKIP x"; exit 4'

# says TEXT: the output of the last run of the suite must contain TEXT.
says()
{
	cat "$tmp/said"
	grep -q "$1" "$tmp/said"
}

# shellcheck disable=SC2016
once='echo 1..1; [ -e "$0.ran" ] || { touch "$0.ran"; echo not ok 1; exit 1; }
	echo ok 1'
tap_check "a failure that does not repeat counts" \
	sums "0 passed, 1 failed, 0 skipped" 1 "$once"
tap_check "... and is called unsteady" says '^unsteady: static .*/program '
tap_check "... with the failing test" says '| not ok 1'
# shellcheck disable=SC2016
tap_check "a different failure the second time counts" \
	sums "0 passed, 1 failed, 0 skipped" 1 \
	'[ -e "$0.died" ] && exit 3; touch "$0.died"; echo 1..1; echo not ok 1'
tap_check "... and is called failed" says '^failed: static .*/program$'
# The program's parent is timeout, whose parent is the runner.
# shellcheck disable=SC2016
tap_check "a run that is cut short fails" sums "0 passed, 1 failed, 0 skipped" 1 \
	'kill -KILL "$(cut -d " " -f 4 "/proc/$PPID/stat")"; sleep 1'

# Failed requests count like failed calls.
figures()
{
	printf '# %s\n' '4 injected, 1 calls failed' \
		'name: 3 injected, 2 calls failed' \
		'2 injected, 2 requests failed' >"$tmp/figures.tap"
	selftests/figures "$tmp/figures.tap" >"$tmp/said"
	grep -qx '| injected failures of allocations and copies | 9 |' "$tmp/said" &&
		grep -qx '| calls that failed because of them | 5 |' "$tmp/said"
}
tap_check "failed calls and requests are counted" figures
tap_end
