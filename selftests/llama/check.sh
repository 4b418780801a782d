#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build llama.cpp for vnpu and test it, for "make check-llama". The last line is
# "N passed, N failed, N skipped".
#
#	host	all operators and a selection of architectures, by the engine alone:
#		native.c stands for the driver
#	6.12	in a machine: text, one architecture, the operators of a language
#		model that are fast enough; with ALL=1 all operators

set -eu

B=${B:-build}
export B
here=$(dirname "$0")
results=$B/check
mkdir -p "$results" "$B/llama"
rm -f "$results"/llama-*.tap

echo "==> building llama.cpp"
"$here/build.sh" "$B/cann" "$B/llama" >"$B/llama/build.log" 2>&1 || {
	tail -n 40 "$B/llama/build.log"
	exit 1
}
# shellcheck source=/dev/null
. "$B/cann/set_env.sh"

# One thread: those of ggml wait for each other by spinning, for seconds if they
# are more than the processors that are free.
export OMP_THREAD_LIMIT=1

failed=no
echo "==> testing on the host"
LLAMA_PRELOAD=$(realpath "$B/llama/native.so") \
	selftests/run -l host -t 3600 -o "$results/llama-host.tap" \
	"$here/archs.py" "$here/ops.py" || failed=yes

echo "==> testing on Linux 6.12"
ops="ADD CONT CPY GET_ROWS MUL RMS_NORM SET_ROWS SILU SWIGLU"
[ -z "${ALL-}" ] || ops=
export LLAMA_OPS="$ops" LLAMA_ARCHS=llama
# A launch may take long on an emulated processor.
tools/vnpu-vm/vnpu-vm --kernel 6.12 --arena 1G --mem 2G --timeout 14400 \
	--param hang_timeout_ms=300000 -- \
	selftests/run -l 6.12 -t 14000 -o "$results/llama-6.12.tap" \
	"$here/text.sh" "$here/archs.py" "$here/ops.py" || failed=yes

cat "$results"/llama-*.tap | sed -n 's/^# decoded/decoded/p' | tail -n 1
awk '$1 == "#" && $2 == "result" { p += $3; f += $4; s += $5 }
	END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' \
	"$results"/llama-*.tap
[ $failed = no ]
