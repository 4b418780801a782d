// SPDX-License-Identifier: MIT
/* Loading offline models. */
#include "base/error.h"
#include "base/gate.h"
#include "offline.h"

#include "acl/acl_mdl.h"

static struct vnpu_offline_memory given(const void *work, size_t work_size,
					const void *weights,
					size_t weights_size)
{
	return (struct vnpu_offline_memory){
		.work = vnpu_ptr_to_u64(work),
		.work_size = work_size,
		.weights = vnpu_ptr_to_u64(weights),
		.weights_size = weights_size,
	};
}

/* A file costs time, so a missing context is found before. */
static aclError check(const uint32_t *number)
{
	struct vnpu_current current;

	vnpu_gate_pass();
	if (!number)
		return vnpu_error_null("modelId");
	return vnpu_context_current(&current);
}

static aclError load_file(const char *path,
			  const struct vnpu_offline_memory *memory,
			  uint32_t *number)
{
	struct vnpu_om *om;
	aclError ret = check(number);

	if (!ret)
		ret = vnpu_om_read(path, &om);
	return ret ? ret : vnpu_offline_load(om, memory, number);
}

static aclError load_bytes(const void *data, size_t size,
			   const struct vnpu_offline_memory *memory,
			   uint32_t *number)
{
	struct vnpu_om *om;
	aclError ret = check(number);

	if (!ret)
		ret = vnpu_om_copy(data, size, &om);
	return ret ? ret : vnpu_offline_load(om, memory, number);
}

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
	VNPU_CALL();
	struct vnpu_offline_memory memory = { 0 };

	return load_file(modelPath, &memory, modelId);
}

aclError aclmdlLoadFromMem(const void *model, size_t modelSize,
			   uint32_t *modelId)
{
	VNPU_CALL();
	struct vnpu_offline_memory memory = { 0 };

	return load_bytes(model, modelSize, &memory, modelId);
}

aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId,
				   void *workPtr, size_t workSize,
				   void *weightPtr, size_t weightSize)
{
	VNPU_CALL();
	struct vnpu_offline_memory memory =
		given(workPtr, workSize, weightPtr, weightSize);

	return load_file(modelPath, &memory, modelId);
}

aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize,
				  uint32_t *modelId, void *workPtr,
				  size_t workSize, void *weightPtr,
				  size_t weightSize)
{
	VNPU_CALL();
	struct vnpu_offline_memory memory =
		given(workPtr, workSize, weightPtr, weightSize);

	return load_bytes(model, modelSize, &memory, modelId);
}

aclError aclmdlUnload(uint32_t modelId)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_offline_get(modelId, &model);
	if (ret)
		return ret;
	ret = vnpu_offline_unload(model);
	vnpu_offline_put(model);
	return ret;
}

static aclError check_sizes(const size_t *work, const size_t *weights)
{
	if (!work)
		return vnpu_error_null("workSize");
	return weights ? ACL_SUCCESS : vnpu_error_null("weightSize");
}

/* Get the sizes, and put the reference. */
static aclError get_sizes(struct vnpu_om *om, size_t *work, size_t *weights)
{
	*work = om_work(&om->om);
	*weights = om->om.head->weights_size;
	vnpu_om_put(om);
	return ACL_SUCCESS;
}

aclError aclmdlQuerySize(const char *fileName, size_t *workSize,
			 size_t *weightSize)
{
	VNPU_CALL();
	struct vnpu_om *om;
	aclError ret = check_sizes(workSize, weightSize);

	if (!ret)
		ret = vnpu_om_read(fileName, &om);
	return ret ? ret : get_sizes(om, workSize, weightSize);
}

aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize,
				size_t *workSize, size_t *weightSize)
{
	VNPU_CALL();
	struct vnpu_om *om;
	aclError ret = check_sizes(workSize, weightSize);

	if (!ret)
		ret = vnpu_om_copy(model, modelSize, &om);
	return ret ? ret : get_sizes(om, workSize, weightSize);
}
