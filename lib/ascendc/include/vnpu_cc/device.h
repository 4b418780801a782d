/* SPDX-License-Identifier: MIT */
/*
 * Included by vnpu-cc in front of each source, in the device pass: the image
 * and the records of its kernels, and the few functions of the C library that
 * mean something else here.
 */
#ifndef VNPU_CC_DEVICE_H
#define VNPU_CC_DEVICE_H

#define VNPU_CC_DEVICE	1

/* Options that warn are for the source. */
#pragma GCC system_header

#include "macros.h"
#include "arguments.h"
#include "services.h"
#include "state.h"
#include "../vnpu_check/late.h"

#include <stdarg.h>

#define KERNEL_TASK_TYPE_DEFAULT(type) \
	__asm__ volatile("#vnpu-type %c0" : : "i"(type))
#define KERNEL_TASK_TYPE(key, type)	KERNEL_TASK_TYPE_DEFAULT(type)

namespace vnpu {

/*
 * The record of a kernel
 */

/* Take the parameters out of the block one by one, then call. */
template <typename... P>
struct caller {
	template <typename... Taken>
	static VNPU_ALWAYS_INLINE void call(void (*entry)(void), const char *,
					    uint32_t, Taken &...taken)
	{
		reinterpret_cast<void (*)(Taken...)>(entry)(taken...);
	}
};

template <typename T, typename... Rest>
struct caller<T, Rest...> {
	template <typename... Taken>
	static VNPU_ALWAYS_INLINE void call(void (*entry)(void),
					    const char *block, uint32_t at,
					    Taken &...taken)
	{
		at = layout<T>::offset(at);
		/* Trivially copyable, and so made by copying its bytes. */
		union raw {
			raw() {}
			stored<T> value;
		} raw;

		__builtin_memcpy(&raw.value, block + at, sizeof(raw.value));
		caller<Rest...>::call(entry, block, at + sizeof(raw.value),
				      taken..., raw.value);
	}
};

template <uint32_t... At>
struct offsets {
};

template <typename... P>
struct parameters {
	static void call(void (*entry)(void), const void *args)
	{
		kernel_begin();
		caller<P...>::call(entry, static_cast<const char *>(args), 0);
		late_drain_all();
		kernel_end();
	}

	struct table {
		struct vnpu_param at[sizeof...(P) + 1];
	};

	static constexpr table make()
	{
		const uint32_t sizes[] = { uint32_t(sizeof(P))..., 0 };
		const uint32_t aligns[] = { uint32_t(alignof(P))..., 1 };
		table made = {};
		uint32_t at = 0;

		for (uint32_t i = 0; i < sizeof...(P); i++) {
			at = (at + aligns[i] - 1) / aligns[i] * aligns[i];
			made.at[i].offset = at;
			made.at[i].size = sizes[i];
			at += sizes[i];
		}
		return made;
	}

	static const table params;

	static constexpr struct vnpu_kernel_info info(const char *name)
	{
		return { name, call, params.at, sizeof...(P),
			 arguments_size<P...>() };
	}
};

template <typename... P>
const typename parameters<P...>::table parameters<P...>::params = make();

/*
 * Launches in host code.  The device pass compiles host code, as it instantiates
 * templates of kernels, and the linker removes it.
 */
struct config {
	template <typename... T>
	config(const T &...)
	{
	}
};

struct launched {
	const config &from;
	int unused;

	uint32_t value() const
	{
		return 0;
	}
};

struct any_pointer {
	void *at;

	template <typename T>
	operator T *() const
	{
		return static_cast<T *>(at);
	}
};

inline any_pointer argument(const void *at)
{
	return { const_cast<void *>(at) };
}

template <typename T>
inline typename std::enable_if<!std::is_void<
	typename std::remove_pointer<T>::type>::value, T>::type
argument(T value)
{
	return value;
}

} /* namespace vnpu */

/*
 * The image
 */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define VNPU_ISA_HERE	VNPU_ISA_X86_64_V4
#elif defined(__AVX2__)
#define VNPU_ISA_HERE	VNPU_ISA_X86_64_V3
#elif defined(__SSE4_1__)
#define VNPU_ISA_HERE	VNPU_ISA_X86_64_V2
#else
#define VNPU_ISA_HERE	VNPU_ISA_BASE
#endif

/* Of the assembly, which vnpu-cc adds. */
extern "C" __attribute__((visibility("hidden"))) const struct vnpu_kernel
	vnpu_kernel_table[], vnpu_kernel_table_end[];
extern "C" __attribute__((visibility("hidden"))) const char
	vnpu_cube_image[], vnpu_cube_image_end[];

extern "C" __attribute__((used, visibility("default"), section(".vnpu.image")))
const struct vnpu_image vnpu_image = {
	VNPU_IMAGE_MAGIC,
	sizeof(struct vnpu_image),
	VNPU_KERNEL_ABI,
	__NPU_ARCH__,
#ifdef __DAV_C220_CUBE__
	VNPU_CORE_CUBE,
#else
	VNPU_CORE_VECTOR,
#endif
	VNPU_ISA_HERE,
	sizeof(vnpu::core_state),
	vnpu_kernel_table,
	vnpu_kernel_table_end,
	__BASE_FILE__,
	vnpu_cube_image,
	vnpu_cube_image_end,
};

/*
 * Functions of the C library that kernels call by name.  They are the image's
 * own: hidden, so that the C library's are not meant.
 */
extern "C" {

__attribute__((weak, visibility("hidden"), format(printf, 1, 2))) int
printf(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vnpu::print(format, args);
	va_end(args);
	return length;
}

[[noreturn]] __attribute__((weak, visibility("hidden"))) void
__assert_fail(const char *text, const char *file, unsigned int line,
	      const char *) noexcept
{
	vnpu::fault_source(file, line, "assertion '%s' failed", text);
}

} /* extern "C" */

#endif /* VNPU_CC_DEVICE_H */
