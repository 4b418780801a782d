// SPDX-License-Identifier: MIT
/*
 * Options of loads and runs of models.  The pointers that programs have are
 * handles.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/lock.h"
#include "config.h"
#include "offline.h"

/* The types of options. */
enum { NUMBER = sizeof(int32_t), POINTER = sizeof(void *) };

struct load_config {
	struct vnpu_lock lock;	/* protects the rest */
	int32_t priority;
	char *path;
	const void *memory[ACL_MDL_WORKSPACE_SIZET + 1];
	size_t sizes[ACL_MDL_WORKSPACE_SIZET + 1];
};

struct run_config {
	struct vnpu_lock lock;	/* protects the rest */
	struct vnpu_run_config config;
};

static aclError not_a_handle(const void *handle, const char *maker)
{
	if (!handle)
		return vnpu_error_null("handle");
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"handle = %p is not one of %s, or was destroyed", handle,
		maker);
}

static aclError not_a_load(const void *handle)
{
	return not_a_handle(handle, "aclmdlCreateConfigHandle");
}

static aclError not_a_run(const void *handle)
{
	return not_a_handle(handle, "aclmdlCreateExecConfigHandle");
}

/* Check the value of an option. */
static aclError check_value(int attr, const void *value, size_t given,
			    size_t expected)
{
	if (!value)
		return vnpu_error_null("attrValue");
	if (given == expected)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"valueSize = %zu: the value of attr = %d has %zu bytes", given,
		attr, expected);
}

static aclError unsupported(int attr, const char *what)
{
	return vnpu_error(ACL_ERROR_API_NOT_SUPPORT,
			  "attr = %d: %s", attr, what);
}

static void load_put(const void *handle, struct load_config *config)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	free(config->path);
	free(config);
}

static void run_put(const void *handle, struct run_config *config)
{
	if (vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		free(config);
}

/* Make a handle; frees @new on failure. */
static void *make(enum vnpu_handle_kind kind, void *new)
{
	uint64_t handle = new ? vnpu_handle_add(kind, new) : 0;

	if (!handle) {
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for options");
	}
	return vnpu_u64_to_ptr(handle);
}

aclmdlConfigHandle *aclmdlCreateConfigHandle(void)
{
	VNPU_CALL();

	return make(VNPU_HANDLE_MODEL_CONFIG,
		    calloc(1, sizeof(struct load_config)));
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle)
{
	VNPU_CALL();
	struct load_config *taken =
		vnpu_handle_remove(VNPU_HANDLE_MODEL_CONFIG, handle);

	if (!taken)
		return not_a_load(handle);
	load_put(handle, taken);
	return ACL_SUCCESS;
}

static aclError set_path(struct load_config *config, const char *path)
{
	char *copy, *old;

	if (!path)
		return vnpu_error_null("*attrValue");
	copy = strdup(path);
	if (!copy)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for options");
	vnpu_lock(&config->lock);
	old = config->path;
	config->path = copy;
	vnpu_unlock(&config->lock);
	free(old);
	return ACL_SUCCESS;
}

static aclError set_priority(struct load_config *config, const void *value)
{
	int32_t priority;
	aclError ret;

	memcpy(&priority, value, sizeof(priority));
	ret = vnpu_offline_check_priority(priority);
	if (ret)
		return ret;
	vnpu_lock(&config->lock);
	config->priority = priority;
	vnpu_unlock(&config->lock);
	return ACL_SUCCESS;
}

static aclError set_load(struct load_config *config, aclmdlConfigAttr attr,
			 const void *value, size_t size)
{
	aclError ret;

	if (attr > ACL_MDL_WORKSPACE_SIZET || attr < 0)
		return unsupported(attr,
			"only options up to ACL_MDL_WORKSPACE_SIZET are supported");
	ret = check_value(attr, value, size, attr == ACL_MDL_PRIORITY_INT32 ?
						     NUMBER : POINTER);
	if (ret)
		return ret;
	if (attr == ACL_MDL_PRIORITY_INT32)
		return set_priority(config, value);
	if (attr == ACL_MDL_PATH_PTR) {
		const char *path;

		memcpy(&path, value, sizeof(path));
		return set_path(config, path);
	}
	vnpu_lock(&config->lock);
	if (attr == ACL_MDL_MEM_ADDR_PTR || attr == ACL_MDL_WEIGHT_ADDR_PTR ||
	    attr == ACL_MDL_WORKSPACE_ADDR_PTR)
		memcpy(&config->memory[attr], value, size);
	else
		memcpy(&config->sizes[attr], value, size);
	vnpu_unlock(&config->lock);
	return ACL_SUCCESS;
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle, aclmdlConfigAttr attr,
			    const void *attrValue, size_t valueSize)
{
	VNPU_CALL();
	struct load_config *config =
		vnpu_handle_get(VNPU_HANDLE_MODEL_CONFIG, handle);
	aclError ret;

	if (!config)
		return not_a_load(handle);
	ret = set_load(config, attr, attrValue, valueSize);
	load_put(handle, config);
	return ret;
}

/* Load as a copy of the options says. */
static aclError load(const struct load_config *c, uint32_t *number)
{
	const size_t type = c->sizes[ACL_MDL_LOAD_TYPE_SIZET];
	void *work = NULL, *weights = NULL;

	if (type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM ||
	    type == ACL_MDL_LOAD_FROM_MEM_WITH_MEM) {
		work = (void *)(uintptr_t)c->memory[ACL_MDL_WORKSPACE_ADDR_PTR];
		weights = (void *)(uintptr_t)c->memory[ACL_MDL_WEIGHT_ADDR_PTR];
	}
	switch (type) {
	case ACL_MDL_LOAD_FROM_FILE:
	case ACL_MDL_LOAD_FROM_FILE_WITH_MEM:
		if (!c->path)
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"ACL_MDL_PATH_PTR is not set; a load from a file needs it");
		return aclmdlLoadFromFileWithMem(c->path, number, work,
			c->sizes[ACL_MDL_WORKSPACE_SIZET], weights,
			c->sizes[ACL_MDL_WEIGHT_SIZET]);
	case ACL_MDL_LOAD_FROM_MEM:
	case ACL_MDL_LOAD_FROM_MEM_WITH_MEM:
		if (!c->memory[ACL_MDL_MEM_ADDR_PTR])
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"ACL_MDL_MEM_ADDR_PTR is not set; a load from memory needs it");
		return aclmdlLoadFromMemWithMem(
			c->memory[ACL_MDL_MEM_ADDR_PTR],
			c->sizes[ACL_MDL_MEM_SIZET], number, work,
			c->sizes[ACL_MDL_WORKSPACE_SIZET], weights,
			c->sizes[ACL_MDL_WEIGHT_SIZET]);
	case ACL_MDL_LOAD_FROM_FILE_WITH_Q:
	case ACL_MDL_LOAD_FROM_MEM_WITH_Q:
		return vnpu_error(ACL_ERROR_API_NOT_SUPPORT,
			"ACL_MDL_LOAD_TYPE_SIZET = %zu: queues are not supported; load without them",
			type);
	}
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"ACL_MDL_LOAD_TYPE_SIZET = %zu is not known, or not set; use ACL_MDL_LOAD_FROM_*",
		type);
}

/* Give a model that was loaded its priority, unless it ended meanwhile. */
static void apply_priority(uint32_t number, int32_t priority)
{
	struct vnpu_offline *model;

	if (!priority || vnpu_offline_find(number, &model))
		return;
	atomic_store(&model->priority, priority);
	vnpu_offline_put(model);
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *handle,
			      uint32_t *modelId)
{
	VNPU_CALL();
	struct load_config *config =
		vnpu_handle_get(VNPU_HANDLE_MODEL_CONFIG, handle), copy;
	bool has_path;
	aclError ret;

	if (!config)
		return not_a_load(handle);
	vnpu_lock(&config->lock);
	copy = *config;
	has_path = config->path;
	copy.path = has_path ? strdup(config->path) : NULL;
	vnpu_unlock(&config->lock);
	load_put(handle, config);
	if (has_path && !copy.path)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for options");
	ret = load(&copy, modelId);
	if (!ret)
		apply_priority(*modelId, copy.priority);
	free(copy.path);
	return ret;
}

aclmdlExecConfigHandle *aclmdlCreateExecConfigHandle(void)
{
	VNPU_CALL();
	struct run_config *new = calloc(1, sizeof(*new));

	if (new)
		new->config.timeout = -1;
	return make(VNPU_HANDLE_MODEL_RUN_CONFIG, new);
}

aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *handle)
{
	VNPU_CALL();
	struct run_config *taken =
		vnpu_handle_remove(VNPU_HANDLE_MODEL_RUN_CONFIG, handle);

	if (!taken)
		return not_a_run(handle);
	run_put(handle, taken);
	return ACL_SUCCESS;
}

static aclError set_run(struct run_config *config, aclmdlExecConfigAttr attr,
			const void *value, size_t size)
{
	const bool is_timeout = attr <= ACL_MDL_EVENT_SYNC_TIMEOUT;
	int32_t timeout = 0;
	aclError ret;

	if (attr > ACL_MDL_WORK_SIZET || attr < 0)
		return unsupported(attr,
			"only options up to ACL_MDL_WORK_SIZET are supported");
	ret = check_value(attr, value, size, is_timeout ? NUMBER : POINTER);
	if (ret)
		return ret;
	if (is_timeout)
		memcpy(&timeout, value, sizeof(timeout));
	if (timeout < -1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr = %d: %d ms is no time limit; pass -1 for none",
			attr, timeout);
	vnpu_lock(&config->lock);
	if (attr == ACL_MDL_STREAM_SYNC_TIMEOUT)
		config->config.timeout = timeout ? timeout : -1;
	else if (attr == ACL_MDL_WORK_ADDR_PTR)
		memcpy(&config->config.work, value, size);
	else if (attr == ACL_MDL_WORK_SIZET)
		memcpy(&config->config.work_size, value, size);
	vnpu_unlock(&config->lock);
	return ACL_SUCCESS;
}

aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *handle,
				aclmdlExecConfigAttr attr,
				const void *attrValue, size_t valueSize)
{
	VNPU_CALL();
	struct run_config *config =
		vnpu_handle_get(VNPU_HANDLE_MODEL_RUN_CONFIG, handle);
	aclError ret;

	if (!config)
		return not_a_run(handle);
	ret = set_run(config, attr, attrValue, valueSize);
	run_put(handle, config);
	return ret;
}

aclError vnpu_run_config_get(const aclmdlExecConfigHandle *handle,
			     struct vnpu_run_config *config)
{
	struct run_config *found;

	*config = (struct vnpu_run_config){ .timeout = -1 };
	if (!handle)
		return ACL_SUCCESS;
	found = vnpu_handle_get(VNPU_HANDLE_MODEL_RUN_CONFIG, handle);
	if (!found)
		return not_a_run(handle);
	vnpu_lock(&found->lock);
	*config = found->config;
	vnpu_unlock(&found->lock);
	run_put(handle, found);
	return ACL_SUCCESS;
}
