// SPDX-License-Identifier: MIT
/*
 * Units, see unit.h.
 *
 * Constructors of the program register units, before main() and at dlopen(), so
 * that this only links them.  The first launch reads the image.
 *
 * A launch finds its function by the addresses of the unit and of the kernel's
 * name.  Each thread caches the functions that it used last.  A cached handle is
 * not live any more once the unit is unregistered.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/local.h"
#include "runtime/hooks.h"
#include "unit.h"

#define CACHED	64

/* A registered unit; vnpu_unit.library.  Protected by the lock. */
struct registration {
	struct registration *next;
	struct vnpu_unit *unit;
	struct vnpu_binary *binary;	/* NULL before the first launch */
};

static pthread_mutex_t units_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct registration *first;	/* protected by the lock */

/* Functions by (unit, name), or (NULL, stub). */
struct cached {
	const void *unit;
	const void *key;
	uint64_t handle;
};

/* An array of CACHED of them, or NULL. */
static __thread void *thread_cache;

void vnpu_unit_lock(void)
{
	pthread_mutex_lock(&units_mutex);
}

void vnpu_unit_unlock(void)
{
	pthread_mutex_unlock(&units_mutex);
}

__attribute__((visibility("default")))
void vnpu_unit_register(struct vnpu_unit *unit)
{
	struct registration *new = calloc(1, sizeof(*new));

	/* Without memory, launches report that it is not registered. */
	unit->library = new;
	if (!new)
		return;
	new->unit = unit;
	vnpu_unit_lock();
	new->next = first;
	first = new;
	vnpu_unit_unlock();
}

__attribute__((visibility("default")))
void vnpu_unit_unregister(struct vnpu_unit *unit)
{
	struct registration *old = unit->library, **link = &first;
	struct vnpu_binary *binary;

	if (!old)
		return;
	unit->library = NULL;
	vnpu_unit_lock();
	while (*link && *link != old)
		link = &(*link)->next;
	if (*link)
		*link = old->next;
	vnpu_unit_unlock();
	binary = old->binary;
	if (binary && vnpu_handle_remove(VNPU_HANDLE_BINARY,
					 vnpu_u64_to_ptr(binary->handle))) {
		vnpu_hooks_set_binary(binary->handle, NULL, NULL);
		vnpu_binary_unload(binary);
	}
	free(old);
}

static size_t slot_of(const void *unit, const void *key)
{
	uint64_t mixed = (vnpu_ptr_to_u64(unit) ^ vnpu_ptr_to_u64(key)) *
			 0x9e3779b97f4a7c15ULL;

	return mixed >> 58;
}

_Static_assert(CACHED == 1 << (64 - 58), "slots of the cache");

static struct vnpu_function *find_cached(const void *unit, const void *key)
{
	const struct cached *cache = thread_cache;
	size_t slot = slot_of(unit, key);

	if (!cache || cache[slot].key != key || cache[slot].unit != unit)
		return NULL;
	return vnpu_handle_get(VNPU_HANDLE_FUNCTION,
			       vnpu_u64_to_ptr(cache[slot].handle));
}

static void remember(const void *unit, const void *key,
		     const struct vnpu_function *function)
{
	struct cached *cache = vnpu_local_get(&thread_cache,
					      CACHED * sizeof(*cache));
	size_t slot = slot_of(unit, key);

	/* Without memory, the next launch looks for the function again. */
	if (!cache)
		return;
	cache[slot].unit = unit;
	cache[slot].key = key;
	cache[slot].handle = function->handle;
}

/* Read the image of a unit, once; the lock is held. */
static int load(struct registration *registration, const char **why)
{
	const struct vnpu_unit *unit = registration->unit;

	*why = "another version of vnpu-cc has compiled it; compile it again";
	if (registration->binary)
		return 0;
	if (unit->abi != VNPU_KERNEL_ABI || unit->size < sizeof(*unit))
		return -ENOEXEC;
	return vnpu_binary_create(unit->image, unit->image_size,
				  unit->source ? unit->source : "a unit", true,
				  &registration->binary, why);
}

/*
 * Find a kernel in the image of a unit, with a reference; NULL and -errno if
 * there is none.
 */
static struct vnpu_function *find(struct registration *registration,
				  const char *name, int *err,
				  const char **why)
{
	struct vnpu_function *function = NULL;
	uint32_t index = VNPU_KERNEL_NONE;

	*err = load(registration, why);
	if (*err)
		return NULL;
	if (name)
		index = vnpu_image_find_name(&registration->binary->image,
					     name);
	*err = index == VNPU_KERNEL_NONE ? -ENOENT : -ENOMEM;
	if (index != VNPU_KERNEL_NONE)
		function = vnpu_binary_function(registration->binary, index);
	return function;
}

aclError vnpu_unit_function(struct vnpu_unit *unit, const char *name,
			    struct vnpu_function **function)
{
	const char *source = unit->source ? unit->source : "the program";
	const char *why = "";
	int err = -ESRCH;

	*function = find_cached(unit, name);
	if (*function)
		return ACL_SUCCESS;
	vnpu_unit_lock();
	if (unit->library)
		*function = find(unit->library, name, &err, &why);
	vnpu_unit_unlock();
	if (*function) {
		remember(unit, name, *function);
		return ACL_SUCCESS;
	}
	switch (err) {
	case -ENOEXEC:
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
			"the kernels of %s cannot be used: %s", source, why);
	case -ESRCH:
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
			"the kernels of %s are not registered, or not any more",
			source);
	case -ENOENT:
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
			"the kernels of %s do not include %s", source, name);
	default:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"no host memory for the kernels of %s", source);
	}
}

/* Find a host function in a unit. */
static const struct vnpu_stub *find_stub(const struct vnpu_unit *unit,
					 const void *stub)
{
	for (uint32_t i = 0; i < unit->stub_count; i++)
		if (unit->stubs[i].stub == stub)
			return &unit->stubs[i];
	return NULL;
}

struct vnpu_function *vnpu_unit_find_stub(const void *stub)
{
	struct vnpu_function *function = find_cached(NULL, stub);
	struct registration *registration;
	const char *why;
	int err;

	if (function)
		return function;
	vnpu_unit_lock();
	for (registration = first; registration && !function;
	     registration = registration->next) {
		const struct vnpu_stub *found = find_stub(registration->unit,
							  stub);

		if (found)
			function = find(registration, *found->name, &err, &why);
	}
	vnpu_unit_unlock();
	if (function)
		remember(NULL, stub, function);
	return function;
}
