// SPDX-License-Identifier: MIT
/*
 * Allocators of programs, see acl/acl_rt_allocator.h: records which functions
 * belong to which stream.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/handle.h"
#include "allocator.h"

/* Protected by the runtime lock, like the list. */
struct allocator {
	uint64_t handle;
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc alloc_advise;
	aclrtAllocatorGetAddrFromBlockFunc get_addr;
};

/* The allocator that was registered for a stream. */
struct registration {
	struct registration *next;
	uint64_t stream;
	struct allocator allocator;
};

static struct registration *registrations;

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
	VNPU_CALL();
	struct allocator *allocator = calloc(1, sizeof(*allocator));
	uint64_t handle = 0;

	if (allocator) {
		vnpu_runtime_lock();
		handle = vnpu_handle_add(VNPU_HANDLE_ALLOCATOR, allocator);
		allocator->handle = handle;
		vnpu_runtime_unlock();
	}
	if (!handle) {
		free(allocator);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a description");
	}
	return vnpu_u64_to_ptr(handle);
}

/* Look up a description; on success the runtime lock is held. */
static aclError desc_lock(aclrtAllocatorDesc desc, struct allocator **allocator)
{
	if (!desc)
		return vnpu_error_null("allocatorDesc");
	vnpu_runtime_lock();
	*allocator = vnpu_handle_find(VNPU_HANDLE_ALLOCATOR, desc);
	if (*allocator)
		return ACL_SUCCESS;
	vnpu_runtime_unlock();
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"allocatorDesc = %p is not an allocator description, or was destroyed; create one with aclrtAllocatorCreateDesc",
		desc);
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
	VNPU_CALL();
	struct allocator *allocator;
	aclError ret = desc_lock(allocatorDesc, &allocator);

	if (ret)
		return ret;
	vnpu_handle_remove_put(allocator->handle);
	vnpu_runtime_unlock();
	free(allocator);
	return ACL_SUCCESS;
}

/* Set a member of a description to a value that must not be NULL. */
#define SET_MEMBER(desc, member, value, name)				\
({									\
	struct allocator *__allocator;					\
	aclError __ret = ACL_SUCCESS;					\
									\
	if (!(value))							\
		__ret = vnpu_error_null(name);				\
	else								\
		__ret = desc_lock(desc, &__allocator);			\
	if (!__ret) {							\
		__allocator->member = (value);				\
		vnpu_runtime_unlock();					\
	}								\
	__ret;								\
})

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
				    aclrtAllocator allocator)
{
	VNPU_CALL();

	return SET_MEMBER(allocatorDesc, object, allocator, "allocator");
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
					  aclrtAllocatorAllocFunc func)
{
	VNPU_CALL();

	return SET_MEMBER(allocatorDesc, alloc, func, "func");
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
					 aclrtAllocatorFreeFunc func)
{
	VNPU_CALL();

	return SET_MEMBER(allocatorDesc, free, func, "func");
}

aclError
aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
				       aclrtAllocatorAllocAdviseFunc func)
{
	VNPU_CALL();

	return SET_MEMBER(allocatorDesc, alloc_advise, func, "func");
}

aclError
aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
					    aclrtAllocatorGetAddrFromBlockFunc func)
{
	VNPU_CALL();

	return SET_MEMBER(allocatorDesc, get_addr, func, "func");
}

static struct registration **find_locked(uint64_t stream)
{
	struct registration **link = &registrations;

	while (*link && (*link)->stream != stream)
		link = &(*link)->next;
	return link;
}

void vnpu_allocator_forget(uint64_t stream)
{
	struct registration **link = find_locked(stream);
	struct registration *registration = *link;

	if (registration) {
		*link = registration->next;
		free(registration);
	}
}

static const char *missing_in(const struct allocator *allocator)
{
	if (!allocator->object)
		return "the object (aclrtAllocatorSetObjToDesc)";
	if (!allocator->alloc)
		return "the function that allocates (aclrtAllocatorSetAllocFuncToDesc)";
	if (!allocator->free)
		return "the function that frees (aclrtAllocatorSetFreeFuncToDesc)";
	if (!allocator->get_addr)
		return "the function that returns addresses (aclrtAllocatorSetGetAddrFromBlockFuncToDesc)";
	return NULL;
}

aclError aclrtAllocatorRegister(aclrtStream stream,
				aclrtAllocatorDesc allocatorDesc)
{
	VNPU_CALL();
	struct registration *new, **link;
	struct allocator *allocator;
	const char *missing;
	bool is_stream;
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	new = calloc(1, sizeof(*new));
	if (!new)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a registration");
	ret = desc_lock(allocatorDesc, &allocator);
	if (ret) {
		free(new);
		return ret;
	}

	missing = missing_in(allocator);
	is_stream = vnpu_handle_find(VNPU_HANDLE_STREAM, stream);
	if (!missing && is_stream) {
		new->stream = vnpu_ptr_to_u64(stream);
		new->allocator = *allocator;
		link = find_locked(new->stream);
		if (*link) {
			(*link)->allocator = new->allocator;
		} else {
			*link = new;
			new = NULL;
		}
	}
	vnpu_runtime_unlock();
	free(new);

	if (missing)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "allocatorDesc lacks %s", missing);
	if (!is_stream)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"stream = %p is not a stream, or was destroyed",
			stream);
	return ACL_SUCCESS;
}

aclError
aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
			  aclrtAllocator *allocator,
			  aclrtAllocatorAllocFunc *allocFunc,
			  aclrtAllocatorFreeFunc *freeFunc,
			  aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
			  aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
	VNPU_CALL();
	const struct registration *registration;
	struct allocator found = { 0 };

	if (!allocatorDesc)
		return vnpu_error_null("allocatorDesc");
	if (!stream)
		return vnpu_error_null("stream");

	vnpu_runtime_lock();
	registration = *find_locked(vnpu_ptr_to_u64(stream));
	if (registration)
		found = registration->allocator;
	vnpu_runtime_unlock();
	if (!found.handle)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"stream = %p has no allocator; call aclrtAllocatorRegister first",
			stream);

	*allocatorDesc = vnpu_u64_to_ptr(found.handle);
	if (allocator)
		*allocator = found.object;
	if (allocFunc)
		*allocFunc = found.alloc;
	if (freeFunc)
		*freeFunc = found.free;
	if (allocAdviseFunc)
		*allocAdviseFunc = found.alloc_advise;
	if (getAddrFromBlockFunc)
		*getAddrFromBlockFunc = found.get_addr;
	return ACL_SUCCESS;
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
	VNPU_CALL();

	if (!stream)
		return vnpu_error_null("stream");
	vnpu_runtime_lock();
	vnpu_allocator_forget(vnpu_ptr_to_u64(stream));
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
