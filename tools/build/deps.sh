#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Install the Debian packages that a target of the makefile needs:
#
#	deps.sh [--list|--refresh] build|run|bench|peers|mpi|python|torch|check|llama|pictures|debug
#
# Does nothing, quickly, when all are there. Installs as root or through sudo,
# and asks nothing; where that is impossible it names the packages and fails.
# --list prints the packages, --refresh only fetches apt's package lists.
#
# No kernel and no headers of one are among them: those are unpacked into
# the cache, so that nothing of them is installed.

set -eu

die()
{
	echo "deps.sh: $*" >&2
	exit 1
}

usage()
{
	die "usage: deps.sh [--list|--refresh]" \
		"build|run|bench|peers|mpi|python|torch|check|llama|pictures|debug"
}

# To compile everything: the compiler is the one the kernels were built with.
# kmod and pahole finish a module; python3 runs vnpu-vm; the tools in the
# headers are linked with libelf1 and libssl3. vnpu-smi queries the driver by
# libnl, and the kernel's tracing by libtracefs, serves HTTP by libmicrohttpd,
# draws by ncurses, and reads JSON by json-c, as libhccl does.
build="gcc gcc-12 libc6-dev make pkg-config xz-utils kmod pahole
	libelf1 libssl3 python3 libnl-3-dev libnl-genl-3-dev libncurses-dev
	libtraceevent-dev libtracefs-dev libmicrohttpd-dev libjson-c-dev"

# To start a machine.
run="$build ca-certificates qemu-system-x86"

# To measure: the allocators that pools are compared with.
bench="$run libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4"

# To measure operators beside other libraries: 300 MB, and optional.
peers="$build g++ libdnnl-dev libopenblas0-pthread libtorch-dev"

# To compare collectives with those of MPI: 100 MB, and optional.
mpi="$run libopenmpi-dev openmpi-bin"

# To build the Python module.
python="$build python3-dev python3-numpy"

# To build and test the backend of PyTorch: 300 MB, so nothing else needs it.
torch="$python g++ libtorch-dev pybind11-dev python3-torch python3-torchvision"

# To build the debug kernel.
debug="$run bc bison flex libelf-dev"

# To check, on that kernel, too: g++ and clang compile headers, g++ and cmake
# kernels, and clang's libFuzzer drives the allocators; the rest are the tools
# that the checks in selftests/ call by their names; libunwind8 makes the
# profiler's call stacks cheap, and libonnx-testdata has ONNX's own tests. perf
# and bpftrace trace the driver, and kernels run below valgrind. iproute2 has ip,
# with which the cost of vnpu-smi is compared.
check="$debug bpftrace clang cmake dkms g++ gdb git iproute2 libclang-rt-dev
	libonnx-testdata libunwind8 linux-perf mandoc perl procps python3-dev
	python3-jsonschema python3-numpy python3-yaml shellcheck sparse strace tmux
	valgrind"

# To build llama.cpp. Its source comes by npm, which is not among them: Debian's
# package conflicts with others of Node.js.
llama="$run cmake g++ git"

# To open pictures in a browser: 120 MB, so only this check requires it.
pictures="$run chromium fonts-dejavu-core"

action=install
case ${1-} in
--list | --refresh)
	action=${1#--}
	shift ;;
esac
[ $# -eq 1 ] || usage
case $1 in
build)	packages=$build ;;
run)	packages=$run ;;
bench)	packages=$bench ;;
peers)	packages=$peers ;;
mpi)	packages=$mpi ;;
python)	packages=$python ;;
torch)	packages=$torch ;;
check)	packages=$check ;;
llama)	packages=$llama ;;
pictures)	packages=$pictures ;;
debug)	packages=$debug ;;
*)	usage ;;
esac
# shellcheck disable=SC2086 # a list of words
set -- $packages

if [ "$action" = list ]; then
	printf '%s\n' "$@"
	exit
fi

missing=
if [ "$action" = install ]; then
	if ! command -v dpkg-query >/dev/null ||
			! command -v apt-get >/dev/null; then
		die "this is not Debian: install the equivalents of" "$@" \
			"and the headers of your kernel, then run make"
	fi
	there=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" \
		2>/dev/null | sed -n 's/^.i //p')
	for package; do
		case "
$there
" in
		*"
$package
"*) ;;
		*) missing="$missing $package" ;;
		esac
	done
	# Kernels are fetched through apt's lists, which an image of a container
	# lacks even where every package is installed.
	if [ -z "$missing" ] &&
			[ -n "$(find /var/lib/apt/lists -name '*Packages*' \
				-print -quit 2>/dev/null)" ]; then
		exit
	fi
fi

if [ "$(id -u)" -eq 0 ]; then
	sudo=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true; } 2>/dev/null
then
	sudo=sudo
elif [ -n "$missing" ]; then
	die "packages are missing; as root, run: apt-get install" \
		"--no-install-recommends$missing"
else
	die "apt has no current package lists; as root, run: apt-get update"
fi

# The output of apt is shown only if it fails.
apt()
{
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >"$log" 2>&1
}

fail()
{
	cat "$log" >&2
	die "$@"
}

update()
{
	echo "==> fetching the lists of packages" >&2
	apt update || fail "apt-get update failed"
}

# shellcheck disable=SC2086 # a list of words
install()
{
	apt install -y --no-install-recommends $missing
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

if [ -z "$missing" ]; then
	update
	exit
fi
echo "==> installing$missing" >&2
if ! install; then
	# The lists may be absent, or older than the archive.
	update
	install || fail "apt-get could not install$missing"
fi
