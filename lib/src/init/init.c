// SPDX-License-Identifier: MIT
/*
 * Start and end: aclInit(), aclFinalize(), their callbacks and configuration.
 *
 * As in CANN, no other call needs aclInit(): it counts references, reads the
 * configuration and calls the callbacks.  Of the configuration, dump,
 * err_msg_mode and defaultDevice have an effect; the rest is about profiles and
 * kernels.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/json.h"
#include "base/textfile.h"
#include "device/set.h"
#include "dump/dump.h"
#include "kernel/core.h"
#include "pool/default.h"
#include "runtime/device.h"

struct callback {
	struct callback *next;
	uint64_t number;			/* increases along the list */
	aclRegisterCallbackType type;
	aclInitCallbackFunc init;		/* one of init and finalize */
	aclFinalizeCallbackFunc finalize;
	void *data;
};

/* Callbacks are called without the lock, because they may call the library. */
static pthread_mutex_t init_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static uint64_t references;
static char *config;			/* "" without a file; while started */
static struct callback *callbacks;	/* in the order of registration */
static uint64_t next_number;		/* of the next callback */

void vnpu_init_lock(void)
{
	pthread_mutex_lock(&init_mutex);
}

void vnpu_init_unlock(void)
{
	pthread_mutex_unlock(&init_mutex);
}

static aclError config_apply(const char *path, const char *text)
{
	static const char *const mode_path[] = { "err_msg_mode" };
	static const char *const device_path[] = {
		"defaultDevice", "default_device"
	};
	char mode[8], device[32];
	char *end = device;
	long number = -1;
	aclError ret;

	if (vnpu_json_get(text, strlen(text), mode_path, 1, mode,
			  sizeof(mode)) ||
	    vnpu_json_get(text, strlen(text), device_path, 2, device,
			  sizeof(device)))
		return vnpu_error(ACL_ERROR_PARSE_FILE,
			"configPath = \"%s\" does not contain a JSON object (nested at most ten deep); correct it, or pass NULL",
			path);
	if (*device) {
		number = strtol(device, &end, 10);
		if (*end || number < 0 || number > INT32_MAX)
			return vnpu_error(ACL_ERROR_PARSE_FILE,
				"default_device = \"%s\" in \"%s\" is not a device number; use 0 or more",
				device, path);
	}
	ret = vnpu_dump_configure(path, text);
	if (ret)
		return ret;
	vnpu_error_share_messages(!strcmp(mode, "1"));
	vnpu_device_set_default(number, vnpu_device_set);
	return ACL_SUCCESS;
}

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for it");
}

/*
 * Read the configuration into a string that the caller frees, "" without a
 * file.
 */
static aclError config_read(const char *path, char **text)
{
	int err;

	if (!path || !*path) {
		*text = strdup("");
		return *text ? ACL_SUCCESS : no_memory();
	}
	err = vnpu_text_read(path, text);
	if (err == -ENOMEM)
		return no_memory();
	return err ? vnpu_error(ACL_ERROR_INVALID_FILE,
		"configPath = \"%s\" cannot be read (%s); pass a readable JSON file, or NULL",
		path, strerrordesc_np(-err)) : ACL_SUCCESS;
}

/*
 * Apply the configuration, and copy it for callbacks, which run without the
 * lock.
 */
static aclError config_load(const char *path, char **text, char **copy)
{
	aclError ret = config_read(path, text);

	if (ret)
		return ret;
	*copy = strdup(*text);
	if (!*copy)
		ret = no_memory();
	else if (path && *path)
		ret = config_apply(path, *text);
	if (ret) {
		free(*copy);
		free(*text);
	}
	return ret;
}

/*
 * Get the next callback for the start or the end with a number from @from to
 * below @end.  The list may change while a callback runs.  A callback that is
 * removed in the meantime is not called.  One that is added has a number of at
 * least @end and is called the next time; for the start it was already called
 * when it was added.
 */
static bool callback_next(bool init, uint64_t *from, uint64_t end,
			  struct callback *copy)
{
	const struct callback *cb;

	vnpu_init_lock();
	cb = callbacks;
	while (cb && (cb->number < *from || (init ? !cb->init : !cb->finalize)))
		cb = cb->next;
	if (cb && cb->number >= end)
		cb = NULL;
	if (cb) {
		*copy = *cb;
		*from = cb->number + 1;
	}
	vnpu_init_unlock();
	return cb;
}

/* Call all callbacks; the result is that of the first failure. */
static aclError call_init(const char *text, uint64_t end)
{
	struct callback cb;
	uint64_t from = 0;
	aclError ret = ACL_SUCCESS;

	while (callback_next(true, &from, end, &cb)) {
		aclError err = cb.init(text, strlen(text), cb.data);

		if (!ret)
			ret = err;
	}
	return ret;
}

static aclError call_finalize(uint64_t end)
{
	struct callback cb;
	uint64_t from = 0;
	aclError ret = ACL_SUCCESS;

	while (callback_next(false, &from, end, &cb)) {
		aclError err = cb.finalize(cb.data);

		if (!ret)
			ret = err;
	}
	return ret;
}

/* Drop the configuration; the lock is held. */
static void config_drop(void)
{
	free(config);
	config = NULL;
	vnpu_dump_drop();
	vnpu_error_share_messages(false);
	vnpu_device_set_default(-1, NULL);
}

aclError aclInit(const char *configPath)
{
	VNPU_CALL();
	char *text = NULL, *copy;
	uint64_t end;
	aclError ret;

	vnpu_init_lock();
	if (references) {
		references++;
		vnpu_init_unlock();
		return vnpu_error(ACL_ERROR_REPEAT_INITIALIZE,
			"AscendCL is started already; the call took a reference, and this error may be ignored");
	}
	ret = config_load(configPath, &text, &copy);
	if (ret) {
		vnpu_init_unlock();
		return ret;
	}
	references = 1;
	config = text;
	end = next_number;
	vnpu_init_unlock();

	ret = call_init(copy, end);
	free(copy);
	if (ret) {
		vnpu_init_lock();
		references = 0;
		config_drop();
		vnpu_init_unlock();
		return vnpu_error(ret,
			"a callback of aclInitCallbackRegister failed; AscendCL is not started");
	}
	return ACL_SUCCESS;
}

static aclError finalize(bool all, uint64_t *left)
{
	bool was_started, is_last;
	uint64_t end;
	aclError ret;

	vnpu_init_lock();
	was_started = references;
	if (was_started)
		references = all ? 0 : references - 1;
	is_last = was_started && !references;
	if (is_last)
		config_drop();
	if (left)
		*left = references;
	end = next_number;
	vnpu_init_unlock();

	if (!was_started)
		return vnpu_error(ACL_ERROR_REPEAT_FINALIZE,
			"AscendCL is not started; call aclInit first, and finalize at most once per call");
	if (!is_last)
		return ACL_SUCCESS;
	vnpu_default_save();
	ret = call_finalize(end);
	/* Another launch would start them again. */
	vnpu_core_end_all();
	return ret;
}

aclError aclFinalize(void)
{
	VNPU_CALL();

	return finalize(true, NULL);
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	VNPU_CALL();

	return finalize(false, refCount);
}

static bool is_known_type(aclRegisterCallbackType type)
{
	return (unsigned int)type <= ACL_REG_TYPE_ACL_RETR ||
	       type == ACL_REG_TYPE_OTHER;
}

static aclError type_error(aclRegisterCallbackType type)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"type = %d is not known; use ACL_REG_TYPE_OTHER", type);
}

static bool is_same(const struct callback *a, const struct callback *b)
{
	return a->type == b->type && a->init == b->init &&
	       a->finalize == b->finalize;
}

/*
 * Register a callback.  Registering a pair again replaces its data.  If there
 * is a configuration, @text is set to a copy of it, unless @text is NULL.
 */
static aclError callback_register(const struct callback *wish, char **text)
{
	struct callback **link = &callbacks;
	struct callback *cb;

	if (!is_known_type(wish->type))
		return type_error(wish->type);

	vnpu_init_lock();
	if (text && config) {
		*text = strdup(config);
		if (!*text) {
			vnpu_init_unlock();
			return no_memory();
		}
	}
	while (*link && !is_same(*link, wish))
		link = &(*link)->next;
	cb = *link;
	if (!cb) {
		cb = malloc(sizeof(*cb));
		if (cb) {
			*cb = *wish;
			cb->number = next_number++;
			*link = cb;
		}
	} else {
		cb->data = wish->data;
	}
	vnpu_init_unlock();
	if (cb)
		return ACL_SUCCESS;
	if (text)
		free(*text);
	return no_memory();
}

static aclError callback_unregister(const struct callback *wish)
{
	struct callback **link = &callbacks;
	struct callback *cb;

	if (!is_known_type(wish->type))
		return type_error(wish->type);

	vnpu_init_lock();
	while (*link && !is_same(*link, wish))
		link = &(*link)->next;
	cb = *link;
	if (cb)
		*link = cb->next;
	vnpu_init_unlock();
	if (!cb)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"this function is not registered for type = %d",
			wish->type);
	free(cb);
	return ACL_SUCCESS;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type,
				 aclInitCallbackFunc cbFunc, void *userData)
{
	VNPU_CALL();
	struct callback cb = { .type = type, .init = cbFunc, .data = userData };
	char *text = NULL;
	aclError ret;

	if (!cbFunc)
		return vnpu_error_null("cbFunc");
	ret = callback_register(&cb, &text);
	if (ret || !text)
		return ret;
	ret = cbFunc(text, strlen(text), userData);
	free(text);
	return ret;
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
				   aclInitCallbackFunc cbFunc)
{
	VNPU_CALL();
	struct callback cb = { .type = type, .init = cbFunc };

	if (!cbFunc)
		return vnpu_error_null("cbFunc");
	return callback_unregister(&cb);
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
				     aclFinalizeCallbackFunc cbFunc,
				     void *userData)
{
	VNPU_CALL();
	struct callback cb = {
		.type = type,
		.finalize = cbFunc,
		.data = userData,
	};

	if (!cbFunc)
		return vnpu_error_null("cbFunc");
	return callback_register(&cb, NULL);
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
				       aclFinalizeCallbackFunc cbFunc)
{
	VNPU_CALL();
	struct callback cb = { .type = type, .finalize = cbFunc };

	if (!cbFunc)
		return vnpu_error_null("cbFunc");
	return callback_unregister(&cb);
}
