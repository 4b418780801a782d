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

# Set $path to the target of an entry; its second field is in $source.
locate()
{
	path=${1##*:}
	source=${1#*:}
	source=${source%:*}
	case $path in
	*/)	path=$path${source##*/} ;;
	esac
	# dir/./file results from files at the top of a tree.
	case $path in
	*/./*)	path=${path%%/./*}/${path#*/./} ;;
	esac
	path=$destdir$path
}

install_all()
{
	for entry; do
		locate "$entry"
		case $entry in
		link:*)
			[ -d "${path%/*}" ] || mkdir -p "${path%/*}"
			ln -sfn "$source" "$path" ;;
		*)	install -D -m "${entry%%:*}" -T "$source" "$path" ;;
		esac
	done
}

# A directory of ours is one with vnpu in its path.
uninstall_all()
{
	for entry; do
		locate "$entry"
		set -- "$@" "$path"
		shift
	done
	rm -f "$@"
	for path; do
		echo "${path%/*}"
	done | sort -ru | while read -r dir; do
		while case ${dir#"$destdir"} in */vnpu | */vnpu[-/]*) ;; *) false ;; esac do
			rmdir "$dir" 2>/dev/null || break
			dir=${dir%/*}
		done
	done
}

action=$1
destdir=$2
shift 2
case $action in
install)	install_all "$@" ;;
uninstall)	uninstall_all "$@" ;;
*)	exit 2 ;;
esac
if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
	ldconfig
fi
