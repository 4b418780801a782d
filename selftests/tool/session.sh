#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A session under tmux on two devices with three clients, for a document: the
# block after each "<!-- screen: NAME -->" becomes what was on the screen.  In a
# machine with two devices that nobody else uses:
#
#	session.sh DOCUMENT

set -eu

. selftests/tool/common.sh

document=$1
export TERM=screen
PATH=$(realpath "$B/bin"):$PATH

# The limit is for a server that does not answer.
mux()
{
	timeout 60 tmux -L "vnpu-session-$$" -f /dev/null "$@"
}

die()
{
	echo "session.sh: $*" >&2
	[ ! -e "$tmp/screen" ] || cat "$tmp/screen" >&2
	exit 1
}

# soon COMMAND...: it succeeds within minutes, which only a hang exceeds.
soon()
{
	for _ in $(seq 1000); do
		"$@" && return
		sleep 0.2
	done
	die "this has not come: $*"
}

# client NAME COMMAND...: of hold, busy or fragment, which is there when this returns.
client()
{
	client=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	"$@" sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 3600' \
		"$tmp/client-$client" &
	soon [ -e "$tmp/client-$client" ]
}

# leave NAME: that client.
leave()
{
	kill "$(cat "$tmp/client-$1")" || :
	rm "$tmp/client-$1"
}

finish()
{
	mux kill-server 2>/dev/null || :
	for pid in "$tmp"/client-*; do
		[ ! -e "$pid" ] || leave "${pid##*/client-}"
	done
	wait
	rm -rf "$tmp"
}
trap finish EXIT

# start NAME COLUMNS LINES COMMAND: on a screen of that size, after a prompt, and
# with another one when it has ended.
start()
{
	screen=$1
	cat >"$tmp/window" <<-SH
	echo '\$ $4'
	$4
	printf '\$ '
	exec sleep 3600
	SH
	mux new-session -d -x "$2" -y "$3" "sh $tmp/window"
}

# shows WORD: on the screen.
shows()
{
	mux capture-pane -p >"$tmp/screen" && grep -qE -- "$1" "$tmp/screen"
}

# keep WORD: the screen, once that is there; without the lines that are empty at
# its end, and the last prompt.
keep()
{
	soon shows "$1"
	awk '/^\$?$/ { held = held $0 "\n"; next }
	     { printf "%s%s\n", held, $0; held = "" }' "$tmp/screen" \
		>"$tmp/screen-$screen"
	mux kill-server
	echo "==> $screen" && cat "$tmp/screen-$screen"
}

# run NAME COLUMNS COMMAND: one that ends, and what it prints.
run()
{
	start "$1" "$2" 60 "$3"
	keep '^\$$'
}

# The screens into the document, each of which it must name.
write()
{
	awk -v screens="$tmp/screen-" '
	/^<!-- screen: [a-z]+ -->$/ { file = screens $3 }
	inside && $0 == "```" { inside = 0 }
	!inside { print }
	file != "" && $0 == "```" {
		while ((status = (getline line <file)) > 0)
			print line
		if (status < 0)
			exit 1
		file = ""
		inside = 1
	}
	' "$document" >"$tmp/document" || die "$document wants another screen"
	cat "$tmp/document" >"$document"
}

cp "$B/selftests/tool/busy" "$tmp/trainer"
client server "$hold" -n server -d 1 -h $((96 * MIB))
client cache "$hold" -n cache $((48 * MIB))
client trainer "$tmp/trainer" -s 3

# As wide as the table of npu-smi is.
run info 99 "vnpu-smi info"

start top 80 12 "vnpu-smi top -d 0.5"
soon shows '[▂▃▄▅▆▇█]'
sleep 8
keep '^q quit'

run proc 80 "vnpu-smi proc"

client pieces "$B/selftests/tool/fragment" -d 1 $MIB
run frag 80 "vnpu-smi frag --fit 32M --contiguous"

start events 80 24 "vnpu-smi events -f"
soon shows '^Time'
"$hold" -n greedy $((1 << 40)) true 2>/dev/null || :
vnpu-smi set -t compact -i 1 -y >"$tmp/out"
vnpu-smi set -t reset -i 1 -y >"$tmp/out"
keep ' reset '
leave pieces

run health 80 "vnpu-smi health"

start wait 80 24 "vnpu-smi wait --idle -i 1 --timeout 600"
soon pgrep -x vnpu-smi >/dev/null
leave server
keep '^\$$'

write
