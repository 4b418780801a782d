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

#include "kernel/book.h"
#include "runtime/context.h"
#include "stream/capture.h"
#include "stream/graph.h"
#include "stream/stream.h"

/* Bytes of a name with its end, as in CANN. */
#define VNPU_MODEL_NAME	513

struct vnpu_tree_node;

struct vnpu_branch;
struct vnpu_cond;
struct vnpu_flow;
struct vnpu_model_end;
struct vnpu_model_stream;
struct vnpu_value;
struct vnpu_retired;
struct vnpu_used_function;

/* The last task of a stream that runs a model or updates it. */
struct vnpu_model_run {
	struct vnpu_stream *stream;	/* holds a reference */
	uint64_t seq;
	uint64_t run;			/* the last that runs it; or 0 */
	unsigned int aborts;		/* of the stream before */
};

struct vnpu_model {
	struct vnpu_model *next;	/* of all models; runtime lock */
	uint64_t handle;		/* constant, like the next two */
	struct vnpu_context *context;	/* holds a reference */
	uint32_t number;		/* for messages and debug output */
	struct vnpu_capture *capture;	/* its tasks; constant once the capture
					 * has ended */
	atomic_bool is_ready;		/* the capture has ended */
	atomic_bool is_guarded;		/* see guard.c */
	uint64_t parent;		/* handle of the model of which it is
					 * a part, or 0 */
	struct vnpu_graph *graph;	/* constant once it is ready */
	struct vnpu_graph *outer;	/* likewise; see vnpu_cond_wrap() */

	pthread_mutex_t lock;		/* protects the rest; held during a
					 * submission, which may wait */
	bool has_launches;		/* or parts of it do */
	bool was_aborted;		/* a stream that ran it was */
	struct vnpu_model_run *runs;	/* those that may not be complete */
	uint32_t nr_runs;
	struct vnpu_retired *retired;	/* replaced tasks, see update.c */
	struct vnpu_used_function *used;	/* see task_update.c */
	struct vnpu_tree_node *edits;	/* see edit.h, like the next two */
	struct vnpu_tree_node *edited;
	struct vnpu_book book;
	struct vnpu_model_stream **streams;	/* of all lanes, or NULL */
	struct vnpu_branch *branches;	/* see cond.h, like these */
	struct vnpu_cond *conds;
	struct vnpu_flow *flow;		/* of a built model, see flow.h; else
					 * NULL */
	struct vnpu_value *values;
	struct vnpu_model_end *ends;	/* callbacks, see end.c */
	char name[VNPU_MODEL_NAME];
};

/* Get a reference to the model of a handle in the current context. */
aclError vnpu_model_get(aclmdlRI handle, struct vnpu_model **model);
void vnpu_model_put(struct vnpu_model *model);

/*
 * Get a model as vnpu_model_get() does, but refuse one that is being captured.
 */
aclError vnpu_model_get_ready(aclmdlRI handle, struct vnpu_model **model);

/* Make a model in a context, to be captured. */
aclError vnpu_model_create(struct vnpu_context *context,
			   struct vnpu_model **model);

/* Get the driver's id of the graph that runs the whole of a ready model. */
static inline uint32_t vnpu_model_run_id(const struct vnpu_model *model)
{
	return model->outer ? model->outer->id : model->graph->id;
}

/* Check whether a capture has launches. */
bool vnpu_model_launches(const struct vnpu_capture *capture);

/* Make the graph of a model after the end of its capture. */
aclError vnpu_model_complete(struct vnpu_model *model);

/*
 * Remove the handle; false if another thread has.  Calls the callbacks of the
 * program, and drops the reference of the handle.
 */
bool vnpu_model_remove(struct vnpu_model *model);

/*
 * Remember a run or an update, for which there is room then; the lock of the
 * model is held.  @aborts is the number of aborts of the stream before.
 */
aclError vnpu_model_reserve_run(struct vnpu_model *model);
void vnpu_model_note_run(struct vnpu_model *model, struct vnpu_stream *stream,
			 uint64_t seq, unsigned int aborts);
void vnpu_model_note_update(struct vnpu_model *model,
			    struct vnpu_stream *stream, uint64_t seq,
			    unsigned int aborts);

/* Check whether runs of a model are not complete; its lock is held, or not. */
bool vnpu_model_is_running_locked(struct vnpu_model *model);
bool vnpu_model_is_running(struct vnpu_model *model);

/*
 * For device/: remove the models of a context before its streams end, and free
 * them after that.  The runtime lock is held.
 */
struct vnpu_model *vnpu_model_remove_all(struct vnpu_context *context);
void vnpu_model_free_all(struct vnpu_model *models);

#endif /* VNPU_LIB_MODEL_H */
