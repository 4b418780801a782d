#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the README and the documents: their links are valid, their targets of
# make exist, and their commands run. A block of commands after "<!-- run: host
# -->" is run here; one after "<!-- run: machine -->" is run in a machine, as
# root and without the module, from the top of the tree.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=${B:-build}
dir=$B/readme
documents=$(find README.md Documentation -name '*.md' | sort)

# The first block of a language, or all of those after a mark.
block()
{
	awk -v language="$1" -v mark="${2-}" '
	$0 == mark { marked = 1 }
	$0 == "```" && inside {
		inside = 0
		marked = 0
		if (mark == "")
			exit
	}
	inside { print }
	$0 == "```" language && (mark == "" || marked) { inside = 1 }
	' README.md
}

dead_links()
{
	local document link

	for document in $documents; do
		grep -oE '\]\([^)#]+' "$document" | sed 's/^](//' |
			grep -vE '^https?://' | while read -r link; do
				[ -e "$(dirname "$document")/$link" ] ||
					echo "$document: $link"
			done
	done
}

# Files named in backquotes; tests without their suffix, and by the names that
# "make check" uses.
dead_paths()
{
	local path

	# shellcheck disable=SC2086 # a list of words
	grep -ohE '`(selftests|tools|lib|driver|uapi|Documentation)/[^` *]*`' \
		$documents | tr -d '`' | sort -u | while read -r path; do
			[ -e "$path" ] || [ -e "$path.c" ] ||
				[ -e "selftests/$path.c" ] || echo "$path"
		done
}

missing_targets()
{
	local target targets

	# As make itself parses them.
	targets=$(make -npRr help 2>/dev/null |
		sed -n 's/^\([a-z][a-z_-]*\):.*/\1/p')
	# shellcheck disable=SC2086 # a list of words
	grep -ohE '(^|`|sudo )make [a-z][a-z_/-]+' $documents |
		sed 's/.*make //' | grep -v / | sort -u |
		while read -r target; do
			grep -qxF -- "$target" <<<"$targets" ||
				echo "make $target"
		done
}

# The listed calls are those that the library exports for programs.
supported_calls()
{
	grep -oE '`(acl|vnpu_)[A-Za-z0-9_]+`' Documentation/calls.md |
		tr -d '`' | sort |
		diff - <(sed '/^LIBVNPU_PRIVATE/,$d' lib/libvnpu.map |
			sed -n 's/^\t\([a-z][A-Za-z0-9_]*\);$/\1/p' | sort)
}

# Links to the tree form a working directory with its layout.
workplace()
{
	local entry

	rm -rf "$dir"
	mkdir -p "$dir"
	for entry in *; do
		ln -s "$PWD/$entry" "$dir/$entry"
	done
	rm -f "$dir/build"
	ln -s "$(cd "$B" && pwd)" "$dir/build"
	block c >"$dir/x.c"
	block cpp >"$dir/square.asc"
	block sh '<!-- run: host -->' >"$dir/host"
	{
		cat <<-'SH'
		set -eux
		# As in a login shell.
		PATH=/usr/local/bin:$PATH
		# dkms.sh tests this; the compiler would take minutes here, and
		# so would depmod.
		sudo()
		{
			case $* in
			"make install-dkms") ;;
			*)	"$@" ;;
			esac
		}
		modprobe()
		{
			insmod "build/kmod/$(uname -r)/$1.ko" "${@:2}"
		}
		# udevd does not run here, and systemd may be missing.
		udevadm()
		{
			echo "udevadm $*"
		}
		command -v systemd-sysusers || systemd-sysusers()
		{
			groupadd --system vnpu
		}
		SH
		block sh '<!-- run: machine -->'
	} >"$dir/machine"
	[ -s "$dir/x.c" ] && [ -s "$dir/square.asc" ] && [ -s "$dir/host" ] &&
		grep -q modprobe "$dir/machine"
}

on_host()
{
	(
		cd "$dir" && timeout 600 bash -eux ./host >log 2>&1
		status=$?
		cat log
		[ $status -eq 0 ] && grep -q '^1 MiB of device memory' log &&
			grep -q 'npu-smi' log &&
			grep -q '^1000 \* 1000 = 1000000' log
	)
}

in_machine()
{
	timeout 600 tools/vnpu-vm/vnpu-vm --no-module -- \
		bash "$dir/machine" >"$dir/machine.log" 2>&1
	status=$?
	cat "$dir/machine.log"
	[ $status -eq 0 ] && grep -q 'npu-smi' "$dir/machine.log"
}

tap_silent "links are valid" dead_links
tap_silent "files exist" dead_paths
tap_silent "targets of make exist" missing_targets
tap_check "the supported calls are those exported" supported_calls
tap_check "the README has the blocks" workplace
tap_check "programs are built and run" on_host
tap_check "the module is installed and loaded" in_machine
tap_end
