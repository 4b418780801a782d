/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of models.
 *
 * A description refers to the content of the file.  The pointer that programs have
 * is a handle.
 */
#ifndef VNPU_LIB_OFFLINE_DESC_H
#define VNPU_LIB_OFFLINE_DESC_H

#include <stdbool.h>

#include "acl/acl_mdl.h"
#include "file.h"

/**
 * struct vnpu_desc_view - what a description says
 * @om: the content of the file, with a reference
 * @model: number of the model, or 0 if it was not loaded
 */
struct vnpu_desc_view {
	struct vnpu_om *om;
	uint32_t model;
};

/* Look at a description, or report an error; put the reference to om. */
aclError vnpu_desc_view(const aclmdlDesc *handle, struct vnpu_desc_view *view);

/* Likewise, but return false instead of reporting an error. */
bool vnpu_desc_peek(const aclmdlDesc *handle, struct vnpu_desc_view *view);

/* A tensor of a model, or the input that chooses a gear. */
struct vnpu_desc_tensor {
	const char *name;	/* as long as the content of the file exists */
	aclDataType type;
	aclFormat format;
	size_t bytes;		/* in the gear where it is largest */
	unsigned int rank;
	const int64_t *dims;	/* likewise; NULL for that input */
	unsigned int values;	/* of that input: the number of its elements */
};

/* Describe an input or output; false if there is none. */
bool vnpu_desc_tensor(const struct vnpu_om *om, bool is_output, size_t index,
		      struct vnpu_desc_tensor *tensor);

#endif /* VNPU_LIB_OFFLINE_DESC_H */
