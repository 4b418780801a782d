#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds with CMake: ascendc.cmake as projects for CANN include it, and the
# language ASC. B= is the build directory; a harness stands for the library.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

if ! command -v cmake >/dev/null; then
	tap_skip "builds with CMake" "cmake is not installed"
	tap_end
fi
B=$(realpath "${B:-build}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$B/cann/set_env.sh"
mkdir "$tmp/library" "$tmp/library/include" "$tmp/language"
cd "$tmp" || exit 1

# Run a command and show its output if it fails.
quiet()
{
	"$@" >out 2>&1 || { cat out; return 1; }
}

prints()
{
	pattern=$1
	shift
	"$@" >out 2>&1 && grep -Eq -- "$pattern" out || { cat out; return 1; }
}

cat >library/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(library CXX)
set(SOC_VERSION Ascend910B1)
set(ASCENDC_CMAKE_DIR \$ENV{ASCEND_HOME_PATH}/tools/tikcpp/ascendc_kernel_cmake)
include(\${ASCENDC_CMAKE_DIR}/ascendc.cmake)
ascendc_library(kernels STATIC add.cpp)
ascendc_compile_definitions(kernels PRIVATE VALUE=41 -DMORE=1)
ascendc_include_directories(kernels PRIVATE include)
ascendc_compile_options(kernels PRIVATE -Wall -Werror)
ascendc_fatbin_library(binary add.cpp other.cpp)
ascendc_compile_definitions(binary PRIVATE VALUE=1 MORE=1)
ascendc_include_directories(binary PRIVATE \${CMAKE_CURRENT_SOURCE_DIR}/include)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE kernels $B/selftests/ascendc/harness.o)
END
cat >library/include/amount.h <<'END'
#define AMOUNT	(VALUE + MORE)
END
cat >library/add.cpp <<'END'
#include "amount.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void add(GM_ADDR x, int32_t times)
{
	AscendC::GlobalTensor<int32_t> gm;

	gm.SetGlobalBuffer((__gm__ int32_t *)x, 1);
	gm.SetValue(0, gm.GetValue(0) + AMOUNT * times);
}

void add_do(uint32_t blocks, void *stream, uint8_t *x)
{
	add<<<blocks, nullptr, stream>>>(x, 2);
}
END
cat >library/other.cpp <<'END'
extern "C" __global__ __aicore__ void other(GM_ADDR x)
{
	*(__gm__ int32_t *)x = 1;
}
END
cat >library/main.cpp <<'END'
#include <cstdio>
#include "aclrtlaunch_add.h"

void add_do(uint32_t blocks, void *stream, uint8_t *x);

int main()
{
	int32_t x = 5;

	ACLRT_LAUNCH_KERNEL(add)(1, nullptr, &x, 1);
	add_do(1, nullptr, (uint8_t *)&x);
	std::printf("x is %d\n", x);
	return 0;
}
END
cat >language/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(language LANGUAGES ASC CXX)
add_executable(program program.asc)
target_compile_options(program PRIVATE
	"\$<\$<COMPILE_LANGUAGE:ASC>:--run-mode=\${CMAKE_ASC_RUN_MODE}>")
target_compile_definitions(program PRIVATE VALUE=7)
target_link_libraries(program PRIVATE $B/selftests/ascendc/harness.o m)
# As projects link, with the libraries that CANN has for this.
add_executable(usual program.asc)
target_compile_definitions(usual PRIVATE VALUE=7)
target_compile_options(usual PRIVATE
	\$<\$<COMPILE_LANGUAGE:ASC>:--npu-arch=\${CMAKE_ASC_ARCHITECTURES}>)
target_link_libraries(usual PRIVATE ascendc_runtime runtime profapi mmpa
	c_sec error_manager graph_base tiling_api register platform
	unified_dlog dl m)
END
cat >language/program.asc <<'END'
#include <cstdio>
#include "kernel_operator.h"

__global__ __vector__ void set(__gm__ int *x)
{
	*x = VALUE;
}

int main()
{
	int x = 0;

	set<<<1, nullptr, nullptr>>>(&x);
	std::printf("x is %d\n", x);
	return 0;
}
END

tap_check "a project with ascendc.cmake" quiet cmake -S library -B one
tap_check "... is built" quiet cmake --build one
tap_check "... and launches by name and by <<<>>>" \
	prints '^x is 131$' one/program
tap_check "... and has an image of all sources" \
	prints ' vnpu_image$' nm -D --defined-only \
	library/out/fatbin/binary/binary.o
touch library/include/amount.h
tap_check "sources that include a changed header are compiled again" \
	prints 'add\.cpp' cmake --build one --target kernels -- VERBOSE=1
tap_check "a project of the language ASC" quiet cmake -S language -B two
tap_check "... is built" quiet cmake --build two
tap_check "... and runs" prints '^x is 7$' two/program
tap_check "... and links with the libraries of CANN" \
	prints 'NEEDED.*libvnpu\.so' readelf -d two/usual
tap_check "... for the chip that is chosen" sh -c '
	cmake -S language -B three -DCMAKE_ASC_ARCHITECTURES=dav-2002 &&
	cmake --build three -- VERBOSE=1 >log 2>&1 &&
	grep -c -e "--npu-arch=dav-2002" log | grep -x 2'
tap_end
