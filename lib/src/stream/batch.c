// SPDX-License-Identifier: MIT
/*
 * Batches of copies.  The whole batch is checked before any copy is made.
 */
#include "base/error.h"
#include "base/gate.h"
#include "base/util.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "capture.h"
#include "copy.h"
#include "stream.h"
#include "timeout.h"

/* The number of tasks that are submitted together. */
#define TASKS	64

struct batch {
	void **dsts;
	const size_t *dest_maxs;
	void **srcs;
	const size_t *sizes;
	size_t count;
	const aclrtMemcpyBatchAttr *attrs;
	const size_t *indexes;
	size_t attr_count;
	size_t failed;		/* the copy that failed, or SIZE_MAX */
};

static aclError check_pointers(const struct batch *batch)
{
	const struct {
		const void *ptr;
		const char *name;
	} args[] = {
		{ batch->dsts, "dsts" },
		{ batch->dest_maxs, "destMaxs" },
		{ batch->srcs, "srcs" },
		{ batch->sizes, "sizes" },
		{ batch->attrs, "attrs" },
		{ batch->indexes, "attrsIndexes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		if (!args[i].ptr)
			return vnpu_error_null(args[i].name);
	if (!batch->count)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"numBatches is 0; pass at least 1 copy");
	return ACL_SUCCESS;
}

static aclError check_indexes(const struct batch *batch)
{
	if (!batch->attr_count || batch->attr_count > batch->count)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"numAttrs = %zu is not between 1 and numBatches = %zu",
			batch->attr_count, batch->count);
	if (batch->indexes[0])
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attrsIndexes[0] = %zu must be 0", batch->indexes[0]);
	for (size_t i = 1; i < batch->attr_count; i++)
		if (batch->indexes[i] <= batch->indexes[i - 1] ||
		    batch->indexes[i] >= batch->count)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"attrsIndexes[%zu] = %zu must be greater than the previous one, and less than numBatches = %zu",
				i, batch->indexes[i], batch->count);
	return ACL_SUCCESS;
}

/* Check whether an address is at the location of its attribute. */
static bool is_at(const void *addr, const aclrtMemLocation *location)
{
	uint64_t va = vnpu_ptr_to_u64(addr);
	struct vnpu_io_binding binding;
	bool is_host = addr;

	if (vnpu_io_is_device_address(va)) {
		if (vnpu_io_va_query(va, false, &binding))
			return false;
		is_host = binding.is_host;
	} else if (location->type == ACL_MEM_LOCATION_TYPE_DEVICE) {
		return false;
	}
	if (location->type == ACL_MEM_LOCATION_TYPE_HOST)
		return is_host;
	return location->type == ACL_MEM_LOCATION_TYPE_DEVICE && !is_host &&
	       (uint32_t)vnpu_device_user_number(binding.device) ==
	       location->id;
}

static aclError check_copy(const struct batch *batch, size_t i,
			   const aclrtMemcpyBatchAttr *attr)
{
	if (attr->dstLoc.type == attr->srcLoc.type)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"copy %zu: both locations of its attribute are of the same kind; one end must be the host, the other a device",
			i);
	if (!is_at(batch->dsts[i], &attr->dstLoc))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dsts[%zu] = %p does not match its attribute (type %d, id %u)",
			i, batch->dsts[i], attr->dstLoc.type, attr->dstLoc.id);
	if (!is_at(batch->srcs[i], &attr->srcLoc))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"srcs[%zu] = %p does not match its attribute (type %d, id %u)",
			i, batch->srcs[i], attr->srcLoc.type, attr->srcLoc.id);
	if (batch->sizes[i] > batch->dest_maxs[i])
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"sizes[%zu] = %zu is more than destMaxs[%zu] = %zu",
			i, batch->sizes[i], i, batch->dest_maxs[i]);
	return ACL_SUCCESS;
}

static aclError check_copies(struct batch *batch)
{
	size_t attr = 0;

	for (size_t i = 0; i < batch->count; i++) {
		aclError ret;

		if (attr + 1 < batch->attr_count &&
		    i == batch->indexes[attr + 1])
			attr++;
		ret = check_copy(batch, i, &batch->attrs[attr]);
		if (ret) {
			batch->failed = i;
			return ret;
		}
	}
	return ACL_SUCCESS;
}

static aclError check(struct batch *batch)
{
	struct vnpu_current current;
	aclError ret;

	batch->failed = SIZE_MAX;
	ret = check_pointers(batch);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = check_indexes(batch);
	return ret ? ret : check_copies(batch);
}

static aclError copy_now(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		aclError ret;

		if (!batch->sizes[i])
			continue;
		ret = vnpu_copy(batch->dsts[i], batch->srcs[i],
				batch->sizes[i]);
		if (ret) {
			batch->failed = i;
			return ret;
		}
	}
	return ACL_SUCCESS;
}

static aclError run(struct batch *batch)
{
	aclError ret = check(batch);

	vnpu_gate_pass();
	if (!ret)
		ret = vnpu_capture_check_now();
	return ret ? ret : copy_now(batch);
}

/*
 * Make the tasks of copies from @next on, up to the number that can be
 * submitted together, and advance @next; false if a task cannot access one.
 */
static bool make_tasks(const struct batch *batch, size_t *next,
		       struct vnpu_task *tasks, unsigned int *count)
{
	size_t i = *next;

	for (*count = 0; i < batch->count && *count < TASKS; i++) {
		uint64_t dst, src;

		if (!batch->sizes[i])
			continue;
		if (!vnpu_copy_reach(batch->dsts[i], batch->sizes[i], &dst) ||
		    !vnpu_copy_reach(batch->srcs[i], batch->sizes[i], &src))
			return false;
		tasks[(*count)++] = (struct vnpu_task){
			.op = VNPU_TASK_COPY,
			.timeout_ms = vnpu_timeout_execute(),
			.dst = dst,
			.src = src,
			.length = batch->sizes[i],
		};
	}
	*next = i;
	return true;
}

/*
 * Submit the copies that tasks can make.  From the first copy on that a task
 * cannot make, the host makes the rest: the copies of a batch are not ordered.
 */
static aclError submit(struct batch *batch, struct vnpu_stream *stream)
{
	struct vnpu_task tasks[TASKS];
	unsigned int count;
	size_t next = 0;
	aclError ret = ACL_SUCCESS;

	while (!ret && next < batch->count) {
		if (!make_tasks(batch, &next, tasks, &count)) {
			ret = vnpu_capture_wait_now(stream);
			return ret ? ret : copy_now(batch);
		}
		if (count)
			ret = vnpu_stream_submit(stream, tasks, count, NULL);
	}
	return ret;
}

static aclError run_async(struct batch *batch, aclrtStream handle)
{
	struct vnpu_stream *stream;
	aclError ret = check(batch);

	vnpu_gate_pass();
	if (!ret)
		ret = vnpu_stream_get(handle, false, &stream);
	if (ret)
		return ret;
	ret = submit(batch, stream);
	vnpu_stream_put(stream);
	return ret;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs,
			  size_t *sizes, size_t numBatches,
			  aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
			  size_t numAttrs, size_t *failIndex)
{
	VNPU_CALL();
	struct batch batch = {
		.dsts = dsts,
		.dest_maxs = destMaxs,
		.srcs = srcs,
		.sizes = sizes,
		.count = numBatches,
		.attrs = attrs,
		.indexes = attrsIndexes,
		.attr_count = numAttrs,
	};
	aclError ret;

	if (!failIndex)
		return vnpu_error_null("failIndex");
	ret = run(&batch);
	if (ret)
		*failIndex = batch.failed;
	return ret;
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs,
			    size_t *sizes, size_t numBatches,
			    aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
			    size_t numAttrs)
{
	VNPU_CALL();
	struct batch batch = {
		.dsts = dsts,
		.dest_maxs = destMaxs,
		.srcs = srcs,
		.sizes = sizes,
		.count = numBatches,
		.attrs = attrs,
		.indexes = attrsIndexes,
		.attr_count = numAttrs,
	};

	return run(&batch);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs,
			       size_t *sizes, size_t numBatches,
			       aclrtMemcpyBatchAttr *attrs,
			       size_t *attrsIndexes, size_t numAttrs,
			       size_t *failIndex, aclrtStream stream)
{
	VNPU_CALL();
	struct batch batch = {
		.dsts = dsts,
		.dest_maxs = destMaxs,
		.srcs = srcs,
		.sizes = sizes,
		.count = numBatches,
		.attrs = attrs,
		.indexes = attrsIndexes,
		.attr_count = numAttrs,
	};
	aclError ret;

	if (!failIndex)
		return vnpu_error_null("failIndex");
	ret = run_async(&batch, stream);
	if (ret)
		*failIndex = batch.failed;
	return ret;
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs,
				 size_t *sizes, size_t numBatches,
				 aclrtMemcpyBatchAttr *attrs,
				 size_t *attrsIndexes, size_t numAttrs,
				 aclrtStream stream)
{
	VNPU_CALL();
	struct batch batch = {
		.dsts = dsts,
		.dest_maxs = destMaxs,
		.srcs = srcs,
		.sizes = sizes,
		.count = numBatches,
		.attrs = attrs,
		.indexes = attrsIndexes,
		.attr_count = numAttrs,
	};

	return run_async(&batch, stream);
}
