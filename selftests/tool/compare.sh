#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-compare: refused arguments, and a commit compared with itself. Long
# steps are left out: make is replaced by one that finds everything built.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=$(realpath "${B:-build}")
export real=$B
compare=tools/vnpu-bench/compare.py
tmp=$(mktemp -d "$B/compare-test.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/make" <<'SH'
#!/bin/sh
# Build the benchmarks in the source of the commit.
[ -f Makefile ] && [ -d driver ] && ln -sfn "$real" build
SH
chmod +x "$tmp/make"

# fails WORD ARGUMENT...
fails()
{
	local word=$1
	shift
	if B=$tmp/out $compare "$@" >"$tmp/text" 2>&1; then
		echo "it did not fail"
		return 1
	fi
	grep -q -- "$word" "$tmp/text" || {
		cat "$tmp/text"
		return 1
	}
}

in_make()
{
	! make bench-compare >"$tmp/text" 2>&1 && grep -q 'BASE=' "$tmp/text"
}

nothing_moved()
{
	MAKE=$tmp/make B=$tmp/out $compare --quick --json HEAD HEAD \
		>"$tmp/json" && cat "$tmp/json" &&
		python3 - "$tmp/json" <<-'PY'
		import json
		import sys

		with open(sys.argv[1], encoding="ascii") as file:
		    result = json.load(file)
		assert len(result["figures"]) >= 5, "there are figures missing"
		for figure in result["figures"]:
		    assert figure["base"] > 0 and figure["new"] > 0, figure
		    assert not figure["moved"], figure
		assert not result["only_base"] and not result["only_new"]
		PY
}

# The verdicts of a report made from invented runs.
finds_what_moved()
{
	python3 -B - <<-'PY'
	import sys

	sys.path.insert(0, "tools/vnpu-bench")
	import compare

	def moved(base, new):
	    return compare.has_moved(base, new)

	assert moved([100, 101, 100], [103, 104, 103])
	assert moved([100, 101, 100], [97, 96, 97])
	assert not moved([100, 101, 100], [101, 102, 102]), "too little"
	assert not moved([100, 200, 100], [150, 150, 150]), "among others"
	PY
}

tap_check "a commit is needed" in_make
tap_check "an unknown option" fails "usage" --bogus HEAD
tap_check "changed and unchanged figures" finds_what_moved
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	tap_check "no such commit" fails "no-such-commit" no-such-commit
	tap_check "a commit compared with itself" nothing_moved
else
	tap_skip "no such commit" "no git repository"
	tap_skip "a commit beside itself" "this is no repository"
fi
tap_end
