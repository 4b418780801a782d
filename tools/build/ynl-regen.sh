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
mkdir "$tree/uapi"
touch "$tree/MAINTAINERS"
ln -s "$PWD/uapi/netlink" "$tree/uapi/netlink"
ln -s "$ksrc/Documentation/netlink/genetlink.yaml" "$tree/uapi"

generate()
{
	mkdir -p "$(dirname "$3")"
	python3 -B "$ksrc/tools/net/ynl/ynl-gen-c.py" --cmp-out --mode "$1" \
		"--$2" --spec "$tree/uapi/netlink/vnpu.yaml" -o "$3"
}

# Only the code of a client needs each attribute that the specification names.
generate user header "$tree/client.h"
generate uapi header "$out/uapi/linux/vnpu_netlink.h"
generate kernel header "$out/driver/netlink/genl_gen.h"
generate kernel source "$out/driver/netlink/genl_gen.c"
