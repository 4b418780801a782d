#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The sweeps of fail_nth_book that open the objects of the process, with each
# allocation of the kernel failing.  In a machine of vnpu-vm the objects are on
# 9p, where an object is lost if opening it failed without memory. So here they
# are in memory, with all of their paths, for this process only.

set -eu
cd "$(dirname "$0")/../.."
[ "${1-}" = --alone ] || exec unshare --mount "$0" --alone

program=$(realpath "${B:-build}/selftests/lib/fail_nth_book")
root=$(mktemp -d)
mount -t tmpfs none "$root"
mkdir "$root/tmp"
for folder in dev proc sys; do
	mkdir "$root/$folder"
	mount --rbind "/$folder" "$root/$folder"
done
# A library that walks stacks is loaded if it is installed.
unwinder=$(ldconfig -p | sed -n 's/.*libunwind\.so\.8 .*=> //p' | head -n 1)
for object in "$program" $unwinder; do
	for path in "$object" $(ldd "$object" | grep -oE '/[^ ]+'); do
		path=$(realpath -s "$path")
		mkdir -p "$root$(dirname "$path")"
		cp "$path" "$root$path"
	done
done
# The program reads its kernels and its model when it starts.
folder=$(dirname "$program")
cp -r "$folder/kernels.o" "$folder/models" "$root$folder"
exec chroot "$root" "$program" -r fail_nth.kernel.profile
