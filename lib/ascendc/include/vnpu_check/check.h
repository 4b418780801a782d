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
 * late.h executes copies by the same clocks.
 */
#ifndef VNPU_CHECK_CHECK_H
#define VNPU_CHECK_CHECK_H

#include "late.h"

namespace vnpu {

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

inline uint32_t check_offset(const void *at)
{
	return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at) -
		reinterpret_cast<uintptr_t>(block()->local[VNPU_LOCAL_UB].base));
}

/* InitBuffer() has given memory of the unified buffer away. */
inline void check_owner(const void *at, uint32_t bytes,
			const struct buffer *buffer)
{
	struct shadow *s = shadow();
	uint32_t offset = check_offset(at), owner;

	if (offset / 32 + uint64_t(bytes) / 32 > CHECK_BLOCKS)
		return;
	owner = s->owner_count + 1 < CHECK_OWNERS ? ++s->owner_count : 0;
	s->owners[owner] = { buffer, offset, bytes };
	for (uint32_t i = 0; i < bytes / 32; i++)
		s->blocks[offset / 32 + i].owner = static_cast<uint8_t>(owner);
}

/* All buffers are back. */
inline void check_disown()
{
	struct shadow *s = shadow();

	s->owner_count = 0;
	for (struct shadow_block &b : s->blocks)
		b.owner = 0;
}

VNPU_COLD inline void report_order(const char *what, const char *operand,
				   uint32_t pipe, const char *earlier,
				   uint32_t other, uint32_t offset)
{
	if (check_may_report())
		finding(VNPU_FAULT_RACE,
			"%s on pipe %s does not wait until pipe %s has %s %s, at offset %u: SetFlag and WaitFlag of %s_%s are missing",
			what, pipe_name(pipe), pipe_name(other), earlier,
			operand, offset, pipe_name(other), pipe_name(pipe));
}

inline void check_order(const char *what, const char *operand, uint32_t pipe,
			bool is_write, const struct shadow_block &b,
			uint32_t offset)
{
	const struct clock &known = shadow()->pipes[pipe];
	uint32_t writer = b.writer - 1U;

	if (b.writer && writer != pipe && known.at[writer] < b.write)
		report_order(what, operand, pipe, "written", writer, offset);
	else if (is_write && pipe != CHECK_V && known.at[CHECK_V] < b.read_v)
		report_order(what, operand, pipe, "read", CHECK_V, offset);
	else if (is_write && pipe != CHECK_MTE3 &&
		 known.at[CHECK_MTE3] < b.read_mte3)
		report_order(what, operand, pipe, "read", CHECK_MTE3, offset);
}

/*
 * An operand of an instruction, in the unified buffer.  @is_exact: all of it is
 * accessed, not only its first and its last byte.
 */
inline void check_blocks(const char *what, const char *operand, uint32_t pipe,
			 bool is_write, bool is_exact, uint32_t offset,
			 uint64_t bytes, uint32_t number)
{
	struct shadow *s = shadow();
	uint32_t last = static_cast<uint32_t>((offset + bytes - 1) / 32);

	for (uint32_t i = offset / 32; i <= last && i < CHECK_BLOCKS; i++) {
		struct shadow_block *b = &s->blocks[i];

		if (is_checked(VNPU_CHECK_SYNC))
			check_order(what, operand, pipe, is_write, *b, i * 32);
		if (is_checked(VNPU_CHECK_INIT) && !is_write && is_exact &&
		    !b->writer && check_may_report())
			finding(VNPU_FAULT_UNWRITTEN,
				"%s reads %s at offset %u, which nothing has written",
				what, operand, i * 32);
		if (is_write) {
			late_keep(pipe, i);
			b->write = number;
			b->writer = static_cast<uint8_t>(pipe + 1);
			b->read_v = b->read_mte3 = 0;
		} else if (pipe == CHECK_V) {
			b->read_v = number;
		} else if (pipe == CHECK_MTE3) {
			b->read_mte3 = number;
		}
	}
}

/* Does an operand stay in the buffer that it begins in? */
inline void check_inside(const char *what, const char *operand, uint32_t offset,
			 uint64_t bytes)
{
	const struct shadow *s = shadow();
	const struct shadow_owner &o = s->owners[s->blocks[offset / 32].owner];

	if (!s->owner_count)
		return;		/* a kernel without a TPipe */
	if (!s->blocks[offset / 32].owner) {
		if (check_may_report())
			finding(VNPU_FAULT_BOUNDS,
				"%s: %s at offset %u is in no buffer of InitBuffer()",
				what, operand, offset);
	} else if (offset + bytes > uint64_t(o.offset) + o.bytes &&
		   check_may_report()) {
		finding(VNPU_FAULT_BOUNDS,
			"%s: %s ends %llu bytes behind its buffer of %u",
			what, operand, (unsigned long long)(offset + bytes -
			o.offset - o.bytes), o.bytes);
	}
}

/* Defined where queues are: is the tensor the program's at the time? */
inline void check_holder(const char *what, const char *operand,
			 const struct buffer *buffer);

inline void check_operand(const char *what, const char *operand, uint32_t pipe,
			  bool is_write, bool is_exact, const void *at,
			  uint64_t bytes, uint32_t number)
{
	uint32_t offset = check_offset(at);

	if (!bytes || offset / 32 >= CHECK_BLOCKS)
		return;
	if (is_checked(VNPU_CHECK_BOUNDS))
		check_inside(what, operand, offset, bytes);
	if (is_checked(VNPU_CHECK_QUEUE))
		check_holder(what, operand, shadow()->owners[
			shadow()->blocks[offset / 32].owner].buffer);
	check_blocks(what, operand, pipe, is_write, is_exact, offset, bytes,
		     number);
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

/* An operand of a vector instruction, by its name and its extent. */
inline void check_named(const char *what, const char *operand, const void *at,
			uint64_t bytes, bool is_exact)
{
	check_operand(what, operand, CHECK_V, check_is_result(what, operand),
		      is_exact, at, bytes, check_issue(CHECK_V));
}

/* One that is a result, or none, on any pipe. */
inline void check_access_local(const char *what, const char *operand,
			       uint32_t pipe, bool is_write, const void *at,
			       uint64_t bytes)
{
	check_operand(what, operand, pipe, is_write, true, at, bytes,
		      check_issue(pipe));
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
VNPU_ALWAYS_INLINE void check_owner(const void *, uint32_t,
				    const struct buffer *) {}
VNPU_ALWAYS_INLINE void check_disown() {}
VNPU_ALWAYS_INLINE void check_named(const char *, const char *, const void *,
				    uint64_t, bool) {}
VNPU_ALWAYS_INLINE void check_access_local(const char *, const char *, uint32_t,
					   bool, const void *, uint64_t) {}

#endif /* VNPU_CHECK */

} /* namespace vnpu */

#endif /* VNPU_CHECK_CHECK_H */
