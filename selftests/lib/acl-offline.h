/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of offline models: a loaded model with datasets, whose
 * inputs and expected outputs are those of offline_models.c.
 */
#ifndef SELFTESTS_LIB_ACL_OFFLINE_H
#define SELFTESTS_LIB_ACL_OFFLINE_H

#include "acl-kernel.h"
#include "acl-test.h"

#define TENSORS	4

struct model {
	uint32_t id;
	aclmdlDesc *desc;
	aclmdlDataset *in, *out;
	size_t inputs, outputs;	/* without the input that chooses a gear */
	char *io;		/* what the file has: see model_gear() */
	size_t io_size;
	/* Of the current gear: bytes, and where they begin in @io. */
	size_t bytes[TENSORS];
	char *data[TENSORS];
};

/* Get the path of a file of a model, which is beside the program. */
static inline const char *model_path(const char *name, const char *suffix)
{
	static __thread char path[PATH_MAX];
	char *slash;

	kernels_path(path, sizeof(path));
	slash = strrchr(path, '/');
	snprintf(slash, sizeof(path) - (slash - path), "/models/%s.%s", name,
		 suffix);
	return path;
}

/* Append a data buffer with device memory. */
static inline aclError add_memory(aclmdlDataset *set, size_t bytes)
{
	aclDataBuffer *buffer;
	void *memory = NULL;
	aclError err = bytes ? aclrtMalloc(&memory, bytes,
					   ACL_MEM_MALLOC_NORMAL_ONLY) : 0;

	buffer = err ? NULL : aclCreateDataBuffer(memory, bytes);
	if (!err)
		err = aclmdlAddDatasetBuffer(set, buffer);
	return err;
}

/* Get the device memory of a data buffer. */
static inline void *memory_of(const aclmdlDataset *set, size_t index)
{
	return aclGetDataBufferAddr(aclmdlGetDatasetBuffer(set, index));
}

/* Begin with the data of a gear whose tensors have these bytes. */
static inline void model_gear(struct model *m, size_t at, ...)
{
	va_list list;

	va_start(list, at);
	for (size_t i = 0; i < m->inputs + m->outputs; i++) {
		m->bytes[i] = va_arg(list, size_t);
		m->data[i] = m->io + at;
		at += m->bytes[i];
	}
	va_end(list);
}

/* Make datasets for a model that is loaded. */
static inline aclError model_open(struct model *m, const char *name)
{
	aclError err;
	size_t i;

	m->desc = aclmdlCreateDesc();
	m->in = aclmdlCreateDataset();
	m->out = aclmdlCreateDataset();
	err = aclmdlGetDesc(m->desc, m->id);
	m->inputs = aclmdlGetNumInputs(m->desc);
	m->outputs = aclmdlGetNumOutputs(m->desc);
	for (i = 0; !err && i < m->inputs; i++)
		err = add_memory(m->in, aclmdlGetInputSizeByIndex(m->desc, i));
	for (i = 0; !err && i < m->outputs; i++)
		err = add_memory(m->out,
				 aclmdlGetOutputSizeByIndex(m->desc, i));
	if (err)
		return err;
	if (!strcmp(aclmdlGetInputNameByIndex(m->desc, m->inputs - 1),
		    ACL_DYNAMIC_TENSOR_NAME))
		m->inputs--;
	m->io = read_all(model_path(name, "io"), &m->io_size);
	if (!m->io)
		return ACL_ERROR_INVALID_FILE;
	model_gear(m, 0, aclmdlGetInputSizeByIndex(m->desc, 0),
		   m->inputs > 1 ? aclmdlGetInputSizeByIndex(m->desc, 1) :
				   aclmdlGetOutputSizeByIndex(m->desc, 0),
		   aclmdlGetOutputSizeByIndex(m->desc, 0));
	return ACL_SUCCESS;
}

static inline aclError model_load(struct model *m, const char *name)
{
	aclError err;

	memset(m, 0, sizeof(*m));
	err = aclmdlLoadFromFile(model_path(name, "om"), &m->id);
	return err ? err : model_open(m, name);
}

static inline void drop_set(aclmdlDataset *set)
{
	for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); i++) {
		aclDataBuffer *buffer = aclmdlGetDatasetBuffer(set, i);

		if (aclGetDataBufferAddr(buffer))
			aclrtFree(aclGetDataBufferAddr(buffer));
		aclDestroyDataBuffer(buffer);
	}
	aclmdlDestroyDataset(set);
}

static inline aclError model_close(struct model *m)
{
	drop_set(m->in);
	drop_set(m->out);
	aclmdlDestroyDesc(m->desc);
	free(m->io);
	return aclmdlUnload(m->id);
}

/* Copy the inputs to the device, and fill the outputs with other bytes. */
static inline aclError model_put(const struct model *m)
{
	aclError err = ACL_SUCCESS;
	size_t i;

	for (i = 0; !err && i < m->inputs; i++)
		err = aclrtMemcpy(memory_of(m->in, i), m->bytes[i], m->data[i],
				  m->bytes[i], ACL_MEMCPY_HOST_TO_DEVICE);
	for (i = 0; !err && i < m->outputs; i++)
		err = aclrtMemset(memory_of(m->out, i), m->bytes[m->inputs + i],
				  0x5a, m->bytes[m->inputs + i]);
	return err;
}

/* Check that the outputs are as expected, to the bit. */
static inline bool model_is_right(const struct model *m)
{
	bool right = true;

	for (size_t i = 0; right && i < m->outputs; i++) {
		size_t bytes = m->bytes[m->inputs + i];
		char *host = malloc(bytes);

		right = !aclrtMemcpy(host, bytes, memory_of(m->out, i), bytes,
				     ACL_MEMCPY_DEVICE_TO_HOST) &&
			!memcmp(host, m->data[m->inputs + i], bytes);
		free(host);
	}
	return right;
}

#endif
