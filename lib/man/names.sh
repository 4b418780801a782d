#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A manual page may be about several calls or commands, and is found by the name
# of each: print "ALIAS PAGE" for every name but the page's own.
#
#	lib/man/names.sh PAGE...

for page; do
	file=${page##*/}
	sed -n '/^\.S[Hh] NAME/,/\\-\|^\.Nd/{
			/^\.S[Hh]\|^\.Nd/d; s/^\.Nm//; s/\\-.*//; p; }' "$page" |
		grep -oE '[A-Za-z][A-Za-z0-9_-]+' |
		while read -r name; do
			name=$name.${file##*.}
			[ "$name" = "$file" ] || echo "$name $file"
		done
done
