/* SPDX-License-Identifier: MIT */
/*
 * Printing and assertions of kernels, and access to tiling data.
 */
#ifndef ASCENDC_VNPU_DEBUG_H
#define ASCENDC_VNPU_DEBUG_H

#include "sync.h"

#include <cassert>
#include <cstdio>

namespace vnpu {

VNPU_COLD inline void print_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
#ifdef VNPU_CC_HOST
	/* Host code, under "using namespace AscendC". */
	vprintf(format, args);
#else
	print(format, args);
#endif
	va_end(args);
}

/* Convert an argument of printf(), which takes no half. */
template <typename T>
VNPU_ALWAYS_INLINE auto printable(T value)
{
	if constexpr (is_real<T>)
		return static_cast<double>(static_cast<float>(value));
	else
		return value;
}

template <typename T>
VNPU_COLD void dump(const T *from, uint32_t count, uint32_t id,
		    const char *where)
{
	print_text("DumpTensor: desc=%u, block %lld, %s, %u elements\n[", id,
		   (long long)block_index(), where, count);
	for (uint32_t i = 0; i < count; i++) {
		const char *comma = i ? ", " : "";

		if constexpr (is_real<T>)
			print_text("%s%f", comma,
				   static_cast<double>(float(from[i])));
		else
			print_text("%s%lld", comma,
				   static_cast<long long>(from[i]));
	}
	print_text("]\n");
}

} /* namespace vnpu */

namespace AscendC {

template <typename... Args>
inline void printf(__gm__ const char *format, Args &&...args)
{
	vnpu::print_text(format, vnpu::printable(args)...);
}

template <typename... Args>
inline void PRINTF(__gm__ const char *format, Args &&...args)
{
	vnpu::print_text(format, vnpu::printable(args)...);
}

template <typename T>
inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc,
		       uint32_t dumpSize)
{
	vnpu::check_range("DumpTensor", "the tensor", tensor.address_,
			  uint64_t(dumpSize) * sizeof(T), tensor.position_);
	vnpu::dump(tensor.data(), dumpSize, desc, "local");
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc,
		       uint32_t dumpSize)
{
	tensor.check("DumpTensor", uint64_t(dumpSize) * sizeof(T));
	vnpu::check_access(tensor.address_, uint64_t(dumpSize) * sizeof(T),
			   VNPU_GM_READ);
	vnpu::dump(tensor.address_, dumpSize, desc, "device");
}

template <typename T>
inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc,
		       uint32_t dumpSize, const ShapeInfo &)
{
	DumpTensor(tensor, desc, dumpSize);
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc,
		       uint32_t dumpSize, const ShapeInfo &)
{
	DumpTensor(tensor, desc, dumpSize);
}

/* Of a tensor from an element on. */
template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T> &tensor, uint32_t index,
			    uint32_t countOff, uint32_t dumpSize)
{
	DumpTensor(tensor[countOff], index, dumpSize);
}

template <typename T>
inline void DumpAccChkPoint(const GlobalTensor<T> &tensor, uint32_t index,
			    uint32_t countOff, uint32_t dumpSize)
{
	DumpTensor(tensor[countOff], index, dumpSize);
}

inline void PrintTimeStamp([[maybe_unused]] uint32_t descId)
{
#ifdef ASCENDC_TIME_STAMP_ON
	vnpu::print_text("descId is %u, rsv is 0, timeStamp is %lld, pcPtr is %p, entry is 0.\n",
			 descId, (long long)GetSystemCycle(),
			 __builtin_return_address(0));
#endif
}

/* assert() with a message, and ending the kernel if it is not so. */
template <typename... Args>
[[noreturn]] VNPU_COLD inline void assertion(const char *file, uint32_t line,
					     const char *text,
					     const char *format, Args... args)
{
	char message[256];

	__builtin_snprintf(message, sizeof(message), format, args...);
	vnpu::fault_source(file, line, "assertion '%s' failed: %s", text,
			   message);
}

[[noreturn]] VNPU_COLD inline void assertion(const char *file, uint32_t line,
					     const char *text)
{
	vnpu::fault_source(file, line, "assertion '%s' failed", text);
}

[[noreturn]] inline void Trap()
{
	vnpu::fault(VNPU_FAULT_TRAP, "Trap() was called");
}

} /* namespace AscendC */

[[noreturn]] inline void trap()
{
	vnpu::fault(VNPU_FAULT_TRAP, "trap() was called");
}

#define ascendc_assert(condition, ...) \
	((condition) ? (void)0 : \
	 AscendC::assertion(__FILE__, __LINE__, #condition, ##__VA_ARGS__))
#define ASCENDC_ASSERT(condition, handler) \
	do { \
		if (!(condition)) { \
			handler; \
			AscendC::assertion(__FILE__, __LINE__, #condition); \
		} \
	} while (0)
#define ASCENDC_DEBUG_ASSERT(condition, ...)	((void)0)
#ifndef ASSERT
#define ASSERT(...)		ascendc_assert(__VA_ARGS__)
#endif
/* Marks for the simulator of a card. */
#define TRACE_START(apid)	((void)(apid))
#define TRACE_STOP(apid)	((void)(apid))

/*
 * Tiling data: a structure in the kernel's last argument, which host code has
 * filled in.
 */
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
	type name; \
	__builtin_memcpy(&name, (address), sizeof(type))
#define GET_TILING_DATA_MEMBER(type, member, name, address) \
	decltype(type::member) name; \
	__builtin_memcpy(&name, reinterpret_cast<const uint8_t *>(address) + \
			 offsetof(type, member), sizeof(name))

/*
 * Builds that make a kernel for each key of a tiling define TILING_KEY_VAR; else
 * the key is 0.
 */
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR		0
#endif
#define TILING_KEY_IS(key)	((TILING_KEY_VAR) == (key))

/* The structure that a kernel names first. */
#define REGISTER_TILING_DEFAULT(type)	using vnpu_tiling_default_ = type
#define GET_TILING_DATA(name, address) \
	GET_TILING_DATA_WITH_STRUCT(vnpu_tiling_default_, name, address)

/*
 * The kind of core.  vnpu-cc replaces the marker __vnpu_core_type by the constant
 * of the pass.
 */
static constexpr vnpu::core_type vnpu_core_vector = vnpu::core_type::vector;
static constexpr vnpu::core_type vnpu_core_cube = vnpu::core_type::cube;

namespace AscendC {

using ::vnpu_core_cube;
using ::vnpu_core_vector;

static constexpr vnpu::core_type AIV = vnpu_core_vector;
static constexpr vnpu::core_type AIC = vnpu_core_cube;

} /* namespace AscendC */

using AscendC::AIC;
using AscendC::AIV;

#define g_coreType		__vnpu_core_type
#define ASCEND_IS_AIV		(__vnpu_core_type == vnpu_core_vector)
#define ASCEND_IS_AIC		(__vnpu_core_type == vnpu_core_cube)
#define ASCEND_IS_NOT_AIV	(__vnpu_core_type != vnpu_core_vector)
#define ASCEND_IS_NOT_AIC	(__vnpu_core_type != vnpu_core_cube)

#endif /* ASCENDC_VNPU_DEBUG_H */
