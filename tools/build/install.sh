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

# Print a line "MODE<tab>DIRECTORY<tab>FILE" for each file that keeps its name.
list_files()
{
	for entry; do
		case $entry in
		link:*)	;;
		*:*/)	locate "$entry"
			printf '%s\t%s\t%s\n' "${entry%%:*}" "${path%/*}" "$source" ;;
		esac
	done
}

# One command installs all files of a directory.
install_files()
{
	mode='' dir=''
	while IFS='	' read -r next_mode next_dir file; do
		if [ "$next_mode:$next_dir" != "$mode:$dir" ]; then
			[ $# -eq 0 ] || install -D -m "$mode" -t "$dir" "$@"
			set --
			mode=$next_mode dir=$next_dir
		fi
		set -- "$@" "$file"
	done
	[ $# -eq 0 ] || install -D -m "$mode" -t "$dir" "$@"
}

# Print a line "DIRECTORY<tab>NAME<tab>TARGET" for each link.
list_links()
{
	for entry; do
		case $entry in
		link:*)	locate "$entry"
			printf '%s\t%s\t%s\n' "${path%/*}" "${path##*/}" "$source" ;;
		esac
	done
}

# A process for each of the hundreds of manual pages would take minutes on an
# emulated processor.
install_links()
{
	perl -we 'use File::Path;
		while (<STDIN>) {
			chomp;
			my ($dir, $name, $target) = split /\t/;
			File::Path::make_path($dir) unless -d $dir;
			unlink "$dir/$name";
			symlink $target, "$dir/$name" or die "$dir/$name: $!\n";
		}'
}

install_renamed()
{
	for entry; do
		case $entry in
		link:* | *:*/)	;;
		*)	locate "$entry"
			install -D -m "${entry%%:*}" -T "$source" "$path" ;;
		esac
	done
}

install_all()
{
	install_renamed "$@"
	list_files "$@" | sort | install_files
	list_links "$@" | install_links
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
