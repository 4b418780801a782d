#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.conf adds, builds, installs and removes the module for each kernel, in
# trees of its own: the host's are not touched, and nothing is downloaded.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

if ! command -v dkms >/dev/null; then
	echo "1..0 # SKIP no dkms"
	exit 4
fi
# dkms requires root, for any tree.
if [ "$(id -u)" -ne 0 ]; then
	if ! unshare -r true 2>/dev/null; then
		echo "1..0 # SKIP not root, and no user namespace"
		exit 4
	fi
	exec unshare -r "$0"
fi

version=${VERSION:-$(sed -n 's/^VERSION[[:space:]]*:= //p' Makefile)}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/dkms" "$tmp/src" "$tmp/modules"

# dkms would create a signing key on the host.
export mok_signing_key="$tmp/mok.key" mok_certificate="$tmp/mok.pub"

in_tree()
{
	command=$1
	shift
	dkms "$command" -m vnpu -v "$version" --dkmstree "$tmp/dkms" \
		--sourcetree "$tmp/src" --installtree "$tmp/modules" "$@"
}

state()
{
	in_tree status -k "$release" | grep -q ": $1\$"
}

installed()
{
	find "$tmp/modules/$release" -path '*/updates/dkms/vnpu.ko*' 2>/dev/null |
		grep -q .
}

vermagic()
{
	module=$(find "$tmp/modules/$release" -name 'vnpu.ko*')
	[ "$(modinfo -F vermagic "$module" | cut -d ' ' -f 1)" = "$release" ] &&
		[ "$(modinfo -F license "$module")" = GPL ]
}

not()
{
	! "$@"
}

gone()
{
	! installed && [ -z "$(find "$tmp/dkms/vnpu" -mindepth 1 2>/dev/null)" ]
}

on_host()
{
	{
		find /var/lib/dkms
		find /lib/modules /usr/src -name 'vnpu*'
	} 2>/dev/null
}

host_before=$(on_host)

tap_check "the source is laid out" \
	make -s install-dkms DESTDIR="$tmp/root" VERSION="$version"
cp -rT "$tmp/root/usr/src" "$tmp/src"
tap_check "dkms.conf has the version of the makefile" \
	grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf
tap_check "and so has the module" \
	grep -qx "MODULE_VERSION(\"$version\");" driver/main.c
tap_check "add" in_tree add

# Of the cloud flavours the newest series stands for all, and in a short check
# for the other kernels, too: other tests run the modules of those.
all=${SERIES:-6.1 6.12}
cloud=${all##* }-cloud
[ -z "${SHORT-}" ] || all=
for series in $all "$cloud"; do
	if ! kdir=$(tools/build/kernel-headers.sh "$series"); then
		tap_result "not ok" "headers of $series"
		continue
	fi
	release=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' \
		"$kdir/include/generated/utsrelease.h")
	# Files that depmod, which dkms calls, has to find.
	mkdir -p "$tmp/modules/$release"

	tap_check "$series: build" \
		in_tree build -k "$release" --kernelsourcedir "$kdir"
	tap_check "$series: install" in_tree install -k "$release" \
		--kernelsourcedir "$kdir" --no-depmod
	tap_check "$series: is installed" state installed
	tap_check "$series: the module is there" installed
	tap_check "$series: it is of that kernel" vermagic
	tap_check "$series: uninstall" in_tree uninstall -k "$release" --no-depmod
	tap_check "$series: the module is gone" not installed
	tap_check "$series: is built" state built
done

tap_check "a kernel too old is refused" not in_tree build \
	-k 5.10.0-1-amd64 --kernelsourcedir "$kdir"
tap_check "remove" in_tree remove --all
tap_check "nothing is left" gone
tap_check "the host is as it was" [ "$(on_host)" = "$host_before" ]
tap_end
