/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions that compute each element by itself.
 *
 * Each has three forms: a count of elements; a mask as bits, and repeats; a mask
 * as a number of elements, and repeats.
 */
#ifndef ASCENDC_VNPU_ELEMENTWISE_H
#define ASCENDC_VNPU_ELEMENTWISE_H

#include "operations.h"
#include "repeat.h"

namespace vnpu {

using AscendC::BinaryRepeatParams;
using AscendC::LocalTensor;
using AscendC::UnaryRepeatParams;

template <typename T>
VNPU_ALWAYS_INLINE operand make_operand(const LocalTensor<T> &tensor,
					uint32_t block, uint32_t repeat)
{
	return { tensor.address_, sizeof(T), block, repeat };
}

/* In counter mode the count is of all elements. */
template <bool isSetMask>
VNPU_ALWAYS_INLINE mask make_mask(uint64_t count, uint32_t)
{
	if (!isSetMask)
		return mask_set_before();
	if (state()->is_counter)
		return { { ~0ULL, ~0ULL }, uint32_t(count), true };
	return mask_first(count);
}

template <bool isSetMask>
VNPU_ALWAYS_INLINE mask make_mask(const uint64_t *bits, uint32_t elements)
{
	if (!isSetMask)
		return mask_set_before();
	if (state()->is_counter)
		return make_mask<true>(bits[0], elements);
	return mask_bits(bits, elements);
}

/*
 * Runs are functions of their own, one for each operation and types, whatever the
 * form of the instruction: kernels have many instructions, and are compiled often.
 */
template <typename D, typename S, typename U, typename Op>
VNPU_NOINLINE void run2(const void *op, uint8_t *const *at, uint32_t count)
{
	(*static_cast<const Op *>(op))(reinterpret_cast<D *>(at[0]),
				       reinterpret_cast<const S *>(at[1]),
				       reinterpret_cast<const U *>(at[2]),
				       count);
}

template <typename D, typename S, typename Op>
VNPU_NOINLINE void run1(const void *op, uint8_t *const *at, uint32_t count)
{
	(*static_cast<const Op *>(op))(reinterpret_cast<D *>(at[0]),
				       reinterpret_cast<const S *>(at[1]),
				       count);
}

template <typename D, typename Op>
VNPU_NOINLINE void run0(const void *op, uint8_t *const *at, uint32_t count)
{
	(*static_cast<const Op *>(op))(reinterpret_cast<D *>(at[0]), count);
}

/* Three tensors */
template <typename D, typename S, typename U, typename Op>
inline void binary(const char *what, const LocalTensor<D> &dst,
		   const LocalTensor<S> &a, const LocalTensor<U> &b,
		   uint32_t count, const Op &op)
{
	uint8_t *const at[] = { dst.address_, a.address_, b.address_ };

	/* The result last: it may be in the place of a source. */
	check_vector(what, "src0", a, count);
	check_vector(what, "src1", b, count);
	check_vector(what, "dst", dst, count);
	run2<D, S, U, Op>(&op, at, count);
}

template <typename D, typename S, typename U, typename Op>
inline void binary(const char *what, const LocalTensor<D> &dst,
		   const LocalTensor<S> &a, const LocalTensor<U> &b,
		   const mask &m, uint32_t repeats,
		   const BinaryRepeatParams &p, const Op &op)
{
	const operand operands[] = {
		make_operand(dst, p.dstBlkStride, p.dstRepStride),
		make_operand(a, p.src0BlkStride, p.src0RepStride),
		make_operand(b, p.src1BlkStride, p.src1RepStride),
	};

	each_run(what, operands, 3, m, repeats, repeat_elements<D, S, U>(),
		 run2<D, S, U, Op>, &op);
}

/* Two tensors */
template <typename D, typename S, typename Op>
inline void unary(const char *what, const LocalTensor<D> &dst,
		  const LocalTensor<S> &src, uint32_t count, const Op &op)
{
	uint8_t *const at[] = { dst.address_, src.address_ };

	check_vector(what, "src", src, count);
	check_vector(what, "dst", dst, count);
	run1<D, S, Op>(&op, at, count);
}

template <typename D, typename S, typename Op>
inline void unary(const char *what, const LocalTensor<D> &dst,
		  const LocalTensor<S> &src, const mask &m, uint32_t repeats,
		  const UnaryRepeatParams &p, const Op &op)
{
	const operand operands[] = {
		make_operand(dst, p.dstBlkStride, p.dstRepStride),
		make_operand(src, p.srcBlkStride, p.srcRepStride),
	};

	each_run(what, operands, 2, m, repeats, repeat_elements<D, S>(),
		 run1<D, S, Op>, &op);
}

template <typename T>
inline void duplicate_repeats(const LocalTensor<T> &dst, T value,
			      const mask &m, uint32_t repeats,
			      uint32_t block, uint32_t repeat)
{
	const duplicate<T> op = { value };
	const operand to = make_operand(dst, block, repeat);

	each_run("Duplicate", &to, 1, m, repeats, repeat_elements<T>(),
		 run0<T, duplicate<T>>, &op);
}

template <typename T>
inline void copy_repeats(const LocalTensor<T> &dst, const LocalTensor<T> &src,
			 const mask &m, uint32_t repeats,
			 const AscendC::CopyRepeatParams &p)
{
	const copy_run<T> op = {};
	const operand operands[] = {
		make_operand(dst, p.dstStride, p.dstRepeatSize),
		make_operand(src, p.srcStride, p.srcRepeatSize),
	};

	each_run("Copy", operands, 2, m, repeats, repeat_elements<T>(),
		 run1<T, T, copy_run<T>>, &op);
}

} /* namespace vnpu */

namespace AscendC {

#define VNPU_BINARY(Name, run) \
	template <typename T> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, const int32_t count) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, count, run()); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, const uint64_t mask[], \
			 const uint8_t repeatTime, \
			 const BinaryRepeatParams &params) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, \
			     vnpu::make_mask<isSetMask>(mask, \
				     vnpu::repeat_elements<T>()), \
			     repeatTime, params, run()); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, const uint64_t mask, \
			 const uint8_t repeatTime, \
			 const BinaryRepeatParams &params) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, \
			     vnpu::make_mask<isSetMask>(mask, 0), repeatTime, \
			     params, run()); \
	}

VNPU_BINARY(Add, vnpu::over2<vnpu::op_add>)
VNPU_BINARY(Sub, vnpu::over2<vnpu::op_sub>)
VNPU_BINARY(Mul, vnpu::over2<vnpu::op_mul>)
VNPU_BINARY(Div, vnpu::over2<vnpu::op_div>)
VNPU_BINARY(Max, vnpu::over2<vnpu::op_max>)
VNPU_BINARY(Min, vnpu::over2<vnpu::op_min>)
VNPU_BINARY(And, vnpu::over_bits<vnpu::op_and>)
VNPU_BINARY(Or, vnpu::over_bits<vnpu::op_or>)
VNPU_BINARY(AddRelu, vnpu::over2<vnpu::op_add_relu>)
VNPU_BINARY(SubRelu, vnpu::over2<vnpu::op_sub_relu>)
VNPU_BINARY(FusedMulAdd, vnpu::over3<vnpu::op_fused_mul_add>)
VNPU_BINARY(FusedMulAddRelu, vnpu::over3<vnpu::op_fused_mul_add_relu>)
#undef VNPU_BINARY

/* dst += src0 * src1, where dst may be wider. */
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
		      const LocalTensor<U> &src1, const int32_t count)
{
	vnpu::binary("MulAddDst", dst, src0, src1, count,
		     vnpu::over3<vnpu::op_mul_add_dst>());
}

template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
		      const LocalTensor<U> &src1, const uint64_t mask[],
		      const uint8_t repeatTime,
		      const BinaryRepeatParams &params)
{
	vnpu::binary("MulAddDst", dst, src0, src1,
		     vnpu::make_mask<isSetMask>(mask,
			     vnpu::repeat_elements<T, U>()),
		     repeatTime, params, vnpu::over3<vnpu::op_mul_add_dst>());
}

template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
		      const LocalTensor<U> &src1, const uint64_t mask,
		      const uint8_t repeatTime,
		      const BinaryRepeatParams &params)
{
	vnpu::binary("MulAddDst", dst, src0, src1,
		     vnpu::make_mask<isSetMask>(mask, 0), repeatTime, params,
		     vnpu::over3<vnpu::op_mul_add_dst>());
}

#define VNPU_UNARY(Name, run) \
	template <typename T> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const int32_t count) \
	{ \
		vnpu::unary(#Name, dst, src, count, run()); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const uint64_t mask[], \
			 const uint8_t repeatTime, \
			 const UnaryRepeatParams &params) \
	{ \
		vnpu::unary(#Name, dst, src, \
			    vnpu::make_mask<isSetMask>(mask, \
				    vnpu::repeat_elements<T>()), \
			    repeatTime, params, run()); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const uint64_t mask, \
			 const uint8_t repeatTime, \
			 const UnaryRepeatParams &params) \
	{ \
		vnpu::unary(#Name, dst, src, \
			    vnpu::make_mask<isSetMask>(mask, 0), repeatTime, \
			    params, run()); \
	}

VNPU_UNARY(Exp, vnpu::fn_exp)
VNPU_UNARY(Ln, vnpu::fn_ln)
VNPU_UNARY(Abs, vnpu::fn_abs)
VNPU_UNARY(Sqrt, vnpu::fn_sqrt)
VNPU_UNARY(Rsqrt, vnpu::fn_rsqrt)
VNPU_UNARY(Reciprocal, vnpu::fn_reciprocal)
VNPU_UNARY(Relu, vnpu::fn_relu)
VNPU_UNARY(Neg, vnpu::fn_neg)
VNPU_UNARY(Not, vnpu::fn_not)
#undef VNPU_UNARY

#define VNPU_SCALAR(Name, run) \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, \
			 const NoDeduce<T> &scalar, const int32_t count) \
	{ \
		vnpu::unary(#Name, dst, src, count, run(scalar)); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, \
			 const NoDeduce<T> &scalar, const uint64_t mask[], \
			 const uint8_t repeatTime, \
			 const UnaryRepeatParams &params) \
	{ \
		vnpu::unary(#Name, dst, src, \
			    vnpu::make_mask<isSetMask>(mask, \
				    vnpu::repeat_elements<T>()), \
			    repeatTime, params, run(scalar)); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, \
			 const NoDeduce<T> &scalar, const uint64_t mask, \
			 const uint8_t repeatTime, \
			 const UnaryRepeatParams &params) \
	{ \
		vnpu::unary(#Name, dst, src, \
			    vnpu::make_mask<isSetMask>(mask, 0), repeatTime, \
			    params, run(scalar)); \
	}

VNPU_SCALAR(Adds, vnpu::with_scalar<vnpu::op_add>)
VNPU_SCALAR(Subs, vnpu::with_scalar<vnpu::op_sub>)
VNPU_SCALAR(Muls, vnpu::with_scalar<vnpu::op_mul>)
VNPU_SCALAR(Divs, vnpu::with_scalar<vnpu::op_div>)
VNPU_SCALAR(Maxs, vnpu::with_scalar<vnpu::op_max>)
VNPU_SCALAR(Mins, vnpu::with_scalar<vnpu::op_min>)
VNPU_SCALAR(LeakyRelu, vnpu::with_scalar<vnpu::op_leaky_relu>)
VNPU_SCALAR(ShiftLeft, vnpu::with_scalar<vnpu::op_shift_left>)
VNPU_SCALAR(ShiftRight, vnpu::with_scalar<vnpu::op_shift_right>)
#undef VNPU_SCALAR

template <typename T, typename U>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		 const NoDeduce<U> scalar, const int32_t count)
{
	vnpu::unary("Axpy", dst, src, count, vnpu::axpy<U>(scalar));
}

template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		 const NoDeduce<U> scalar, const uint64_t mask[],
		 const uint8_t repeatTime, const UnaryRepeatParams &params)
{
	vnpu::unary("Axpy", dst, src,
		    vnpu::make_mask<isSetMask>(mask,
			    vnpu::repeat_elements<T, U>()),
		    repeatTime, params, vnpu::axpy<U>(scalar));
}

template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		 const NoDeduce<U> scalar, const uint64_t mask,
		 const uint8_t repeatTime, const UnaryRepeatParams &params)
{
	vnpu::unary("Axpy", dst, src, vnpu::make_mask<isSetMask>(mask, 0),
		    repeatTime, params, vnpu::axpy<U>(scalar));
}

template <typename T>
inline void Duplicate(const LocalTensor<T> &dst, const NoDeduce<T> &value,
		      const int32_t count)
{
	const vnpu::duplicate<T> op = { value };

	vnpu::check_vector("Duplicate", "dst", dst, count);
	vnpu::run0<T, vnpu::duplicate<T>>(&op, &dst.address_, count);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T> &dst, const NoDeduce<T> &value,
		      const uint64_t mask[], const uint8_t repeatTime,
		      const uint16_t dstBlockStride,
		      const uint8_t dstRepeatStride)
{
	vnpu::duplicate_repeats<T>(dst, value,
		vnpu::make_mask<isSetMask>(mask, vnpu::repeat_elements<T>()),
		repeatTime, dstBlockStride, dstRepeatStride);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T> &dst, const NoDeduce<T> &value,
		      const uint64_t mask, const uint8_t repeatTime,
		      const uint16_t dstBlockStride,
		      const uint8_t dstRepeatStride)
{
	vnpu::duplicate_repeats<T>(dst, value,
		vnpu::make_mask<isSetMask>(mask, 0), repeatTime,
		dstBlockStride, dstRepeatStride);
}

/* src to dst, by repeats. */
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		 const uint64_t mask[], const uint8_t repeatTime,
		 const CopyRepeatParams &params)
{
	vnpu::copy_repeats<T>(dst, src,
		vnpu::make_mask<isSetMask>(mask, vnpu::repeat_elements<T>()),
		repeatTime, params);
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		 const uint64_t mask, const uint8_t repeatTime,
		 const CopyRepeatParams &params)
{
	vnpu::copy_repeats<T>(dst, src, vnpu::make_mask<isSetMask>(mask, 0),
			      repeatTime, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_ELEMENTWISE_H */
