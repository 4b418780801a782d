#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the options, the output and the messages of vnpu-cc. B= is the build
# directory.

set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/abi/tap.sh

B=$(realpath "${B:-build}")
harness=$B/selftests/ascendc/harness.o
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cp selftests/ascendc/harness.h "$tmp"
cd "$tmp" || exit 1

cc()
{
	"$B/bin/vnpu-cc" "$@"
}

# The command fails, and its output matches $1.
fails()
{
	pattern=$1
	shift
	if "$@" >out 2>&1; then
		echo "it succeeded: $*"
		return 1
	fi
	grep -Eq -- "$pattern" out || { cat out; return 1; }
}

prints()
{
	pattern=$1
	shift
	"$@" >out 2>&1 && grep -Eq -- "$pattern" out || { cat out; return 1; }
}

has()
{
	for path; do
		[ -e "$path" ] || { echo "no $path"; return 1; }
	done
}

cat >one.asc <<'END'
#include "part.h"

extern "C" __global__ __aicore__ void one(__gm__ int *x)
{
	x[0] = VALUE;
}

int run_one()
{
	int x = 0;

	one<<<1, nullptr, nullptr>>>(&x);
	return x;
}
END
cat >part.h <<'END'
#ifndef VALUE
#define VALUE 1
#endif
END
cat >main.cpp <<'END'
#include <cstdio>
int run_one();
int main()
{
	return std::printf("it is %d\n", run_one()) < 0;
}
END
cat >plain.c <<'END'
int plain(void) { return 0; }
END
cat >wrong.asc <<'END'
/* The compiler's own headers are all that these need. */

__global__ __aicore__ void wrong(__gm__ float *x)
{
	x[0] = 1;
	missing(x);
}

void launch(float *x)
{
	wrong<<<1, nullptr,
		nullptr>>>(x,
			   no_such_name);
}
END
cat >host.asc <<'END'
void host_only(int *x);

__global__ __aicore__ void calls(__gm__ int *x)
{
	host_only(x);
}
END
cat >parameter.asc <<'END'
__global__ __aicore__ void reference(int &x)
{
	x = 1;
}
END

tap_check "an object" cc -O2 -c -DVALUE=7 -MD -MF one.d -o one.o one.asc
tap_check "... with its dependencies" grep -q 'part\.h' one.d
tap_check "a program of objects and sources" \
	cc -o program one.o main.cpp "$harness"
tap_check "... which runs" prints '^it is 7$' ./program
tap_check "bisheng, with options of builds" "$B/cann/bin/bisheng" -x asc \
	--npu-arch=dav-2201 --asc-aicore-lang -std=c++17 -fPIC -shared \
	-mllvm -unused=1 -I. -O2 -fenable-matrix --cce-aicore-enable-tl \
	--cce-enable-sanitizer --run-mode=npu -cce-unknown -fcce-unknown \
	--cce-unknown=1 -Xhost-start -DVALUE=3 -Xhost-end one.asc -o libone.so
tap_check "... at the path that build systems know" \
	"$B/cann/compiler/ccec_compiler/bin/bisheng" -O2 --image -o path.image \
	-I"$B/cann/compiler/tikcpp/tikcfw" one.asc
tap_check "-xcce, in one word, links a program" \
	cc -xcce --npu-arch=dav-2201 one.asc main.cpp -xnone "$harness" -o joined
tap_check "... which runs" prints '^it is 1$' ./joined
tap_check "a library without -lascendcl" \
	cc -fPIC -shared one.asc -o alone.so -Wl,-z,defs
tap_check "... needs AscendCL, as it launches kernels" \
	prints 'NEEDED.*libvnpu\.so' readelf -d alone.so
tap_check "... and a program that launches none does not" sh -c '
	echo "int main() {}" >none.cpp && "$1" none.cpp -o none.bin &&
	! readelf -d none.bin | grep libvnpu' sh "$B/bin/vnpu-cc"
tap_check "-nostdlib leaves it out" sh -c '
	"$1" -### -nostdlib one.o 2>&1 | tail -1 | grep -e -nostdlib |
	grep -qv ascendcl' sh "$B/bin/vnpu-cc"
tap_check "-lib makes a static library" \
	cc -lib -x asc -DVALUE=5 one.asc -o libone.a -lascendcl
tap_check "... which a program links" sh -c '
	g++ -o static main.cpp libone.a "$1" -ldl && ./static | grep -x "it is 5"' \
	sh "$harness"
tap_check "... and which is made anew" sh -c '
	"$1" -lib main.cpp -o libone.a && [ "$(ar t libone.a | wc -l)" = 1 ]' \
	sh "$B/bin/vnpu-cc"
tap_check "-lib without -o" fails '-lib needs -o' cc -lib one.asc
tap_check "-dc makes an object" cc -dc -o device.o one.asc
tap_check "... which has the kernel" sh -c 'nm device.o | grep -q aclrtlaunch_one'
cat >platform.asc <<'END'
#include <cstdio>
#include "acl/acl_platform.h"
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"

int main()
{
	using namespace platform_ascendc;
	auto *chip = PlatformAscendCManager::GetInstance();
	unsigned long sizes[7];
	uint64_t size;

	static_assert(ACL_PLATFORM_CUBE_CORE_CNT == 2 && ACL_PLATFORM_NPU_ARCH == 15);
	for (int i = 0; i < 7; i++) {
		chip->GetCoreMemSize(CoreMemType(i), size);
		sizes[i] = size >> 10;
	}
	return std::printf("%u %u %u cores, %lu %lu %lu %lu %lu %lu KiB, %d, %u\n",
		chip->GetCoreNum(), chip->GetCoreNumAic(), chip->GetCoreNumAiv(),
		sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5],
		int(chip->GetSocVersion()), chip->CalcTschBlockDim(9, 24, 48)) < 0;
}
END
tap_check "tiling/platform/platform_ascendc.h" cc -Wall -Wextra -Werror \
	-o platform platform.asc
tap_check "... describes the chip" prints \
	'^24 24 48 cores, 64 64 128 512 196608 192 KiB, 1, 5$' env VNPU_SOC=910B1 \
	LD_LIBRARY_PATH="$B/cann/lib64" ./platform
tap_check "... that is selected" prints \
	'^8 8 8 cores, 64 64 256 1024 16384 256 KiB, 2, 5$' env VNPU_SOC=310P \
	LD_LIBRARY_PATH="$B/cann/lib64" ./platform
tap_check "-Xhost-start without its end" fails 'Xhost-end is missing' \
	cc -Xhost-start -O2 one.asc
cat >ends.cpp <<'END'
#ifdef __NPU_DEVICE__
#define PART 1
#else
#define PART 2
#endif
#if defined(ON_HOST) && PART == 1
#error "an option of the host reaches kernels"
#elif !defined(ON_HOST) && PART == 2
#error "an option of the host is lost"
#endif
extern "C" __global__ __aicore__ void ends(__gm__ int *x) { x[0] = PART; }
END
tap_check "options between the two are for the host alone" \
	cc -Xhost-start -DON_HOST -Xhost-end -c ends.cpp
printf '#include "ascendc/kernel_operator.h"\n#include "one.asc"\n' >folder.asc
tap_check "kernel_operator.h in the folder ascendc" cc --image -I. \
	-o folder.image folder.asc
mkdir headers
tap_check "headers of kernels" cc --only-launch-headers \
	--launch-headers=headers one.asc
tap_check "... declare the functions that launch them" grep -q \
	'aclrtlaunch_one(unsigned int blockDim, void \*stream, void \*x)' \
	headers/aclrtlaunch_one.h
tap_check "... which the object has" sh -c 'nm one.o | grep -q aclrtlaunch_one'
tap_check "an image" cc --image -o one.image one.asc
tap_check "... which exports the symbol for the loader, and needs few libraries" sh -c '
	nm -D --defined-only one.image | grep -q " vnpu_image$" &&
	[ "$(nm -D --defined-only one.image | wc -l)" = 1 ] &&
	! readelf -d one.image | grep NEEDED | grep -v "lib[cm]\.so"'
tap_check "... without constructors and thread-local data" sh -c '
	! readelf -SW one.image | grep -E "init_array|\.tbss|\.tdata"'
tap_check "a source without kernels, and one of C" cc -c main.cpp plain.c
tap_check "... make objects" has main.o plain.o
tap_check "a preprocessed source" prints 'run_one' cc -E one.asc
tap_check "an error in a kernel names its line" \
	fails '^wrong\.asc:6:.*missing' cc -c wrong.asc
sed -i '/missing/d' wrong.asc
tap_check "... and one in a launch over lines" \
	fails '^wrong\.asc:12:.*no_such_name' cc -c wrong.asc
tap_check "a kernel that calls host code is refused" \
	fails 'host_only' cc -c host.asc
tap_check "... and one with a reference" \
	fails 'takes no references' cc -c parameter.asc
tap_check "an unknown chip" fails "unknown chip 'dav-1'" \
	cc --npu-arch=dav-1 -c one.asc
tap_check "... in a word of its own" fails "unknown chip 'dav-1'" \
	cc --npu-arch dav-1 -c one.asc
tap_check "an unknown checker" fails 'checkers are bounds, .*, late and none' \
	cc -fcheck=bounds,speed -c one.asc
tap_check "no kernel for an image" fails 'no kernel in it' \
	cc --image -o none main.cpp
tap_check "no input" fails 'no input files' cc -O2
tap_check "two sources and one object" fails 'for one source, not for 2' \
	cc -c -o both.o one.asc main.cpp
tap_check "-S" fails 'save-temps' cc -S one.asc
tap_check "commands without running them" prints 'g\+\+ -E .*one\.asc' \
	cc '-###' -c one.asc
tap_check "clang compiles C++17 without -std=" prints \
	'clang\+\+-15 -E -std=gnu\+\+17 .*one\.asc' \
	cc '-###' --cxx=clang++-15 -c one.asc
tap_check "... and another standard with it" prints \
	'clang\+\+-15 -E -std=gnu\+\+17 .*-std=c\+\+20 .*one\.asc' \
	cc '-###' --cxx=clang++-15 -std=c++20 -c one.asc
#
# Dependencies
#
mkdir objects
cat >passes.asc <<'END'
#ifdef __DAV_CUBE__
#include "cube_part.h"
#endif
#ifdef __NPU_HOST__
#include "host_part.h"
#endif
extern "C" __global__ __cube__ __aicore__ void passes(__gm__ int *x)
{
	x[0] = 1;
}
END
echo >cube_part.h
echo >host_part.h
tap_check "-MD without -MF" cc -MD -c -o objects/one.o one.asc
tap_check "... names the file and the target as g++ does" \
	grep -q '^objects/one\.o: one\.asc' objects/one.d
tap_check "-M prints dependencies and compiles nothing" \
	prints 'part\.h' cc -M one.asc
tap_check "dependencies are those of all passes" sh -c '
	"$1" -MMD -MP -MT "a target" -MF all.d -c passes.asc &&
	grep -q host_part.h all.d && grep -q "cube_part.h:" all.d &&
	[ "$(grep -c "^a target:" all.d)" = 1 ]' sh "$B/bin/vnpu-cc"
tap_check "... and make reads them" sh -c '
	sed -i "s/^a target:/target:/" all.d
	touch -d "1 hour ago" *.h "$1"/cann/include/*/*.h target
	printf "target:; @echo again\ninclude all.d\n" >all.mk
	touch target; make -sqf all.mk target || exit 1
	touch -d "1 hour" cube_part.h; ! make -sqf all.mk target' sh "$tmp"
tap_check "a program has dependencies, too" sh -c '
	"$1" -MD -o whole one.asc main.cpp "$2" && grep -q "^whole:.*one.asc" one.d &&
	grep -q "^whole: main.cpp" main.d' sh "$B/bin/vnpu-cc" "$harness"
tap_check "an image has dependencies, too" sh -c '
	"$1" --image -MD -MF image.d -o passes.image passes.asc &&
	grep -q cube_part.h image.d' sh "$B/bin/vnpu-cc"

#
# Sources that are hard to read
#
cat >hard.asc <<'END'
#define LAUNCH(k, ...) k<<<1, nullptr, nullptr>>>(__VA_ARGS__)
using function = void (*)(int *);
struct holder { function at[2]; function *operator->() { return at; } };
template <typename T, int N> struct table { static T at(T x) { return x; } };

__global__ __aicore__ void a(__gm__ int *x)
{
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++)
		x[i] = 1;
}
__global__ __aicore__ void b(__gm__ int *x, __gm__ int *y) { x[0] = y[0]; }
template <typename T> __global__ __aicore__ void t(__gm__ T *x) { x[0] = 1; }
template <int N> __global__ __aicore__ void n(__gm__ int *x) { x[0] = N; }

int subscript(int *x, int aicore) { return x[aicore] ? 1 : x[aicore]; }
[aicore] inline int attribute() { return 1; }
const char *texts[] = { "a<<<1>>>(2)", R"x(a<<<1, ")" b>>>(2))x", u8R"(')" };
int shifts(int x) { return x << 2 >> 1 << ('<' - 60) << 0'1; }

void all(int *p, void *v, holder &h, int i)
{
	function f[] = { a, t<int> };

	f[i]<<<1, nullptr, nullptr>>>(p);
	h.at[0]<<<1, nullptr, nullptr>>>(p);
	(&h)->at[1]<<<1, nullptr, nullptr>>>(p);
	(i ? a : f[1])<<<1, nullptr, nullptr>>>(v);
	if (i) (*f)<<<1, nullptr, nullptr>>>(p);
	n<(8 >> 1)><<<1, nullptr, nullptr>>>(p);
	::n<8><<<i >> 1, nullptr, table<void *, 1>::at(v)>>>(p);
	b<<<1, nullptr, nullptr>>>(static_cast<int *>(v), v);
	b<<<1, nullptr, nullptr>>>(table<int *, 2>::at(p), v);
	b<<<1, nullptr, (i < 1 ? v : v)>>>(i < 1 ? p : p, v);
	b<<<1, nullptr, nullptr>>>(&p[i << 1], v), LAUNCH(a, p);
	[&] { t<<<1, nullptr, nullptr>>>(p); }();
}
END
cat >other.asc <<'END'
/* A host's functions that run before and after main(), and main() itself. */
void host_only();
struct object { object() { host_only(); } ~object() { host_only(); } } object;
__attribute__((constructor)) static void before() { host_only(); }
__attribute__((destructor)) static void after() { host_only(); }
__global__ __cube__ void declared(__gm__ int *x);
__global__ __aicore__ void vector(__gm__ int *x) { x[0] = 1; }
extern "C" {
namespace inner {
__global__ __aicore__ void block(__gm__ int *x) { x[0] = 2; }
}
}
auto main() -> int { host_only(); }
END
cat >warns.cpp <<'END'
int f() { int unused; return 1; }
END
tap_check "launches by pointers, casts, shifts and macros" \
	cc -Wall -Wextra -Werror -c hard.asc
tap_check "... with position-independent templates" \
	cc -fPIC -shared -o hard.so hard.asc
tap_check "... with comments in the preprocessor's output" sh -c '
	(echo "// don'"'"'t <<<1>>>(2)"; echo "/* \" */"; cat hard.asc) >c.asc
	"$1" -C -c c.asc' sh "$B/bin/vnpu-cc"
tap_check "constructors, destructors and main() stay on the host" \
	cc -c other.asc
tap_check "a declaration's type is not the next kernel's" sh -c '
	"$1" --save-temps -c other.asc &&
	grep -A2 "^vnpu_kernel_table:" other.asc.vector.image.s |
		grep -q "long 0, 1"' sh "$B/bin/vnpu-cc"
tap_check "extern \"C\" with braces" sh -c 'nm other.o | grep -q aclrtlaunch_block'
tap_check "a source without kernels has warnings" \
	fails 'unused variable' cc -Wall -Werror -c warns.cpp
tap_check "our headers have none" cc -Wall -Wextra -Wpedantic -Wconversion \
	-Wshadow -Wold-style-cast -Wuseless-cast -Wundef -Werror -c one.asc
cp hard.asc 'name, with blanks.asc'
mkdir 'dir, "x'
tap_check "names with blanks, commas and quotes" env TMPDIR="$tmp/dir, \"x" \
	"$B/bin/vnpu-cc" -c 'name, with blanks.asc' -o 'an, object.o'

#
# The command line
#
printf '%s\n' '-DVALUE=1 "one.asc"' "-o 'from file.o'" >args
tap_check "a response file" cc -c @args
tap_check "... is read" has 'from file.o'
tap_check "the standard input" sh -c \
	'"$1" -x asc -c - -o stdin.o <one.asc && nm stdin.o | grep -q one' \
	sh "$B/bin/vnpu-cc"
tap_check "-fsyntax-only" fails 'missing' sh -c '
	"$1" -fsyntax-only one.asc -o none.o && ! [ -e none.o ] || exit 0
	echo "void f() { missing(); }" >>one.asc
	"$1" -fsyntax-only one.asc' sh "$B/bin/vnpu-cc"
sed -i '$d' one.asc
echo 'int *plain(void) { int class = 1; return (void *)(long)class; }' >plain.c
tap_check "C is compiled as C" cc -c plain.c
tap_check "questions to the compiler" prints '^[0-9]+$' cc -dumpversion
tap_check "the same source makes the same object" sh -c '
	"$1" -g -O2 -c -o first.o hard.asc && "$1" -g -O2 -c -o second.o hard.asc &&
	cmp first.o second.o' sh "$B/bin/vnpu-cc"
tap_check "-E has the text of all passes" prints 'NAME_OF_CUBE' sh -c '
	echo "int NAME_OF_CUBE;" >cube_part.h
	"$1" -E passes.asc' sh "$B/bin/vnpu-cc"

# A cache compares the text of -E.
cached()
{
	printf '#ifdef __NPU_DEVICE__\n#include "device_part.h"\n#endif\n' \
		>cached.cpp
	sed '/part\.h/d; s/VALUE/0/' one.asc >>cached.cpp
	for number in 1 1 2; do
		echo "static const int number = $number;" >device_part.h
		ccache "$B/bin/vnpu-cc" -c cached.cpp || return 1
	done
	ccache --print-stats >out && grep -q '^cache_miss.*2$' out
}

if command -v ccache >/dev/null; then
	CCACHE_DIR=$tmp/cache
	export CCACHE_DIR
	tap_check "ccache notices headers that only the device pass includes" cached
else
	tap_skip "ccache notices headers that only the device pass includes" \
		"ccache is not installed"
fi
TMPDIR=$tmp/left
export TMPDIR
mkdir "$TMPDIR"
fails . cc -c wrong.asc
tap_silent "nothing is left in TMPDIR" ls "$TMPDIR"
cat >slow <<'END'
#!/bin/sh
trap 'echo ended >>"$ENDED"; exit 1' TERM
echo begun >>"$ENDED"
sleep 5 & wait
END
chmod +x slow
ENDED=$tmp/ended
export ENDED
"$B/bin/vnpu-cc" --cxx="$tmp/slow" -c one.asc &
pid=$!
while ! [ -s "$ENDED" ]; do sleep 0.05; done
kill $pid
wait $pid 2>/dev/null
tap_check "a signal ends the command, too" grep -q ended "$ENDED"
tap_silent "... and leaves nothing" ls "$TMPDIR"
tap_end
