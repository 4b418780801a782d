/* SPDX-License-Identifier: MIT */
/*
 * Included by vnpu-cc in front of each source, in the host pass: launches and
 * the stubs that stand for kernels.
 */
#ifndef VNPU_CC_HOST_H
#define VNPU_CC_HOST_H

#define VNPU_CC_HOST	1

/* Options that warn are for the source. */
#pragma GCC system_header

#include "macros.h"
#include "arguments.h"
#include "services.h"
#include "state.h"

/* Defined in the assembly, where this source has kernels. */
extern "C" struct vnpu_unit vnpu_unit_here
	__attribute__((visibility("hidden")));

/* The path of this source; the assembly refers to it. */
__attribute__((unused)) static const char vnpu_source_here[]
	__asm__("vnpu_source_here") = __BASE_FILE__;

#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)

namespace vnpu {

/* A number of blocks: an integer, or a product of three. */
template <typename T>
inline typename std::enable_if<std::is_integral<T>::value ||
			       std::is_enum<T>::value, uint32_t>::type
blocks(T count)
{
	return static_cast<uint32_t>(count);
}

template <typename T>
inline typename std::enable_if<std::is_class<T>::value, uint32_t>::type
blocks(const T &count)
{
	return count.x * count.y * count.z;
}

/* The second value: bytes, or a pointer that means nothing any more. */
inline uint64_t local_bytes(const void *)
{
	return 0;
}

template <typename T>
inline typename std::enable_if<std::is_integral<T>::value, uint64_t>::type
local_bytes(T bytes)
{
	return bytes;
}

inline uint64_t local_bytes(decltype(nullptr))
{
	return 0;
}

/* The values between <<< and >>>, for the duration of the launch. */
class config {
public:
	template <typename N, typename L>
	config(const N &count, const L &local, void *stream = nullptr)
	{
		begin(blocks(count), 1, local_bytes(local), stream);
	}

	template <typename N, typename M, typename L>
	config(const N &count, const M &threads, const L &local, void *stream)
	{
		begin(blocks(count), blocks(threads), local_bytes(local),
		      stream);
	}

	/* Without value(), when an argument has thrown. */
	~config()
	{
		end();
	}

	config(const config &) = delete;
	config &operator=(const config &) = delete;

	int end()
	{
		if (!is_over_)
			*vnpu_launch_current() = config_.outer;
		is_over_ = true;
		return config_.result;
	}

private:
	void begin(uint32_t count, uint32_t threads, uint64_t local,
		   void *stream)
	{
		struct vnpu_launch_config **current = vnpu_launch_current();

		config_ = { sizeof(config_), count, threads, 0, local, stream,
			    0, *current };
		*current = &config_;
	}

	struct vnpu_launch_config config_;
	bool is_over_ = false;
};

/*
 * Its members are made in order: the configuration, then the call.  It is over
 * with value(), as the launch may be an argument of another one.
 */
struct launched {
	config &&from;
	int unused;

	uint32_t value()
	{
		return static_cast<uint32_t>(from.end());
	}
};

/* A pointer to anything, which C++ does not make of a void *. */
struct any_pointer {
	void *at;

	template <typename T>
	operator T *() const
	{
		return static_cast<T *>(at);
	}
};

inline any_pointer argument(void *at)
{
	return { at };
}

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

inline void store(char *, uint32_t)
{
}

template <typename T, typename... Rest>
inline void store(char *block, uint32_t at, const T &value,
		  const Rest &...rest)
{
	at = layout<T>::offset(at);
	__builtin_memcpy(block + at, &value, sizeof(value));
	store(block, at + sizeof(value), rest...);
}

/* The body of a kernel, on the host. */
template <typename... P>
inline void stub(struct vnpu_unit &unit, const char *name, const P &...values)
{
	alignas(16) char block[arguments_size<P...>() + 8] = {};

	store(block, 0, values...);
	vnpu_launch(&unit, name, block, arguments_size<P...>());
}

} /* namespace vnpu */

#endif /* VNPU_CC_HOST_H */
