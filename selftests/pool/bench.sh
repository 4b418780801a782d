#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-bench pool, which needs no device: it runs to its end and prints
# plausible JSON.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

bench=${B:-build}/bin/vnpu-bench

text()
{
	"$bench" pool -r 1 -t 1 -T latency | grep 'tcmalloc\|glibc'
}

sane()
{
	"$bench" pool -r 1 -t 1 -T "$1" -n 2 --json |
		python3 -B selftests/tool/bench_output.py pool
}

tap_check "a table of allocators" text
tap_check "latency: figures make sense" sane latency
tap_check "concurrent: figures make sense" sane concurrent

trace=$(mktemp) || exit 1
trap 'rm -f "$trace"' EXIT

# Steps that allocate alike, with the last allocation of one freed in the next.
steps()
{
	awk 'BEGIN {
		for (step = 0; step < 20; step++) {
			for (i = 1; i <= 50; i++) {
				if (step && i <= 5)
					print "f", i
				print "a", i, 100 * i * i * i % 3000000 + 1
			}
			for (i = 6; i <= 50; i++)
				print "f", i
		}
	}' >"$trace"
	"$bench" pool -r 1 --json --trace "$trace" |
		python3 -B selftests/tool/bench_output.py pool
}

tail_is_sane()
{
	"$bench" pool -r 1 -T tail --json |
		python3 -B selftests/tool/bench_output.py pool
}

# refused LINES WORDS: a trace that ends in these lines must be refused.
refused()
{
	printf 'a 1 64\n%b\n' "$1" >"$trace"
	if refused_by=$("$bench" pool --trace "$trace" 2>&1 >/dev/null); then
		return 1
	elif [ $? -ne 1 ]; then
		echo "$refused_by"
		return 1
	fi
	case $refused_by in
	*", line $2"*) ;;
	*)
		echo "$refused_by"
		return 1
		;;
	esac
}

no_file()
{
	! "$bench" pool --trace /nowhere/at/all 2>/dev/null
}

tap_check "a trace: figures make sense" steps
tap_check "single operations: figures make sense" tail_is_sane
tap_check "refused: a line of neither" refused "x 1" "2: neither"
tap_check "refused: no number" refused "a 1" "2: invalid number"
tap_check "refused: a sign" refused "a 2 -1" "2: invalid number"
tap_check "refused: words behind" refused "f 1 1" "2: invalid number"
tap_check "refused: an ID too large" refused "f 100000000" "2: the ID has more than"
tap_check "refused: a free of nothing" refused "f 2" "2: the ID is not allocated"
tap_check "refused: a free twice" refused 'f 1\nf 1' "3: the ID is not allocated"
tap_check "refused: allocated twice" refused "a 1 1" "2: the ID is allocated already"
tap_check "refused: of no bytes" refused "a 2 0" "2: invalid size"
tap_check "refused: of more than there are" refused \
	"a 2 18446744073709551615" "2: invalid size"
tap_check "refused: no such file" no_file
tap_end
