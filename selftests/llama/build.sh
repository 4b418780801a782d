#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build llama.cpp with its CANN backend, by its own CMake, against a tree that
# looks like a CANN installation:
#
#	build.sh CANN DIR
#
# The programs are then in DIR/bin. They run on any x86-64 with AVX2, also an
# emulated one. Low optimisation makes the build short: 4 minutes on 2 processors.

set -eu

[ $# -eq 2 ] || { echo "usage: build.sh CANN DIR" >&2; exit 2; }
cann=$(cd "$1" && pwd)
dir=$2
source=$("$(dirname "$0")/fetch.sh")

mkdir -p "$dir"
cmake -S "$source" -B "$dir" -DCMAKE_BUILD_TYPE=Release \
	-DCMAKE_C_FLAGS_RELEASE=-O2 \
	-DCMAKE_CXX_FLAGS_RELEASE="-O1 -ftree-vectorize" \
	-DGGML_CANN=ON -DCANN_INSTALL_DIR="$cann" -DSOC_TYPE=Ascend910B3 \
	-DGGML_NATIVE=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_SERVER=OFF \
	-DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_APP=OFF \
	-DLLAMA_BUILD_TESTS=ON -DLLAMA_BUILD_EXAMPLES=ON
cmake --build "$dir" --parallel "$(nproc)" \
	--target test-backend-ops llama-simple test-llama-archs
