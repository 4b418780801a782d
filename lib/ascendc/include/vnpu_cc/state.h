/* SPDX-License-Identifier: MIT */
/*
 * The registers of a core that keep their values between instructions, at
 * struct vnpu_block.state.  All are zero when a block begins.
 */
#ifndef VNPU_CC_STATE_H
#define VNPU_CC_STATE_H

#include "../vnpu_check/shadow.h"
#include "services.h"

namespace vnpu {

enum : uint32_t {
	PIPES = 11,		/* pipe_t is below */
	EVENTS = 8,		/* ids of one pair of pipes */
};

/* The size of an image in L1, and its padding: left, right, top, bottom. */
struct image_size {
	uint16_t height;
	uint16_t width;
	uint8_t pads[4];
};

/* Registers of cube cores. */
struct cube_state {
	/* LoadData of images: for the left matrix and for the right one. */
	struct image_size image[2];
	uint64_t padding;
	/* Mmad of floats: round to 11 bits first, ties away from zero. */
	bool is_hf32;
	bool is_hf32_away;
	/* DataCopy from L0C. */
	uint16_t nd_count;
	uint16_t nd_src_stride;
	uint16_t nd_dst_stride;
	uint64_t scale;
	const uint64_t *scales;
};

struct core_state {
	/* Vector mask: bits, or in counter mode a number of elements. */
	uint64_t mask[2];
	bool is_counter;
	/* The atomic operation of copies to device memory, and its type. */
	uint8_t atomic;
	uint8_t atomic_type;
	/* Compare without a destination, and Select. */
	uint64_t compare_mask[2];
	const void *select_operand;
	uint64_t control;
	float dequant_scale;
	struct cube_state cube;
	/* Results that scalar code reads. */
	uint64_t gathered;
	uint32_t reduced_value;
	uint32_t reduced_index;
	float accumulated;
	/* Flags set and not yet waited for, of each pair of pipes. */
	int8_t flags[PIPES][PIPES][EVENTS];
	/* Ids that are taken, as bits. */
	uint8_t events[PIPES][PIPES];
	void *pipe;		/* the TPipe of the kernel */
	uint32_t allocated[VNPU_LOCAL_COUNT];
#if VNPU_CHECK
	struct shadow shadow;
#endif
};

VNPU_ALWAYS_INLINE struct core_state *state()
{
	return static_cast<struct core_state *>(block()->state);
}

inline const char *pipe_name(uint32_t pipe)
{
	static const char *const names[PIPES] = {
		"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "MTE4", "MTE5",
		"V2", "FIX",
	};

	return pipe < PIPES ? names[pipe] : "?";
}

inline const char *local_name(uint32_t local)
{
	static const char *const names[VNPU_LOCAL_COUNT] = {
		"the unified buffer", "L1", "L0A", "L0B", "L0C",
		"the bias buffer", "the fixpipe buffer", "",
	};

	return local < VNPU_LOCAL_COUNT ? names[local] : "";
}

VNPU_ALWAYS_INLINE void kernel_begin()
{
	struct core_state *s = state();

	s->mask[0] = s->mask[1] = ~0ULL;
}

/*
 * A flag that is waited for and never set hangs the card; one that is set and
 * never waited for hits the kernel that comes next.
 */
VNPU_COLD inline void report_flags(struct core_state *s)
{
	for (uint32_t from = 0; from < PIPES; from++)
		for (uint32_t to = 0; to < PIPES; to++)
			for (uint32_t id = 0; id < EVENTS; id++) {
				int left = s->flags[from][to][id];

				if (left < 0)
					fault(VNPU_FAULT_EVENT,
					      "WaitFlag<HardEvent::%s_%s>(%u) waits for a flag that no SetFlag sets",
					      pipe_name(from), pipe_name(to),
					      id);
				if (left > 0)
					finding(VNPU_FAULT_EVENT,
						"SetFlag<HardEvent::%s_%s>(%u) has no WaitFlag at the end of the kernel",
						pipe_name(from), pipe_name(to),
						id);
			}
}

VNPU_ALWAYS_INLINE void kernel_end()
{
	struct core_state *s = state();
	const uint64_t *words = reinterpret_cast<uint64_t *>(s->flags);
	uint64_t any = 0;

	for (uint32_t i = 0; i < sizeof(s->flags) / sizeof(*words); i++)
		any |= words[i];
	if (any)
		report_flags(s);
}

} /* namespace vnpu */

#endif /* VNPU_CC_STATE_H */
