#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ascend-dbg: what it runs and attaches to. The debugger, perf and the process that
# runs kernels are scripts here.

. selftests/tool/common.sh

dbg=$PWD/tools/ascend-dbg/ascend-dbg

script()
{
	cat >"$tmp/$1"
	chmod +x "$tmp/$1"
}

# Programs that start a process with the name of that which runs kernels, and end
# with it; and that print their variables.
script launches <<'END'
#!/bin/bash
echo "gdb=$VNPU_CORE_GDB core=${VNPU_CORE-} soc=${VNPU_SOC-}"
(exec -a "vnpu-core [client $$]" sleep 60) &
echo $! >"${0%/*}/core"
wait
exit 7
END
script prints <<'END'
#!/bin/sh
printf '%s' "$* check=${VNPU_CORE_CHECK-} guard=${VNPU_GUARD-} "
echo "order=${VNPU_CORE_ORDER-} core=${VNPU_CORE-} soc=${VNPU_SOC-}"
exit 5
END
script gdb <<'END'
#!/bin/sh
echo "gdb $*"
kill "$(cat "${0%/*}/core")"
END
script perf <<'END'
#!/bin/sh
echo "perf $*"
END
PATH=$tmp:$PATH

# ends STATUS EXPECTED ARGUMENT...: status and output of ascend-dbg.
ends()
{
	ends_status=$1
	ends_expected=$2
	shift 2
	"$dbg" "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = "$ends_status" ] || {
		cat "$tmp/out" "$tmp/err"
		return 1
	}
	printf '%s\n' "$ends_expected" | sed "s/CORE/$(cat "$tmp/core" 2>/dev/null)/" |
		diff -u - "$tmp/out"
}

wrong()
{
	wrong_status=$1
	wrong_word=$2
	shift 2
	tap_check "refused: ascend-dbg $*" \
		refused "$wrong_status" "$wrong_word" "$dbg" "$@"
}

wrong 1 'program that launches the kernel is missing' --kernel=add --soc=Ascend910B1
wrong 1 "'--kernal=add' is no option" --kernal=add prints
wrong 1 'must be race, memory or order' --check=race,bounds prints
wrong 1 'must be race, memory or order' --check= prints
wrong 1 'must be cache_miss' --analyze=pipes prints
wrong 2 'ended with status 0 and launched no kernel' true

tap_check "gdb stops at a kernel" ends 7 'gdb=1 core= soc=910B1
gdb -q -p CORE -ex set breakpoint pending on -ex break add -ex continue' \
	--kernel=add --soc=910B1 launches
export VNPU_CORE=thread
tap_check "gdb without a kernel, and a process for kernels" ends 7 'gdb=1 core= soc=
gdb -q -p CORE -ex set breakpoint pending on' launches
unset VNPU_CORE
tap_check "checkers" ends 5 'a b check=race guard=1 order=backward core= soc=' \
	--check=race,memory,order prints a b
tap_check "the misses of caches" ends 0 \
	'perf stat -e cache-references,cache-misses -- prints --kernel=x' \
	--analyze=register_pressure,cache_miss --kernel=add prints --kernel=x
tap_check "nothing to count" ends 5 ' check= guard= order= core=thread soc=910B1' \
	--soc=910B1 --analyze=register_pressure -- prints
notes()
{
	grep -q 'note: kernels use the registers' "$tmp/err"
}
tap_check "nothing to count, with a note" notes
tap_check "help" sh -c '"$1" --help | grep -q "^usage: ascend-dbg "' sh "$dbg"

tap_end
