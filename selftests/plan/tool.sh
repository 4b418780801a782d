#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-plan as a program.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

plan=${B:-build}/bin/vnpu-plan
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

printf '%s\n' id,lower,upper,size b1,0,3,4 b2,3,9,4 b3,0,9,4 b4,9,21,4 \
	b5,0,21,4 >"$tmp/in.csv"

# The example in the manual.
printf '%s\n' 'tensor x 64 keep' 'tensor grad 32 pinned' 'tensor y 32' \
	'op load out=x' 'op back in=x out=grad' 'op send in=grad stream=1' \
	'op next in=x out=y' 'op done in=grad,y wait=send' >"$tmp/graph"
order='position,op,stream
0,load,0
1,back,0
2,send,1
3,next,0
4,done,0'

exits()
{
	expected=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	cat "$tmp/err"
	[ $status -eq "$expected" ]
}

solves()
{
	exits 0 "$plan" -o "$tmp/out.csv" -s "$tmp/out.svg" "$tmp/in.csv" &&
		grep -q '^5 tensors in 12 bytes, minimal' "$tmp/err" &&
		[ "$(head -n 1 "$tmp/out.csv")" = id,lower,upper,size,offset ] &&
		exits 0 "$plan" --check --capacity 12 "$tmp/out.csv"
}

draws()
{
	[ "$(grep -c '<rect' "$tmp/out.svg")" -eq 5 ] &&
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
			"$tmp/out.svg"
}

finds_overlap()
{
	sed 's/,[0-9]*$/,0/; 1s/0$/offset/' "$tmp/out.csv" >"$tmp/bad.csv"
	sed -i '1s/.*/id,lower,upper,size,offset/' "$tmp/bad.csv"
	exits 2 "$plan" -k "$tmp/bad.csv" && grep -q overlaps "$tmp/err"
}

json()
{
	exits 0 "$plan" --json - <"$tmp/in.csv" &&
		python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["peak"] == r["bound"] == 12 and r["fits"] and r["optimal"], r
' "$tmp/out"
}

names_tensors()
{
	exits 4 "$plan" -c 11 "$tmp/in.csv" &&
		grep -q 'alive at 0: tensors 0, 2, 4' "$tmp/err"
}

names_line()
{
	echo 'b6,1,2,NaN' >>"$tmp/in.csv"
	exits 2 "$plan" "$tmp/in.csv" &&
		grep -q "in.csv: line 7: size 'NaN'" "$tmp/err"
}

# Text of a file is quoted safely for a terminal.
message_is_text()
{
	printf 'id,lower,upper,size\n\033[31mx,0,1,4\n' >"$tmp/escape.csv"
	exits 2 "$plan" "$tmp/escape.csv" &&
		grep -q "line 2: id '?\[31mx' has a control character" "$tmp/err"
}

graph()
{
	exits 0 "$plan" -G --guard 16 -s "$tmp/out.svg" -O "$tmp/order" \
		"$tmp/graph" &&
		[ "$(cat "$tmp/order")" = "$order" ] &&
		grep -q '^grad,1,5,32,80$' "$tmp/out" &&
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
			"$tmp/out.svg"
}

# A long and a short branch: the one that keeps less memory alive goes first.
reorders()
{
	printf '%s\n' 'tensor a 100' 'tensor b 1' 'tensor c 100' 'tensor d 1' \
		'op 1 out=a cost=2' 'op 2 out=c' 'op 3 in=a out=b' \
		'op 4 in=c out=d' 'op 5 in=b,d' >"$tmp/branches"
	exits 0 "$plan" -G "$tmp/branches" && grep -q ' in 201 bytes' "$tmp/err" &&
		exits 0 "$plan" -Gr "$tmp/branches" &&
		grep -q ' in 102 bytes' "$tmp/err"
}

recomputes()
{
	printf '%s\n' 'tensor a 10' 'tensor b 10' 'tensor c 1' \
		'op f out=a cost=7' 'op g out=b wait=f' 'op h in=b out=c' \
		'op i in=a,c' >"$tmp/again"
	exits 4 "$plan" -G -c 12 "$tmp/again" &&
		exits 0 "$plan" -G -c 12 --recompute -j "$tmp/again" &&
		python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["tensors"] == 3 and r["operators"] == 4, r
assert r["reruns"] == 1 and r["cost"] == 7 and r["peak"] <= 12, r
' "$tmp/out" && exits 0 "$plan" -GR -c 12 "$tmp/again" &&
		grep -q '^a#1,3,5,10,' "$tmp/out"
}

# Errors that are detected at the end have a line, too.
graph_names_line()
{
	echo 'op again out=x' >>"$tmp/graph"
	exits 2 "$plan" -G "$tmp/graph" &&
		grep -q 'graph: line 1: tensor 0: .* both make it' "$tmp/err" &&
		echo 'op load' >>"$tmp/graph" &&
		exits 2 "$plan" -G "$tmp/graph" &&
		grep -q "graph: line 10: operator 'load'" "$tmp/err"
}

# They depend on each other.
options_go_together()
{
	exits 1 "$plan" --order x "$tmp/in.csv" &&
		exits 1 "$plan" --guard 1 "$tmp/in.csv" &&
		exits 1 "$plan" --reorder "$tmp/in.csv" &&
		exits 1 "$plan" --graph --recompute "$tmp/graph" &&
		exits 1 "$plan" --graph --check "$tmp/graph" &&
		exits 1 "$plan" --graph --guard 4294967297 "$tmp/graph"
}

# 0 is a capacity, and nothing that a limit on the effort could be.
zero_is_a_number()
{
	exits 4 "$plan" -c 0 "$tmp/in.csv" &&
		grep -q 'tensors need 12 bytes, 12 at least, of 0;' "$tmp/err" &&
		exits 4 "$plan" -k -c 0 "$tmp/out.csv" &&
		exits 1 "$plan" -e 0 "$tmp/in.csv" &&
		grep -q 'effort: 0 is no effort; at least 1 node' "$tmp/err" &&
		exits 1 "$plan" -a 1k "$tmp/in.csv" &&
		grep -q "align: '1k' is not a whole number" "$tmp/err" &&
		exits 1 "$plan" -t 0 "$tmp/in.csv" &&
		exits 1 "$plan" -c 18446744073709551616 "$tmp/in.csv" &&
		grep -q 'is above 2^64 - 1' "$tmp/err"
}

# A double buffer: the second half does not reuse the first.
keeps_apart()
{
	printf '%s\n' id,lower,upper,size,apart ping,0,1,8, pong,1,2,8,ping \
		next,2,3,8,pong >"$tmp/apart.csv"
	exits 0 "$plan" -o "$tmp/apart.out" "$tmp/apart.csv" &&
		grep -q '^3 tensors in 16 bytes' "$tmp/err" &&
		exits 0 "$plan" -k "$tmp/apart.out" &&
		sed -i '/^p/s/[0-9]*$/0/' "$tmp/apart.out" &&
		exits 2 "$plan" -k "$tmp/apart.out" &&
		grep -q 'tensor 1 at 0 is not apart from tensor 0 at 0' "$tmp/err"
}

# Some editors write one.
skips_byte_order_mark()
{
	{ printf '\357\273\277' && cat "$tmp/in.csv"; } >"$tmp/mark.csv" &&
		exits 0 "$plan" "$tmp/mark.csv" &&
		{ printf '\357\273\277' && cat "$tmp/graph"; } >"$tmp/mark" &&
		exits 0 "$plan" -G "$tmp/mark"
}

man_has_options()
{
	for option in $("$plan" --help | grep -o -- '--[a-z-]*' | sort -u); do
		for file in tools/vnpu-plan/vnpu-plan.1 \
			tools/vnpu-plan/vnpu-plan.bash-completion; do
			sed 's/\\-/-/g' "$file" | grep -q -- "$option\>" || {
				echo "$file lacks $option"
				return 1
			}
		done
	done
}

# Each line after a prompt, and its output.
man_examples()
{
	sed -n '/^\.SH EXAMPLES/,$p' tools/vnpu-plan/vnpu-plan.1 |
		awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0 } on' |
		sed 's/\\e/\\/g; s/\\-/-/g' >"$tmp/manual"
	bin=$(realpath "$(dirname "$plan")")
	sed -n 's/^\$ //p' "$tmp/manual" | while read -r line; do
		printf '$ %s\n' "$line"
		(cd "$tmp" && PATH=$bin:$PATH && eval "$line")
	done >"$tmp/said"
	[ -s "$tmp/said" ] && diff "$tmp/manual" "$tmp/said"
}

tap_check "the examples of the manual print the output there" man_examples
tap_check "solve, and check the result" solves
tap_check "draw it" draws
tap_check "find tensors that overlap" finds_overlap
tap_check "JSON, from standard input" json
tap_check "a capacity of 0, and an effort of 0" zero_is_a_number
tap_check "tensors that are kept apart" keeps_apart
tap_check "a byte order mark" skips_byte_order_mark
tap_check "name the tensors that do not fit" names_tensors
tap_check "name the line that is wrong" names_line
tap_check "a message has no escape sequences of the file" message_is_text
tap_check "operators on two streams" graph
tap_check "operators in another order" reorders
tap_check "operators that run again" recomputes
tap_check "name the line of a graph that is wrong" graph_names_line
tap_check "options that need other options" options_go_together
tap_check "no such file" exits 3 "$plan" "$tmp/none"
tap_check "a command line that is wrong" exits 1 "$plan" --capacity x
tap_check "one file only" exits 1 "$plan" a b
tap_check "a full disk" exits 3 sh -c "\"$plan\" -q \"$tmp/out.csv\" >/dev/full"
tap_check "manual and completion have every option" man_has_options
if command -v mandoc >/dev/null; then
	tap_silent "mandoc finds no fault in the manual" \
		mandoc -T lint -W warning tools/vnpu-plan/vnpu-plan.1
else
	tap_skip "mandoc finds no fault in the manual" "mandoc is missing"
fi
tap_end
