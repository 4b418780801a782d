/* SPDX-License-Identifier: MIT */
/*
 * Offline models: .om files that were loaded (aclmdl).
 *
 * A model belongs to a context, and ends with it at the latest.  It is found by
 * its number, and stays until its reference is put.  The weights are in device
 * memory, and one work memory, which all runs use: a run on one stream waits for
 * the last one on another.
 */
#ifndef VNPU_LIB_OFFLINE_H
#define VNPU_LIB_OFFLINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dump/dump.h"
#include "runtime/context.h"
#include "stream/stream.h"
#include "file.h"

/* The name of the input that chooses a gear, and the bytes of a size in it. */
#define VNPU_GEAR_INPUT		ACL_DYNAMIC_TENSOR_NAME
#define VNPU_GEAR_BYTES		sizeof(int64_t)

/* The least priority of a model; 0 is the highest. */
#define VNPU_OFFLINE_PRIORITY_MAX	7

/* A task of a stream up to which a model runs there. */
struct vnpu_offline_run {
	struct vnpu_stream *stream;	/* holds a reference */
	uint64_t seq;
};

/* Memory that the caller of a load provides; 0 if the library allocates it. */
struct vnpu_offline_memory {
	uint64_t work;
	uint64_t work_size;
	uint64_t weights;
	uint64_t weights_size;
};

struct vnpu_offline {
	struct vnpu_offline *next;	/* of all models; runtime lock */
	uint32_t number;		/* constant, like the next five */
	struct vnpu_context *context;	/* holds a reference */
	struct vnpu_om *om;		/* likewise */
	uint64_t work;			/* device addresses; 0 if empty */
	uint64_t weights;
	_Atomic uint64_t own_work;	/* to be freed; 0 if the caller's */
	_Atomic uint64_t own_weights;	/* likewise */
	_Atomic uint32_t refs;		/* the list has one */
	_Atomic uint32_t gear;		/* the one that was set last */
	_Atomic uint32_t priority;	/* what programs read; see acl_mdl.h */
	struct vnpu_dump *dump;		/* a reference, or NULL; constant */

	pthread_mutex_t lock;		/* protects the rest; held during a
					 * submission, which may wait */
	struct vnpu_offline_run *runs;	/* those that may not be complete */
	uint32_t nr_runs;
	uint64_t dumped;		/* number of runs that the dump saw */
};

/* Load a model in the current context; takes over the reference to @om. */
aclError vnpu_offline_load(struct vnpu_om *om,
			   const struct vnpu_offline_memory *memory,
			   uint32_t *number);

/* Get a reference to a model of the current context. */
aclError vnpu_offline_get(uint32_t number, struct vnpu_offline **model);

/* Likewise, for a description of a model: the thread needs no context. */
aclError vnpu_offline_find(uint32_t number, struct vnpu_offline **model);
void vnpu_offline_put(struct vnpu_offline *model);

/* Unload a model after its runs. */
aclError vnpu_offline_unload(struct vnpu_offline *model);

/* Refuse a priority that no model can have; see attribute.c. */
aclError vnpu_offline_check_priority(int64_t priority);

/* Get the name of a model, for messages. */
static inline const char *vnpu_offline_name(const struct vnpu_offline *model)
{
	const struct om *om = &model->om->om;

	return om->text + om->head->name;
}

/**
 * struct vnpu_offline_io - memory of a run
 * @gear: number of the gear
 * @work: address of the work memory
 * @timeout: milliseconds to wait for an operator that is dumped, or -1
 * @io: addresses of the inputs, then of the outputs
 */
struct vnpu_offline_io {
	uint32_t gear;
	uint64_t work;
	int32_t timeout;
	const uint64_t *io;
};

/* Submit a run to a stream of the model's context.  See run.c. */
aclError vnpu_offline_submit(struct vnpu_offline *model,
			     struct vnpu_stream *stream,
			     const struct vnpu_offline_io *io);

/* Forget runs that are complete; true if there are others.  See run.c. */
bool vnpu_offline_is_running(struct vnpu_offline *model);

/*
 * For device/: remove the models of a context before its streams end, and free
 * them after that.  The runtime lock is held.
 */
struct vnpu_offline *vnpu_offline_remove_all(struct vnpu_context *context);
void vnpu_offline_free_all(struct vnpu_offline *models);

#endif /* VNPU_LIB_OFFLINE_H */
