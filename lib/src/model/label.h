/* SPDX-License-Identifier: MIT */
/* Labels of streams of models, and lists of them: see acl_rt_label.h. */
#ifndef VNPU_LIB_MODEL_LABEL_H
#define VNPU_LIB_MODEL_LABEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_label {
	uint64_t handle;	/* constant, like the next */
	uint64_t context;	/* handle */
	_Atomic uint64_t model;	/* handle of the model in which it is set, or
				 * is about to be; else 0 */
	/* Protected by the lock of this model: */
	bool is_set;
	uint32_t lane;
	uint32_t index;		/* of the task that it marks */
};

/* All members are constant. */
struct vnpu_label_list {
	uint64_t handle;
	uint64_t context;
	uint32_t count;
	struct vnpu_label *labels[];	/* with a reference to each */
};

/* Get a reference to a label or list of the current context. */
aclError vnpu_label_get(aclrtLabel handle, struct vnpu_label **label);
void vnpu_label_put(struct vnpu_label *label);
aclError vnpu_label_list_get(aclrtLabelList handle,
			     struct vnpu_label_list **list);
void vnpu_label_list_put(struct vnpu_label_list *list);

#endif /* VNPU_LIB_MODEL_LABEL_H */
