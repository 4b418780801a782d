/* SPDX-License-Identifier: MIT */
/*
 * Models of captured tasks (aclmdlRI).
 *
 * A model belongs to a context, and ends with it at the latest.  While it is
 * captured it has no graph.  A model is found by its handle without a lock, and
 * stays until its reference is put.
 */
#ifndef VNPU_LIB_MODEL_H
#define VNPU_LIB_MODEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/context.h"
#include "stream/capture.h"
#include "stream/graph.h"
#include "stream/stream.h"

/* A task of a stream that runs a model. */
struct vnpu_model_run {
	struct vnpu_stream *stream;	/* holds a reference */
	uint64_t seq;
};

struct vnpu_model {
	struct vnpu_model *next;	/* of all models; runtime lock */
	uint64_t handle;		/* constant, like the next two */
	struct vnpu_context *context;	/* holds a reference */
	uint32_t number;		/* for messages and debug output */
	struct vnpu_capture *capture;	/* its tasks; constant once the capture
					 * has ended */
	atomic_bool is_ready;		/* the capture has ended */
	struct vnpu_graph *graph;	/* constant once it is ready */
	bool has_launches;		/* likewise */

	pthread_mutex_t lock;		/* protects the rest; held during a
					 * submission, which may wait */
	struct vnpu_model_run *runs;	/* those that may not be complete */
	uint32_t nr_runs;
};

/* Get a reference to the model of a handle in the current context. */
aclError vnpu_model_get(aclmdlRI handle, struct vnpu_model **model);
void vnpu_model_put(struct vnpu_model *model);

/* The same, and refuse one that is being captured. */
aclError vnpu_model_get_ready(aclmdlRI handle, struct vnpu_model **model);

/* Make a model in a context, to be captured. */
aclError vnpu_model_create(struct vnpu_context *context,
			   struct vnpu_model **model);

/* Make the graph of a model whose capture has ended. */
aclError vnpu_model_complete(struct vnpu_model *model);

/* Remove the handle; false if another thread has.  Drops its reference. */
bool vnpu_model_remove(struct vnpu_model *model);

/* Check whether runs of a model are not complete. */
bool vnpu_model_is_running(struct vnpu_model *model);

/*
 * For device/: remove the models of a context before its streams end, and free
 * them after that.  The runtime lock is held.
 */
struct vnpu_model *vnpu_model_remove_all(struct vnpu_context *context);
void vnpu_model_free_all(struct vnpu_model *models);

#endif /* VNPU_LIB_MODEL_H */
