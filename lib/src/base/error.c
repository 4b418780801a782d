// SPDX-License-Identifier: MIT
/*
 * Errors, see error.h.  Only this file has tables from errno to aclError: one
 * for calls of the driver, one for tasks of streams.
 *
 * The last error and the messages belong to a thread.  With err_msg_mode 1 in
 * the file of aclInit(), or for a thread without memory of its own, the
 * messages belong to the process.  Messages accumulate, the newest first, until
 * they are fetched.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "error.h"
#include "fork.h"
#include "local.h"
#include "log.h"
#include "util.h"

#define MESSAGE_MAX	1024
#define MESSAGES_MAX	4096

/* Messages, separated by newlines; the oldest is the last. */
struct messages {
	char collected[MESSAGES_MAX];
	char fetched[MESSAGES_MAX];	/* valid until the next fetch */
};

__thread const char *vnpu_call_name;
static __thread aclError last_error;
/* A struct messages, or NULL; those of the process without memory for it. */
static __thread void *thread_messages;

static atomic_bool messages_shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct messages shared_messages;		/* protected by shared_lock */

/* Own texts: those of the C library are about files and disks. */
static const struct {
	int err;
	aclError code;
	const char *words;
} errno_table[] = {
	{ ENOSPC,	ACL_ERROR_RT_MEMORY_ALLOCATION,
	  "not enough device memory" },
	{ EDQUOT,	ACL_ERROR_RT_MEMORY_ALLOCATION,
	  "a quota or resource limit would be exceeded" },
	{ EADDRNOTAVAIL, ACL_ERROR_RT_MEMORY_ALLOCATION,
	  "this process has no such range of device addresses left" },
	{ ENOMEM,	ACL_ERROR_RT_MEMORY_ALLOCATION,
	  "not enough host memory" },
	{ EINVAL,	ACL_ERROR_RT_PARAM_INVALID,
	  "invalid argument" },
	{ EFAULT,	ACL_ERROR_RT_PARAM_INVALID,
	  "an address has no such memory" },
	{ ENOENT,	ACL_ERROR_RT_PARAM_INVALID,
	  "the object does not exist" },
	{ EEXIST,	ACL_ERROR_RT_PARAM_INVALID,
	  "the address range is already taken" },
	{ EBADF,	ACL_ERROR_RT_PARAM_INVALID,
	  "the file descriptor is not open" },
	{ EOVERFLOW,	ACL_ERROR_RT_PARAM_INVALID,
	  "an address or length overflows" },
	{ EPERM,	ACL_ERROR_RT_NO_PERMISSION,
	  "this process lacks a permission" },
	{ EACCES,	ACL_ERROR_RT_NO_PERMISSION,
	  "the access was not granted" },
	{ ENODEV,	ACL_ERROR_RT_NO_DEVICE,
	  "the device does not exist, or is gone" },
	{ ENXIO,	ACL_ERROR_RT_NO_DEVICE,
	  "the driver is not loaded" },
	{ EPROTO,	ACL_ERROR_RT_NO_DEVICE,
	  "the driver is older than this library needs" },
	{ EPROTONOSUPPORT, ACL_ERROR_RT_NO_DEVICE,
	  "the library is too old for the driver" },
	{ ENOTTY,	ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	  "the driver does not know this call" },
	{ EOPNOTSUPP,	ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	  "the driver does not support this use of the call" },
	{ ETIMEDOUT,	ACL_ERROR_RT_WAIT_TIMEOUT,
	  "the time limit has expired" },
	{ EIO,		ACL_ERROR_RT_DEVICE_MEM_ERROR,
	  "the device has failed" },
	{ EBUSY,	ACL_ERROR_RT_DRV_INTERNAL_ERROR,
	  "the object is in use" },
	{ EINTR,	ACL_ERROR_RT_DRV_INTERNAL_ERROR,
	  "a fatal signal interrupted the call" },
};

/*
 * The errors of tasks, see linux/vnpu_task.h.  On hardware, an address that is
 * not mapped, or not granted, stops the DMA engine that accesses it.
 */
static const struct {
	uint32_t err;
	aclError code;
} task_table[] = {
	{ EFAULT,	ACL_ERROR_RT_SYS_DMA },
	{ EACCES,	ACL_ERROR_RT_SYS_DMA },
	{ EINVAL,	ACL_ERROR_RT_PARAM_INVALID },
	{ EOPNOTSUPP,	ACL_ERROR_RT_PARAM_INVALID },
	{ EOVERFLOW,	ACL_ERROR_RT_PARAM_INVALID },
	{ ENOENT,	ACL_ERROR_RT_INVALID_HANDLE },
	{ ETIMEDOUT,	ACL_ERROR_RT_TASK_TIMEOUT },
	{ EIO,		ACL_ERROR_RT_DEVICE_TASK_ABORT },
	{ ECONNRESET,	ACL_ERROR_RT_DEVICE_TASK_ABORT },
	{ ENODEV,	ACL_ERROR_RT_LOST_HEARTBEAT },
	{ ECANCELED,	ACL_ERROR_RT_STREAM_ABORT },
};

#define CODE(name)	{ name, #name }

static const struct {
	aclError code;
	const char *name;
} code_names[] = {
	{ 100000, "ACL_ERROR_INVALID_PARAM" },
	{ 100002, "ACL_ERROR_REPEAT_INITIALIZE" },
	{ 100003, "ACL_ERROR_INVALID_FILE" },
	{ 100004, "ACL_ERROR_WRITE_FILE" },
	{ 100006, "ACL_ERROR_PARSE_FILE" },
	{ 100009, "ACL_ERROR_INVALID_DUMP_CONFIG" },
	{ 100037, "ACL_ERROR_REPEAT_FINALIZE" },
	{ 100044, "ACL_ERROR_DUMP_ALREADY_RUN" },
	{ 100045, "ACL_ERROR_DUMP_NOT_RUN" },
	{ 200000, "ACL_ERROR_BAD_ALLOC" },
	{ 200006, "ACL_ERROR_FEATURE_UNSUPPORTED" },
	CODE(ACL_ERROR_RT_PARAM_INVALID),
	CODE(ACL_ERROR_RT_INVALID_DEVICEID),
	CODE(ACL_ERROR_RT_CONTEXT_NULL),
	CODE(ACL_ERROR_RT_STREAM_CONTEXT),
	CODE(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID),
	CODE(ACL_ERROR_RT_STREAM_SUBSCRIBE),
	CODE(ACL_ERROR_RT_THREAD_SUBSCRIBE),
	CODE(ACL_ERROR_RT_GROUP_NOT_CREATE),
	CODE(ACL_ERROR_RT_STREAM_NO_CB_REG),
	CODE(ACL_ERROR_RT_INVALID_HANDLE),
	CODE(ACL_ERROR_RT_WAIT_TIMEOUT),
	CODE(ACL_ERROR_RT_TASK_TIMEOUT),
	CODE(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET),
	CODE(ACL_ERROR_RT_DEVICE_TASK_ABORT),
	CODE(ACL_ERROR_RT_STREAM_ABORT),
	CODE(ACL_ERROR_RT_STREAM_CAPTURED),
	CODE(ACL_ERROR_RT_STREAM_NOT_CAPTURED),
	CODE(ACL_ERROR_STREAM_TASK_GROUP_STATUS),
	CODE(ACL_ERROR_STREAM_TASK_GROUP_INTR),
	CODE(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY),
	CODE(ACL_ERROR_RT_MODEL_UPDATE_FAILED),
	CODE(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING),
	CODE(ACL_ERROR_RT_SYMBOL_NOT_FOUND),
	CODE(ACL_ERROR_RT_INVALID_SYMBOL),
	CODE(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION),
	CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
	CODE(ACL_ERROR_RT_MEMORY_ALLOCATION),
	CODE(ACL_ERROR_RT_NO_DEVICE),
	CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL),
	CODE(ACL_ERROR_RT_NO_PERMISSION),
	CODE(ACL_ERROR_RT_NO_EVENT_RESOURCE),
	CODE(ACL_ERROR_RT_NO_STREAM_RESOURCE),
	CODE(ACL_ERROR_RT_NO_NOTIFY_RESOURCE),
	CODE(ACL_ERROR_RT_TIMEOUT),
	CODE(ACL_ERROR_RT_INTERNAL_ERROR),
	CODE(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR),
	CODE(ACL_ERROR_RT_LOST_HEARTBEAT),
	CODE(ACL_ERROR_RT_REPORT_TIMEOUT),
	CODE(ACL_ERROR_RT_SYS_DMA),
	CODE(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT),
	CODE(ACL_ERROR_RT_AICORE_TIMEOUT),
	CODE(ACL_ERROR_RT_AICORE_EXCEPTION),
	CODE(ACL_ERROR_RT_AICORE_TRAP_EXCEPTION),
	CODE(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT),
	CODE(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION),
	CODE(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION),
	CODE(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT),
	CODE(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT),
	CODE(ACL_ERROR_RT_DEVICE_MEM_ERROR),
	CODE(ACL_ERROR_RT_DRV_INTERNAL_ERROR),
	CODE(ACL_ERROR_SNAPSHOT_LOCK_FAILED),
	CODE(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED),
	CODE(ACL_ERROR_SNAPSHOT_BACKUP_FAILED),
	CODE(ACL_ERROR_SNAPSHOT_RESTORE_FAILED),
	CODE(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
	CODE(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED),
	CODE(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED),
	CODE(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED),
};

static const char *code_name(aclError code)
{
	for (size_t i = 0; i < ARRAY_SIZE(code_names); i++)
		if (code_names[i].code == code)
			return code_names[i].name;
	return "error";
}

/* The runtime's codes are 107xxx, 207xxx and 507xxx. */
static bool is_runtime_code(aclError code)
{
	return code / 1000 % 100 == 7;
}

/* Prepend a message, dropping the oldest ones if necessary. */
static void messages_add(struct messages *messages, const char *text)
{
	size_t length = strlen(text);
	size_t kept = strlen(messages->collected);

	if (kept) {
		const size_t room = MESSAGES_MAX - 1 - length - 1;

		while (kept > room) {
			messages->collected[kept] = '\0';
			char *newline = strrchr(messages->collected, '\n');

			kept = newline ? newline - messages->collected : 0;
		}
	}
	if (kept) {
		memmove(messages->collected + length + 1, messages->collected,
			kept);
		messages->collected[length] = '\n';
		messages->collected[length + 1 + kept] = '\0';
	} else {
		messages->collected[length] = '\0';
	}
	memcpy(messages->collected, text, length);
}

static void shared_add(const char *text)
{
	pthread_mutex_lock(&shared_lock);
	messages_add(&shared_messages, text);
	pthread_mutex_unlock(&shared_lock);
}

static const char *messages_fetch(struct messages *messages)
{
	if (!messages->collected[0])
		return NULL;
	memcpy(messages->fetched, messages->collected,
	       strlen(messages->collected) + 1);
	messages->collected[0] = '\0';
	return messages->fetched;
}

static void report(const char *text)
{
	if (atomic_load_explicit(&messages_shared, memory_order_relaxed)) {
		shared_add(text);
		return;
	}
	if (!vnpu_local_get(&thread_messages, sizeof(struct messages)))
		thread_messages = &shared_messages;
	if (thread_messages == &shared_messages)
		shared_add(text);
	else
		messages_add(thread_messages, text);
}

aclError vnpu_error(aclError code, const char *fmt, ...)
{
	const char *call = vnpu_call_name ? vnpu_call_name : "libvnpu";
	char text[MESSAGE_MAX];
	va_list args;
	int length;

	length = snprintf(text, sizeof(text), "%s: %s (%d): ", call,
			  code_name(code), code);
	va_start(args, fmt);
	vsnprintf(text + length, sizeof(text) - length, fmt, args);
	va_end(args);

	if (is_runtime_code(code))
		last_error = code;

	report(text);
	vnpu_log(ACL_ERROR, call, "%s", text);
	return code;
}

aclError vnpu_error_null(const char *argument)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
			  "%s is NULL; pass a valid pointer", argument);
}

aclError vnpu_error_errno(int err, const char *what)
{
	aclError code = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	const char *words = NULL;

	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	for (size_t i = 0; i < ARRAY_SIZE(errno_table); i++) {
		if (errno_table[i].err == -err) {
			code = errno_table[i].code;
			words = errno_table[i].words;
		}
	}
	return vnpu_error(code, "%s failed with %s: %s", what,
			  strerrorname_np(-err),
			  words ? words : strerrordesc_np(-err));
}

aclError vnpu_error_task_code(uint32_t err, uint64_t addr)
{
	/* A memory error has an address, unlike the reset of a device. */
	if (err == EIO && addr)
		return ACL_ERROR_RT_DEVICE_MEM_ERROR;
	for (size_t i = 0; i < ARRAY_SIZE(task_table); i++)
		if (task_table[i].err == err)
			return task_table[i].code;
	return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

aclError vnpu_error_open(int err)
{
	switch (err) {
	case -EPERM:
		if (vnpu_is_forked())
			return vnpu_error(ACL_ERROR_RT_NO_PERMISSION,
				"this process was forked from one that used the device, and cannot use it; fork before the first AscendCL call, or call exec");
		/* fallthrough */
	case -EACCES:
		return vnpu_error(ACL_ERROR_RT_NO_PERMISSION,
			VNPU_NODE " cannot be opened by this user; add the user to the group that owns it (vnpu), or pass it into the container with its group");
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		return vnpu_error(ACL_ERROR_RT_NO_DEVICE,
			"cannot find " VNPU_NODE "; load the kernel module vnpu (modprobe vnpu), or run the program under vnpu-vm");
	case -EPROTO:
		return vnpu_error(ACL_ERROR_RT_NO_DEVICE,
			"the driver behind " VNPU_NODE " is older than this library needs; load a kernel module vnpu at least as new as the library (modinfo vnpu)");
	case -EPROTONOSUPPORT:
		return vnpu_error(ACL_ERROR_RT_NO_DEVICE,
			"the driver behind " VNPU_NODE " no longer supports this library, which is too old; install the libvnpu that came with the driver, or build the program's container with it");
	case -ENOMEM:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"this process has no room for at least 1 GiB of device addresses; raise the limit of its address space (ulimit -v)");
	default:
		return vnpu_error_errno(err, "opening " VNPU_NODE);
	}
}

void vnpu_error_share_messages(bool share)
{
	atomic_store(&messages_shared, share);
}

void vnpu_error_lock(void)
{
	pthread_mutex_lock(&shared_lock);
}

void vnpu_error_unlock(void)
{
	pthread_mutex_unlock(&shared_lock);
}

static const char *shared_fetch(void)
{
	const char *text;

	pthread_mutex_lock(&shared_lock);
	text = messages_fetch(&shared_messages);
	pthread_mutex_unlock(&shared_lock);
	return text;
}

const char *aclGetRecentErrMsg(void)
{
	if (atomic_load_explicit(&messages_shared, memory_order_relaxed))
		return shared_fetch();
	if (!thread_messages)
		return NULL;
	if (thread_messages != &shared_messages)
		return messages_fetch(thread_messages);
	/* There may be memory for the next message. */
	thread_messages = NULL;
	return shared_fetch();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	VNPU_CALL();

	if (level != ACL_RT_THREAD_LEVEL)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "level = %d is not known; use ACL_RT_THREAD_LEVEL",
				  level);
	return last_error;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
	VNPU_CALL();
	aclError code;

	if (level != ACL_RT_THREAD_LEVEL)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "level = %d is not known; use ACL_RT_THREAD_LEVEL",
				  level);
	code = last_error;
	last_error = ACL_SUCCESS;
	return code;
}
