#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-prof: its tables and analysis of a profile that is written here, and a
# program that it runs.

. selftests/tool/common.sh

export LD_LIBRARY_PATH="$B/lib"
prof=$B/bin/vnpu-prof
dir=$tmp/PROF
tables=$dir/mindstudio_profiler_output
mkdir -p "$dir/host"

# task NAME BEGIN DURATION STREAM BYTES [MORE]: an event; times are us.
task()
{
	cat <<EOF
,{"ph":"X","ts":$2,"dur":$3,"pid":1073741824,"tid":$4,"name":"$1","cat":"task",
 "args":{"call":"aclnn","task":7,"bytes":$5,"submitted":90.000${6-}}}
EOF
}

# 1000 us: launches in 100-300 and 200-400, a copy in 350-600, nothing in
# 600-1000, then 100 us of a wait.
shape='{"type":"FLOAT","shape":[2,3]}'
{
	echo '{"otherData":{"lost":2},"traceEvents":[{"ph":"M","pid":1}'
	task aclnnAdd 100.000 200.000 3 0 ",\"core\":\"AI_VECTOR_CORE\",\"blocks\":4,
		\"inputs\":[$shape,$shape],\"outputs\":[$shape]"
	task 'my<kernel,' 200.500 199.500 4 0 ',"core":"MIX_AIC","blocks":2'
	task copy 350.000 250.000 3 1048576
	task wait 1000.000 100.000 3 0
	echo ']}'
} >"$dir/host/vnpu-prof-1-0.json"

wrong()
{
	wrong_word=$1
	shift
	tap_check "refused: vnpu-prof $*" refused 1 "$wrong_word" "$prof" "$@"
}

wrong 'nothing to do'
wrong 'give one' --analysis=x --recommend=x
wrong "'--bogus'" --bogus
wrong "'-x'" -xy
wrong 'no program' --application=
wrong 'percentage' --bottleneck="$dir" --threshold=101
wrong 'neither on nor off' --export=yes
wrong 'is none of all, PipeUtilization' --aic-metrics=registers true
wrong 'is none of all, PipeUtilization' --aic-metrics=Memory,caches true
wrong 'is none of all, PipeUtilization' --aic-metrics=Memory, true
wrong 'not a number of seconds' --duration=0 true
wrong 'not a number of seconds' --duration=5s true
wrong 'a program to run' --duration=1 --analysis="$dir"

tap_check "version" same "${prof##*/} (vnpu) $(sed -n \
	's/^VERSION[[:space:]]*:= //p' Makefile)
" "$prof" --version
tap_check "a directory without a profile" \
	refused 2 'cannot be read' "$prof" --analysis="$tmp"
mkdir -p "$tmp/bad/host" "$tmp/empty/host"
tap_check "an empty directory" \
	refused 2 'has no profile' "$prof" --analysis="$tmp/empty"
tap_check "a program without a profile" \
	refused 2 'has no profile' "$prof" --output="$tmp/none" true
echo '[1,' >"$tmp/bad/host/vnpu-prof-1-0.json"
tap_check "a file that is no profile" \
	refused 2 'is not a profile' "$prof" --analysis="$tmp/bad"

exports()
{
	"$prof" --export=on --output="$dir" >"$tmp/out" 2>"$tmp/err" &&
		grep -q '^4 tasks of 1 process: ' "$tmp/out" &&
		grep -q '2 events are missing' "$tmp/err"
}
tap_check "export" exports

# has FILE LINE: a table has the line.
has()
{
	cat "$tables/$1"_*.csv
	grep -qxF "$2" "$tables/$1"_*.csv
}
tap_check "op_summary: an operator with tensors" has op_summary \
	'0,N/A,N/A,7,3,N/A,aclnnAdd,Add,static,AI_VECTOR_CORE,100.000,'\
'200.000,10.000,4,NO,0,"2,3;2,3","FLOAT;FLOAT","ND;ND","2,3",FLOAT,ND,N/A'
tap_check "op_summary: a kernel" has op_summary \
	'0,N/A,N/A,7,4,N/A,"my<kernel,","my<kernel,",static,MIX_AIC,200.500,'\
'199.500,110.500,2,NO,2,N/A,N/A,N/A,N/A,N/A,N/A,N/A'
# An operator reads 48 bytes and writes 24 in 200 us; the tensors of a kernel are
# not known.
# bandwidth GROUPS
bandwidth()
{
	rm -r "$tables"
	"$prof" --export=on --output="$dir" --aic-metrics="$1" 2>&1 &&
		grep -q ',Context ID,main_mem_read_bw(GB/s),main_mem_write_bw(GB/s)$' \
			"$tables"/op_summary_*.csv &&
		grep -q ',aclnnAdd,.*,N/A,0.000240,0.000120$' "$tables"/op_summary_*.csv &&
		grep -q ',MIX_AIC,.*,N/A,N/A,N/A$' "$tables"/op_summary_*.csv
}
tap_check "op_summary: the bandwidth of memory" bandwidth Memory
tap_check "op_summary: all groups" bandwidth all
tap_check "op_summary: a list of groups" \
	bandwidth pipe_utilization,memory_bandwidth
counts_memory()
{
	"$prof" --export=on --output="$dir" --aic-metrics="$1" 2>&1 >/dev/null |
		grep -q "of --aic-metrics=$1, this device counts Memory alone"
}
tap_check "a note on groups without counters" counts_memory all
tap_check "op_statistic" has op_statistic \
	'0,N/A,Add,AI_VECTOR_CORE,1,200.000,200.000,200.000,200.000,50.063'
tap_check "task_time" has task_time \
	'0,copy,TASK,3,7,250.000,350.000,600.000'
silent()
{
	[ "$(cat "$tables"/communication_statistic_*.csv | wc -l)" = 1 ]
}
tap_check "communication_statistic: no row without HCCL" silent
trace()
{
	python3 -S -c 'import json, sys
assert len(json.load(open(sys.argv[1]))["traceEvents"]) == 5' "$tables"/msprof_*.json
}
tap_check "a trace with all events" trace

tap_check "analysis" same "device 0: 1.000 ms from the first task to the last
  memory bandwidth    20.0 %
  core utilisation    30.0 %
  communication        0.0 %
  scheduling          40.0 %
" "$prof" --analysis="$dir" --output="$tmp/report.html"
page()
{
	python3 - "$tmp/report.html" <<'EOF'
import html.parser, sys
text = open(sys.argv[1]).read()
html.parser.HTMLParser().feed(text)
assert text.count("<rect") == 4 and "my&#60;kernel," in text, text
assert "http" not in text
EOF
}
tap_check "a report" page
tap_check "bottlenecks" same "device 0: core utilisation: 30.0 % of the time
device 0: scheduling: 40.0 % of the time
" "$prof" --bottleneck="$dir"
tap_check "bottlenecks, by a threshold" same \
	"device 0: memory bandwidth: 20.0 % of the time
device 0: scheduling: 40.0 % of the time
" "$prof" --bottleneck="$dir" --threshold=19%
advises()
{
	"$prof" --recommend="$dir" >"$tmp/out" 2>/dev/null
	cat "$tmp/out"
	grep -q 'launches of aclnnAdd take most time, 0.200 ms' "$tmp/out" &&
		grep -q 'is 0.400 ms, for wait in stream 3' "$tmp/out"
}
tap_check "advice" advises

# 1000 us: runs of a captured model in 100-500 and 600-900, and a kernel in
# 900-920. The cores may do anything in a run.
models=$tmp/models
mkdir -p "$models/host"
{
	echo '{"otherData":{"lost":0},"traceEvents":[{"ph":"M","pid":1}'
	task graph 100.000 400.000 3 0
	task graph 600.000 300.000 3 0
	task kernel 900.000 20.000 3 0 ',"core":"MIX_AIC","blocks":2'
	task nop 1099.000 1.000 3 0
	echo ']}'
} >"$models/host/vnpu-prof-1-0.json"
hidden='device 0: captured or compiled models: 0.700 ms, not divided into kernels,'
hidden="$hidden so the use of cores is not known"
tap_check "analysis: models" same "device 0: 1.000 ms from the first task to the last
  memory bandwidth     0.0 %
  core utilisation     2.0 %
  communication        0.0 %
  scheduling          27.9 %
$hidden
" "$prof" --analysis="$models"
tap_check "bottlenecks: models" same "$hidden
device 0: scheduling: 27.9 % of the time
" "$prof" --bottleneck="$models"
tap_check "bottlenecks: models and nothing else" same "$hidden
no bottleneck
" "$prof" --bottleneck="$models" --threshold=90
advises_models()
{
	"$prof" --recommend="$models" --output="$tmp/models.html" >"$tmp/out"
	cat "$tmp/out"
	grep -q 'wait for the last task only\.$' "$tmp/out" &&
		! grep -q 'kernel or operator ran' "$tmp/out" &&
		[ "$(grep -o 'class="model"' "$tmp/models.html" | wc -l)" = 2 ] &&
		grep -qF "<p>$hidden" "$tmp/models.html"
}
tap_check "advice: models" advises_models

# call NAME BEGIN DURATION: a task of a call.
call()
{
	task copy "$2" "$3" 3 64 | sed "s/\"aclnn\"/\"$1\"/"
}
calls=$tmp/calls
mkdir -p "$calls/host"
{
	echo '{"otherData":{"lost":0},"traceEvents":[{"ph":"M","pid":1}'
	call HcclBroadcast 100.000 50.000
	call HcclAllReduce 200.000 100.000
	call HcclAllReduce 400.000 50.000
	call aclrtMemcpyAsync 500.000 500.000
	echo ']}'
} >"$calls/host/vnpu-prof-1-0.json"
head="Device_id,OP Type,Count,Total Time(us)"
head="$head,Avg Time(us),Min Time(us),Max Time(us),Ratio(%)"

communicates()
{
	"$prof" --export=on --output="$calls" >/dev/null &&
		same "$head
0,HcclAllReduce,2,150.000,75.000,50.000,100.000,75.000
0,HcclBroadcast,1,50.000,50.000,50.000,50.000,25.000
" cat "$calls"/mind*/communication_statistic_*.csv
}
tap_check "communication_statistic: a row for each call" communicates

runs()
{
	"$prof" --aic-metrics=L2Cache --l2=on --output="$tmp/run" "$@" >"$tmp/out" \
		2>"$tmp/err"
	run_status=$?
	cat "$tmp/out" "$tmp/err"
	return $run_status
}
records()
{
	runs "$B/examples/pipeline" && grep -q 'l2 has no' "$tmp/err" &&
		grep -q 'no counters for --aic-metrics=L2Cache' "$tmp/err" &&
		grep -q ',copy,TASK,' \
			"$tmp"/run/PROF_*/mind*/task_time_*.csv
}
tap_check "a program that is not changed" records
# The time is over before the first task.
ends()
{
	runs --duration=0.000001 "$B/examples/pipeline" &&
		grep -q '^0 tasks of 1 process: ' "$tmp/out"
}
tap_check "a recording that ends" ends
lasts()
{
	runs --duration=600 "$B/examples/pipeline" &&
		grep -q '^[1-9][0-9]* tasks of 1 process: ' "$tmp/out"
}
tap_check "a recording that ends later than the program" lasts
tap_check "a command of the shell, with its exit status" refused 5 \
	'has no profile' "$prof" --application='exit 5' --output="$tmp/run"
tap_check "a program that does not exist" refused 127 'cannot be run' \
	"$prof" --output="$tmp/run" "$tmp/none"

tap_end
