#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Install or uninstall a list:
#
#	install.sh install|uninstall DESTDIR ENTRY...
#
# An entry is MODE:FILE:DIRECTORY/ or MODE:FILE:PATH, or link:TARGET:PATH.
# Directories are removed if they are vnpu's own and empty.

set -eu

action=$1
destdir=$2
shift 2

for entry; do
	kind=${entry%%:*}
	path=${entry##*:}
	source=${entry#*:}
	source=${source%:*}
	case $path in
	*/)	path=$path${source##*/} ;;
	esac
	# dir/./file comes of files at the top of a tree.
	path=$destdir$(echo "$path" | sed 's|/\./|/|g')

	case $action,$kind in
	install,link)
		mkdir -p "${path%/*}"
		ln -sfn "$source" "$path" ;;
	install,*)
		install -D -m "$kind" -T "$source" "$path" ;;
	uninstall,*)
		rm -f "$path"
		dir=${path%/*}
		while case $dir in */vnpu | */vnpu[-/]*) ;; *) false ;; esac do
			rmdir "$dir" 2>/dev/null || break
			dir=${dir%/*}
		done ;;
	esac
done
if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
	ldconfig
fi
