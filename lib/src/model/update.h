/* SPDX-License-Identifier: MIT */
/*
 * Updates of tasks: a task of a stream replaces tasks of a model's graph.
 *
 * The arguments and kernels of replaced groups stay until no run can use them any
 * more; kernels that replace another one in a single task stay as long as the model.
 */
#ifndef VNPU_LIB_MODEL_UPDATE_H
#define VNPU_LIB_MODEL_UPDATE_H

#include "flow.h"

/*
 * Replace the tasks of a group by those of an update, in the order of a stream;
 * takes over the update.
 */
aclError vnpu_model_update(struct vnpu_model *model, struct vnpu_stream *stream,
			   struct vnpu_capture *update);

/* Submit a task that replaces tasks of a graph. */
aclError vnpu_update_submit(struct vnpu_stream *stream,
			    const struct vnpu_place *first,
			    const struct vnpu_task *tasks, uint32_t count,
			    uint64_t *seq);

/* Show new tasks, from the one with the index @first on, in descriptions. */
void vnpu_update_describe(struct vnpu_model *model, uint32_t lane,
			  uint32_t first, const struct vnpu_task *tasks,
			  const struct vnpu_captured *infos, uint32_t count);

/* Free what replaced tasks of a model used; its runs are complete. */
void vnpu_model_free_retired(struct vnpu_model *model);

/* Free the kernels that aclrtTaskUpdateAsync() has brought, likewise. */
void vnpu_model_free_used(struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_UPDATE_H */
