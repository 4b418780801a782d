/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the reader of the memory that the ranks of a communicator share.  A process
 * may write anything to it, at any time.
 */
#ifndef VNPU_SMI_COMMUNICATOR_H
#define VNPU_SMI_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../../lib/hccl/view.h"

/**
 * struct communicator_rank - a rank
 * @view: as the rank has written it, but with a printable name
 * @state: a word
 * @operation: that is not complete, or NULL
 * @is_active: there is such an operation, even if its name is not known
 * @waits_for: a rank, if @is_waiting
 * @is_waiting: the operation waits for it
 */
struct communicator_rank {
	struct hccl_view view;
	const char *state;
	const char *operation;
	bool is_active;
	bool is_waiting;
	uint32_t waits_for;
};

/* Get the number of ranks; 0 if the file is not of a communicator. */
uint32_t communicator_ranks(int file);

/* Read one of @ranks ranks; false if it has not come yet, or the file is too short. */
bool communicator_read(int file, uint32_t ranks, uint32_t rank,
		       struct communicator_rank *out);

#endif /* VNPU_SMI_COMMUNICATOR_H */
