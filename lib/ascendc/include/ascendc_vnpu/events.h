/* SPDX-License-Identifier: MIT */
/*
 * Flags between the pipes of a core, and barriers of a pipe.
 *
 * Instructions take effect in the order of the program, which is one of the
 * orders that a card may choose.  No instruction waits.  Flags are
 * counted, to report a wait that would never end on a card.
 */
#ifndef ASCENDC_VNPU_EVENTS_H
#define ASCENDC_VNPU_EVENTS_H

#include "tensor.h"

namespace vnpu {

[[noreturn]] VNPU_COLD inline void fault_event(const char *what, uint32_t from,
					       uint32_t to, int32_t id)
{
	fault(VNPU_FAULT_EVENT, "%s<HardEvent::%s_%s>(%d): %s", what,
	      pipe_name(from), pipe_name(to), id,
	      id < 0 || id >= int32_t(EVENTS) ?
	      "ids are from 0 to 7" :
	      "scalar code waits for a flag that was not set");
}

VNPU_ALWAYS_INLINE void flag_set(uint32_t from, uint32_t to, int32_t id)
{
	if (from >= PIPES || to >= PIPES || uint32_t(id) >= EVENTS)
		fault_event("SetFlag", from, to, id);
	int8_t *flag = &state()->flags[from][to][id];

	check_flag_set(from, to, id);
	/* Not beyond its type; one that is set already is reported. */
	if (*flag < INT8_MAX)
		++*flag;
	if (*flag > 1)
		finding(VNPU_FAULT_EVENT,
			"SetFlag<HardEvent::%s_%s>(%d): the flag is set",
			pipe_name(from), pipe_name(to), id);
}

VNPU_ALWAYS_INLINE void flag_wait(uint32_t from, uint32_t to, int32_t id)
{
	if (from >= PIPES || to >= PIPES || uint32_t(id) >= EVENTS)
		fault_event("WaitFlag", from, to, id);
	int8_t *flag = &state()->flags[from][to][id];

	check_flag_wait(from, to, id);
	if (*flag > INT8_MIN)
		--*flag;
	/* Other pipes may wait for a flag that the program sets later. */
	if (*flag < 0 && to == PIPE_S)
		fault_event("WaitFlag", from, to, id);
}

constexpr uint32_t event_from(AscendC::HardEvent event)
{
	return static_cast<uint32_t>(event) >> 4;
}

constexpr uint32_t event_to(AscendC::HardEvent event)
{
	return static_cast<uint32_t>(event) & 15;
}

/* A free id of a pair of pipes, which is taken if @is_kept. */
inline AscendC::TEventID event_find(AscendC::HardEvent event, bool is_kept)
{
	uint8_t *taken = &state()->events[event_from(event)][event_to(event)];

	for (uint32_t id = 0; id < EVENTS; id++)
		if (!(*taken & 1 << id)) {
			if (is_kept)
				*taken |= 1 << id;
			return id;
		}
	fault(VNPU_FAULT_EVENT, "all 8 ids of HardEvent::%s_%s are taken",
	      pipe_name(event_from(event)), pipe_name(event_to(event)));
}

inline void event_free(AscendC::HardEvent event, AscendC::TEventID id)
{
	uint8_t *taken = &state()->events[event_from(event)][event_to(event)];

	if (uint32_t(id) >= EVENTS || !(*taken & 1 << id))
		fault(VNPU_FAULT_EVENT,
		      "ReleaseEventID<HardEvent::%s_%s>(%d): the id is not taken",
		      pipe_name(event_from(event)), pipe_name(event_to(event)),
		      id);
	*taken &= ~(1 << id);
}

} /* namespace vnpu */

namespace AscendC {

template <HardEvent event>
VNPU_ALWAYS_INLINE void SetFlag(int32_t id)
{
	vnpu::flag_set(vnpu::event_from(event), vnpu::event_to(event), id);
}

template <HardEvent event>
VNPU_ALWAYS_INLINE void WaitFlag(int32_t id)
{
	vnpu::flag_wait(vnpu::event_from(event), vnpu::event_to(event), id);
}

template <pipe_t pipe>
VNPU_ALWAYS_INLINE void PipeBarrier()
{
	if (pipe == PIPE_ALL)
		vnpu::check_barrier();
}

/* A flag of a pair of pipes, as an object. */
template <pipe_t src, pipe_t dst>
class TQueSync {
public:
	VNPU_ALWAYS_INLINE void SetFlag(TEventID id)
	{
		vnpu::flag_set(src, dst, id);
	}

	VNPU_ALWAYS_INLINE void WaitFlag(TEventID id)
	{
		vnpu::flag_wait(src, dst, id);
	}
};

template <MemDsbT where = MemDsbT::ALL>
VNPU_ALWAYS_INLINE void DataSyncBarrier()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

} /* namespace AscendC */

/* The instructions themselves. */
VNPU_ALWAYS_INLINE void set_flag(pipe_t from, pipe_t to, int32_t id)
{
	vnpu::flag_set(from, to, id);
}

VNPU_ALWAYS_INLINE void wait_flag(pipe_t from, pipe_t to, int32_t id)
{
	vnpu::flag_wait(from, to, id);
}

VNPU_ALWAYS_INLINE void pipe_barrier(pipe_t pipe)
{
	if (pipe == PIPE_ALL)
		vnpu::check_barrier();
}

VNPU_ALWAYS_INLINE void dsb(mem_dsb_t)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* ASCENDC_VNPU_EVENTS_H */
