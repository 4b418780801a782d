#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Record a session under tmux on two devices with three clients, for a document:
# the block after each "<!-- screen: NAME -->" becomes the contents of the
# screen. Run it in a machine with two devices without other users:
#
#	session.sh DOCUMENT

set -eu

. selftests/tool/common.sh

document=$1
export TERM=screen
PATH=$(realpath "$B/bin"):$PATH

# The limit is for a server that does not respond.
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

# soon COMMAND...: the command must succeed within minutes; only a hang takes
# longer.
soon()
{
	for _ in $(seq 1000); do
		"$@" && return
		sleep 0.2
	done
	die "this has not come: $*"
}

# client NAME COMMAND...: start hold, busy or fragment; return when it is ready.
client()
{
	client=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	"$@" sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 3600' \
		"$tmp/client-$client" &
	soon [ -e "$tmp/client-$client" ]
}

# leave NAME: end that client.
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

# start NAME COLUMNS LINES COMMAND: run a command on a screen of that size,
# between two prompts.
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

# shows WORD: whether it is on the screen.
shows()
{
	mux capture-pane -p >"$tmp/screen" && grep -qE -- "$1" "$tmp/screen"
}

# keep WORD: save the screen once it has WORD, without empty lines at its end
# and the last prompt.
keep()
{
	soon shows "$1"
	awk '/^\$?$/ { held = held $0 "\n"; next }
	     { printf "%s%s\n", held, $0; held = "" }' "$tmp/screen" \
		>"$tmp/screen-$screen"
	mux kill-server
	echo "==> $screen" && cat "$tmp/screen-$screen"
}

# run NAME COLUMNS COMMAND: save the output of a command.
run()
{
	start "$1" "$2" 60 "$3"
	keep '^\$$'
}

# Put the screens into the document, which must name each of them.
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

# As wide as the table of npu-smi.
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
