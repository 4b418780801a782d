// SPDX-License-Identifier: MIT
/* Runs of offline models: the outputs after a run. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stream/copy.h"
#include "execute.h"

/* Move the elements of an output together, as its sizes are smaller now. */
static aclError pack(const struct vnpu_execute *e, uint32_t output,
		     const int64_t *dims)
{
	uint32_t index = e->program.head->inputs + output;
	const struct program_tensor *t = &e->program.tensors[index];
	void *device = vnpu_u64_to_ptr(e->io[index]), *host;
	aclError ret;

	/* With only another outermost size, the elements are at the front already. */
	if (!t->bytes || !t->count_dim || dims[t->count_dim] ==
	    t->dims[t->count_dim])
		return ACL_SUCCESS;
	host = malloc(t->bytes);
	if (!host)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory for output %u of model %u: it has %llu bytes",
			output, e->model->number, (unsigned long long)t->bytes);
	ret = vnpu_copy(host, device, t->bytes);
	if (!ret) {
		program_pack(&e->program, output, host, dims);
		ret = vnpu_copy(device, host, t->bytes);
	}
	free(host);
	return ret;
}

static aclError describe(const struct vnpu_execute *e, uint32_t output)
{
	uint32_t index = e->program.head->inputs + output;
	const struct program_tensor *t = &e->program.tensors[index];
	struct vnpu_tensor_desc desc = {
		.type = vnpu_om_type(t->dtype),
		.format = (aclFormat)e->model->om->om.tensors[index].format,
		.rank = t->rank,
	};
	int64_t count = -1;
	aclError ret = ACL_SUCCESS;

	if (t->count_at != PROGRAM_NONE)
		ret = vnpu_copy(&count,
				vnpu_u64_to_ptr(e->where.work + t->count_at),
				sizeof(count));
	if (ret)
		return ret;
	program_count(&e->program, output, count, desc.dims);
	if (t->count_at != PROGRAM_NONE)
		ret = pack(e, output, desc.dims);
	return ret ? ret : vnpu_dataset_describe(e->output_set, output, &desc);
}

aclError vnpu_execute_describe(const struct vnpu_execute *e)
{
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; !ret && i < e->program.head->outputs; i++)
		ret = describe(e, i);
	return ret;
}
