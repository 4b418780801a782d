/* SPDX-License-Identifier: MIT */
/*
 * A communicator: one rank's view of it.
 *
 * The caller of an operation records an event on its stream, makes the stream
 * wait until the operation is done, and adds the operation to a list.  The
 * communicator's worker, a thread, takes it from there: it posts the call to
 * the other ranks, and submits the work to a hidden stream, a lane, as soon as
 * the other ranks have posted theirs.  All waiting for other ranks' memory is
 * done by the lanes, with notifies.
 *
 * Each stream of the program has its own lane, as long as there are enough, so that
 * operations of different streams do not wait for each other.
 */
#ifndef VNPU_HCCL_COMM_H
#define VNPU_HCCL_COMM_H

#include <pthread.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "kind.h"
#include "region.h"
#include "work.h"

#define HCCL_LANES	16
#define HCCL_GRACE_MS	200	/* for the last effects of a rank that has ended */
#define HCCL_LANE_CALLS	16	/* calls in flight in a lane */

/* A hidden stream. */
struct hccl_lane {
	aclrtStream stream;	/* NULL until its first use */
	aclrtStream user;	/* the program's stream that it serves */
	aclrtCntNotify done;	/* ticket of the last work that is done */
	uint64_t tickets;	/* given; under the list's lock */
	_Atomic uint64_t passed;	/* of these, how many streams have passed */
	unsigned int in_flight;
};

/* Orders the messages of several lanes that use the same notifies in turn. */
struct hccl_turn {
	aclrtEvent event;	/* end of the last use, NULL before the first */
	unsigned int lane;
};

/* The last work item that has used an object of the collectives. */
struct hccl_use {
	unsigned int lane;
	uint64_t ticket;	/* 0 before the first */
};

/* A buffer for partial results, which grows; lanes use it in turn. */
struct hccl_scratch {
	void *at;
	uint64_t size;
	uint64_t bytes;		/* of all its buffers */
	struct hccl_use last;
	void *old[40];		/* former buffers, which may be in use */
	unsigned int nr_old;
};

/* Memory for buffers that are too small to be shared, see buffer.c. */
struct hccl_stages {
	void *at;		/* NULL until its first use */
	unsigned int count;
	uint64_t bytes;		/* allocated */
};

/* A stream beside the program's default stream, see hcclAllReduceAsync(). */
struct hccl_aside {
	aclrtStream stream;	/* NULL until its first use */
	aclrtEvent begin;
	aclrtEvent end;
};

/* A memory block that this rank shares. */
struct hccl_shared {
	uint64_t base;		/* 0 if unused */
	uint64_t size;
	char key[HCCL_KEY];
	uint64_t used;		/* when it was last used */
};

/* A memory block of another rank, by its number there. */
struct hccl_import {
	char key[HCCL_KEY];	/* "" if there is none */
	bool is_kept;		/* a captured model uses it */
	void *ptr;
	uint64_t size;
};

/* An import that a captured model uses, while its number has another block. */
struct hccl_kept {
	struct hccl_kept *next;
	struct hccl_import import;
};

/**
 * struct hccl_peer - another rank
 * @member: its files
 * @is_local: it is of this process, as this rank itself is
 * @is_gone: it has ended, or has left; atomic, set by the sentry
 * @to: notifies that this rank sets; those of other processes were imported
 * @from: notifies that this rank waits for
 * @sent: messages to it, called; under the list's lock
 * @received: messages from it, likewise
 * @captured: captured messages from it and to it, likewise
 * @posted: those that this rank has posted
 * @nr_graphs: captured models that have messages with it
 * @send_turn: of the notifies of messages to it, by slot
 * @recv_turn: of those from it
 * @imports: its memory
 * @kept: more of it, which captured models use
 */
struct hccl_peer {
	struct hccl_member member;
	bool is_local;
	_Atomic bool is_gone;
	aclrtNotify to[HCCL_NOTIFIES];
	aclrtNotify from[HCCL_NOTIFIES];
	uint64_t sent;
	uint64_t received;
	uint64_t captured[2];
	uint64_t posted[2];
	uint32_t nr_graphs;
	struct hccl_turn send_turn[HCCL_MESSAGE_SLOTS];
	struct hccl_turn recv_turn[HCCL_MESSAGE_SLOTS];
	struct hccl_import imports[HCCL_EXPORTS];
	struct hccl_kept *kept;
};

/**
 * struct hccl_comm - a communicator
 *
 * Only the worker uses members without another owner in their comment.
 *
 * @next: in the list of all; under its lock
 * @refs: users; under that lock
 * @name: of the communicator
 * @place: its meeting point, from which those of its parts are derived
 * @rank: this rank
 * @ranks: number of ranks
 * @device: of this rank
 * @context: of the lanes
 * @life: other ranks see its end
 * @memory: of the region, where other programs find it
 * @stop: an eventfd that ends the sentry; -1 without one
 * @sentry: the thread that sees the ends of other ranks, see sentry.c
 * @asleep: 1 while the worker sleeps, see bell.c
 * @buffer_size: limit of the buffer for partial results, in bytes
 * @execute_ms: limit of an operation, 0 for none
 * @algorithms: enum hccl_algorithm, by enum hccl_kind
 * @region: memory that all ranks share, and may write
 * @local: what the ranks of this process share apart from the others
 * @own: its memory
 * @has_remote: there are ranks in other processes
 * @peers: by rank; the own one is unused
 * @worker: the thread
 * @call_lock: orders calls
 * @is_closed: it accepts no more calls; under that lock
 * @aside: under that lock
 * @lock: protects the list and the following members
 * @first: list of works, of which the worker removes
 * @last: its end
 * @calls: collectives that were called, and not captured
 * @captures: those that were captured
 * @captured: signalled when a work has been captured
 * @areas: memory that the program has named
 * @is_closing: it is being destroyed
 * @is_suspended: calls of operations are refused; atomic
 * @result: HcclResult of its failure; atomic, set once after @text
 * @text: the reason
 * @free_events: events for callers
 * @nr_free: their number
 * @fuse: copy descriptor that each call's stream executes; it is valid until the
 *	communicator fails
 * @spare: what @fuse copies
 * @rescue: stream that releases the callers' streams
 * @slots: last uses of the notifies of collectives
 * @scratch: buffer for partial results
 * @stages: memory for buffers that cannot be shared
 * @graphs: captured models
 * @nr_graphs: number of captured models so far
 * @remains: room for what outlives the communicator; NULL without @graphs
 * @pool: of communication buffers
 * @shared: memory that this rank shares
 * @uses: counts uses of shared memory
 */
struct hccl_comm {
	struct hccl_comm *next;
	unsigned int refs;
	char name[COMM_NAME_MAX_LENGTH];
	struct hccl_place place;
	unsigned int rank;
	unsigned int ranks;
	int32_t device;
	aclrtContext context;
	int life;
	int memory;
	int stop;
	pthread_t sentry;
	_Atomic uint32_t asleep;
	uint64_t buffer_size;
	uint64_t execute_ms;
	uint8_t algorithms[HCCL_KINDS];
	struct hccl_region region;
	struct hccl_local *local;
	struct hccl_region own;
	bool has_remote;
	struct hccl_peer *peers;
	pthread_t worker;

	pthread_mutex_t call_lock;
	bool is_closed;
	struct hccl_aside aside;
	pthread_mutex_t lock;
	struct hccl_work *first;
	struct hccl_work *last;
	uint64_t calls;
	uint64_t captures;
	pthread_cond_t captured;
	struct hccl_area *areas;
	_Atomic bool is_closing;
	_Atomic bool is_suspended;
	_Atomic int result;
	char text[HCCL_TEXT];
	aclrtEvent free_events[64];
	unsigned int nr_free;

	void *fuse;
	void *spare;
	aclrtStream rescue;
	struct hccl_lane lanes[HCCL_LANES];
	struct hccl_use slots[HCCL_SLOTS];
	struct hccl_scratch scratch;
	struct hccl_stages stages;
	struct hccl_graph *graphs;
	uint32_t nr_graphs;
	struct hccl_remains *remains;
	struct hccl_pool *pool;
	struct hccl_shared shared[HCCL_EXPORTS];
	uint64_t uses;
};

/* comm.c: handles, creation and destruction */

/* The lock of the list, for which a fork waits. */
void hccl_lock(void);
void hccl_unlock(void);

/* Find a communicator and take a reference, or return NULL. */
struct hccl_comm *hccl_comm_get(HcclComm handle);
void hccl_comm_put(struct hccl_comm *comm);

/*
 * Find a communicator for a call: HCCL_E_PTR for NULL, HCCL_E_PARA for any
 * other handle that is not a communicator.
 */
HcclResult hccl_comm_lookup(HcclComm handle, struct hccl_comm **comm);

/*
 * Find the first communicator for which @is_wanted returns true, and take a
 * reference; under the list's lock.
 */
struct hccl_comm *hccl_comm_find(bool (*is_wanted)(struct hccl_comm *comm,
						   const void *arg),
				 const void *arg);
bool hccl_comm_has_name(struct hccl_comm *comm, const void *name);

/* The settings of the environment and of the program's configuration. */
struct hccl_settings {
	uint64_t buffer_size;
	uint64_t execute_ms;
	uint8_t algorithms[HCCL_KINDS];
	char name[COMM_NAME_MAX_LENGTH];
};

/**
 * struct hccl_request - a communicator to be made
 * @place: the meeting point
 * @wait_server: as of hccl_meet()
 * @ranks: number of ranks
 * @rank: this rank
 * @settings: its configuration
 * @parent: the communicator of which the ranks are members, with a reference;
 *	or NULL
 * @ids: their ranks in the parent
 * @handle: set if the communicator was made
 */
struct hccl_request {
	struct hccl_place place;
	bool wait_server;
	unsigned int ranks;
	unsigned int rank;
	struct hccl_settings settings;
	struct hccl_comm *parent;
	uint8_t ids[HCCL_RANKS_MAX];
	HcclComm *handle;
};

/* Meet the other ranks and make a communicator. */
HcclResult hccl_comm_create(const struct hccl_request *request);

/* state.c: call the functions that the program has registered. */
void hccl_state_notify(HcclComm comm, HcclCommStatePhase phase);

/* area.c */
void hccl_areas_free(struct hccl_comm *comm);

/* config.c */
unsigned int hccl_connect_seconds(void);

/* Combine the environment with @config, which may be NULL. */
HcclResult hccl_settings_get(const HcclCommConfig *config,
			     struct hccl_settings *settings);

/* Choose the algorithm for a time, as HCCL_ALGO does; "" for that of HCCL_ALGO. */
void hccl_settings_set_algorithm(const char *text);

/* table.c: check a rank table, and get the number of ranks and a device. */
HcclResult hccl_table_read(const char *path, unsigned int rank,
			   unsigned int *ranks, unsigned int *device,
			   struct hccl_place *place);

/* setup.c: objects of a communicator on the device */
HcclResult hccl_setup(struct hccl_comm *comm);

/* Make notifies of this rank's device, and their keys. */
aclError hccl_notifies_make(aclrtNotify notifies[], unsigned int count,
			    char (*keys)[HCCL_KEY]);

/* Import notifies of another rank. */
aclError hccl_notifies_import(aclrtNotify notifies[], unsigned int count,
			      char (*keys)[HCCL_KEY]);
void hccl_teardown(struct hccl_comm *comm);

/* bell.c: wake the worker of a rank; this never waits. */
void hccl_wake(struct hccl_comm *comm, unsigned int rank);

/*
 * watch.c: wait for a moment for the end of another rank; returns it, or the number of
 * ranks.
 */
unsigned int hccl_find_dead(struct hccl_comm *comm);

/* watch.c: fail if another rank has failed; return whether this one has. */
bool hccl_find_failure(struct hccl_comm *comm);

/* fail.c: let the copies after operations fail, in calls and in captured models. */
void hccl_fuse_blow(const struct hccl_comm *comm);

/* Fail for good: log the reason, and let all streams go on with an error. */
void hccl_fail(struct hccl_comm *comm, HcclResult result, const char *format,
	       ...) __attribute__((format(printf, 3, 4)));

/* match.c: compare what ranks have called, and submit works */
const char *hccl_kind_name(uint32_t kind);
const char *hccl_type_name(uint32_t type);

/* Fail if a call of AscendCL has failed; returns whether it has. */
bool hccl_runtime_failed(struct hccl_comm *comm, aclError err,
			 const char *what);

/*
 * Check whether a rank has posted the call with this number.  The communicator
 * fails if the rank has not, and never will.
 */
bool hccl_has_posted(struct hccl_comm *comm, unsigned int rank,
		     _Atomic uint64_t *posted, uint64_t number,
		     const char *what);

/*
 * Try to advance a work item; false if it waits for other ranks, or has failed.
 */
bool hccl_advance(struct hccl_comm *comm, struct hccl_work *work);

/*
 * Get the memory in which this rank and another one exchange calls and keys.
 * Ranks of one process use memory that no other process can write.
 */
static inline const struct hccl_region *
hccl_region_of(const struct hccl_comm *comm, unsigned int rank)
{
	return comm->peers[rank].is_local ? &comm->own : &comm->region;
}

/* The collectives of a rank that are counted with this work. */
static inline struct hccl_posts *hccl_posts(const struct hccl_comm *comm,
					    unsigned int rank,
					    const struct hccl_work *work)
{
	return &hccl_region_rank(hccl_region_of(comm, rank), rank)
		->posts[!!work->model];
}

/* The messages to another rank, or those from it. */
static inline struct hccl_messages *hccl_messages(const struct hccl_comm *comm,
						  unsigned int peer,
						  bool is_send)
{
	return hccl_region_messages(hccl_region_of(comm, peer),
				    is_send ? comm->rank : peer,
				    is_send ? peer : comm->rank);
}

/*
 * batch.c: fail if another rank sends anything other than what this rank
 * receives
 */
bool hccl_item_matches(struct hccl_comm *comm, const struct hccl_item *item,
		       const struct hccl_call *sent);

/* Advance messages as hccl_advance() does; and captured messages. */
bool hccl_messages_advance(struct hccl_comm *comm, struct hccl_work *work);
bool hccl_captured_messages_advance(struct hccl_comm *comm,
				    struct hccl_work *work);

#endif /* VNPU_HCCL_COMM_H */
