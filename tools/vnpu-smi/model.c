// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the state of the devices as plain structs.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/vnpu_netlink.h>
#include <linux/vnpu_task.h>

#include "model.h"

void *list_grow(void *items, size_t count, size_t item_size)
{
	size_t capacity = count ? count * 2 : 1;

	if (count & (count - 1))
		return items;
	return reallocarray(items, capacity, item_size);
}

struct device *device_list_add(struct device_list *list)
{
	return LIST_ADD(list->items, list->count);
}

struct holding *holding_list_add(struct holding_list *list)
{
	return LIST_ADD(list->items, list->count);
}

struct quota *quota_list_add(struct quota_list *list)
{
	return LIST_ADD(list->items, list->count);
}

struct stream *device_add_stream(struct device *d)
{
	return LIST_ADD(d->streams, d->stream_count);
}

struct engine *device_add_engine(struct device *d)
{
	return LIST_ADD(d->engine_list, d->engine_count);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_devices(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return compare_u64(x->id, y->id);
}

static int compare_holdings(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;
	int order = compare_u64(x->device, y->device);

	if (!order)
		order = compare_u64(x->process.pid, y->process.pid);
	if (!order)
		order = compare_u64(x->client, y->client);
	return order;
}

void state_sort_devices(struct state *state)
{
	if (state->devices.count)
		qsort(state->devices.items, state->devices.count,
		      sizeof(*state->devices.items), compare_devices);
}

struct device *state_find_device(struct state *state, uint32_t id)
{
	size_t i;

	for (i = 0; i < state->devices.count; i++)
		if (state->devices.items[i].id == id)
			return &state->devices.items[i];
	return NULL;
}

/* Processes that are not visible here all have pid 0, and are kept separate. */
static bool is_same_process(const struct process *a, const struct process *b)
{
	return a->pid && a->pid == b->pid;
}

bool state_add_processes(struct state *state, struct holding_list *holdings)
{
	size_t next = 0, i;

	if (!holdings->count)
		return true;
	qsort(holdings->items, holdings->count, sizeof(*holdings->items),
	      compare_holdings);
	state->processes = calloc(holdings->count, sizeof(*state->processes));
	if (!state->processes)
		return false;

	for (i = 0; i < holdings->count; i++) {
		const struct holding *h = &holdings->items[i];
		struct device *d = state_find_device(state, h->device);
		struct process *last;

		/* The device was added after the list of devices was read. */
		if (!d)
			continue;
		if (!d->process_count)
			d->processes = &state->processes[next];
		last = d->processes + d->process_count;
		if (d->process_count && is_same_process(last - 1, &h->process)) {
			last[-1].mem_used += h->process.mem_used;
			continue;
		}
		*last = h->process;
		d->process_count++;
		next++;
	}
	return true;
}

static void frag_free(struct frag *frag)
{
	if (frag)
		free(frag->slab_holders);
	free(frag);
}

void state_fini(struct state *state)
{
	size_t i;

	for (i = 0; i < state->devices.count; i++) {
		frag_free(state->devices.items[i].frag);
		free(state->devices.items[i].quotas.items);
		free(state->devices.items[i].clients.items);
		free(state->devices.items[i].streams);
		free(state->devices.items[i].engine_list);
	}
	free(state->devices.items);
	free(state->host_quotas.items);
	free(state->processes);
	*state = (struct state){ 0 };
}

const char *quota_scope_word(uint32_t scope)
{
	switch (scope) {
	case VNPU_QUOTA_SCOPE_CLIENT:
		return "client";
	case VNPU_QUOTA_SCOPE_UID:
		return "uid";
	case VNPU_QUOTA_SCOPE_CGROUP:
		return "cgroup";
	default:
		return "unknown";
	}
}

static const char *const resource_words[] = {
	[VNPU_QUOTA_RESOURCE_MEMORY] = "memory",
	[VNPU_QUOTA_RESOURCE_STREAMS] = "streams",
	[VNPU_QUOTA_RESOURCE_EVENTS] = "events",
	[VNPU_QUOTA_RESOURCE_COUNTERS] = "counters",
	[VNPU_QUOTA_RESOURCE_BINDINGS] = "bindings",
	[VNPU_QUOTA_RESOURCE_OBJECTS] = "objects",
	[VNPU_QUOTA_RESOURCE_SYNC_FILES] = "sync-files",
	[VNPU_QUOTA_RESOURCE_HOST_MEMORY] = "host-memory",
	[VNPU_QUOTA_RESOURCE_THREADS] = "threads",
};

#define RESOURCES	(sizeof(resource_words) / sizeof(resource_words[0]))

const char *quota_resource_word(uint32_t resource)
{
	return resource < RESOURCES ? resource_words[resource] : "unknown";
}

bool quota_is_of_host(uint32_t resource)
{
	return resource >= VNPU_QUOTA_RESOURCE_BINDINGS;
}

bool quota_is_in_bytes(uint32_t resource)
{
	return resource == VNPU_QUOTA_RESOURCE_MEMORY ||
	       resource == VNPU_QUOTA_RESOURCE_HOST_MEMORY;
}

bool quota_find_resource(const char *word, uint32_t *resource)
{
	uint32_t i;

	for (i = 0; i < RESOURCES; i++) {
		if (strcmp(word, resource_words[i]))
			continue;
		*resource = i;
		return true;
	}
	return false;
}

const char *health_word(uint32_t health)
{
	static const char *const words[] = {
		[VNPU_HEALTH_OK] = "OK",
		[VNPU_HEALTH_WARNING] = "Warning",
		[VNPU_HEALTH_ALARM] = "Alarm",
		[VNPU_HEALTH_CRITICAL] = "Critical",
		[VNPU_HEALTH_UNKNOWN] = "UNKNOWN",
	};

	if (health >= sizeof(words) / sizeof(words[0]))
		health = VNPU_HEALTH_UNKNOWN;
	return words[health];
}

/* A newer driver may have more values than this program. */
static const char *find_word(const char *const *words, size_t count,
			     uint32_t value)
{
	return value < count ? words[value] : "unknown";
}

const char *stream_word(uint32_t state)
{
	static const char *const words[] = {
		[VNPU_STREAM_STATE_IDLE] = "idle",
		[VNPU_STREAM_STATE_READY] = "ready",
		[VNPU_STREAM_STATE_RUNNING] = "running",
		[VNPU_STREAM_STATE_POLLED] = "polled",
		[VNPU_STREAM_STATE_BLOCKED] = "blocked",
		[VNPU_STREAM_STATE_REMOTE] = "remote",
	};

	return find_word(words, sizeof(words) / sizeof(words[0]), state);
}

/*
 * Vector engines are the equivalent of AI cores for the operations that the
 * driver has itself.
 */
unsigned int device_aicore_percent(const struct device *d)
{
	unsigned int vector = d->engines[VNPU_ENGINE_CLASS_VECTOR].percent;
	unsigned int core = d->engines[VNPU_ENGINE_CLASS_AICORE].percent;

	return vector > core ? vector : core;
}

const char *class_word(uint32_t class)
{
	static const char *const words[] = {
		[VNPU_ENGINE_CLASS_COPY] = "copy",
		[VNPU_ENGINE_CLASS_VECTOR] = "vector",
		[VNPU_ENGINE_CLASS_AICORE] = "aicore",
	};

	return find_word(words, sizeof(words) / sizeof(words[0]), class);
}

#define TASK_WORD(op, name)	[VNPU_TASK_##op] = name

const char *task_word(uint32_t op)
{
	static const char *const words[] = { VNPU_TASK_NAMES(TASK_WORD) };

	return find_word(words, sizeof(words) / sizeof(words[0]), op);
}
