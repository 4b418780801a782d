// SPDX-License-Identifier: MIT
/*
 * Pinned host memory, see pinned.h.
 *
 * The submission of copies needs the device address of host memory each time.
 * The trees that have it use locks, so a thread caches the blocks that it used
 * last, until any block is freed.
 */
#include <stdatomic.h>

#include "base/util.h"
#include "io/io.h"
#include "io/va.h"
#include "host.h"
#include "pinned.h"
#include "userptr.h"

#define CACHED	4

static _Atomic uint64_t epoch;		/* incremented when a block is freed */

static __thread struct {
	uint64_t epoch;
	unsigned int next;
	struct vnpu_pinned blocks[CACHED];
} cache;

int vnpu_pinned_bind(uint32_t id, uint64_t length, uint64_t *va)
{
	int ret = vnpu_va_alloc(VNPU_IO_SHIFT_4K, length, va);

	if (ret)
		return ret;
	ret = vnpu_io_bind(id, *va, length, 0, VNPU_IO_ALL);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_4K, length, *va);
	return ret;
}

int vnpu_pinned_unbind(uint64_t va, uint64_t length)
{
	int ret;

	atomic_fetch_add(&epoch, 1);
	ret = vnpu_io_unbind(va);
	if (!ret)
		vnpu_va_free(VNPU_IO_SHIFT_4K, length, va);
	return ret;
}

int vnpu_pinned_alloc(uint64_t length, void **addr, uint64_t *va)
{
	uint32_t id;
	int ret = vnpu_io_host_alloc(length, addr, &id);

	if (ret)
		return ret;
	ret = vnpu_pinned_bind(id, length, va);
	vnpu_io_mem_close(id);
	if (ret)
		vnpu_io_host_free(*addr, length);
	return ret;
}

void vnpu_pinned_free(void *addr, uint64_t length, uint64_t va)
{
	vnpu_pinned_unbind(va, length);
	vnpu_io_host_free(addr, length);
}

static bool covers(const struct vnpu_pinned *block, uint64_t addr,
		   uint64_t length)
{
	return addr - block->addr < block->length &&
	       length <= block->length - (addr - block->addr);
}

static bool find_cached(uint64_t addr, uint64_t length, uint64_t *va)
{
	uint64_t now = atomic_load_explicit(&epoch, memory_order_acquire);

	if (cache.epoch != now) {
		for (unsigned int i = 0; i < CACHED; i++)
			cache.blocks[i].length = 0;
		cache.epoch = now;
	}
	for (unsigned int i = 0; i < CACHED; i++) {
		const struct vnpu_pinned *block = &cache.blocks[i];

		if (covers(block, addr, length)) {
			*va = block->va + (addr - block->addr);
			return true;
		}
	}
	return false;
}

bool vnpu_pinned_translate(uint64_t addr, uint64_t length, uint64_t *va)
{
	struct vnpu_pinned *block = &cache.blocks[cache.next % CACHED];

	if (find_cached(addr, length, va))
		return true;
	if (!vnpu_host_translate(addr, length, block) &&
	    !vnpu_userptr_translate(addr, length, block))
		return false;
	cache.next++;
	*va = block->va + (addr - block->addr);
	return true;
}
