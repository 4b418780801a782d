/* SPDX-License-Identifier: MIT */
/*
 * A communicator: one rank's view of it.
 *
 * The caller of an operation records an event on its stream, lets the stream wait
 * until the operation is done, and adds the operation to a list.  The
 * communicator's worker, a thread, takes it from there: it posts the call to the
 * other ranks, and submits the work to a hidden stream, a lane, as soon as the
 * other ranks have posted theirs.  All waiting for other ranks' memory is done by
 * the lanes, with notifies.
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

#define HCCL_LANES	4
#define HCCL_LANE_CALLS	16	/* calls in flight in a lane */

/* One message of a batch; a single one is a batch of one. */
struct hccl_item {
	bool is_send;
	uint32_t peer;
	unsigned int round;	/* in which it is sent or received */
	uint64_t number;	/* of the messages between the two, from 0 */
	void *buf;
	uint64_t count;
	uint32_t type;
};

/**
 * struct hccl_work - a call of this rank
 * @next: in the list of the communicator
 * @kind: enum hccl_kind
 * @number: of the collective, from 0
 * @lane: where it runs
 * @ticket: number of the work in its lane, from 1
 * @ready: event of the caller's stream: the buffers may be used
 * @end: event of the caller's stream, too: it has gone on
 * @send: the program's buffer, or NULL
 * @recv: likewise
 * @type: HcclDataType
 * @op: HcclReduceOp
 * @root: a rank
 * @count: elements
 * @parts: as of struct hccl_call, or NULL
 * @recv_parts: counts and offsets of what this rank receives, or NULL
 * @items: messages
 * @nr_items: their number
 * @round: that is being submitted
 * @rounds: their number
 * @has_begun: the buffers of the round are ready
 * @is_posted: the other ranks can see it
 * @is_submitted: the lane has all of it
 * @is_reported: the log says that it waits
 * @since: when @ready was found complete, in ms; or 0
 */
struct hccl_work {
	struct hccl_work *next;
	enum hccl_kind kind;
	uint64_t number;
	unsigned int lane;
	uint32_t ticket;
	aclrtEvent ready;
	aclrtEvent end;
	void *send;
	void *recv;
	uint32_t type;
	uint32_t op;
	uint32_t root;
	uint64_t count;
	uint64_t *parts;
	uint64_t *recv_parts;
	struct hccl_item *items;
	unsigned int nr_items;
	unsigned int round;
	unsigned int rounds;
	bool has_begun;
	bool is_posted;
	bool is_submitted;
	bool is_reported;
	uint64_t since;
};

/* A hidden stream. */
struct hccl_lane {
	aclrtStream stream;	/* NULL until its first use */
	aclrtStream user;	/* the program's stream that it serves */
	aclrtCntNotify done;	/* ticket of the last work that is done */
	uint32_t tickets;	/* given; under the list's lock */
	unsigned int in_flight;
};

/* Orders the uses of something that several lanes use in turn. */
struct hccl_turn {
	aclrtEvent event;	/* end of the last use, NULL before the first */
	unsigned int lane;
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
	void *ptr;
};

/**
 * struct hccl_peer - another rank
 * @member: its files
 * @is_local: it is of this process
 * @is_gone: it has ended, or has left
 * @to: notifies that this rank sets; those of other processes were imported
 * @from: notifies that this rank waits for
 * @sent: messages to it, called; under the list's lock
 * @received: messages from it, likewise
 * @send_turn: of the notifies of messages to it, by slot
 * @recv_turn: of those from it
 * @imports: its memory
 */
struct hccl_peer {
	struct hccl_member member;
	bool is_local;
	bool is_gone;
	aclrtNotify to[HCCL_NOTIFIES];
	aclrtNotify from[HCCL_NOTIFIES];
	uint64_t sent;
	uint64_t received;
	struct hccl_turn send_turn[HCCL_MESSAGE_SLOTS];
	struct hccl_turn recv_turn[HCCL_MESSAGE_SLOTS];
	struct hccl_import imports[HCCL_EXPORTS];
};

/**
 * struct hccl_comm - a communicator
 *
 * Only the worker uses members without another owner in their comment.
 *
 * @next: in the list of all; under its lock
 * @refs: users; under that lock
 * @name: of the communicator
 * @place: where it met, from which places of its parts are derived
 * @rank: this rank
 * @ranks: number of ranks
 * @device: of this rank
 * @context: of the lanes
 * @life: other ranks see its end
 * @buffer_size: limit of the buffer for partial results, in bytes
 * @execute_ms: limit of an operation, 0 for none
 * @algorithms: enum hccl_algorithm, by enum hccl_kind
 * @region: shared memory
 * @peers: by rank; the own one is unused but for its bell
 * @worker: the thread
 * @call_lock: orders calls
 * @is_closed: it accepts no more calls; under that lock
 * @aside: under that lock
 * @lock: protects the list and the following members
 * @first: list of works, of which the worker removes
 * @last: its end
 * @calls: collectives that were called
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
 * @rescue: stream that lets the callers' streams go on
 * @slots: turns of the notifies of collectives
 * @scratch: buffer for partial results, which grows
 * @scratch_size: its bytes
 * @scratch_turn: its turn
 * @old_scratch: former buffers, which may be in use
 * @stages: memory for buffers that cannot be shared
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
	uint64_t buffer_size;
	uint64_t execute_ms;
	uint8_t algorithms[HCCL_KINDS];
	struct hccl_region region;
	struct hccl_peer *peers;
	pthread_t worker;

	pthread_mutex_t call_lock;
	bool is_closed;
	struct hccl_aside aside;
	pthread_mutex_t lock;
	struct hccl_work *first;
	struct hccl_work *last;
	uint64_t calls;
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
	struct hccl_turn slots[HCCL_SLOTS];
	void *scratch;
	uint64_t scratch_size;
	struct hccl_turn scratch_turn;
	void *old_scratch[40];
	unsigned int nr_old;
	void *stages;
	struct hccl_shared shared[HCCL_EXPORTS];
	uint64_t uses;
};

/* comm.c: handles, creation and destruction */

/* Find a communicator and keep it, or return NULL. */
struct hccl_comm *hccl_comm_get(HcclComm handle);
void hccl_comm_put(struct hccl_comm *comm);

/* Find and keep the first communicator that is wanted; under the list's lock. */
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
 * struct hccl_request - a communicator that is to be made
 * @place: the meeting point
 * @wait_server: as of hccl_meet()
 * @ranks: number of ranks
 * @rank: this rank
 * @settings: its configuration
 * @parent: the communicator that the ranks are of, which is kept; or NULL
 * @ids: their numbers there
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
void hccl_teardown(struct hccl_comm *comm);

/* worker.c */
void *hccl_worker(void *comm);
void hccl_wake(const struct hccl_comm *comm, unsigned int rank);

/*
 * Wait for a moment for the end of another rank; returns it, or the number of
 * ranks.
 */
unsigned int hccl_find_dead(struct hccl_comm *comm);

/* Fail for good: log the reason, and let all streams go on with an error. */
void hccl_fail(struct hccl_comm *comm, HcclResult result, const char *format,
	       ...) __attribute__((format(printf, 3, 4)));

/* wait.c: describe the ranks that have not called what a work needs of them. */
void hccl_wait_describe(const struct hccl_comm *comm,
			const struct hccl_work *work, char *text, size_t size);

/* Show the other ranks what @work waits for, or that nothing waits if it is NULL. */
void hccl_wait_publish(struct hccl_comm *comm, const struct hccl_work *work);

/* Log it if a work has waited for long. */
void hccl_wait_report(struct hccl_comm *comm, struct hccl_work *work,
		      uint64_t now);

/* match.c: compare what ranks have called, and submit works */
const char *hccl_kind_name(uint32_t kind);
const char *hccl_type_name(uint32_t type);

/* Fail if a call of AscendCL has failed; returns whether it has. */
bool hccl_runtime_failed(struct hccl_comm *comm, aclError err,
			 const char *what);

/*
 * Whether a rank has posted what has this number.  The communicator fails if it
 * has not, and never will.
 */
bool hccl_has_posted(struct hccl_comm *comm, unsigned int rank,
		     _Atomic uint64_t *posted, uint64_t number,
		     const char *what);

/* Try to go on with a work; false if it waits for other ranks, or has failed. */
bool hccl_advance(struct hccl_comm *comm, struct hccl_work *work);

/* batch.c: the same for messages */
bool hccl_messages_advance(struct hccl_comm *comm, struct hccl_work *work);

/* lane.c: submit to lanes */
aclError hccl_lane_begin(struct hccl_comm *comm, struct hccl_work *work);
aclError hccl_lane_end(struct hccl_comm *comm, const struct hccl_work *work);
aclError hccl_turn_wait(struct hccl_comm *comm, struct hccl_turn *turn,
			unsigned int lane);
aclError hccl_turn_end(struct hccl_comm *comm, struct hccl_turn *turn,
		       unsigned int lane);
aclError hccl_signal_one(struct hccl_comm *comm, const struct hccl_work *work,
			 unsigned int rank, enum hccl_signal phase);
aclError hccl_wait_one(struct hccl_comm *comm, const struct hccl_work *work,
		       unsigned int rank, enum hccl_signal phase);
aclError hccl_signal_all(struct hccl_comm *comm, const struct hccl_work *work,
			 enum hccl_signal phase);
aclError hccl_wait_all(struct hccl_comm *comm, const struct hccl_work *work,
		       enum hccl_signal phase);
aclError hccl_copy(aclrtStream stream, uint64_t dst, uint64_t src,
		   uint64_t bytes);

/* reduce.c: reduce in the order of the ranks */

/**
 * hccl_reduce() - submit a reduction to a lane
 * @dst: the result; may be equal to one of @src
 * @src: array of one address for each rank
 * @count: elements
 */
aclError hccl_reduce(struct hccl_comm *comm, unsigned int lane, uint64_t dst,
		     const uint64_t src[], uint64_t count, uint32_t type,
		     uint32_t op);

/* Reduce an array into another one, in the driver's arithmetic. */
aclError hccl_reduce_into(aclrtStream stream, uint64_t dst, uint64_t src,
			  uint64_t count, uint32_t type, uint32_t op);

/* Get the buffer for partial results, of @bytes or less, at least 64 KiB. */
aclError hccl_scratch(struct hccl_comm *comm, unsigned int lane,
		      uint64_t bytes, uint64_t *size);

/* Whether reductions take the type; others are only copied. */
bool hccl_type_is_reducible(uint32_t type);

/* Whether the result does not depend on the order of the ranks. */
bool hccl_type_is_integer(uint32_t type);

/* Bytes of an element, or 0 for an unknown type. */
unsigned int hccl_type_size(uint32_t type);

/* buffer.c: memory of ranks in other processes */

/* A copy to memory that can be shared; of 0 bytes if it is not needed. */
struct hccl_stage {
	uint64_t from;
	uint64_t to;
	uint64_t bytes;
};

/* Stages: for collectives by slot, then for messages by receiver and slot. */
#define HCCL_STAGE_OF_MESSAGE(peer, number) \
	(HCCL_SLOTS + (peer) * HCCL_MESSAGE_SLOTS + \
	 (unsigned int)((number) % HCCL_MESSAGE_SLOTS))

/**
 * hccl_buffer_share() - refer to a buffer
 * @index: of the stage that it may use
 * @ref: filled; other processes can import it, if there are any
 * @stage: copy that the lane makes before the buffer is ready
 */
aclError hccl_buffer_share(struct hccl_comm *comm, const void *ptr,
			   unsigned int index, struct hccl_ref *ref,
			   struct hccl_stage *stage);

/* Get the address of another rank's buffer in this process. */
aclError hccl_buffer_find(struct hccl_comm *comm, unsigned int rank,
			  const struct hccl_ref *ref, uint64_t *va);
void hccl_buffers_close(struct hccl_comm *comm);

#endif /* VNPU_HCCL_COMM_H */
