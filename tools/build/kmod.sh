#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build vnpu.ko for one kernel, in a directory of its own:
#
#	kmod.sh KDIR OUTPUT modules|modules_install|clean [MAKE-ARGUMENT...]
#
# KDIR is a prepared kernel tree or an installed headers directory. The
# module appears as OUTPUT/kmod/RELEASE/vnpu.ko. Kbuild writes beside its
# sources, so the directory is a farm of symbolic links to ours: kernels never
# meet, and the source tree stays clean.

set -eu

die()
{
	echo "kmod.sh: $*" >&2
	exit 1
}

[ $# -ge 3 ] || die "usage: kmod.sh KDIR OUTPUT TARGET [MAKE-ARGUMENT...]"
kdir=$1
output=$2
shift 2

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"

[ -f "$kdir/Makefile" ] || die "$kdir is not a kernel build directory"
utsrelease=$kdir/include/generated/utsrelease.h
[ -f "$utsrelease" ] ||
	die "$kdir is not configured: run make modules_prepare in it"
release=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$utsrelease")
[ -n "$release" ] || die "$utsrelease names no release"

farm=$output/kmod/$release
mkdir -p "$farm"
exec 9>"$farm/.lock"
flock 9

for part in Kbuild driver uapi; do
	cp -rsfT "$top/$part" "$farm/$part"
done
# A source that was removed or renamed leaves a link to nothing.
find "$farm" -xtype l -delete
farm=$(cd "$farm" && pwd)

# Kbuild must not see the variables of our make: its CC, for example, must be the
# kernel's. It does get the jobserver.
MAKEFLAGS=${MAKEFLAGS-}
MAKEFLAGS=${MAKEFLAGS%%-- *}
export MAKEFLAGS

# The lock is held until make ends.
exec "${MAKE:-make}" --no-print-directory -C "$kdir" M="$farm" "$@"
