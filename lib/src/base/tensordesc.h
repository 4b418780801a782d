/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of tensors, which programs pass to models.
 */
#ifndef VNPU_LIB_TENSORDESC_H
#define VNPU_LIB_TENSORDESC_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base_mdl.h"

#define VNPU_TENSOR_DESC_DIMS	128

/* What a description says. */
struct vnpu_tensor_desc {
	aclDataType type;
	aclFormat format;
	size_t rank;
	int64_t dims[VNPU_TENSOR_DESC_DIMS];
};

/* Read a description; false if it is NULL, or was destroyed. */
bool vnpu_tensor_desc_get(const aclTensorDesc *handle,
			  struct vnpu_tensor_desc *desc);

/* Change its sizes, at most VNPU_TENSOR_DESC_DIMS; false as above. */
bool vnpu_tensor_desc_set_dims(const aclTensorDesc *handle, size_t rank,
			       const int64_t *dims);

/* Make a description; NULL without host memory. */
aclTensorDesc *vnpu_tensor_desc_create(const struct vnpu_tensor_desc *desc);

#endif /* VNPU_LIB_TENSORDESC_H */
