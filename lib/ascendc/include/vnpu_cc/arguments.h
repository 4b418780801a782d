/* SPDX-License-Identifier: MIT */
/*
 * The layout of argument blocks, the same in both passes: the parameters in
 * order, each at the next multiple of its alignment.
 */
#ifndef VNPU_CC_ARGUMENTS_H
#define VNPU_CC_ARGUMENTS_H

#include "../vnpu/kernel.h"

#include <type_traits>

namespace vnpu {

/* A parameter as it lies in the block. */
template <typename T>
using stored = typename std::remove_cv<T>::type;

template <typename... P>
struct layout {
	static constexpr uint32_t size(uint32_t at)
	{
		return at;
	}
};

template <typename T, typename... Rest>
struct layout<T, Rest...> {
	static_assert(!std::is_reference<T>::value,
		      "a kernel takes no references");
	static_assert(std::is_trivially_copyable<stored<T>>::value,
		      "a kernel's parameter must be trivially copyable");

	/* Where T lies if @at bytes are before it. */
	static constexpr uint32_t offset(uint32_t at)
	{
		return (at + alignof(T) - 1) / alignof(T) * alignof(T);
	}

	static constexpr uint32_t size(uint32_t at)
	{
		return layout<Rest...>::size(offset(at) + sizeof(T));
	}
};

/* The argument block is whole words. */
template <typename... P>
constexpr uint32_t arguments_size()
{
	return (layout<P...>::size(0) + 7) / 8 * 8;
}

} /* namespace vnpu */

#endif /* VNPU_CC_ARGUMENTS_H */
