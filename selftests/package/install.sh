#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files that make install puts into DESTDIR work from there, and make
# uninstall removes exactly these.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=${B:-build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
prefix=/opt/v
pc=$root$prefix/lib/pkgconfig
cann=$root$prefix/lib/vnpu/cann

manifest()
{
	(cd "$root" && find . ! -type d | sort)
}

# The installed compiler finds its headers by its own place.
compiles_kernel()
{
	cat >"$tmp/kernel.asc" <<-'END' || return 1
		#include "kernel_operator.h"
		extern "C" __global__ __aicore__ void k(GM_ADDR x)
		{
			AscendC::GlobalTensor<int32_t> gm;

			gm.SetGlobalBuffer((__gm__ int32_t *)x, 1);
			gm.SetValue(0, 1);
		}
	END
	"$cann/bin/bisheng" --image -o "$tmp/kernel.o" "$tmp/kernel.asc" &&
		nm -D --defined-only "$tmp/kernel.o" | grep -q ' vnpu_image$'
}

install_to()
{
	make -s "$1" B="$B" DESTDIR="$root" PREFIX=$prefix
}

has()
{
	for path; do
		[ -e "$root$path" ] || {
			echo "no $path"
			return 1
		}
	done
}

# Links that are dangling, or lead out of the tree.
wild_links()
{
	find "$root" -type l | while read -r link; do
		case $(readlink -f "$link") in
		"$root"/*) [ -e "$link" ] || echo "$link: dangling" ;;
		*) echo "$link: leads out" ;;
		esac
	done
}

writable_by_others()
{
	find "$root" ! -type l -perm /022
}

# Directories that every compiler or linker searches have no file that could
# shadow another.
shadows()
{
	find "$root$prefix/include" -maxdepth 2 ! -type d
	find "$root$prefix/lib" -maxdepth 1 -name '*acl*'
}

by_pkg_config()
{
	cat >"$tmp/a.c" <<-'C'
		#include <acl/acl.h>
		#include <vnpu.h>
		int main(void)
		{
			return aclInit(NULL) != ACL_SUCCESS || !vnpu_version();
		}
	C
	flags=$(PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config "$@" --cflags --libs vnpu) || return
	# shellcheck disable=SC2086 # a list of words
	${CC:-cc} -o "$tmp/a" "$tmp/a.c" $flags &&
		LD_LIBRARY_PATH=$root$prefix/lib "$tmp/a"
}

statically()
{
	${CC:-cc} -o "$tmp/a" "$tmp/a.c" -I"$cann/include" \
		"$root$prefix/lib/libvnpu.a" -pthread && "$tmp/a"
}

pkg_version()
{
	[ "$(PKG_CONFIG_PATH=$pc pkg-config --modversion vnpu)" = \
		"${VERSION:?}" ]
}

uapi_headers()
{
	printf '#include <linux/%s>\n' vnpu.h vnpu_netlink.h |
		${CC:-cc} -I"$root$prefix/include/vnpu" -fsyntax-only -x c -
}

# As a program for CANN is built.
as_with_cann()
{
	cat >"$tmp/b.c" <<-'C'
		#include "acl/acl.h"
		int main(void)
		{
			return aclInit(NULL) != ACL_SUCCESS;
		}
	C
	for name in ascendcl acl_rt; do
		${CC:-cc} -o "$tmp/b" "$tmp/b.c" -I"$cann/include" \
			-L"$cann/lib64" "-l$name" &&
			bash -c '. "$0/set_env.sh" && "$1"' "$cann" "$tmp/b" ||
			return
	done
}

environment()
{
	bash -c '. "$0/set_env.sh" && echo "$ASCEND_HOME_PATH"' "$cann" |
		grep -qx "$cann" &&
		sh -c '. "$0/set_env.sh" && echo "$ASCEND_TOOLKIT_HOME"' \
			"$cann" | grep -qx "$prefix/lib/vnpu/cann"
}

# The files that builds for CANN look for, and the libraries that they link with.
cann_layout()
{
	arch=$(uname -m)-linux
	for path in include/acl/acl.h lib64/libascendcl.so lib64/libmsprofiler.so \
			lib64/libplatform.so lib64/libprofapi.so lib64/libacl_rt_impl.so \
			lib64/libacl_op_compiler.so lib64/stub/libascendcl.so \
			include/aclnn/acl_meta.h include/aclnnop/aclnn_add.h \
			lib64/libopapi.so lib64/libnnopbase.so lib64/stub/libopapi.so \
			include/hccl/hccl.h lib64/libhccl.so lib64/libhcomm.so \
			"$arch/include/acl/acl.h" "$arch/lib64/libascendcl.so" \
			runtime/include/acl/acl.h runtime/lib64/libascendcl.so \
			runtime/lib64/stub/libascendcl.so bin/setenv.bash \
			bin/npu-smi bin/vnpu-smi bin/atc bin/msame; do
		[ -e "$cann/$path" ] || {
			echo "no $path"
			return 1
		}
	done
	for name in msprofiler profapi acl_rt_impl acl_op_compiler runtime tiling_api; do
		${CC:-cc} -o "$tmp/b" "$tmp/b.c" -I"$cann/runtime/include" \
			-L"$cann/runtime/lib64/stub" "-l$name" || return
	done
}

# The Python module, with the library of that tree.
python_loads()
{
	env -i PYTHONPATH="$cann/python/site-packages" PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 -c 'import acl, vnpu
maps = open("/proc/self/maps").read()
raise SystemExit(acl.init() or "'"$root$prefix"'/lib/libvnpu.so" not in maps)'
}

# Headers that exist by name for programs that include them.
cann_headers()
{
	for name in acl_op acl_mdl acl_base_mdl acl_platform acl_rt_api; do
		echo "#include \"acl/$name.h\""
	done | ${CC:-cc} -I"$cann/include" -fsyntax-only -x c -
}

# Each way to set the environment, twice, adds each directory once.
variables()
{
	# shellcheck disable=SC2016
	for script in set_env.sh bin/setenv.bash; do
		env -i PATH="$PATH" PYTHONPATH=/a LD_LIBRARY_PATH=/b bash -euc '
			. "$0/$1" && . "$0/$1"
			[ "$ASCEND_HOME_PATH" = "$0" ] &&
			[ "$ASCEND_TOOLKIT_HOME" = "$0" ] &&
			[ "$ASCEND_AICPU_PATH" = "$0" ] &&
			[ "$ASCEND_OPP_PATH" = "$0/opp" ] &&
			[ "$TOOLCHAIN_HOME" = "$0/toolkit" ] &&
			[ "$LD_LIBRARY_PATH" = "$0/lib64:/b" ] &&
			[ "$PYTHONPATH" = "$0/python/site-packages:/a" ] &&
			[ "$PATH" = "$0/bin:$2" ] &&
			[ "$(command -v npu-smi)" = "$0/bin/npu-smi" ] &&
			npu-smi -v >/dev/null' "$cann" "$script" "$PATH" || {
			echo "by $script"
			return 1
		}
	done
}

# With its own init for the machine, compiled from the installed source.
vm_boots()
{
	# shellcheck disable=SC2016
	"$root$prefix/bin/vnpu-vm" --no-module -- sh -c 'exit $(($(id -u) + 7))'
	[ $? -eq 7 ]
}

soname()
{
	readelf -d "$root$prefix/lib/libvnpu.so.1" |
		grep -q 'SONAME.*\[libvnpu\.so\.1\]'
}

manuals()
{
	find "$root$prefix/share/man" -type f | sort >"$tmp/man"
	[ -s "$tmp/man" ] && xargs mandoc -T lint -W warning <"$tmp/man"
}

group_exists_for_rule()
{
	group=$(sed -n 's/.*GROUP="\([^"]*\)".*/\1/p' \
		"$root/usr/lib/udev/rules.d/70-vnpu.rules" | sort -u)
	[ "$(echo "$group" | wc -l)" -eq 1 ] &&
		grep -q "^g $group " "$root/usr/lib/sysusers.d/vnpu.conf"
}

# The node of all devices is of misc, those of single devices are of a class of
# their own.
rules_for_all_nodes()
{
	rules=$root/usr/lib/udev/rules.d/70-vnpu.rules
	for node in 'SUBSYSTEM=="misc", KERNEL=="vnpu"' \
		'SUBSYSTEM=="vnpu", KERNEL=="vnpu\[0-9\]\*"'; do
		grep -q "^$node, GROUP=\"vnpu\", MODE=\"0660\"" "$rules" ||
			return
	done
}

VERSION=${VERSION:-$(sed -n 's/^VERSION[[:space:]]*:= //p' Makefile)}

tap_check "install" install_to install
tap_check "the parts are there" has $prefix/bin/vnpu-smi $prefix/bin/vnpu-vm \
	$prefix/bin/vnpu-bench $prefix/share/man/man1/vnpu-bench.1 \
	$prefix/lib/libvnpu.so $prefix/lib/libvnpu.a \
	$prefix/include/vnpu/linux/vnpu.h \
	$prefix/lib/vnpu/cann/include/acl/acl.h \
	$prefix/lib/vnpu/cann/include/vnpu.h \
	$prefix/share/man/man3/aclrtMalloc.3 $prefix/share/man/man3/aclrtFree.3 \
	$prefix/share/man/man1/vnpu-smi.1 $prefix/share/man/man1/msame.1 \
	$prefix/share/vnpu/vnpu-smi.schema.json \
	$prefix/share/bash-completion/completions/vnpu-smi \
	/usr/lib/udev/rules.d/70-vnpu.rules
tap_silent "links stay inside" wild_links
tap_silent "no file is writable by other users" writable_by_others
tap_silent "nothing of the system is shadowed" shadows
tap_check "soname" soname
tap_check "pkg-config" by_pkg_config
tap_check "pkg-config --static" by_pkg_config --static
tap_check "statically linked" statically
tap_check "pkg-config knows the version" pkg_version
tap_check "the uapi headers are found" uapi_headers
tap_check "a program for CANN builds and runs" as_with_cann
tap_check "set_env.sh finds its own path" environment
tap_check "the CANN tree has the files that builds look for" cann_layout
tap_check "programs can include the headers of the CANN tree" cann_headers
tap_check "the environment has CANN's variables" variables
tap_check "vnpu-smi runs" "$root$prefix/bin/vnpu-smi" -v
tap_check "vnpu-bench runs" "$root$prefix/bin/vnpu-bench" -v
tap_check "bisheng compiles a kernel" compiles_kernel
if [ -e "$cann/python/site-packages/acl.so" ]; then
	tap_check "Python loads the module" python_loads
else
	tap_skip "Python loads the module" "make python has not built it"
fi
tap_check "vnpu-vm runs" "$root$prefix/bin/vnpu-vm" --help
tap_check "vnpu-vm boots" vm_boots
tap_check "the manuals are valid" manuals
tap_check "the group of the udev rules is created" group_exists_for_rule
tap_check "there is a udev rule for each node" rules_for_all_nodes

manifest >"$tmp/first"
tap_check "install again" install_to install
manifest >"$tmp/second"
tap_check "it changes nothing" cmp "$tmp/first" "$tmp/second"

# Files of another package, one of them in a directory of ours.
mkdir -p "$root$prefix/lib/pkgconfig"
touch "$root$prefix/lib/vnpu/foreign" "$root$prefix/lib/pkgconfig/foreign.pc"
tap_check "uninstall" install_to uninstall
manifest >"$tmp/left"
printf '%s\n' ".$prefix/lib/pkgconfig/foreign.pc" ".$prefix/lib/vnpu/foreign" |
	cmp -s - "$tmp/left"
tap_check "exactly the installed files are gone" [ $? -eq 0 ]
rm "$root$prefix/lib/vnpu/foreign"
install_to install >/dev/null 2>&1
tap_check "uninstall again" install_to uninstall
tap_silent "no directory of vnpu is left" \
	find "$root" -type d -name 'vnpu*'
tap_end
