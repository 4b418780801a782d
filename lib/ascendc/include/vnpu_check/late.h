/* SPDX-License-Identifier: MIT */
/*
 * Instructions as late as a card may execute them, for "vnpu-cc -fcheck=late".  A
 * kernel that lacks a wait then computes with the same data as it may on a card.
 *
 * Copies and the instructions of cube cores are recorded.  They are executed when another
 * pipe has waited for them, which the clocks of check.h show.  Instructions of one pipe
 * stay in order.  Of pipes that do not wait for each other, the one that issued the last
 * instruction goes first.  If a pipe waits for instructions of another one, these are
 * executed before it issues its next instruction.  So the order is one that a card may
 * have.
 *
 * Vector instructions and scalar code take effect at once, so a reader that does not
 * wait for them sees the bytes from before: a copy from the unified buffer to device
 * memory is executed in this case when it is issued, with the former contents of these
 * data blocks.
 *
 * The record is part of the state of the block, so it ends with the block.
 */
#ifndef VNPU_CHECK_LATE_H
#define VNPU_CHECK_LATE_H

#include <type_traits>

#include "../vnpu_cc/state.h"
#include "copies.h"

namespace vnpu {

#if VNPU_CHECK & VNPU_CHECK_LATE

constexpr uint32_t late_pipes[LATE_PIPES] = {
	CHECK_M, CHECK_MTE1, CHECK_MTE2, CHECK_MTE3, CHECK_FIX,
};

/* The record of a pipe; NULL if its instructions take effect at once. */
inline struct late_queue *late_queue(uint32_t pipe)
{
	for (uint32_t i = 0; i < LATE_PIPES; i++)
		if (late_pipes[i] == pipe)
			return &state()->shadow.late.queues[i];
	return nullptr;
}

inline void late_execute_oldest(struct late_queue *q)
{
	const struct late_instruction &oldest = q->at[q->head];

	q->head = (q->head + 1) % LATE_INSTRUCTIONS;
	q->count--;
	oldest.execute(oldest.data);
}

/* Execute the instructions of a pipe, up to the one with @number. */
inline void late_execute(uint32_t pipe, uint32_t number)
{
	struct late_queue *q = late_queue(pipe);

	while (q && q->count && q->at[q->head].number <= number)
		late_execute_oldest(q);
}

/* Execute all instructions of a pipe. */
inline void late_drain(uint32_t pipe)
{
	late_execute(pipe, ~0U);
}

/* ... of all pipes. */
inline void late_drain_all()
{
	struct late_queue *latest;

	do {
		latest = nullptr;
		for (struct late_queue &q : state()->shadow.late.queues)
			if (q.count && (!latest || q.last > latest->last))
				latest = &q;
		while (latest && latest->count)
			late_execute_oldest(latest);
	} while (latest);
}

/* A pipe has waited: execute the instructions of others that it knows of now. */
inline void late_learned(uint32_t pipe)
{
	const struct clock &known = state()->shadow.pipes[pipe];

	for (uint32_t other : late_pipes)
		if (other != pipe)
			late_execute(other, known.at[other]);
}

/* Was a data block written at once, and @pipe does not know of that? */
inline bool late_is_unseen(uint32_t pipe, const struct shadow_block &b)
{
	uint32_t writer = b.writer - 1U;

	return (writer == CHECK_V || writer == CHECK_S) && writer != pipe &&
		state()->shadow.pipes[pipe].at[writer] < b.write;
}

inline uint8_t *late_block(uint32_t index)
{
	return static_cast<uint8_t *>(block()->local[VNPU_LOCAL_UB].base) +
		index * 32;
}

inline uint32_t late_index(const void *at)
{
	return static_cast<uint32_t>((static_cast<const uint8_t *>(at) -
				      late_block(0)) / 32);
}

/*
 * Keep a data block that @pipe is about to write, unless its readers do not know of the
 * write before, either.  Scalar code knows of its own.
 */
inline void late_keep(uint32_t pipe, uint32_t index)
{
	struct shadow *s = &state()->shadow;
	const struct shadow_block &b = s->blocks[index];

	if (pipe != CHECK_V && pipe != CHECK_S)
		return;
	if (late_is_unseen(CHECK_MTE3, b) &&
	    (pipe == CHECK_S || late_is_unseen(CHECK_S, b)))
		return;
	__builtin_memcpy(s->late.former[index], late_block(index), 32);
}

/* An element as scalar code reads it. */
template <typename T>
inline const T *late_seen(const T *at)
{
	struct shadow *s = &state()->shadow;
	uint32_t index = late_index(at);

	if (index >= CHECK_UB_BLOCKS ||
	    !late_is_unseen(CHECK_S, s->blocks[index]))
		return at;
	return reinterpret_cast<const T *>(s->late.former[index] +
					   reinterpret_cast<uintptr_t>(at) % 32);
}

/* Call @call with the index of each data block that a copy reads unseen. */
template <typename Call>
inline void late_each_unseen(const struct copy &copy, Call call)
{
	for (uint32_t i = 0; i < copy.rows.count; i++) {
		const uint8_t *row = copy.from + i * copy.rows.from_step;
		uint32_t end = late_index(row + copy.rows.bytes + 31);

		for (uint32_t at = late_index(row); at < end; at++)
			if (late_is_unseen(CHECK_MTE3,
					   state()->shadow.blocks[at]))
				call(at);
	}
}

/* Exchange these blocks and their former contents. */
inline void late_exchange(const struct copy &copy)
{
	late_each_unseen(copy, [](uint32_t index) {
		uint8_t now[32], *at = late_block(index);
		uint8_t *former = state()->shadow.late.former[index];

		__builtin_memcpy(now, at, 32);
		__builtin_memcpy(at, former, 32);
		__builtin_memcpy(former, now, 32);
	});
}

/* Execute a copy that does not wait for the instructions that write its source. */
inline bool late_is_ahead(const struct copy &copy)
{
	bool is_ahead = false;

	late_each_unseen(copy, [&](uint32_t) { is_ahead = true; });
	if (!is_ahead)
		return false;
	late_drain(CHECK_MTE3);
	late_exchange(copy);
	copy.execute(copy);
	late_exchange(copy);
	return true;
}

/*
 * Take over an instruction of @pipe, which was issued just now.  If there is no room,
 * the oldest one is executed.
 */
template <typename Call>
inline void late_issue(uint32_t pipe, const Call &call)
{
	struct late_queue *q = late_queue(pipe);
	struct shadow *s = &state()->shadow;
	struct late_instruction *last;

	static_assert(sizeof(call) <= LATE_BYTES && alignof(Call) <= 8 &&
		      std::is_trivially_copyable<Call>::value,
		      "the record of an instruction has no room for this one");
	if (!q)
		return call();
	if (q->count == LATE_INSTRUCTIONS)
		late_execute_oldest(q);
	last = &q->at[(q->head + q->count++) % LATE_INSTRUCTIONS];
	last->execute = [](const void *data) {
		(*static_cast<const Call *>(data))();
	};
	__builtin_memcpy(last->data, &call, sizeof(call));
	last->number = s->pipes[pipe].at[pipe];
	q->last = ++s->late.issued;
}

/* ... a copy to or from the core's memory @local. */
inline void late_issue_copy(uint32_t pipe, uint32_t local,
			    const struct copy &copy)
{
	if (pipe == CHECK_MTE3 && local == VNPU_LOCAL_UB &&
	    late_is_ahead(copy))
		return;
	late_issue(pipe, [copy] { copy.execute(copy); });
}

#else

VNPU_ALWAYS_INLINE void late_drain(uint32_t) {}
VNPU_ALWAYS_INLINE void late_drain_all() {}
VNPU_ALWAYS_INLINE void late_learned(uint32_t) {}
VNPU_ALWAYS_INLINE void late_keep(uint32_t, uint32_t) {}

template <typename Call>
VNPU_ALWAYS_INLINE void late_issue(uint32_t, const Call &call)
{
	call();
}

VNPU_ALWAYS_INLINE void late_issue_copy(uint32_t, uint32_t,
					const struct copy &) {}

template <typename T>
VNPU_ALWAYS_INLINE const T *late_seen(const T *at)
{
	return at;
}

#endif /* VNPU_CHECK & VNPU_CHECK_LATE */

} /* namespace vnpu */

#endif /* VNPU_CHECK_LATE_H */
