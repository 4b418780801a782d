// SPDX-License-Identifier: MIT
/*
 * What captured models use after their communicator has been destroyed.
 *
 * A model contains addresses: of stages and partial results, of other ranks' memory,
 * and of the descriptor of the last copy.  A run then ends with an error, but
 * must not write before that to memory that the program has allocated since.
 * So this memory stays until the models are destroyed.
 */
#include <stdlib.h>

#include "buffer.h"
#include "capture.h"
#include "comm.h"
#include "remains.h"

struct hccl_remains {
	struct hccl_remains *next;
	struct hccl_pool *pool;
	aclrtContext context;
	void *fuse;
	void *spare;
	bool has_failed;
	struct hccl_graph *graphs;
	struct hccl_kept *kept;
};

static struct hccl_remains *remains;	/* under hccl_lock() */

void hccl_remains_in_child(void)
{
	remains = NULL;
}

bool hccl_remains_make(struct hccl_comm *comm)
{
	if (!comm->remains)
		comm->remains = calloc(1, sizeof(*comm->remains));
	return comm->remains;
}

static void add(struct hccl_remains *one)
{
	hccl_lock();
	one->next = remains;
	remains = one;
	hccl_unlock();
}

void hccl_remains_add(struct hccl_comm *comm, struct hccl_graph *graphs)
{
	struct hccl_remains *one = comm->remains;

	*one = (struct hccl_remains){
		.pool = comm->pool,
		.context = comm->context,
		.fuse = comm->fuse,
		.spare = comm->spare,
		.has_failed = comm->result,
		.graphs = graphs,
		.kept = hccl_buffers_keep(comm),
	};
	comm->remains = NULL;
	comm->pool = NULL;
	comm->context = NULL;
	comm->fuse = NULL;
	comm->spare = NULL;
	add(one);
}

/* Free all of it if no model is left; returns whether that is so. */
static bool try_free(struct hccl_remains *one)
{
	/* The reset of the device has freed all memory, and ended all models. */
	bool is_alive = !aclrtSetCurrentContext(one->context);

	hccl_captures_sweep(is_alive ? one->pool : NULL, &one->graphs);
	if (one->graphs)
		return false;
	hccl_kept_free(one->kept);
	if (is_alive && !one->has_failed) {
		aclrtFree(one->fuse);
		aclrtFree(one->spare);
	}
	if (is_alive)
		aclrtDestroyContext(one->context);
	hccl_pool_put(one->pool);
	free(one);
	return true;
}

void hccl_remains_sweep(void)
{
	struct hccl_remains *list, *next;
	aclrtContext before = NULL;

	hccl_lock();
	list = remains;
	remains = NULL;
	hccl_unlock();
	if (!list)
		return;
	aclrtGetCurrentContext(&before);
	for (; list; list = next) {
		next = list->next;
		if (!try_free(list))
			add(list);
	}
	if (before)
		aclrtSetCurrentContext(before);
}
