/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the state of the devices as plain structs.
 *
 * A command collects one state, then prints it; nothing here asks the kernel.
 */
#ifndef VNPU_SMI_MODEL_H
#define VNPU_SMI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/vnpu.h>

#define PROCESS_NAME_LEN	64

/* "01234567-89ab-cdef-0123-456789abcdef" */
#define UUID_TEXT_LEN		37

/* npu-smi counts huge pages of this size. */
#define HUGE_PAGE_SIZE		(UINT64_C(1) << VNPU_PAGE_SHIFT_2M)

/* More than a driver has, and as many cells as fill the lines of the map. */
#define MAX_CLASSES		8
#define MAX_ORDERS		32
#define MAX_CELLS		512
#define MAX_SLAB_CLASSES	64

/**
 * struct mem_class - a page class of a device
 * @page_size: bytes
 * @used: bytes
 * @free: bytes in whole pages
 * @largest: bytes of the longest run of them
 * @frag_index: permille
 */
struct mem_class {
	uint64_t page_size;
	uint64_t used;
	uint64_t free;
	uint64_t largest;
	uint32_t frag_index;
};

struct mem_order {
	uint32_t order;
	uint32_t free_blocks;
};

/* A part of the arena; bytes. */
struct map_cell {
	uint64_t size;
	uint64_t used;
	uint64_t fixed;
	uint64_t dirty;
};

/**
 * struct slab_class - slabs with objects of one size, of all clients together
 * @size: bytes of an object
 * @slabs: how many
 * @held: bytes of the slabs
 * @objects: that are allocated
 * @waste: bytes of these beyond what was asked for
 */
struct slab_class {
	uint32_t size;
	uint64_t slabs;
	uint64_t held;
	uint64_t objects;
	uint64_t waste;
};

/**
 * struct slab_holder - what a client has in slabs of a device
 * @client: id of the client
 * @pid: its process, as in struct process
 * @held: bytes of its slabs
 * @objects: that are allocated
 * @waste: bytes of these beyond what was asked for
 */
struct slab_holder {
	uint64_t client;
	uint32_t pid;
	uint64_t held;
	uint64_t objects;
	uint64_t waste;
};

/**
 * struct frag - how the memory of a device is divided; bytes
 * @frag_index: permille
 * @slabs: by the size of objects, ascending
 * @slab_holders: by client
 * @cells: the arena in as many parts
 */
struct frag {
	uint64_t dirty;
	uint64_t waste;
	uint64_t cleared;
	uint64_t compactions;
	uint64_t moved;
	uint32_t runs;
	uint32_t frag_index;
	struct mem_class classes[MAX_CLASSES];
	size_t class_count;
	struct mem_order orders[MAX_ORDERS];
	size_t order_count;
	struct slab_class slabs[MAX_SLAB_CLASSES];
	size_t slab_count;
	struct slab_holder *slab_holders;
	size_t slab_holder_count;
	struct map_cell cells[MAX_CELLS];
	size_t cell_count;
};

/* Classes of engines, VNPU_ENGINE_CLASS_*. */
#define ENGINE_CLASSES		3

/**
 * struct engine_class - the engines of a class of a device
 * @count: how many; 0 until the device is first used by a stream
 * @busy_ns: how long they have run tasks, all together
 * @percent: their share of the time between two looks, if that was asked for
 *
 * AI cores are processes; @busy_ns is the time for which any had a launch.
 */
struct engine_class {
	uint32_t count;
	uint64_t busy_ns;
	unsigned int percent;
};

/**
 * struct stream - a stream of a device
 * @client: id of its client
 * @pid: its process, as in struct process
 * @id: among what its client has
 * @number: among the streams of the device
 * @state: VNPU_STREAM_STATE_*
 * @class: VNPU_ENGINE_CLASS_*
 * @task_seq: the task that is run or waits, 0 for none
 * @task_op: VNPU_TASK_*
 * @task_ns: for how long
 * @error: errno of the last task that failed, 0 for none
 */
struct stream {
	uint64_t client;
	uint32_t pid;
	uint64_t id;
	uint32_t number;
	uint32_t priority;
	uint32_t state;
	uint32_t class;
	bool is_stopped;
	bool is_broken;
	uint64_t submitted;
	uint64_t completed;
	uint64_t task_seq;
	uint32_t task_op;
	uint64_t task_ns;
	uint32_t errors;
	uint32_t cancelled;
	uint32_t error;
	uint32_t error_op;
	uint64_t error_seq;
	uint64_t busy_ns;
};

/**
 * struct engine - one engine or AI core of a device
 * @class: VNPU_ENGINE_CLASS_*
 * @index: among those of its class
 * @state: VNPU_ENGINE_STATE_*
 * @client: that owns the stream it runs, or the AI core; 0 for none
 * @has_stream: it runs one
 * @stream: number of that
 * @tasks: that it has run to their end
 * @busy_ns: for which it has run tasks
 * @is_core: it is an AI core; only these have the following
 * @failures: launches that it ended with an error
 * @launches: that it has at the moment
 * @waiting: launches that wait for a slot of it
 */
struct engine {
	uint32_t class;
	uint32_t index;
	uint32_t state;
	uint64_t client;
	bool has_stream;
	uint32_t stream;
	uint64_t tasks;
	uint64_t busy_ns;
	bool is_core;
	uint64_t failures;
	uint32_t launches;
	uint32_t waiting;
};

/**
 * struct quota - how much of a resource a client, user or cgroup may have
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @scope: VNPU_QUOTA_SCOPE_*
 * @id: of the client, user or cgroup
 * @limit: bytes, or how many
 * @used: the same
 * @refused: requests
 */
struct quota {
	uint32_t resource;
	uint32_t scope;
	uint64_t id;
	uint64_t limit;
	uint64_t used;
	uint64_t refused;
};

struct quota_list {
	struct quota *items;
	size_t count;
};

/**
 * struct process - what a process holds on a device
 * @pid: in the pid namespace of this process, 0 if it is not visible in it
 * @name: its name: any bytes
 * @mem_used: bytes, all its clients together; never 0
 */
struct process {
	uint32_t pid;
	char name[PROCESS_NAME_LEN];
	uint64_t mem_used;
};

/**
 * struct holding - what one client holds on one device
 * @client: id of the client
 * @uid: of the user who opened it
 */
struct holding {
	uint32_t device;
	uint64_t client;
	uint32_t uid;
	struct process process;
};

struct holding_list {
	struct holding *items;
	size_t count;
};

/**
 * struct device - a device
 * @name: product name, empty if the driver reports none
 * @bus_id: address in the form of PCI's, empty if the driver reports none
 * @uuid: the same, as text
 * @nr_clients: how many hold memory on it
 * @nr_streams: of all clients
 * @resets: how often it was reset
 * @hangs: how often an engine of it was found to hang
 * @has_ecc: whether the driver reports errors of its memory
 * @ecc_corrected: those that were corrected
 * @ecc_uncorrected: and those that were not
 * @soc: name of the chip, empty if the driver reports none
 * @has_ai_cores: whether the driver reports the number of AI cores
 * @ai_cores: their number
 * @huge_used: bytes allocated as pages of HUGE_PAGE_SIZE
 * @time_ns: when @engines were looked at
 * @engines: by class
 * @streams: its streams, by client and id, if that was asked for
 * @engine_list: its engines, by class and index, if that was asked for
 * @processes: the processes that hold memory on it, in order of their pid
 * @frag: how its memory is divided, if that was asked for
 * @quotas: quotas of its resources, and
 * @clients: clients that could be limited, if that was asked for
 */
struct device {
	uint32_t id;
	uint32_t health;
	char name[VNPU_DEVICE_NAME_LEN];
	char bus_id[VNPU_DEVICE_BUS_ID_LEN];
	char uuid[UUID_TEXT_LEN];
	uint64_t mem_total;
	uint64_t mem_used;
	uint64_t mem_free;
	uint64_t mem_largest_free;
	uint32_t nr_clients;
	uint32_t nr_streams;
	uint64_t resets;
	uint64_t hangs;
	bool has_ecc;
	uint64_t ecc_corrected;
	uint64_t ecc_uncorrected;
	char soc[VNPU_DEVICE_SOC_LEN];
	bool has_ai_cores;
	uint32_t ai_cores;
	uint64_t huge_used;
	uint64_t time_ns;
	struct engine_class engines[ENGINE_CLASSES];
	struct stream *streams;
	size_t stream_count;
	struct engine *engine_list;
	size_t engine_count;
	struct process *processes;
	size_t process_count;
	struct frag *frag;
	struct quota_list quotas;
	struct holding_list clients;
};

struct device_list {
	struct device *items;
	size_t count;
};

/**
 * struct state - all that was collected
 * @devices: in order of their ids
 * @host_quotas: quotas of resources of the host, which belong to no device
 * @processes: what the devices' processes point into
 */
struct state {
	struct device_list devices;
	struct quota_list host_quotas;
	struct process *processes;
};

/* Grow @items; the capacity is the power of two at or above @count. */
void *list_grow(void *items, size_t count, size_t item_size);

/* A zeroed item at the end of @items, of which there are @count; or NULL. */
#define LIST_ADD(items, count)						\
({									\
	__typeof__(items) grown_ =					\
		list_grow(items, count, sizeof(*grown_));		\
									\
	if (grown_) {							\
		(items) = grown_;					\
		grown_ += (count)++;					\
		memset(grown_, 0, sizeof(*grown_));			\
	}								\
	grown_;								\
})

/* Append a zeroed item; NULL when there is no memory. */
struct device *device_list_add(struct device_list *list);
struct holding *holding_list_add(struct holding_list *list);
struct quota *quota_list_add(struct quota_list *list);

struct stream *device_add_stream(struct device *d);
struct engine *device_add_engine(struct device *d);

struct device *state_find_device(struct state *state, uint32_t id);

/*
 * Sum @holdings up by process, into the devices of @state; @holdings is
 * sorted.  False when there is no memory.
 */
bool state_add_processes(struct state *state, struct holding_list *holdings);

void state_sort_devices(struct state *state);
void state_fini(struct state *state);

/* Our word for a VNPU_QUOTA_SCOPE_* value. */
const char *quota_scope_word(uint32_t scope);
const char *quota_resource_word(uint32_t resource);

/* Check if the resource belongs to the host and not to a device. */
bool quota_is_of_host(uint32_t resource);
bool quota_is_in_bytes(uint32_t resource);

/* False if there is no such resource. */
bool quota_find_resource(const char *word, uint32_t *resource);

/* npu-smi's word for a VNPU_HEALTH_* value. */
const char *health_word(uint32_t health);

/* Share of time for which AI cores or vector engines were busy. */
unsigned int device_aicore_percent(const struct device *d);

/* Words for VNPU_STREAM_STATE_*, VNPU_ENGINE_CLASS_* and VNPU_TASK_*. */
const char *stream_word(uint32_t state);
const char *class_word(uint32_t class);
const char *task_word(uint32_t op);

static inline uint64_t bytes_to_mib(uint64_t bytes)
{
	return bytes >> 20;
}

#endif /* VNPU_SMI_MODEL_H */
