// SPDX-License-Identifier: MIT
/*
 * Descriptions of streams, from which aclrtCreateStreamV2() makes them.
 *
 * CANN exposes the structure, so a handle is an address here; a tree of the
 * existing ones detects invalid addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/error.h"
#include "base/tree.h"
#include "io/io.h"
#include "stream.h"

struct description {
	struct vnpu_tree_node node;	/* by the address of the public part */
	aclrtStreamConfigHandle public;
};

static struct vnpu_tree_node *descriptions;	/* protected by the runtime lock
						 * */

/* Find a description; NULL if it is not one.  The runtime lock is held. */
static struct description *find(const aclrtStreamConfigHandle *handle)
{
	uint64_t key = vnpu_ptr_to_u64(handle);
	struct vnpu_tree_node *node = vnpu_tree_at_most(descriptions, key, 0);

	return node && node->hi == key ?
		container_of(node, struct description, node) : NULL;
}

static aclError handle_check(const void *handle)
{
	if (!handle)
		return vnpu_error_null("handle");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	return ACL_SUCCESS;
}

static aclError handle_error(const void *handle)
{
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"handle = %p is not from aclrtCreateStreamConfigHandle, or was destroyed",
		handle);
}

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
	VNPU_CALL();
	struct description *new;

	if (vnpu_is_forked()) {
		vnpu_error_open(-EPERM);
		return NULL;
	}
	new = calloc(1, sizeof(*new));
	if (!new) {
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a description");
		return NULL;
	}
	new->node.hi = vnpu_ptr_to_u64(&new->public);
	vnpu_runtime_lock();
	vnpu_tree_add(&descriptions, &new->node);
	vnpu_runtime_unlock();
	return &new->public;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
	VNPU_CALL();
	struct description *found;
	aclError ret = handle_check(handle);

	if (ret)
		return ret;
	vnpu_runtime_lock();
	found = find(handle);
	if (found)
		vnpu_tree_remove(&descriptions, &found->node);
	vnpu_runtime_unlock();
	if (!found)
		return handle_error(handle);
	free(found);
	return ACL_SUCCESS;
}

/* Get the offset and the size of a property; false for an unknown one. */
static bool locate(aclrtStreamConfigAttr attr, size_t *offset, size_t *size)
{
	switch (attr) {
	case ACL_RT_STREAM_WORK_ADDR_PTR:
		*offset = offsetof(aclrtStreamConfigHandle, workptr);
		*size = sizeof(void *);
		return true;
	case ACL_RT_STREAM_WORK_SIZE:
		*offset = offsetof(aclrtStreamConfigHandle, workSize);
		*size = sizeof(size_t);
		return true;
	case ACL_RT_STREAM_FLAG:
		*offset = offsetof(aclrtStreamConfigHandle, flag);
		*size = sizeof(size_t);
		return true;
	case ACL_RT_STREAM_PRIORITY:
		*offset = offsetof(aclrtStreamConfigHandle, priority);
		*size = sizeof(uint32_t);
		return true;
	}
	return false;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
				 aclrtStreamConfigAttr attr,
				 const void *attrValue, size_t valueSize)
{
	VNPU_CALL();
	struct description *found;
	size_t offset, size;
	aclError ret = handle_check(handle);

	if (ret)
		return ret;
	if (!attrValue)
		return vnpu_error_null("attrValue");
	if (!locate(attr, &offset, &size))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr = %d is not known; use a value of aclrtStreamConfigAttr",
			attr);
	if (valueSize != size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"valueSize = %zu is invalid; a value of attr = %d has %zu bytes",
			valueSize, attr, size);

	vnpu_runtime_lock();
	found = find(handle);
	if (found)
		memcpy((char *)&found->public + offset, attrValue, size);
	vnpu_runtime_unlock();
	return found ? ACL_SUCCESS : handle_error(handle);
}

aclError vnpu_stream_config_get(const aclrtStreamConfigHandle *handle,
				struct vnpu_stream_config *config)
{
	struct description *found;
	aclError ret = handle_check(handle);

	if (ret)
		return ret;
	vnpu_runtime_lock();
	found = find(handle);
	if (found) {
		config->priority = found->public.priority;
		config->flags = found->public.flag;
	}
	vnpu_runtime_unlock();
	return found ? ACL_SUCCESS : handle_error(handle);
}
