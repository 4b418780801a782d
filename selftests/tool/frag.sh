#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-smi frag: the map of memory as text, and the forecast of fitting
# allocations, compared with allocations.

. selftests/tool/common.sh

fragment=$B/selftests/tool/fragment
free=$($query | awk 'NR == 1 { print $4 }')
half=$((free / 2))

# value LABEL: of the lines in $tmp/out.
value()
{
	sed -n "s/^	$1 *: //p" "$tmp/out" | head -n 1
}

view()
{
	"$@" "$smi" info -t frag -i 0 >"$tmp/out" && cat "$tmp/out"
}

# The characters of the map, without its frame.
map()
{
	sed -n 's/^ *[0-9]* |\(.*\)|$/\1/p' "$tmp/out"
}

idle()
{
	view && [ "$(value 'Free Runs')" -le 8 ] &&
		[ "$(value 'Rounded Up(byte)')" = 0 ] &&
		[ "$(map | wc -l)" -eq 8 ] &&
		! map | grep -qv '^\(·\)\{64\}$'
}
tap_check "the map of an idle device is empty" idle

columns()
{
	[ "$(wc -L <"$tmp/out")" -le 80 ]
}
tap_check "it has 80 columns" columns

ascii()
{
	view "$fragment" 2097152 env LC_ALL=C &&
		! LC_ALL=C grep -q '[^	 -~]' "$tmp/out" &&
		map | grep -q '#.*[.]' && columns
}
tap_check "it is ASCII where the locale is" ascii

striped()
{
	view "$fragment" 2097152 &&
		[ "$(value 'Fragmentation(permille)')" -gt 500 ] &&
		[ "$(map | tr -d '\n·█' | wc -c)" -le 8 ] && columns
}
tap_check "pieces of 2 MiB are shown one by one" striped

shaded()
{
	view "$fragment" 4096 && [ "$(map | grep -c '^\(▒\)\{64\}$')" -ge 7 ] &&
		[ "$(value 'Free Runs')" -gt 1000 ] &&
		grep -q '^	0  *4  *[0-9]' "$tmp/out"
}
tap_check "pieces of a page are half of every part" shaded

contiguous()
{
	view "$fragment" -c 8192 && [ "$(map | grep -c '^\(▒\)\{64\}$')" -ge 7 ] &&
		! map | grep -q '[xX]'
}
tap_check "contiguous memory that can be moved is not marked" contiguous

fixed()
{
	view "$fragment" -t 65536 && [ "$(map | grep -c '^x\{64\}$')" -ge 7 ]
}
tap_check "fixed memory is marked" fixed

rounded()
{
	view "$hold" -h 1 && [ "$(value 'Rounded Up(byte)')" -eq 2097151 ]
}
tap_check "rounding losses are shown" rounded

# 100 objects of 100 bytes in 128: two slabs of a page hold 64 of them.
slabs()
{
	view && ! grep -q 'Slabs' "$tmp/out" || return 1
	view "$hold" -s 100 -c 2 100 &&
		grep -q '^	128  *8  *32  *200  *5600$' "$tmp/out" &&
		[ "$(sed -n '/Slabs Of/,/^$/p' "$tmp/out" |
		     grep -c '^	[0-9]* *[1-9][0-9]*  *16  *100  *2800$')" = 2 ] &&
		columns
}
tap_check "slabs are listed by size and by client" slabs

# fits NOW LATER OPTION...: on fragmented memory
fits()
{
	fits_now=$1
	fits_later=$2
	shift 2
	"$fragment" $piece 65536 "$smi" frag -i 0 "$@" >"$tmp/out" || return 1
	cat "$tmp/out"
	[ "$(value Fits)" = "$fits_now" ] &&
		[ "$(value 'Fits After Compaction')" = "$fits_later" ]
}
piece=
tap_check "all free memory fits" fits Yes Yes --fit $half
tap_check "a run of one piece fits" fits Yes Yes --fit 64K --contiguous
tap_check "a longer run fits after compaction" \
	fits No Yes --fit $((half / 2)) --contiguous
tap_check "large pages fit after compaction" fits No Yes --fit $((half / 2)) --page 2M
tap_check "more than the free memory does not fit" fits No No --fit $((half + 65537))
piece=-c
tap_check "contiguous objects move for a longer run" \
	fits No Yes --fit 128K --contiguous
tap_check "... and for a large page" fits No Yes --fit 4K --page 2M
tap_check "a scattered object fits" fits Yes Yes --fit $half
piece=-t
tap_check "contiguous objects without a free run stay" \
	fits No No --fit 128K --contiguous

tap_end
