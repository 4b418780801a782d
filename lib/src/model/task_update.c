// SPDX-License-Identifier: MIT
/*
 * Updates of single tasks of built models (aclrtTaskUpdateAsync).
 *
 * The new values are in device memory, where earlier tasks of the updating stream
 * may write them.  A task of the driver contains them, so the call waits for that
 * stream and reads them.  The update itself is a task of the stream.
 */
#include <stdlib.h>
#include <string.h>

#include "core/protocol.h"

#include "base/error.h"
#include "base/gate.h"
#include "kernel/core.h"
#include "launch/launch.h"
#include "stream/build.h"
#include "stream/copy.h"
#include "stream/random.h"
#include "stream/reslimit.h"
#include "update.h"

/* A kernel that an update has brought; each is in the list once. */
struct vnpu_used_function {
	struct vnpu_used_function *next;
	struct vnpu_function *function;	/* holds a reference */
};

/* What an update changes. */
struct change {
	aclrtUpdateTaskAttrId id;
	struct vnpu_stream *stream;	/* makes the change */
	struct vnpu_task random;	/* its addresses, seed and number */
	struct vnpu_function *function;	/* holds a reference; or NULL */
	uint32_t blocks;
};

void vnpu_model_free_used(struct vnpu_model *model)
{
	struct vnpu_used_function *used;

	while ((used = model->used)) {
		model->used = used->next;
		vnpu_function_put(used->function);
		free(used);
	}
}

/* Let the model keep the kernel, unless it does already. */
static aclError keep_locked(struct vnpu_model *model, struct change *change)
{
	struct vnpu_used_function *used;

	if (!change->function)
		return ACL_SUCCESS;
	for (used = model->used; used; used = used->next)
		if (used->function == change->function)
			return ACL_SUCCESS;
	used = malloc(sizeof(*used));
	if (!used)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to update a task");
	*used = (struct vnpu_used_function){ model->used, change->function };
	model->used = used;
	change->function = NULL;
	return ACL_SUCCESS;
}

static aclError wrong_type(uint32_t index, const char *want)
{
	return vnpu_error(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
		"task %u is not %s, which info->id requires", index, want);
}

static aclError change_random(const struct change *change, uint32_t index,
			      struct vnpu_task *task)
{
	if (task->op != VNPU_TASK_RANDOM)
		return wrong_type(index, "one of aclrtRandomNumAsync");
	task->dst = change->random.dst;
	task->src = change->random.src;
	task->length = change->random.length;
	task->arg0 = change->random.arg0;
	return ACL_SUCCESS;
}

/* The launch keeps its arguments and attributes. */
static aclError change_kernel(const struct change *change, uint32_t index,
			      struct vnpu_task *task)
{
	struct vnpu_launch launch = {
		.function = change->function,
		.blocks = change->blocks,
		.first = CORE_BLOCK_FIRST(task->arg1),
		.local_bytes = CORE_LOCAL_BYTES(task->arg2),
		.limits = CORE_LIMITS_OF(task->arg2),
		.timeout_ms = task->timeout_ms,
		.args_size = task->length,
	};
	aclError ret;

	if (task->op != VNPU_TASK_LAUNCH || task->arg0 == CORE_OPERATOR)
		return wrong_type(index, "the launch of a kernel");
	ret = vnpu_function_check_args(launch.function, &launch.args_size);
	if (!ret && launch.args_size > task->length)
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"task %u has %llu bytes of arguments, and the new kernel needs %zu; launch a kernel with as many",
			index, (unsigned long long)task->length,
			launch.args_size);
	if (!ret)
		ret = vnpu_reslimit_check(launch.function->cores,
					  launch.limits);
	if (!ret)
		ret = vnpu_launch_check_blocks(&launch);
	if (!ret)
		*task = vnpu_launch_task(&launch, task->src);
	return ret;
}

static struct vnpu_captured info_of_call(void)
{
	struct vnpu_captured info = { .kind = VNPU_CAPTURED_TASK };

	strncpy(info.call, vnpu_call_name, sizeof(info.call) - 1);
	return info;
}

static aclError submit_locked(struct vnpu_model *model, uint32_t lane,
			      uint32_t index, struct vnpu_stream *stream,
			      const struct vnpu_task *task)
{
	const struct vnpu_captured info = info_of_call();
	unsigned int aborts = atomic_load(&stream->aborts);
	struct vnpu_place at;
	aclError ret = ACL_SUCCESS;
	uint64_t seq;

	/* A task of a stream that never runs is in no graph. */
	if (vnpu_flow_find(model, lane, index, &at)) {
		ret = vnpu_model_reserve_run(model);
		if (!ret)
			ret = vnpu_update_submit(stream, &at, task, 1, &seq);
		if (!ret)
			vnpu_model_note_update(model, stream, seq, aborts);
	}
	if (!ret)
		vnpu_update_describe(model, lane, index, task, &info, 1);
	return ret;
}

static aclError update_locked(struct vnpu_model *model, uint32_t lane,
			      uint32_t index, struct change *change)
{
	const struct vnpu_lane *from = model->capture->lanes[lane];
	struct vnpu_task task;
	aclError ret;

	if (index >= from->count)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"taskId = %u is not a task of stream %u, which has %u; use aclrtGetThreadLastTaskId after the call that stores the task",
			index, from->number, from->count);
	task = from->tasks[index];
	ret = change->id == ACL_RT_UPDATE_RANDOM_TASK ?
	      change_random(change, index, &task) :
	      change_kernel(change, index, &task);
	if (!ret)
		ret = keep_locked(model, change);
	return ret ? ret : submit_locked(model, lane, index, change->stream,
					 &task);
}

/* Read a value from memory that a device can read. */
static aclError read_now(const char *name, const void *from, void *to,
			 size_t size)
{
	uint64_t va;

	if (!from)
		return vnpu_error_null(name);
	if (!vnpu_copy_reach(from, size, &va))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s = %p is memory that no device can read; use aclrtMalloc or aclrtMallocHost",
			name, from);
	return vnpu_copy(to, from, size);
}

static aclError read_random(const aclrtRandomTaskUpdateAttr *attr,
			    struct change *change)
{
	aclrtRandomNumTaskInfo info;
	aclError ret;

	if (attr->size != sizeof(info))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size = %zu is not the %zu bytes of an aclrtRandomNumTaskInfo",
			attr->size, sizeof(info));
	ret = read_now("srcAddr", attr->srcAddr, &info, sizeof(info));
	return ret ? ret : vnpu_random_change(change->stream, &info,
					      &change->random);
}

static aclError find_function(struct vnpu_binary *binary, uint64_t entry,
			      struct change *change)
{
	uint32_t index = vnpu_image_find_entry(&binary->image, entry);

	if (index == VNPU_KERNEL_NONE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s has no kernel with the entry %llu, which would be NAME_%llu",
			binary->name, (unsigned long long)entry,
			(unsigned long long)entry);
	change->function = vnpu_binary_function(binary, index);
	if (!change->function)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a kernel");
	if (binary->image.is_foreign)
		return vnpu_binary_foreign(change->function);
	return vnpu_core_use(change->stream->context->device, binary);
}

static aclError read_kernel(const aclrtAicAivTaskUpdateAttr *attr,
			    struct change *change)
{
	struct vnpu_binary *binary;
	uint64_t entry;
	aclError ret = vnpu_binary_get(attr->binHandle, &binary);

	if (ret)
		return ret;
	ret = read_now("funcEntryAddr", attr->funcEntryAddr, &entry,
		       sizeof(entry));
	if (!ret)
		ret = read_now("blockDimAddr", attr->blockDimAddr,
			       &change->blocks, sizeof(change->blocks));
	if (!ret)
		ret = find_function(binary, entry, change);
	vnpu_binary_put(binary);
	return ret;
}

static aclError check(const aclrtTaskUpdateInfo *info)
{
	const uint32_t *reserved = info->id == ACL_RT_UPDATE_RANDOM_TASK ?
				   info->val.randomTaskAttr.rsv :
				   info->val.aicAivTaskAttr.rsv;

	if (info->id != ACL_RT_UPDATE_RANDOM_TASK &&
	    info->id != ACL_RT_UPDATE_AIC_AIV_TASK)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"info->id = %d is not known; use ACL_RT_UPDATE_RANDOM_TASK or ACL_RT_UPDATE_AIC_AIV_TASK",
			info->id);
	if (reserved[0] || reserved[1] || reserved[2] || reserved[3])
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "rsv is reserved; set it to 0");
	return ACL_SUCCESS;
}

/* Read what the earlier tasks of the stream have written. */
static aclError read_change(const aclrtTaskUpdateInfo *info,
			    struct change *change)
{
	aclError ret = vnpu_capture_refuse(change->stream);

	if (!ret)
		ret = vnpu_capture_wait_now(change->stream);
	if (ret)
		return ret;
	return info->id == ACL_RT_UPDATE_RANDOM_TASK ?
	       read_random(&info->val.randomTaskAttr, change) :
	       read_kernel(&info->val.aicAivTaskAttr, change);
}

static aclError update(struct vnpu_model *model, uint32_t lane, uint32_t index,
		       const aclrtTaskUpdateInfo *info, aclrtStream stream)
{
	struct change change = { .id = info->id };
	aclError ret = vnpu_stream_get(stream, false, &change.stream);

	if (ret)
		return ret;
	ret = read_change(info, &change);
	if (!ret) {
		pthread_mutex_lock(&model->lock);
		ret = update_locked(model, lane, index, &change);
		pthread_mutex_unlock(&model->lock);
	}
	if (change.function)
		vnpu_function_put(change.function);
	vnpu_stream_put(change.stream);
	return ret;
}

/* Get the model to which a stream is bound, and the index of its lane. */
static aclError find(aclrtStream handle, struct vnpu_model **model,
		     uint32_t *lane)
{
	struct vnpu_stream *stream;
	uint64_t bound;
	aclError ret;

	if (!handle)
		return vnpu_error_null("taskStream");
	ret = vnpu_stream_get(handle, false, &stream);
	if (ret)
		return ret;
	ret = vnpu_build_model(stream, &bound);
	if (!ret)
		ret = vnpu_model_get_ready(vnpu_u64_to_ptr(bound), model);
	if (!ret) {
		ret = vnpu_build_lane((*model)->capture, stream, lane);
		if (ret)
			vnpu_model_put(*model);
	}
	vnpu_stream_put(stream);
	return ret;
}

aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId,
			      aclrtTaskUpdateInfo *info, aclrtStream execStream)
{
	VNPU_CALL();
	struct vnpu_model *model;
	uint32_t lane;
	aclError ret;

	vnpu_gate_pass();
	if (!info)
		return vnpu_error_null("info");
	ret = check(info);
	if (!ret)
		ret = find(taskStream, &model, &lane);
	if (ret)
		return ret;
	ret = update(model, lane, taskId, info, execStream);
	vnpu_model_put(model);
	return ret;
}
