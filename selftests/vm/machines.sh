# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared parts of the tests of vnpu-vm, to be sourced in the top directory:
# machines of $kernel, in a directory of their own, and a module that makes the
# error that its parameter selects.

# shellcheck source=selftests/abi/tap.sh
. selftests/abi/tap.sh

kernel=${kernel:?}
top=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# Time limit of one run in seconds, on a machine under load.
limit=300

vm()
{
	timeout -k 10 "$limit" "$top/tools/vnpu-vm/vnpu-vm" \
		--kernel "$kernel" "$@"
}

plain()
{
	vm --no-module "$@" </dev/null
}

# status EXPECTED COMMAND...
status()
{
	local expected=$1 status
	shift

	"$@"
	status=$?
	[ $status -eq "$expected" ] && return
	echo "exit status $status, not $expected"
	return 1
}

# says TEXT: the standard error of the last run, in the file err, must contain
# TEXT.
says()
{
	grep -qF -- "$1" err && return
	echo "standard error does not say: $1"
	cat err
	return 1
}

# fails STATUS TEXT COMMAND...: the command must fail with this status and
# message
fails()
{
	local expected=$1 text=$2
	shift 2

	status "$expected" "$@" 2>err && says "$text"
}

build_module()
{
	local kdir

	if [ "$kernel" = debug ]; then
		kdir=$("$top/selftests/vm/build-debug-kernel.sh" --path)/build
	else
		kdir=$("$top/tools/build/kernel-headers.sh" "$kernel") || return
	fi
	mkdir -p module
	cp "$top/selftests/vm/splat.c" module/vnpu.c
	echo 'obj-m := vnpu.o' >module/Kbuild
	make -C "$kdir" M="$tmp/module" modules
}

# with SPLAT COMMAND...: run with the splat module and what=SPLAT
with()
{
	local what=$1
	shift

	vm --module module/vnpu.ko --param "what=$what" --arena 1G "$@" \
		</dev/null
}
