// SPDX-License-Identifier: MIT
/*
 * Reductions over the ranks of a communicator, which libhccl computes.  libhccl
 * is above this library.  A program that has a communicator has loaded it, so
 * its functions can be found among those of the program, or by its name.
 */
#include <dlfcn.h>

#include "step.h"

/* The soname of libhccl, see lib/hccl/hccl.mk. */
#define LIBRARY	"libvnpu-hccl.so.1"

typedef int (*find_fn)(const char *name, void **comm);
typedef int (*reduce_fn)(void *from, void *to, uint64_t count, int type, int op,
			 void *comm, aclrtStream stream);

/* Find a function of the library if it is loaded. */
static void *find(const char *name)
{
	void *library, *function = dlsym(RTLD_DEFAULT, name);

	if (function)
		return function;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		return NULL;
	function = dlsym(library, name);
	dlclose(library);
	return function;
}

void *aclnn_reduction_comm(struct aclnn_build *b, unsigned int arg)
{
	find_fn get = (find_fn)find("HcclCommGetHandleWithName");
	const char *name = b->values[arg].p;
	void *comm = NULL;

	if (get && !get(name, &comm) && comm)
		return comm;
	aclnn_fail(b, arg, "expected the name of a communicator, from HcclGetCommName(), given %.64s",
		   name);
	return NULL;
}

aclnnStatus aclnn_reduction_run(const struct aclnn_reduction *reduction,
				const char *name, uint64_t address,
				aclrtStream stream)
{
	reduce_fn reduce = (reduce_fn)find("HcclAllReduce");
	void *at = (void *)(uintptr_t)(address + reduction->offset);
	int err;

	if (!reduction->count)
		return ACLNN_SUCCESS;
	err = reduce ? reduce(at, at, reduction->count, reduction->type,
			      reduction->op, reduction->comm, stream) : -1;
	return !err ? ACLNN_SUCCESS :
		      aclnn_error(name, ACLNN_ERR_RUNTIME_ERROR,
				  "the reduction over the ranks failed: HCCL error %d",
				  err);
}
