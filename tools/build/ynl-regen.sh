#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Generate the C of the netlink family from uapi/netlink/vnpu.yaml, by the
# kernel's generator: the header for user space, and the policies and operations
# of the driver. KSRC names the source tree of Linux 6.12; if it is unset, the
# tree in the cache is taken, or fetched.
#
# usage: ynl-regen.sh [DIR]		(default: the source tree)

set -eu
cd "$(dirname "$0")/../.."

out=${1:-.}
ksrc=${KSRC:-$(selftests/vm/fetch-source.sh)}

# The generator takes the schema from the folder above the specification's, and
# names the specification by its path below the folder with MAINTAINERS.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/uapi/netlink"
touch "$tree/MAINTAINERS"
# It only accepts, and writes, the licence of specifications in the kernel.
licence='((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)'
sed "1s/: .*/: $licence/" uapi/netlink/vnpu.yaml >"$tree/uapi/netlink/vnpu.yaml"
ln -s "$ksrc/Documentation/netlink/genetlink.yaml" "$tree/uapi"

# generate MODE header|source FILE LICENCE
generate()
{
	made=$tree/$(basename "$3")
	mkdir -p "$(dirname "$3")"
	python3 -B "$ksrc/tools/net/ynl/ynl-gen-c.py" --cmp-out --mode "$1" \
		"--$2" --spec "$tree/uapi/netlink/vnpu.yaml" -o "$made"
	sed "1s|: $licence|: $4|" "$made" >"$tree/new"
	cmp -s "$tree/new" "$3" || cp "$tree/new" "$3"
}

# Only the code of a client needs each attribute that the specification names.
generate user header "$tree/client/vnpu.h" GPL-2.0-only
generate uapi header "$out/uapi/linux/vnpu_netlink.h" \
	'GPL-2.0-only WITH Linux-syscall-note'
generate kernel header "$out/driver/netlink/genl_gen.h" GPL-2.0-only
generate kernel source "$out/driver/netlink/genl_gen.c" GPL-2.0-only
