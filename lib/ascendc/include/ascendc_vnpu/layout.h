/* SPDX-License-Identifier: MIT */
/*
 * Shapes, strides and coordinates of tensors, which are tuples of whole numbers
 * or of such tuples, and layouts that lead from a coordinate to an index.
 */
#ifndef ASCENDC_VNPU_LAYOUT_H
#define ASCENDC_VNPU_LAYOUT_H

#include <tuple>

#include "types.h"

namespace AscendC {

namespace Std {

template <typename... Types>
using tuple = std::tuple<Types...>;

template <typename T>
using tuple_size = std::tuple_size<T>;

template <size_t n, typename T>
using tuple_element = std::tuple_element<n, T>;

/* A whole number that the compiler knows. */
template <size_t value>
using Int = std::integral_constant<size_t, value>;

template <typename T>
struct is_tuple : std::false_type {
};

template <typename... Types>
struct is_tuple<std::tuple<Types...>> : std::true_type {
};

template <typename T>
constexpr bool is_tuple_v = is_tuple<std::remove_cv_t<T>>::value;

using std::get;
using std::make_tuple;
using std::tie;

} /* namespace Std */

template <typename... Sizes>
using Shape = Std::tuple<Sizes...>;

/* In elements, one for each size of the shape. */
template <typename... Strides>
using Stride = Std::tuple<Strides...>;

template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts &...sizes)
{
	return Shape<Ts...>(sizes...);
}

template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts &...strides)
{
	return Stride<Ts...>(strides...);
}

template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts &...coords)
{
	return Coord<Ts...>(coords...);
}

} /* namespace AscendC */

namespace vnpu {

/* Number of coordinates of a shape. */
template <typename Shape>
constexpr int64_t shape_size(const Shape &shape)
{
	if constexpr (AscendC::Std::is_tuple_v<Shape>)
		return std::apply([](const auto &...sizes) {
			return (int64_t(1) * ... * shape_size(sizes));
		}, shape);
	else
		return static_cast<int64_t>(shape);
}

template <typename Coord, typename Shape, typename Stride>
constexpr int64_t index_of(const Coord &coord, const Shape &shape,
			   const Stride &stride);

/* A coordinate for each size. */
template <typename Coord, typename Shape, typename Stride, size_t... n>
constexpr int64_t index_of_each(const Coord &coord, const Shape &shape,
				const Stride &stride, std::index_sequence<n...>)
{
	return (int64_t(0) + ... + index_of(std::get<n>(coord),
					    std::get<n>(shape),
					    std::get<n>(stride)));
}

/* One number for all sizes from @n on, of which the first counts fastest. */
template <size_t n, typename Shape, typename Stride>
constexpr int64_t index_of_number(int64_t number, const Shape &shape,
				  const Stride &stride)
{
	if constexpr (n + 1 >= std::tuple_size<Shape>::value) {
		return index_of(number, std::get<n>(shape),
				std::get<n>(stride));
	} else {
		const int64_t size = shape_size(std::get<n>(shape));

		return index_of(number % size, std::get<n>(shape),
				std::get<n>(stride)) +
			index_of_number<n + 1>(number / size, shape, stride);
	}
}

template <typename Coord, typename Shape, typename Stride>
constexpr int64_t index_of(const Coord &coord, const Shape &shape,
			   const Stride &stride)
{
	using AscendC::Std::is_tuple_v;

	static_assert(is_tuple_v<Shape> == is_tuple_v<Stride>,
		      "a shape and a stride have the same structure");
	if constexpr (is_tuple_v<Coord>) {
		constexpr size_t rank = std::tuple_size<Coord>::value;

		static_assert(is_tuple_v<Shape>,
			      "a number, not a tuple, leads into one size");
		static_assert(std::tuple_size<Shape>::value == rank &&
			      std::tuple_size<Stride>::value == rank,
			      "a coordinate has one entry for each size");
		return index_of_each(coord, shape, stride,
				     std::make_index_sequence<rank>());
	} else if constexpr (is_tuple_v<Shape>) {
		static_assert(std::tuple_size<Shape>::value ==
			      std::tuple_size<Stride>::value,
			      "a shape and a stride have the same structure");
		return index_of_number<0>(static_cast<int64_t>(coord), shape,
					  stride);
	} else {
		return static_cast<int64_t>(coord) *
			static_cast<int64_t>(stride);
	}
}

} /* namespace vnpu */

namespace AscendC {

template <typename ShapeType, typename StrideType>
struct Layout {
	static_assert(Std::is_tuple_v<ShapeType> && Std::is_tuple_v<StrideType>,
		      "a layout has tuples for its shape and its stride");

	constexpr Layout(const ShapeType &shape = {},
			 const StrideType &stride = {})
		: shape_(shape), stride_(stride)
	{
	}

	constexpr Layout &layout()
	{
		return *this;
	}

	constexpr const Layout &layout() const
	{
		return *this;
	}

	constexpr ShapeType &GetShape()
	{
		return shape_;
	}

	constexpr const ShapeType &GetShape() const
	{
		return shape_;
	}

	constexpr StrideType &GetStride()
	{
		return stride_;
	}

	constexpr const StrideType &GetStride() const
	{
		return stride_;
	}

	/* The index of a coordinate. */
	template <typename CoordType>
	constexpr auto operator()(const CoordType &coord) const
	{
		return vnpu::index_of(coord, shape_, stride_);
	}

private:
	ShapeType shape_;
	StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
	return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : std::false_type {
};

template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {
};

template <typename T>
constexpr bool is_layout_v = is_layout<std::remove_cv_t<T>>::value;

/*
 * The sum of coordinates by strides.  A number that stands for several sizes is
 * divided by them first, as it counts through them with the first one fastest.
 */
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType &coord,
		       const Layout<ShapeType, StrideType> &layout)
{
	return layout(coord);
}

template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape,
		       const StrideType &stride)
{
	return vnpu::index_of(coord, shape, stride);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_LAYOUT_H */
