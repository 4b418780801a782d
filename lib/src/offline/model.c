// SPDX-License-Identifier: MIT
/* Offline models: their life, see offline.h. */
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "alloc/malloc.h"
#include "base/error.h"
#include "stream/copy.h"
#include "offline.h"

/* Time for which a model that ends waits for its runs. */
#define UNLOAD_MS	10000

static struct vnpu_offline *first;	/* protected by the runtime lock */
static uint32_t last_number;		/* likewise */

static void free_memory(struct vnpu_offline *model)
{
	uint64_t work = atomic_exchange(&model->own_work, 0);
	uint64_t weights = atomic_exchange(&model->own_weights, 0);

	if (work)
		vnpu_mem_free(vnpu_u64_to_ptr(work));
	if (weights)
		vnpu_mem_free(vnpu_u64_to_ptr(weights));
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Wait until all runs are complete; false if they take too long. */
static bool wait_for_runs(struct vnpu_offline *model)
{
	uint64_t end = now_ms() + UNLOAD_MS;

	while (vnpu_offline_is_running(model)) {
		if (now_ms() >= end)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

static void model_free(struct vnpu_offline *model)
{
	wait_for_runs(model);
	free_memory(model);
	for (uint32_t i = 0; i < model->nr_runs; i++)
		vnpu_stream_put(model->runs[i].stream);
	free(model->runs);
	vnpu_dump_put(model->dump);
	pthread_mutex_destroy(&model->lock);
	vnpu_om_put(model->om);
	vnpu_context_put_handle(model->context);
	free(model);
}

void vnpu_offline_put(struct vnpu_offline *model)
{
	if (atomic_fetch_sub(&model->refs, 1) == 1)
		model_free(model);
}

/* Find a model and take a reference; the runtime lock is held. */
static struct vnpu_offline *find_locked(uint32_t number)
{
	struct vnpu_offline *model = first;

	while (model && model->number != number)
		model = model->next;
	if (model)
		atomic_fetch_add(&model->refs, 1);
	return model;
}

aclError vnpu_offline_find(uint32_t number, struct vnpu_offline **model)
{
	vnpu_runtime_lock();
	*model = find_locked(number);
	vnpu_runtime_unlock();
	if (*model)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		"modelId = %u is not a model, or was unloaded, maybe with its context or device; pass one of aclmdlLoadFromFile",
		number);
}

aclError vnpu_offline_get(uint32_t number, struct vnpu_offline **model)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);

	if (!ret)
		ret = vnpu_offline_find(number, model);
	if (ret || (*model)->context->handle == current.context)
		return ret;
	vnpu_offline_put(*model);
	return vnpu_error(ACL_ERROR_RT_MODEL_CONTEXT,
		"modelId = %u was loaded in another context; call aclrtSetCurrentContext with that one",
		number);
}

static aclError check_memory(const char *which, uint64_t address,
			     uint64_t given, uint64_t needed)
{
	if (!address || (given >= needed && !(address % sizeof(uint64_t))))
		return ACL_SUCCESS;
	if (given < needed)
		return vnpu_error(ACL_ERROR_GE_PARAM_INVALID,
			"%sSize = %llu is too small: the model needs %llu bytes; ask aclmdlQuerySize",
			which, (unsigned long long)given,
			(unsigned long long)needed);
	return vnpu_error(ACL_ERROR_GE_PARAM_INVALID,
		"%sPtr = 0x%llx is not a multiple of 8; pass an address of aclrtMalloc",
		which, (unsigned long long)address);
}

/* Take memory of the caller, or allocate it. */
static aclError get_memory(const char *which, uint64_t given, uint64_t needed,
			   uint64_t *use, _Atomic uint64_t *own)
{
	void *new = NULL;
	aclError ret;

	*use = given;
	if (given || !needed)
		return ACL_SUCCESS;
	ret = vnpu_mem_alloc(&new, needed);
	if (ret)
		return vnpu_error(ACL_ERROR_GE_MEMORY_ALLOCATION,
			"no device memory for the %s of the model: it needs %llu bytes (error %d)",
			which, (unsigned long long)needed, ret);
	*use = vnpu_ptr_to_u64(new);
	atomic_store(own, *use);
	return ACL_SUCCESS;
}

static aclError place(struct vnpu_offline *model,
		      const struct vnpu_offline_memory *memory)
{
	const struct om *om = &model->om->om;
	uint64_t weights = om->head->weights_size, work = om_work(om);
	aclError ret;

	ret = check_memory("work", memory->work, memory->work_size, work);
	if (!ret)
		ret = check_memory("weight", memory->weights,
				   memory->weights_size, weights);
	if (!ret)
		ret = get_memory("work memory", memory->work, work,
				 &model->work, &model->own_work);
	if (!ret)
		ret = get_memory("weights", memory->weights, weights,
				 &model->weights, &model->own_weights);
	if (!ret && weights)
		ret = vnpu_copy(vnpu_u64_to_ptr(model->weights), om->weights,
				weights);
	return ret;
}

/* Get a reference to the current dump if it has operators of the model. */
static struct vnpu_dump *dump_for(const struct vnpu_om *om)
{
	struct vnpu_dump *dump = vnpu_dump_get();

	if (!dump || vnpu_dump_has(dump, om->om.text + om->om.head->name,
				   om->file, NULL))
		return dump;
	vnpu_dump_put(dump);
	return NULL;
}

static struct vnpu_offline *model_alloc(struct vnpu_om *om)
{
	struct vnpu_offline *model = calloc(1, sizeof(*model));

	if (!model) {
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a model");
		return NULL;
	}
	model->om = om;
	model->dump = dump_for(om);
	atomic_init(&model->refs, 1);
	atomic_init(&model->gear, om_largest(&om->om));
	pthread_mutex_init(&model->lock, NULL);
	return model;
}

/* Add a model to the current context. */
static aclError add(struct vnpu_offline *model, uint64_t expected,
		    uint32_t *number)
{
	struct vnpu_context *context;
	aclError ret = vnpu_context_lock(&context);

	if (ret)
		return ret;
	if (context->handle != expected) {
		vnpu_runtime_unlock();
		return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
			"the context was destroyed while the model was loaded");
	}
	vnpu_handle_ref(context->handle);
	model->context = context;
	/* Numbers begin at 1, and are not used again before they wrap. */
	do {
		struct vnpu_offline *taken;

		if (!++last_number)
			last_number = 1;
		taken = find_locked(last_number);
		if (!taken)
			break;
		atomic_fetch_sub(&taken->refs, 1);
	} while (true);
	/* Another thread may unload it as soon as it is in the list. */
	*number = model->number = last_number;
	model->next = first;
	first = model;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

/* Free a model that was not added. */
static void abandon(struct vnpu_offline *model)
{
	free_memory(model);
	vnpu_dump_put(model->dump);
	pthread_mutex_destroy(&model->lock);
	free(model);
}

aclError vnpu_offline_load(struct vnpu_om *om,
			   const struct vnpu_offline_memory *memory,
			   uint32_t *number)
{
	struct vnpu_current current;
	struct vnpu_offline *model;
	aclError ret = vnpu_context_current(&current);
	uint32_t added = 0;

	model = ret ? NULL : model_alloc(om);
	if (!model) {
		vnpu_om_put(om);
		return ret ? ret : ACL_ERROR_BAD_ALLOC;
	}
	ret = place(model, memory);
	if (!ret) {
		vnpu_om_drop_weights(om);
		ret = add(model, current.context, &added);
	}
	if (ret) {
		abandon(model);
		vnpu_om_put(om);
		return ret;
	}
	*number = added;
	return ACL_SUCCESS;
}

static bool remove_locked(struct vnpu_offline *model)
{
	struct vnpu_offline **link = &first;

	while (*link && *link != model)
		link = &(*link)->next;
	if (!*link)
		return false;
	*link = model->next;
	return true;
}

aclError vnpu_offline_unload(struct vnpu_offline *model)
{
	bool removed;

	if (!wait_for_runs(model))
		return vnpu_error(ACL_ERROR_RT_MODEL_RUNNING,
			"model %u (%s) still runs after %d ms; wait for the streams that run it, or abort them",
			model->number, vnpu_offline_name(model), UNLOAD_MS);
	vnpu_runtime_lock();
	removed = remove_locked(model);
	vnpu_runtime_unlock();
	if (!removed)
		return vnpu_error(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
			"modelId = %u was unloaded by another thread",
			model->number);
	vnpu_offline_put(model);
	return ACL_SUCCESS;
}

struct vnpu_offline *vnpu_offline_remove_all(struct vnpu_context *context)
{
	struct vnpu_offline **link = &first, *model, *removed = NULL;

	while ((model = *link)) {
		if (model->context != context) {
			link = &model->next;
			continue;
		}
		*link = model->next;
		model->next = removed;
		removed = model;
	}
	return removed;
}

void vnpu_offline_free_all(struct vnpu_offline *models)
{
	struct vnpu_offline *next;

	for (; models; models = next) {
		next = models->next;
		/* Do not wait for threads in calls, which may hold references. */
		free_memory(models);
		vnpu_offline_put(models);
	}
}
