/* SPDX-License-Identifier: MIT */
/*
 * The shape of vector instructions.
 *
 * An instruction either has a count of elements, or it repeats: each repeat is
 * 256 bytes of the widest operand, in 8 data blocks of 32 bytes.  Operands have a
 * stride from block to block and one from repeat to repeat, in data blocks, and
 * a mask says which elements of a repeat take part.  This file splits repeats
 * into runs of elements that are contiguous in all operands.
 */
#ifndef ASCENDC_VNPU_REPEAT_H
#define ASCENDC_VNPU_REPEAT_H

#include "events.h"

namespace vnpu {

constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t REPEAT_BLOCKS = 8;

/* Which elements take part: of each repeat, or in counter mode of all. */
struct mask {
	uint64_t bits[2];
	uint32_t total;		/* in counter mode: that many, from the first */
	bool is_counter;
};

/* The first @count elements of each repeat. */
VNPU_ALWAYS_INLINE mask mask_first(uint64_t count)
{
	return {
		{ count >= 64 ? ~0ULL : (1ULL << count) - 1,
		  count >= 128 ? ~0ULL :
		  count > 64 ? (1ULL << (count - 64)) - 1 : 0 }, 0,
	};
}

VNPU_ALWAYS_INLINE mask mask_bits(const uint64_t *bits, uint32_t elements)
{
	return { { bits[0], elements > 64 ? bits[1] : 0 }, 0 };
}

/* As SetVectorMask() has left it, for instructions that set none. */
VNPU_ALWAYS_INLINE mask mask_set_before()
{
	const struct core_state *s = state();

	if (s->is_counter)
		return { { ~0ULL, ~0ULL }, uint32_t(s->mask[0]), true };
	return { { s->mask[0], s->mask[1] }, 0 };
}

VNPU_ALWAYS_INLINE bool is_full(const mask &m, uint32_t elements)
{
	return elements >= 128 ? (m.bits[0] & m.bits[1]) == ~0ULL :
		elements == 64 ? m.bits[0] == ~0ULL :
		(m.bits[0] & ((1ULL << elements) - 1)) ==
			(1ULL << elements) - 1;
}

/* A mask names the 128 elements of two bytes that are in a repeat. */
VNPU_ALWAYS_INLINE bool is_in(const mask &m, uint32_t element)
{
	return element < 128 && (m.bits[element / 64] >> element % 64 & 1);
}

/* The repeats of an instruction, and the mask of each. */
struct steps {
	uint32_t count;
	mask all;
	mask last;

	VNPU_ALWAYS_INLINE const mask &of(uint32_t repeat) const
	{
		return repeat + 1 == count ? last : all;
	}
};

/* In counter mode the mask says how many repeats there are. */
VNPU_ALWAYS_INLINE steps make_steps(const mask &m, uint32_t repeats,
				    uint32_t elements)
{
	const mask full = { { ~0ULL, ~0ULL }, 0, false };
	uint32_t tail;

	if (!m.is_counter)
		return { repeats, m, m };
	tail = m.total % elements;
	return { (m.total + elements - 1) / elements, full,
		 tail ? mask_first(tail) : full };
}

/* Elements if they are the first ones, else 0. */
VNPU_ALWAYS_INLINE uint32_t first_only(const mask &m)
{
	if (m.bits[1])
		return m.bits[0] == ~0ULL && !(m.bits[1] & (m.bits[1] + 1)) ?
			64 + __builtin_popcountll(m.bits[1]) : 0;
	return m.bits[0] & (m.bits[0] + 1) ? 0 :
		__builtin_popcountll(m.bits[0]);
}

/* An operand of an instruction that repeats. */
struct operand {
	uint8_t *at;
	uint32_t size;			/* bytes of an element */
	uint32_t block_stride;		/* in data blocks */
	uint32_t repeat_stride;

	/* Where element @index of repeat @repeat is. */
	VNPU_ALWAYS_INLINE uint8_t *find(uint32_t repeat, uint32_t index) const
	{
		uint32_t per_block = BLOCK_BYTES / size;

		return at + uint64_t(repeat) * repeat_stride * BLOCK_BYTES +
			uint64_t(index / per_block) * block_stride *
				BLOCK_BYTES +
			index % per_block * size;
	}

	VNPU_ALWAYS_INLINE bool is_dense(uint32_t elements) const
	{
		return repeat_stride * BLOCK_BYTES == elements * size;
	}

	/* Bytes from the beginning to behind the last element. */
	uint64_t extent(uint32_t repeats, uint32_t elements) const
	{
		return repeats && elements ?
			find(repeats - 1, elements - 1) + size - at : 0;
	}
};

/* The index of the last element that takes part in a repeat, plus one. */
VNPU_ALWAYS_INLINE uint32_t mask_end(const mask &m, uint32_t elements)
{
	uint32_t end = m.bits[1] ? 128 - __builtin_clzll(m.bits[1]) :
		m.bits[0] ? 64 - __builtin_clzll(m.bits[0]) : 0;

	return end < elements ? end : elements;
}

/* Bytes from an operand's beginning to behind its last element. */
VNPU_ALWAYS_INLINE uint64_t extent_of(const operand &o, const steps &s,
				      uint32_t elements)
{
	uint64_t last = o.extent(s.count, mask_end(s.last, elements));
	uint64_t before = s.count ?
		o.extent(s.count - 1, mask_end(s.all, elements)) : 0;

	return last > before ? last : before;
}

/* An operation on a run: elements that are next to each other in each operand. */
using run_function = void (*)(const void *op, uint8_t *const *at,
			      uint32_t count);

constexpr uint32_t MOST_OPERANDS = 3;

/* The operands of an instruction have to lie in memory, up to the last repeat. */
inline void check_operands(const char *what, const operand *operands,
			   uint32_t n, uint32_t repeats, uint32_t end,
			   uint32_t tail)
{
	static const char *const names[MOST_OPERANDS] = {
		"dst", "src0", "src1",
	};

	for (uint32_t i = 0; i < n; i++) {
		const operand &o = operands[i];
		uint64_t bytes = o.extent(repeats, end);

		if (tail && o.extent(repeats + 1, tail) > bytes)
			bytes = o.extent(repeats + 1, tail);
		check_align(what, names[i], o.at);
		check_bounds(what, names[i], o.at, bytes,
			     AscendC::TPosition::VECCALC);
	}
}

/* A run of an instruction, for the checkers: the first operand is the result. */
VNPU_ALWAYS_INLINE void check_run(const char *what, const operand *operands,
				  uint32_t n, uint8_t *const *at,
				  uint32_t count)
{
	if (VNPU_CHECK)
		for (uint32_t i = n; i-- > 0;)
			check_access_local({ what, i ? "src" : "dst", CHECK_V,
					     !i, CHECK_BLOCK, VNPU_LOCAL_UB,
					     at[i], uint64_t(count) *
					     operands[i].size });
}

/*
 * Do an operation on each run of an instruction that repeats.  @elements is the
 * number of elements in a repeat, which is of the widest operand.
 */
inline void each_run(const char *what, const operand *operands, uint32_t n,
		     const mask &m, uint32_t repeats, uint32_t elements,
		     run_function run, const void *op)
{
	uint32_t tail = 0, widest = BLOCK_BYTES, end;
	bool is_solid = true, is_dense = true;
	uint8_t *at[MOST_OPERANDS];

	if (m.is_counter) {
		repeats = m.total / elements;
		tail = m.total % elements;
	}
	end = m.is_counter ? elements : mask_end(m, elements);
	check_operands(what, operands, n, repeats, end, tail);
	for (uint32_t i = 0; i < n; i++) {
		const operand &o = operands[i];

		is_solid &= o.block_stride == 1;
		is_dense &= o.is_dense(elements);
		if (BLOCK_BYTES / o.size < widest)
			widest = BLOCK_BYTES / o.size;
		at[i] = o.at;
	}
	if (is_solid && is_dense && is_full(m, elements)) {
		check_run(what, operands, n, at, repeats * elements + tail);
		run(op, at, repeats * elements + tail);
		return;
	}
	/* Elements that are next to each other in all operands. */
	uint32_t chunk = is_solid ? elements : widest;
	bool is_first_only = first_only(m);

	for (uint32_t r = 0; r < repeats + (tail ? 1 : 0); r++) {
		uint32_t last = r == repeats ? tail : end;

		for (uint32_t from = 0; from < last;) {
			uint32_t limit = (from / chunk + 1) * chunk;
			uint32_t count = 0;

			if (limit > last)
				limit = last;
			if (is_first_only)
				count = limit - from;
			while (from + count < limit &&
			       (m.bits[(from + count) / 64] >>
				(from + count) % 64 & 1))
				count++;
			if (count) {
				for (uint32_t i = 0; i < n; i++)
					at[i] = operands[i].find(r, from);
				check_run(what, operands, n, at, count);
				run(op, at, count);
			}
			from += count + (from + count < limit);
		}
	}
}

/* Elements of a repeat of these types. */
template <typename... T>
constexpr uint32_t repeat_elements()
{
	uint32_t widest = 1;

	((widest = sizeof(T) > widest ? sizeof(T) : widest), ...);
	return REPEAT_BYTES / widest;
}

/* Operands that are @count elements in a row. */
template <typename T>
VNPU_ALWAYS_INLINE void check_vector(const char *what, const char *name,
				     const AscendC::LocalTensor<T> &tensor,
				     uint32_t count)
{
	check_align(what, name, tensor.address_);
	check_bounds(what, name, tensor.address_, uint64_t(count) * sizeof(T),
		     tensor.position_);
	if (local_of(tensor.position_) == VNPU_LOCAL_UB)
		check_named(what, name, tensor.address_,
			    uint64_t(count) * sizeof(T), true);
}

} /* namespace vnpu */

namespace AscendC {

/*
 * The mask of instructions that do not bring one
 */
inline void SetMaskCount()
{
	vnpu::state()->is_counter = true;
}

inline void SetMaskNorm()
{
	vnpu::state()->is_counter = false;
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t high, const uint64_t low)
{
	vnpu::state()->mask[0] = low;
	vnpu::state()->mask[1] = high;
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t count)
{
	struct vnpu::core_state *s = vnpu::state();

	if (mode == MaskMode::COUNTER || s->is_counter) {
		s->mask[0] = count;
		s->mask[1] = 0;
	} else {
		vnpu::mask m = vnpu::mask_first(count);

		s->mask[0] = m.bits[0];
		s->mask[1] = m.bits[1];
	}
}

inline void ResetMask()
{
	vnpu::state()->mask[0] = vnpu::state()->mask[1] = ~0ULL;
}

} /* namespace AscendC */

VNPU_ALWAYS_INLINE void set_mask_norm()
{
	AscendC::SetMaskNorm();
}

VNPU_ALWAYS_INLINE void set_mask_count()
{
	AscendC::SetMaskCount();
}

VNPU_ALWAYS_INLINE void set_vector_mask(uint64_t high, uint64_t low)
{
	AscendC::SetVectorMask<half>(high, low);
}

#endif /* ASCENDC_VNPU_REPEAT_H */
