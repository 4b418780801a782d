/* SPDX-License-Identifier: MIT */
/*
 * The implementation of copies and of atomic operations on device memory.  copy.h
 * has the instructions.
 */
#ifndef ASCENDC_VNPU_TRANSFER_H
#define ASCENDC_VNPU_TRANSFER_H

#include "events.h"

namespace vnpu {

/*
 * Copy a tile.  The next copies into the core probably continue in device memory, so
 * prefetch the tile after the next.  The processor does not prefetch that far
 * ahead, and kernels compute between copies.  A copy to device memory is slower with
 * prefetches than without them.
 */
template <bool is_out>
VNPU_NOINLINE void copy_tile(void *to, const void *from, uint64_t bytes)
{
	typedef char line __attribute__((vector_size(32), aligned(1)));
	constexpr uint32_t step = 256;
	const char *s = static_cast<const char *>(from);
	char *d = static_cast<char *>(to);
	uint64_t at = 0;

	for (; at + step <= bytes; at += step) {
		line lines[step / sizeof(line)];

		if (!is_out)
			for (uint32_t i = 0; i < step; i += 64)
				__builtin_prefetch(s + at + 2 * bytes + i, 0, 2);
		for (uint32_t i = 0; i < step / sizeof(line); i++)
			lines[i] = *reinterpret_cast<const line *>(
				s + at + i * sizeof(line));
		for (uint32_t i = 0; i < step / sizeof(line); i++)
			*reinterpret_cast<line *>(
				d + at + i * sizeof(line)) = lines[i];
	}
	__builtin_memcpy(d + at, s + at, bytes - at);
}

enum atomic_op : uint8_t {
	ATOMIC_NONE,
	ATOMIC_ADD,
	ATOMIC_MAX,
	ATOMIC_MIN,
};

enum atomic_type : uint8_t {
	ATOMIC_FLOAT,
	ATOMIC_HALF,
	ATOMIC_BFLOAT16,
	ATOMIC_INT8,
	ATOMIC_INT16,
	ATOMIC_INT32,
};

/* One element; another core may be at it, too. */
template <typename T, typename Bits>
VNPU_ALWAYS_INLINE void atomic_one(T *to, T value, uint8_t op)
{
	Bits *at = reinterpret_cast<Bits *>(to);
	Bits was = __atomic_load_n(at, __ATOMIC_RELAXED);

	for (;;) {
		T old = bits_as<T>(was), next;

		if (op == ATOMIC_ADD)
			next = static_cast<T>(old + value);
		else if (op == ATOMIC_MAX)
			next = old > value ? old : value;
		else
			next = old < value ? old : value;
		if (__atomic_compare_exchange_n(at, &was, bits_as<Bits>(next),
						true, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return;
	}
}

template <typename T, typename Bits>
VNPU_COLD void atomic_some(void *to, const void *from, uint64_t bytes,
			   uint8_t op)
{
	T *target = static_cast<T *>(to);
	const T *source = static_cast<const T *>(from);

	for (uint64_t i = 0; i < bytes / sizeof(T); i++)
		atomic_one<T, Bits>(target + i, source[i], op);
}

VNPU_COLD inline void atomic_copy(void *to, const void *from, uint64_t bytes,
				  uint8_t op, uint8_t type)
{
	switch (type) {
	case ATOMIC_FLOAT:
		atomic_some<float, uint32_t>(to, from, bytes, op);
		break;
	case ATOMIC_HALF:
		atomic_some<half, uint16_t>(to, from, bytes, op);
		break;
	case ATOMIC_BFLOAT16:
		atomic_some<bfloat16_t, uint16_t>(to, from, bytes, op);
		break;
	case ATOMIC_INT8:
		atomic_some<int8_t, uint8_t>(to, from, bytes, op);
		break;
	case ATOMIC_INT16:
		atomic_some<int16_t, uint16_t>(to, from, bytes, op);
		break;
	case ATOMIC_INT32:
		atomic_some<int32_t, uint32_t>(to, from, bytes, op);
		break;
	}
}

/* Bytes to device memory, without a note for the checker of races. */
VNPU_ALWAYS_INLINE void copy_out(void *to, const void *from, uint64_t bytes,
				 uint8_t op, uint8_t type)
{
	if (__builtin_expect(op, 0))
		atomic_copy(to, from, bytes, op, type);
	else
		copy_tile<true>(to, from, bytes);
}

VNPU_ALWAYS_INLINE void copy_out(void *to, const void *from, uint64_t bytes)
{
	copy_out(to, from, bytes, state()->atomic, state()->atomic_type);
}

VNPU_ALWAYS_INLINE uint32_t access_flags()
{
	return VNPU_GM_WRITE |
		(state()->atomic ? VNPU_GM_ATOMIC : 0);
}

[[noreturn]] VNPU_COLD inline void fault_length(const char *what,
						uint64_t bytes)
{
	fault(VNPU_FAULT_ALIGN,
	      "%s: %llu bytes are no whole number of blocks of 32; DataCopyPad copies any number",
	      what, (unsigned long long)bytes);
}

inline rows rows_of(const AscendC::DataCopyParams &params)
{
	uint64_t bytes = params.blockLen * 32ULL;

	return { params.blockCount, bytes, bytes + params.srcStride * 32ULL,
		 bytes + params.dstStride * 32ULL };
}

/* Inside of a core: the small memories of cube cores have longer blocks. */
inline rows rows_of(const AscendC::DataCopyParams &params, uint32_t local)
{
	uint64_t unit = local == VNPU_LOCAL_BT ? 64 :
		local == VNPU_LOCAL_FB ? 128 : 32;
	uint64_t bytes = params.blockLen * unit;

	return { params.blockCount, bytes, bytes + params.srcStride * 32ULL,
		 bytes + params.dstStride * unit };
}

/* Whole elements from the beginning on. */
template <typename T>
VNPU_ALWAYS_INLINE rows rows_of(const char *what, uint32_t count)
{
	uint64_t bytes = uint64_t(count) * sizeof(T);

	if (__builtin_expect(bytes % 32, 0))
		fault_length(what, bytes);
	return { 1, bytes, bytes, bytes };
}

VNPU_ALWAYS_INLINE void execute_in(const struct copy &c)
{
	for (uint32_t i = 0; i < c.rows.count; i++)
		copy_tile<false>(c.to + i * c.rows.to_step,
				 c.from + i * c.rows.from_step, c.rows.bytes);
}

VNPU_ALWAYS_INLINE void execute_out(const struct copy &c)
{
	for (uint32_t i = 0; i < c.rows.count; i++)
		copy_out(c.to + i * c.rows.to_step,
			 c.from + i * c.rows.from_step, c.rows.bytes, c.atomic,
			 c.atomic_type);
}

/* Execute a copy now, or late. */
template <void (*execute)(const struct copy &)>
VNPU_ALWAYS_INLINE void issue(uint32_t pipe, AscendC::TPosition local,
			      struct copy c)
{
	if (!is_checked(VNPU_CHECK_LATE))
		return execute(c);
	c.execute = execute;
	late_issue_copy(pipe, local_of(local), c);
}

template <typename T>
VNPU_ALWAYS_INLINE void copy_in_rows(const char *what,
				     const AscendC::LocalTensor<T> &dst,
				     const AscendC::GlobalTensor<T> &src,
				     const rows &r)
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(src.address_);

	check_align(what, "dst", dst.address_);
	check_bounds(what, "dst", dst.address_, r.to_extent(), dst.position_);
	src.check(what, r.from_extent());
	check_access_rows(from, r.count, r.bytes, r.from_step, VNPU_GM_READ);
	for (uint32_t i = 0; VNPU_CHECK && i < r.count; i++)
		check_row(what, CHECK_MTE2, true, dst.address_ + i * r.to_step,
			  r.bytes, dst.position_);
	issue<execute_in>(CHECK_MTE2, dst.position_,
			  { nullptr, dst.address_, from, r, {}, 0, 0 });
}

template <typename T>
VNPU_ALWAYS_INLINE void copy_out_rows(const char *what,
				      const AscendC::GlobalTensor<T> &dst,
				      const AscendC::LocalTensor<T> &src,
				      const rows &r)
{
	uint8_t *to = reinterpret_cast<uint8_t *>(dst.address_);

	check_align(what, "src", src.address_);
	check_bounds(what, "src", src.address_, r.from_extent(), src.position_);
	dst.check(what, r.to_extent());
	check_access_rows(to, r.count, r.bytes, r.to_step, access_flags());
	for (uint32_t i = 0; VNPU_CHECK && i < r.count; i++)
		check_row(what, CHECK_MTE3, false,
			  src.address_ + i * r.from_step, r.bytes,
			  src.position_);
	issue<execute_out>(CHECK_MTE3, src.position_,
			   { nullptr, to, src.address_, r, {},
			     state()->atomic, state()->atomic_type });
}

/* The pipe of a copy inside of a core. */
constexpr uint32_t copy_pipe(uint32_t from, uint32_t to)
{
	return to == VNPU_LOCAL_FB ? CHECK_FIX :
		from == VNPU_LOCAL_L1 ? CHECK_MTE1 :
		to == VNPU_LOCAL_L1 ? CHECK_MTE3 : CHECK_V;
}

VNPU_ALWAYS_INLINE void check_rows_inside(const char *what,
					  const AscendC::LocalTensorBase &dst,
					  const AscendC::LocalTensorBase &src,
					  const rows &r)
{
	uint32_t pipe = copy_pipe(local_of(src.position_),
				  local_of(dst.position_));

	for (uint32_t i = 0; VNPU_CHECK && i < r.count; i++) {
		check_row(what, pipe, false, src.address_ + i * r.from_step,
			  r.bytes, src.position_);
		check_row(what, pipe, true, dst.address_ + i * r.to_step,
			  r.bytes, dst.position_);
	}
}

template <typename D, typename S>
VNPU_ALWAYS_INLINE void copy_local_rows(const char *what,
					const AscendC::LocalTensor<D> &dst,
					const AscendC::LocalTensor<S> &src,
					const rows &r)
{
	check_align(what, "dst", dst.address_);
	check_align(what, "src", src.address_);
	check_bounds(what, "dst", dst.address_, r.to_extent(), dst.position_);
	check_bounds(what, "src", src.address_, r.from_extent(), src.position_);
	check_rows_inside(what, dst, src, r);
	late_issue(copy_pipe(local_of(src.position_), local_of(dst.position_)),
		   [=, to = dst.address_, from = src.address_] {
		for (uint32_t i = 0; i < r.count; i++)
			__builtin_memmove(to + i * r.to_step,
					  from + i * r.from_step, r.bytes);
	});
}

constexpr uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Fill @bytes with an element. */
VNPU_ALWAYS_INLINE void fill(uint8_t *to, uint64_t bytes, const void *element,
			     uint32_t size)
{
	for (uint64_t at = 0; at + size <= bytes; at += size)
		__builtin_memcpy(to + at, element, size);
}

template <typename T>
VNPU_ALWAYS_INLINE void execute_padded(const struct copy &c)
{
	const uint64_t before = c.pad.before, bytes = c.pad.bytes;
	const uint64_t value = c.pad.value;

	for (uint32_t i = 0; i < c.rows.count; i++) {
		uint8_t *to = c.to + i * c.rows.to_step;
		const uint8_t *row = c.from + i * c.rows.from_step;

		fill(to, before, &value, sizeof(T));
		__builtin_memcpy(to + before, row, bytes);
		if (c.rows.bytes > before + bytes)
			fill(to + before + bytes, c.rows.bytes - before - bytes,
			     c.pad.is_given ? static_cast<const void *>(&value) :
			     row, bytes % sizeof(T) ? 1 : sizeof(T));
	}
}

/*
 * Copy rows of any length; each begins at a block.  The rest of the last block is
 * filled with the padding, or with the row's first element, as on a card.
 */
template <typename T>
inline void copy_in_padded(const AscendC::LocalTensor<T> &dst,
			   const AscendC::GlobalTensor<T> &src, uint32_t count,
			   uint64_t bytes, int64_t src_gap, int64_t dst_gap,
			   bool is_pad, uint32_t left, uint32_t right,
			   const void *padding)
{
	uint64_t before = is_pad ? left * sizeof(T) : 0;
	uint64_t after = is_pad ? right * sizeof(T) : 0;
	uint64_t whole = round_up(before + bytes + after, 32);
	rows r = { count, whole, bytes + src_gap, whole + dst_gap * 32 };
	struct padding pad = { bytes, before, 0, is_pad };
	const uint8_t *from = reinterpret_cast<const uint8_t *>(src.address_);

	if (before > 32 || after > 32)
		fault(VNPU_FAULT_ARGUMENT,
		      "DataCopyPad: paddings of %u and %u elements are more than 32 bytes",
		      left, right);
	check_align("DataCopyPad", "dst", dst.address_);
	check_bounds("DataCopyPad", "dst", dst.address_, r.to_extent(),
		     dst.position_);
	for (uint32_t i = 0; VNPU_CHECK && i < count; i++)
		check_row("DataCopyPad", CHECK_MTE2, true,
			  dst.address_ + i * r.to_step, whole, dst.position_);
	src.check("DataCopyPad", count ? (count - 1) * r.from_step + bytes : 0);
	check_access_rows(from, count, bytes, r.from_step, VNPU_GM_READ);
	__builtin_memcpy(&pad.value, padding, sizeof(T));
	issue<execute_padded<T>>(CHECK_MTE2, dst.position_,
				 { nullptr, dst.address_, from, r, pad, 0, 0 });
}

template <typename T>
inline void copy_out_padded(const AscendC::GlobalTensor<T> &dst,
			    const AscendC::LocalTensor<T> &src, uint32_t count,
			    uint64_t bytes, int64_t src_gap, int64_t dst_gap)
{
	rows r = { count, bytes, round_up(bytes, 32) + src_gap * 32,
		   bytes + dst_gap };

	copy_out_rows("DataCopyPad", dst, src, r);
}

/* Where element (n, d) of a matrix lies in the fractal layout NZ. */
template <typename T, typename P>
VNPU_ALWAYS_INLINE uint64_t nz_index(const P &params, uint32_t n, uint32_t d)
{
	constexpr uint32_t c0 = 32 / sizeof(T);

	return uint64_t(d / c0) * params.dstNzC0Stride * c0 +
		uint64_t(n) * params.dstNzNStride * c0 + d % c0;
}

/* Columns of a matrix in that layout: C0 columns are whole. */
template <typename T>
VNPU_ALWAYS_INLINE uint32_t nz_columns(const AscendC::Nd2NzParams &p)
{
	return round_up(p.dValue, 32 / sizeof(T));
}

template <typename T>
inline void check_to_nz(const AscendC::LocalTensor<T> &dst,
			const AscendC::GlobalTensor<T> &src,
			const AscendC::Nd2NzParams &p)
{
	const uint32_t columns = nz_columns<T>(p);
	uint64_t last = p.nValue && columns && p.ndNum ?
		(p.ndNum - 1) * p.dstNzMatrixStride +
		nz_index<T>(p, p.nValue - 1, columns - 1) + 1 : 0;

	check_align("DataCopy", "dst", dst.address_);
	check_bounds("DataCopy", "dst", dst.address_, last * sizeof(T),
		     dst.position_);
	for (uint32_t nd = 0; nd < p.ndNum; nd++) {
		const T *to = dst.data() + nd * p.dstNzMatrixStride;

		check_access_rows(src.address_ + nd * p.srcNdMatrixStride,
				  p.nValue, p.dValue * sizeof(T),
				  p.srcDValue * sizeof(T), VNPU_GM_READ);
		for (uint32_t n = 0; VNPU_CHECK && n < p.nValue; n++)
			for (uint32_t d = 0; d < columns; d += 32 / sizeof(T))
				check_row("DataCopy", CHECK_MTE2, true,
					  to + nz_index<T>(p, n, d), 32,
					  dst.position_);
	}
}

template <typename T>
inline void copy_to_nz(T *to, const T *from, const AscendC::Nd2NzParams &p)
{
	const uint32_t columns = nz_columns<T>(p);

	for (uint32_t nd = 0; nd < p.ndNum; nd++) {
		for (uint32_t n = 0; n < p.nValue; n++)
			for (uint32_t d = 0; d < columns; d++)
				to[nz_index<T>(p, n, d)] = d < p.dValue ?
					from[n * p.srcDValue + d] : T(0);
		to += p.dstNzMatrixStride;
		from += p.srcNdMatrixStride;
	}
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_TRANSFER_H */
