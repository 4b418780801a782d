#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Have llama.cpp generate text by model.py's model: on the CPU backend, and on the
# CANN backend, where all layers are. Both must write the text that it knows.
# Prints TAP, and the speeds.

set -u

B=${B:-build}
here=$(dirname "$0")
dir=$B/llama
prompt="vnpu is"

generate()
{
	"$dir/bin/llama-simple" -m "$dir/model.gguf" -n 400 "$prompt" \
		>"$dir/text-$1" 2>"$dir/log-$1"
}

# The last line is the speed of the whole.
result()
{
	if [ "$3" = yes ] && cmp -s "$dir/text" "$dir/text-$2"; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		sed 's/^/# /' "$dir/text-$2"
		tail -n 20 "$dir/log-$2" | sed 's/^/# /'
	fi
	sed -n 's/^main: decoded/# decoded/p' "$dir/log-$2"
}

echo 1..2
"$here/model.py" "$dir/model.gguf" && "$here/model.py" --text >"$dir/text" ||
	exit

# Without a device that it may use, llama.cpp has the CPU alone.
ASCEND_RT_VISIBLE_DEVICES='' generate cpu
grep -q CANN0 "$dir/log-cpu" && is_cpu=no || is_cpu=yes
result 1 cpu "$is_cpu"

generate cann
grep -q 'offloaded 3/3 layers' "$dir/log-cann" &&
	grep -q 'CANN0 model buffer' "$dir/log-cann" && is_cann=yes || is_cann=no
result 2 cann "$is_cann"
sed 's/^/# /' "$dir/text-cann"
