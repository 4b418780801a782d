#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A manual page of section 3 is about a group of calls, and is found by the
# name of each: print "ALIAS PAGE" for every name but the page's own.
#
#	lib/man/names.sh PAGE...

for page; do
	sed -n '/^\.SH NAME/,/\\-/p' "$page" |
		grep -oE '\b(acl|vnpu_|[Hh]ccl[A-Z])[A-Za-z0-9_]+' |
		while read -r name; do
			[ "$name.3" = "${page##*/}" ] ||
				echo "$name.3 ${page##*/}"
		done
done
