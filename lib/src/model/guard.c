// SPDX-License-Identifier: MIT
/*
 * Models that a failure ends.
 *
 * A run of a model with collective operations exchanges notifies with the runs of
 * other processes.  If it fails, or ends early, some of them stay set, and
 * would satisfy waits of the next run too early.  So there is no next run.
 */
#include "base/error.h"
#include "io/io_graph.h"
#include "guard.h"
#include "model_alive.h"

void vnpu_collective_model_guard(aclmdlRI handle)
{
	struct vnpu_model *model;

	/* Guard the outermost model: that is the one that the program runs. */
	while ((model = vnpu_handle_get(VNPU_HANDLE_MODEL, handle))) {
		atomic_store(&model->is_guarded, true);
		handle = vnpu_u64_to_ptr(model->parent);
		vnpu_model_put(model);
	}
}

static bool has_failed(const struct vnpu_model *model)
{
	struct vnpu_io_graph_failure failure;

	return !vnpu_io_graph_query(vnpu_model_run_id(model), 0, 0,
				    &failure) && failure.error;
}

bool vnpu_collective_model_has_failed(aclmdlRI handle)
{
	struct vnpu_model *model = vnpu_handle_get(VNPU_HANDLE_MODEL, handle);
	bool ret;

	if (!model)
		return false;
	ret = atomic_load(&model->is_ready) && has_failed(model);
	vnpu_model_put(model);
	return ret;
}

bool vnpu_model_was_aborted(const struct vnpu_model_run *run)
{
	return run->aborts != atomic_load(&run->stream->aborts);
}

aclError vnpu_model_refuse_failed(struct vnpu_model *model)
{
	bool was_aborted = model->was_aborted;

	if (!atomic_load(&model->is_guarded))
		return ACL_SUCCESS;
	for (uint32_t i = 0; i < model->nr_runs; i++)
		was_aborted |= vnpu_model_was_aborted(&model->runs[i]);
	if (!was_aborted && !has_failed(model))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_MODEL_EXECUTE,
		"model %u has collective operations, and %s; capture it again, on all ranks",
		model->number, was_aborted ?
		"a stream that ran it was aborted" : "an earlier run has failed");
}
