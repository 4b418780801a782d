/* SPDX-License-Identifier: MIT */
/* Collectives that are captured, see capture.c. */
#ifndef VNPU_HCCL_CAPTURE_H
#define VNPU_HCCL_CAPTURE_H

#include "comm.h"

/* The last use of something in a model, and the stream that recorded it. */
struct hccl_mark {
	aclrtEvent event;	/* NULL before the first use */
	aclrtStream stream;
};

/**
 * struct hccl_line - a model's communication with another rank
 * @to: notifies of collectives that this rank sets
 * @from: those that it waits for
 * @message_to: the same for messages
 * @message_from: likewise
 * @number: number of the model among those that have messages with this rank,
 *	or 0
 * @is_imported: @message_to
 * @messages: from it and to it; the next ones have this number
 * @marks: their last uses, by slot
 */
struct hccl_line {
	aclrtNotify to[HCCL_PHASES];
	aclrtNotify from[HCCL_PHASES];
	aclrtNotify message_to[HCCL_MESSAGE_NOTIFIES];
	aclrtNotify message_from[HCCL_MESSAGE_NOTIFIES];
	uint32_t number;
	bool is_imported;
	uint64_t messages[2];
	struct hccl_mark marks[2][HCCL_MESSAGE_SLOTS];
};

/* The objects of a model's collectives, see struct hccl_peer and hccl_comm. */
struct hccl_graph {
	struct hccl_graph *next;
	aclmdlRI model;
	uint32_t number;		/* of those with collectives, from 1 on; or 0 */
	bool is_complete;		/* the notifies of others are imported */
	struct hccl_line *lines;	/* by rank; NULL after the communicator */
	unsigned int nr_lines;
	struct hccl_scratch scratch;
	struct hccl_stages stages;
	struct hccl_mark last;		/* end of the last collective */
};

/*
 * Check whether a stream is being captured; *@model is NULL if that has failed.
 */
bool hccl_is_captured(aclrtStream stream, aclmdlRI *model);

/*
 * A call's wait until its work is captured.  A waiting call keeps the communicator.
 * It waits at once, or at the end of the thread's group.
 */
struct hccl_capture_wait {
	struct hccl_capture_wait *next;	/* in the group */
	struct hccl_comm *comm;
	bool is_done;			/* under the list's lock */
	bool is_dropped;		/* likewise: no call waits any more */
};

/*
 * Make a wait for a capture; HCCL_E_PARA if the communicator is being
 * destroyed.
 */
HcclResult hccl_capture_wait_make(struct hccl_comm *comm,
				  struct hccl_capture_wait **wait);

/* Wait, free it, and return the result of the communicator. */
HcclResult hccl_capture_wait_end(struct hccl_capture_wait *wait);

/* Free it without waiting, as the thread of the group ends. */
void hccl_capture_wait_drop(struct hccl_capture_wait *wait);

/* End the wait, as the work was captured, or the communicator has failed. */
void hccl_captured(struct hccl_capture_wait *wait);

/* Find or make the model of a work item, before the item is posted. */
aclError hccl_capture_find(struct hccl_comm *comm, struct hccl_work *work);

/*
 * Find or make the model of a work item, with the notifies of its collectives.
 */
aclError hccl_capture_prepare(struct hccl_comm *comm, struct hccl_work *work);

/* Let a stream wait for the last use, or record one. */
aclError hccl_mark_wait(const struct hccl_mark *mark, aclrtStream stream);
aclError hccl_mark_set(struct hccl_mark *mark, aclrtStream stream);

/* Submit the copy that fails once the communicator has failed. */
aclError hccl_capture_fuse(struct hccl_comm *comm, aclrtStream stream);

/*
 * Begin and end a work item in its stream, after all ranks have posted theirs.
 */
aclError hccl_capture_begin(struct hccl_comm *comm, struct hccl_work *work);
aclError hccl_capture_end(struct hccl_comm *comm, struct hccl_work *work);

/*
 * Check whether a run of a model has failed, and free the objects of destroyed
 * models.
 */
bool hccl_captures_have_failed(struct hccl_comm *comm);

/* Release all runs of captured models, permanently. */
void hccl_captures_release(struct hccl_comm *comm);

/*
 * Free the objects of destroyed models; returns the bytes of the freed
 * buffers.
 */
uint64_t hccl_captures_sweep(struct hccl_pool *pool, struct hccl_graph **graphs);

/* End the runs of all models, and return what the living ones still use. */
struct hccl_graph *hccl_captures_end(struct hccl_comm *comm);

#endif /* VNPU_HCCL_CAPTURE_H */
