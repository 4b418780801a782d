// SPDX-License-Identifier: MIT
/*
 * Objects of one type.  Their class has their alignment.  Allocating one is a
 * fast path of its own, and a pointer to another class is detected.
 */
#include "base/error.h"
#include "base/util.h"
#include "hit.h"
#include "pool.h"

VNPU_PUBLIC aclError vnpu_pool_objects_init(struct vnpu_pool_objects *objects,
					    vnpu_pool_t pool, size_t size,
					    size_t alignment)
{
	VNPU_CALL();
	const struct vnpu_classes *classes;
	struct vnpu_cache *cache;
	unsigned int class;

	if (!objects)
		return vnpu_error_null("objects");
	if (!size || size > VNPU_MEDIUM_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size = %zu is out of range; use 1 to 65536 bytes", size);
	if (!alignment || alignment & (alignment - 1) ||
	    alignment > VNPU_PAGE_SIZE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"alignment = %zu is invalid; use a power of two, at most 4096",
			alignment);
	cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	classes = &cache->pool->classes;
	if (alignment < cache->pool->alignment)
		alignment = cache->pool->alignment;
	class = vnpu_class_find(classes, size, alignment);
	*objects = (struct vnpu_pool_objects){
		.pool = pool,
		.bytes = classes->class[class].size,
		.kind = class,
	};
	vnpu_thread_put(cache);
	return ACL_SUCCESS;
}

VNPU_PUBLIC void *vnpu_pool_objects_alloc(
	const struct vnpu_pool_objects *objects)
{
	uint64_t addr;

	if (likely(objects && hit_alloc(vnpu_ptr_to_u64(objects->pool),
					objects->bytes, &addr)))
		return vnpu_u64_to_ptr(addr);
	VNPU_CALL();
	if (!objects) {
		vnpu_error_null("objects");
		return NULL;
	}
	return vnpu_pool_object_slow(vnpu_ptr_to_u64(objects->pool),
				     objects->bytes);
}

VNPU_PUBLIC aclError vnpu_pool_objects_free(
	const struct vnpu_pool_objects *objects, void *ptr)
{
	uint64_t handle, addr = vnpu_ptr_to_u64(ptr);

	if (likely(objects && objects->kind != VNPU_CLASS_NONE &&
		   hit_free(vnpu_ptr_to_u64(objects->pool), &addr,
			    objects->kind)))
		return ACL_SUCCESS;
	VNPU_CALL();
	if (!objects)
		return vnpu_error_null("objects");
	handle = vnpu_ptr_to_u64(objects->pool);
	/* Without a kind, any class would be accepted. */
	if (objects->kind == VNPU_CLASS_NONE)
		return vnpu_pool_bad(0);
	return vnpu_pool_free_slow(handle, addr, objects->kind);
}
