/* SPDX-License-Identifier: MIT */
/*
 * Checkers of kernels, for "vnpu-cc -fcheck=".  Instructions call these functions;
 * without the option all of them are empty.
 *
 * Order between pipes: an instruction that reads or writes a data block must know
 * that the last write of another pipe is complete; one that writes it, that the
 * reads are, too.  A pipe knows
 *
 *	its own instructions, as it executes them in order;
 *	what WaitFlag() has brought from the pipe that called SetFlag(), and
 *	likewise EnQue() to DeQue(), and FreeTensor() to AllocTensor();
 *	what scalar code knew when it issued the instruction, but for the writes
 *	of scalar code, which need a flag;
 *	all, behind a barrier of all pipes;
 *	what the pipes knew that have set flags of other cores, behind a wait for
 *	such a flag: another core may have passed it on.
 *
 * Scalar code has read when it goes on, so no instruction waits for its reads.
 *
 * Memories of cube cores have the same rules.  Copies into L1 run on MTE2, those to
 * L0A, L0B and the bias buffer on MTE1, Mmad on M, and Fixpipe with its scales on FIX.
 *
 * late.h executes instructions by the same clocks.
 */
#ifndef VNPU_CHECK_CHECK_H
#define VNPU_CHECK_CHECK_H

#include "late.h"

namespace vnpu {

/* An operand of an instruction. */
struct check_use {
	const char *what;
	const char *operand;
	uint32_t pipe;
	bool is_write;
	/*
	 * A reader needs something written in each part of so many bytes.  0: it does
	 * not read all of the operand, and the parts are not known.
	 */
	uint32_t unit;
	uint32_t local;
	const void *at;
	uint64_t bytes;
};

#if VNPU_CHECK

constexpr bool is_checked(uint32_t checker)
{
	return VNPU_CHECK & checker;
}

inline struct shadow *shadow()
{
	return &state()->shadow;
}

inline bool check_may_report()
{
	return shadow()->reports++ < CHECK_REPORTS;
}

inline void clock_join(struct clock *to, const struct clock &from)
{
	for (uint32_t i = 0; i < CHECK_PIPES; i++)
		if (from.at[i] > to->at[i])
			to->at[i] = from.at[i];
}

/* An instruction of a pipe begins.  Return its number. */
inline uint32_t check_issue(uint32_t pipe)
{
	struct clock *own = &shadow()->pipes[pipe];
	struct clock scalar = shadow()->pipes[CHECK_S];

	scalar.at[CHECK_S] = 0;
	clock_join(own, scalar);
	return ++own->at[pipe];
}

inline void check_flag_set(uint32_t from, uint32_t to, uint32_t id)
{
	check_issue(from);
	shadow()->flags[from][to][id] = shadow()->pipes[from];
}

inline void check_flag_wait(uint32_t from, uint32_t to, uint32_t id)
{
	clock_join(&shadow()->pipes[to], shadow()->flags[from][to][id]);
	late_learned(to);
}

/* All pipes wait for all others. */
inline void check_barrier()
{
	struct clock all = {};

	for (uint32_t i = 0; i < CHECK_PIPES; i++)
		clock_join(&all, shadow()->pipes[i]);
	for (uint32_t i = 0; i < CHECK_PIPES; i++)
		shadow()->pipes[i] = all;
	late_drain_all();
}

inline void check_cross_set(uint32_t pipe)
{
	check_issue(pipe);
	clock_join(&shadow()->crossed, shadow()->pipes[pipe]);
	late_drain(pipe);
}

/* Scalar code waits, and so do all instructions behind it. */
inline void check_cross_wait()
{
	clock_join(&shadow()->pipes[CHECK_S], shadow()->crossed);
	late_learned(CHECK_S);
}

/* A buffer of a queue takes the clock of a pipe along, to another pipe. */
inline void check_carry(struct clock *with, uint32_t pipe)
{
	*with = shadow()->pipes[pipe];
}

inline void check_arrive(const struct clock &with, uint32_t pipe)
{
	clock_join(&shadow()->pipes[pipe], with);
	late_learned(pipe);
}

inline uint64_t check_offset(uint32_t local, const void *at)
{
	return reinterpret_cast<uintptr_t>(at) -
		reinterpret_cast<uintptr_t>(block()->local[local].base);
}

inline struct shadow_block *check_block(uint32_t local, uint64_t offset)
{
	return &shadow()->blocks[check_first(local) + offset / CHECK_BLOCK];
}

/* Are these bytes of a memory recorded? */
inline bool check_is_known(uint32_t local, uint64_t offset, uint64_t bytes)
{
	uint64_t size = uint64_t(check_blocks_of(local)) * CHECK_BLOCK;

	return bytes && offset < size && bytes <= size - offset;
}

/* InitBuffer() has given memory away. */
inline void check_owner(uint32_t local, const void *at, uint32_t bytes,
			const struct buffer *buffer)
{
	struct shadow *s = shadow();
	uint64_t offset = check_offset(local, at);
	uint32_t owner;

	if (!check_is_known(local, offset, bytes))
		return;
	owner = s->owner_count + 1 < CHECK_OWNERS ? ++s->owner_count : 0;
	s->owners[owner] = { buffer, uint32_t(offset), bytes };
	for (uint32_t i = 0; i < bytes; i += CHECK_BLOCK)
		check_block(local, offset + i)->owner =
			static_cast<uint8_t>(owner);
}

/* All buffers are back. */
inline void check_disown()
{
	struct shadow *s = shadow();

	s->owner_count = 0;
	for (struct shadow_block &b : s->blocks)
		b.owner = 0;
}

VNPU_COLD inline void report_order(const struct check_use &use,
				   const char *earlier, uint32_t other,
				   uint64_t offset)
{
	if (check_may_report())
		finding(VNPU_FAULT_RACE,
			"%s on pipe %s does not wait until pipe %s has %s %s, at offset %llu of %s: SetFlag and WaitFlag of %s_%s are missing",
			use.what, pipe_name(use.pipe), pipe_name(other),
			earlier, use.operand, (unsigned long long)offset,
			local_name(use.local), pipe_name(other),
			pipe_name(use.pipe));
}

/* Return the pipe for which the record of a memory has a read of its own. */
constexpr uint32_t check_reader(uint32_t local)
{
	return local == VNPU_LOCAL_UB ? CHECK_V :
		local == VNPU_LOCAL_L1 ? CHECK_MTE1 :
		local == VNPU_LOCAL_FB ? CHECK_FIX : CHECK_M;
}

inline void check_order(const struct check_use &use,
			const struct shadow_block &b, uint64_t offset)
{
	const struct clock &known = shadow()->pipes[use.pipe];
	uint32_t writer = b.writer - 1U, other = b.other - 1U;
	uint32_t reader = check_reader(use.local);

	if (b.writer && writer != use.pipe && known.at[writer] < b.write)
		report_order(use, "written", writer, offset);
	else if (use.is_write && use.pipe != reader &&
		 known.at[reader] < b.read)
		report_order(use, "read", reader, offset);
	else if (use.is_write && b.other && use.pipe != other &&
		 known.at[other] < b.other_read)
		report_order(use, "read", other, offset);
}

inline void check_note(const struct check_use &use, struct shadow_block *b,
		       uint32_t number)
{
	if (use.is_write) {
		b->write = number;
		b->writer = static_cast<uint8_t>(use.pipe + 1);
		b->read = b->other_read = b->other = 0;
	} else if (use.pipe == check_reader(use.local)) {
		b->read = number;
	} else if (use.pipe != CHECK_S) {
		b->other_read = number;
		b->other = static_cast<uint8_t>(use.pipe + 1);
	}
}

/* Report the parts of an operand in which nothing has been written. */
inline void check_written(const struct check_use &use, uint64_t offset)
{
	const uint64_t end = offset + use.bytes;

	for (uint64_t at = offset & ~31ULL; at < end; at += use.unit) {
		uint64_t part = end - at < use.unit ? end : at + use.unit;
		const struct shadow_block *b = check_block(use.local, at);
		const struct shadow_block *last = check_block(use.local,
							      part - 1);

		while (b < last && !b->writer)
			b++;
		if (!b->writer && check_may_report())
			finding(VNPU_FAULT_UNWRITTEN,
				"%s reads %s at offset %llu of %s, which nothing has written",
				use.what, use.operand,
				(unsigned long long)at,
				local_name(use.local));
	}
}

inline void check_blocks(const struct check_use &use, uint64_t offset,
			 uint32_t number)
{
	const uint64_t end = offset + use.bytes;

	if (is_checked(VNPU_CHECK_INIT) && !use.is_write && use.unit)
		check_written(use, offset);
	for (uint64_t at = offset & ~31ULL; at < end; at += CHECK_BLOCK) {
		struct shadow_block *b = check_block(use.local, at);

		if (is_checked(VNPU_CHECK_SYNC))
			check_order(use, *b, at);
		if (use.is_write && use.local == VNPU_LOCAL_UB)
			late_keep(use.pipe, uint32_t(at / CHECK_BLOCK));
		check_note(use, b, number);
	}
}

/* Does an operand stay in the buffer that it begins in? */
inline void check_inside(const struct check_use &use, uint64_t offset)
{
	const struct shadow *s = shadow();
	uint8_t owner = check_block(use.local, offset)->owner;
	const struct shadow_owner &o = s->owners[owner];

	if (!s->owner_count)
		return;		/* a kernel without a TPipe */
	if (!owner) {
		if (check_may_report())
			finding(VNPU_FAULT_BOUNDS,
				"%s: %s at offset %llu of %s is in no buffer of InitBuffer()",
				use.what, use.operand,
				(unsigned long long)offset,
				local_name(use.local));
	} else if (offset + use.bytes > uint64_t(o.offset) + o.bytes &&
		   check_may_report()) {
		finding(VNPU_FAULT_BOUNDS,
			"%s: %s ends %llu bytes behind its buffer of %u",
			use.what, use.operand,
			(unsigned long long)(offset + use.bytes - o.offset -
					     o.bytes), o.bytes);
	}
}

/* Defined where queues are: is the tensor the program's at the time? */
inline void check_holder(const char *what, const char *operand,
			 const struct buffer *buffer);

inline void check_operand(const struct check_use &use, uint32_t number)
{
	uint64_t offset = check_offset(use.local, use.at);

	if (!check_is_known(use.local, offset, use.bytes))
		return;
	if (is_checked(VNPU_CHECK_BOUNDS))
		check_inside(use, offset);
	if (is_checked(VNPU_CHECK_QUEUE))
		check_holder(use.what, use.operand, shadow()->owners[
			check_block(use.local, offset)->owner].buffer);
	check_blocks(use, offset, number);
}

/* Operands are results by their names. */
inline bool check_is_result(const char *what, const char *operand)
{
	static const char *const names[] = {
		"dst", "the result", "sum", "max", "expMax", "lastRow", "tmp",
	};

	if (!__builtin_strcmp(operand, "an offset"))
		return !__builtin_strcmp(what, "Scatter");
	for (const char *name : names)
		if (!__builtin_strncmp(operand, name, __builtin_strlen(name)))
			return true;
	return false;
}

/*
 * An operand of a vector instruction in the unified buffer, by its name and its extent.
 * @is_exact: all of it is accessed, not only its first and its last byte.
 */
inline void check_named(const char *what, const char *operand, const void *at,
			uint64_t bytes, bool is_exact)
{
	check_operand({ what, operand, CHECK_V, check_is_result(what, operand),
			is_exact ? CHECK_BLOCK : 0, VNPU_LOCAL_UB, at, bytes },
		      check_issue(CHECK_V));
}

/* One of an instruction of any pipe. */
inline void check_access_local(const struct check_use &use)
{
	check_operand(use, check_issue(use.pipe));
}

/* An operand with gaps, all of which has to be in one buffer. */
inline void check_extent(const struct check_use &use)
{
	uint64_t offset = check_offset(use.local, use.at);

	if (is_checked(VNPU_CHECK_BOUNDS) &&
	    check_is_known(use.local, offset, use.bytes))
		check_inside(use, offset);
}

/* Report an operand of which nothing has been written. */
inline void check_any_written(struct check_use use)
{
	uint64_t offset = check_offset(use.local, use.at);

	use.unit = static_cast<uint32_t>(use.bytes);
	if (is_checked(VNPU_CHECK_INIT) &&
	    check_is_known(use.local, offset, use.bytes))
		check_written(use, offset);
}

/* Mmad and Fixpipe with a unit flag wait for each other. */
inline void check_unit_flag(uint32_t pipe, uint32_t other, bool is_used)
{
	if (is_used)
		check_arrive(shadow()->pipes[other], pipe);
}

#else

inline constexpr bool is_checked(uint32_t)
{
	return false;
}

VNPU_ALWAYS_INLINE void check_flag_set(uint32_t, uint32_t, uint32_t) {}
VNPU_ALWAYS_INLINE void check_flag_wait(uint32_t, uint32_t, uint32_t) {}
VNPU_ALWAYS_INLINE void check_barrier() {}
VNPU_ALWAYS_INLINE void check_cross_set(uint32_t) {}
VNPU_ALWAYS_INLINE void check_cross_wait() {}
VNPU_ALWAYS_INLINE void check_owner(uint32_t, const void *, uint32_t,
				    const struct buffer *) {}
VNPU_ALWAYS_INLINE void check_disown() {}
VNPU_ALWAYS_INLINE void check_named(const char *, const char *, const void *,
				    uint64_t, bool) {}
VNPU_ALWAYS_INLINE void check_access_local(const struct check_use &) {}
VNPU_ALWAYS_INLINE void check_extent(const struct check_use &) {}
VNPU_ALWAYS_INLINE void check_any_written(const struct check_use &) {}
VNPU_ALWAYS_INLINE void check_unit_flag(uint32_t, uint32_t, bool) {}

#endif /* VNPU_CHECK */

} /* namespace vnpu */

#endif /* VNPU_CHECK_CHECK_H */
