// SPDX-License-Identifier: MIT
/*
 * Exchanges between the ranks of a communicator, which libhccl does.  libhccl
 * is above this library.  A program that has a communicator has loaded it, so
 * its functions can be found among those of the program, or by its name.
 */
#include <dlfcn.h>

#include "hccl/hccl_types.h"
#include "step.h"

/* The soname of libhccl, see lib/hccl/hccl.mk. */
#define LIBRARY	"libvnpu-hccl.so.1"

typedef int (*find_fn)(const char *name, void **comm);
typedef int (*ranks_fn)(void *comm, uint32_t *ranks);
typedef int (*gather_fn)(void *from, void *to, uint64_t count, int type,
			 void *comm, aclrtStream stream);
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

void *aclnn_collective_comm(struct aclnn_build *b, unsigned int arg,
			    uint32_t *ranks)
{
	find_fn get = (find_fn)find("HcclCommGetHandleWithName");
	ranks_fn count = (ranks_fn)find("HcclGetRankSize");
	const char *name = b->values[arg].p;
	void *comm = NULL;

	if (get && count && !get(name, &comm) && comm && !count(comm, ranks) &&
	    *ranks)
		return comm;
	aclnn_fail(b, arg, "expected the name of a communicator, from HcclGetCommName(), given %.64s",
		   name);
	return NULL;
}

void aclnn_collective_move(struct aclnn_collective *collective, int arg,
			   uint64_t address)
{
	if (collective->from.arg == arg)
		collective->from.address = address;
	if (collective->to.arg == arg)
		collective->to.address = address;
}

/* Call the function of libhccl; its error, or -1 if there is none. */
static int exchange(const struct aclnn_collective *c, void *from, void *to,
		    aclrtStream stream)
{
	gather_fn gather;
	reduce_fn reduce;

	if (c->kind == ACLNN_ALL_GATHER) {
		gather = (gather_fn)find("HcclAllGather");
		return gather ? gather(from, to, c->count, c->type, c->comm,
				       stream) : -1;
	}
	reduce = (reduce_fn)find(c->kind == ACLNN_ALL_REDUCE ?
				 "HcclAllReduce" : "HcclReduceScatter");
	return reduce ? reduce(from, to, c->count, c->type, HCCL_REDUCE_SUM,
			       c->comm, stream) : -1;
}

static void *first_of(const struct aclnn_buffer *buffer)
{
	return (void *)(uintptr_t)(buffer->address + buffer->offset);
}

aclnnStatus aclnn_collective_run(const struct aclnn_collective *collective,
				 const char *name, aclrtStream stream)
{
	int err;

	if (!collective->count)
		return ACLNN_SUCCESS;
	err = exchange(collective, first_of(&collective->from),
		       first_of(&collective->to), stream);
	return !err ? ACLNN_SUCCESS :
		      aclnn_error(name, ACLNN_ERR_RUNTIME_ERROR,
				  "the exchange between the ranks failed: HCCL error %d",
				  err);
}
