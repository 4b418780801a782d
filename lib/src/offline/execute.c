// SPDX-License-Identifier: MIT
/* Calls that run offline models. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/capture.h"
#include "config.h"
#include "execute.h"

/* Set the work memory of a run. */
static aclError set_work(struct vnpu_execute *e,
			 const struct vnpu_run_config *config)
{
	uint64_t needed = om_work(&e->model->om->om);
	uint64_t work = vnpu_ptr_to_u64(config->work);

	e->where.work = work ? work : e->model->work;
	if (!work)
		return ACL_SUCCESS;
	if (config->work_size < needed)
		return vnpu_error(ACL_ERROR_GE_PARAM_INVALID,
			"ACL_MDL_WORK_SIZET = %zu is too small: model %u (%s) needs %llu bytes",
			config->work_size, e->model->number,
			vnpu_offline_name(e->model),
			(unsigned long long)needed);
	if (work % sizeof(uint64_t))
		return vnpu_error(ACL_ERROR_GE_PARAM_INVALID,
			"ACL_MDL_WORK_ADDR_PTR = %p is not a multiple of 8; pass an address of aclrtMalloc",
			config->work);
	return ACL_SUCCESS;
}

/* Refuse streams that the host does not wait for. */
static aclError check_wait(const struct vnpu_stream *stream)
{
	if (stream->flags & VNPU_STREAM_UNWAITED)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream %u has the flags 0x%x, and the host never waits for such a stream; call aclmdlExecuteAsyncV2",
			stream->number, stream->flags);
	/* A wait for a captured stream would never end. */
	return vnpu_capture_refuse(stream);
}

static aclError run(struct vnpu_execute *e,
		    const struct vnpu_run_config *config)
{
	aclError ret = set_work(e, config);

	e->where.timeout = e->waits ? config->timeout : -1;
	if (!ret && e->waits)
		ret = check_wait(e->stream);
	if (!ret)
		ret = vnpu_execute_bind(e);
	if (!ret)
		ret = vnpu_offline_submit(e->model, e->stream, &e->where);
	if (ret || !e->waits)
		return ret;
	ret = vnpu_stream_wait(e->stream, config->timeout);
	return ret ? ret : vnpu_execute_describe(e);
}

/* Run with room for the addresses. */
static aclError run_with_room(struct vnpu_execute *e,
			      const struct vnpu_run_config *config)
{
	const struct om_head *h = e->model->om->om.head;
	size_t count = (size_t)h->inputs + h->outputs + 1;
	aclError ret;

	e->buffers = calloc(count, sizeof(*e->buffers));
	e->io = calloc(count, sizeof(*e->io));
	e->where.io = e->io;
	if (e->buffers && e->io)
		ret = run(e, config);
	else
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory to run a model");
	free(e->buffers);
	free(e->io);
	return ret;
}

static aclError execute(struct vnpu_execute *e, uint32_t number,
			aclrtStream stream,
			const aclmdlExecConfigHandle *handle)
{
	struct vnpu_run_config config;
	aclError ret;

	vnpu_gate_pass();
	if (!e->input)
		return vnpu_error_null("input");
	ret = vnpu_run_config_get(handle, &config);
	if (!ret)
		ret = vnpu_dataset_get("output", e->output, &e->output_set);
	if (ret)
		return ret;
	ret = vnpu_offline_get(number, &e->model);
	if (ret)
		goto put_output;
	ret = vnpu_stream_get(stream, false, &e->stream);
	if (!ret) {
		ret = run_with_room(e, &config);
		vnpu_stream_put(e->stream);
	}
	vnpu_offline_put(e->model);
put_output:
	vnpu_dataset_put(e->output, e->output_set);
	return ret;
}

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input,
		       aclmdlDataset *output)
{
	VNPU_CALL();
	struct vnpu_execute e = {
		.input = input, .output = output, .waits = true,
	};

	return execute(&e, modelId, NULL, NULL);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input,
			    aclmdlDataset *output, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_execute e = { .input = input, .output = output };

	return execute(&e, modelId, stream, NULL);
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input,
			 aclmdlDataset *output, aclrtStream stream,
			 const aclmdlExecConfigHandle *handle)
{
	VNPU_CALL();
	struct vnpu_execute e = {
		.input = input, .output = output, .waits = true,
	};

	return execute(&e, modelId, stream, handle);
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input,
			      aclmdlDataset *output, aclrtStream stream,
			      const aclmdlExecConfigHandle *handle)
{
	VNPU_CALL();
	struct vnpu_execute e = { .input = input, .output = output };

	return execute(&e, modelId, stream, handle);
}
