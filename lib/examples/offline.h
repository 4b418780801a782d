/* SPDX-License-Identifier: MIT */
/* For the examples with offline models: memory, datasets, and models. */
#ifndef EXAMPLES_OFFLINE_H
#define EXAMPLES_OFFLINE_H

#include "check.h"

/* A model, with the number of bytes of its first input and its output. */
struct offline {
	uint32_t id;
	aclmdlDesc *desc;
	size_t in;
	size_t out;
};

static void *device_memory(size_t size)
{
	void *memory;

	CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	return memory;
}

static void offline_load(struct offline *model, const char *folder,
			 const char *name)
{
	char path[4096];

	CHECK(snprintf(path, sizeof(path), "%s/%s.om", folder, name) >=
	      (int)sizeof(path));
	CHECK(aclmdlLoadFromFile(path, &model->id));
	model->desc = aclmdlCreateDesc();
	CHECK(!model->desc);
	CHECK(aclmdlGetDesc(model->desc, model->id));
	model->in = aclmdlGetInputSizeByIndex(model->desc, 0);
	model->out = aclmdlGetOutputSizeByIndex(model->desc, 0);
}

static void offline_unload(struct offline *model)
{
	CHECK(aclmdlDestroyDesc(model->desc));
	CHECK(aclmdlUnload(model->id));
}

/* Append memory to the inputs or outputs of a run. */
static void dataset_add(aclmdlDataset *set, void *memory, size_t size)
{
	aclDataBuffer *buffer = aclCreateDataBuffer(memory, size);

	CHECK(!buffer);
	CHECK(aclmdlAddDatasetBuffer(set, buffer));
}

/* Make the inputs or outputs of a run, which are one tensor. */
static aclmdlDataset *dataset_of(void *memory, size_t size)
{
	aclmdlDataset *set = aclmdlCreateDataset();

	CHECK(!set);
	dataset_add(set, memory, size);
	return set;
}

/* Destroy a dataset with its data buffers, but not their memory. */
static void dataset_destroy(aclmdlDataset *set)
{
	for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); i++)
		CHECK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(set, i)));
	CHECK(aclmdlDestroyDataset(set));
}

#endif /* EXAMPLES_OFFLINE_H */
