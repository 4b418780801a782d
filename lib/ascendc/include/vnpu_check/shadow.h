/* SPDX-License-Identifier: MIT */
/*
 * The state of the checkers that "vnpu-cc -fcheck=" compiles in: what happened to
 * each data block of the unified buffer, and what each pipe knows about the others.
 *
 * Pipes work beside each other on a card.  Here each instruction has a number on its
 * pipe, and each pipe a clock: for each other pipe the last instruction that is
 * known to be complete.  Flags, barriers and queues carry clocks from pipe to
 * pipe.  check.h has the rules.
 */
#ifndef VNPU_CHECK_SHADOW_H
#define VNPU_CHECK_SHADOW_H

#include <stdint.h>

/* Checkers, as bits of VNPU_CHECK. */
#define VNPU_CHECK_BOUNDS	1	/* operands that leave their buffer */
#define VNPU_CHECK_SYNC		2	/* pipes that do not wait for each other */
#define VNPU_CHECK_INIT		4	/* reads of memory that was never written */
#define VNPU_CHECK_QUEUE	8	/* tensors that belong to a queue at the time */

#ifndef VNPU_CHECK
#define VNPU_CHECK		0
#endif

namespace vnpu {

struct buffer;

constexpr uint32_t CHECK_PIPES = 11;
constexpr uint32_t CHECK_EVENTS = 8;
constexpr uint32_t CHECK_BLOCKS = 256 * 1024 / 32;
constexpr uint32_t CHECK_OWNERS = 256;
/* More reports of a block of a launch repeat the first ones. */
constexpr uint32_t CHECK_REPORTS = 8;

/* For each pipe the last instruction that is known to be complete. */
struct clock {
	uint32_t at[CHECK_PIPES];
};

/* A data block of the unified buffer. */
struct shadow_block {
	uint32_t write;		/* the last instruction that wrote it */
	uint32_t read_v;	/* ... that read it, on PIPE_V */
	uint32_t read_mte3;	/* ... on PIPE_MTE3 */
	uint8_t writer;		/* its pipe plus 1; 0 before the first write */
	uint8_t owner;		/* index of the buffer; 0 outside of all */
};

/* A buffer of InitBuffer(). */
struct shadow_owner {
	const struct buffer *buffer;	/* of a queue, else NULL */
	uint32_t offset;
	uint32_t bytes;
};

struct shadow {
	struct clock pipes[CHECK_PIPES];
	struct clock crossed;		/* of pipes that set flags of other cores */
	struct clock flags[CHECK_PIPES][CHECK_PIPES][CHECK_EVENTS];
	struct shadow_owner owners[CHECK_OWNERS];
	struct shadow_block blocks[CHECK_BLOCKS];
	uint32_t owner_count;
	uint32_t reports;
};

} /* namespace vnpu */

#endif /* VNPU_CHECK_SHADOW_H */
