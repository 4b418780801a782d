/* SPDX-License-Identifier: MIT */
/*
 * Datasets: lists of data buffers for the inputs or outputs of a model.
 */
#ifndef VNPU_LIB_OFFLINE_DATASET_H
#define VNPU_LIB_OFFLINE_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_mdl.h"
#include "base/lock.h"
#include "base/tensordesc.h"

/* A data buffer, and the description of its tensor or NULL. */
struct vnpu_dataset_entry {
	aclDataBuffer *buffer;
	aclTensorDesc *desc;	/* owned */
};

struct vnpu_dataset {
	struct vnpu_lock lock;	/* protects the rest */
	struct vnpu_dataset_entry *entries;
	size_t count;
	int64_t *values;	/* sizes that a gear was chosen by, or NULL */
	unsigned int value_count;
};

/* Get a dataset with a reference, or report an error. */
aclError vnpu_dataset_get(const char *argument, const aclmdlDataset *handle,
			  struct vnpu_dataset **dataset);
void vnpu_dataset_put(const aclmdlDataset *handle,
		      struct vnpu_dataset *dataset);

/* Describe the tensor of a buffer. */
aclError vnpu_dataset_describe(struct vnpu_dataset *dataset, size_t index,
			       const struct vnpu_tensor_desc *desc);

/* Store the sizes by which a gear was chosen. */
aclError vnpu_dataset_choose(struct vnpu_dataset *dataset,
			     const int64_t *values, unsigned int count);

/* Write host memory to that of an input, at once. */
aclError vnpu_dataset_write(const aclmdlDataset *handle, size_t index,
			    const void *from, size_t bytes);

#endif /* VNPU_LIB_OFFLINE_DATASET_H */
