/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: a plan of the memory planner, on memory.
 *
 *	struct vnpu_arena *arena;
 *
 *	vnpu_arena_create(plan, NULL, 0, VNPU_ARENA_CHECK, &arena);
 *	vnpu_arena_begin(arena, position);
 *	vnpu_arena_use(arena, position, tensor, &address);
 *	...
 *	vnpu_arena_end(arena, position);
 *	vnpu_arena_destroy(arena);
 *
 * With VNPU_ARENA_CHECK it is told what begins and ends, and finds whoever does
 * not keep to the plan; without, these calls only give addresses.
 *
 * Different arenas may be used by different threads at the same time; one arena
 * by one thread at a time.
 */
#ifndef VNPU_ARENA_H
#define VNPU_ARENA_H

#include "vnpu/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vnpu_arena;

/* Flags of vnpu_arena_create(). */
#define VNPU_ARENA_CHECK	(1U << 0)	/* is the plan kept to? */

/**
 * vnpu_arena_create() - put a plan on memory
 * @plan: a plan that is solved; it may be changed or destroyed afterwards
 * @base: memory for it; NULL for memory of aclrtMalloc() on the current context
 * @size: bytes of @base; 0 for NULL
 * @flags: VNPU_ARENA_CHECK, or 0
 * @arena: set to it; freed by vnpu_arena_destroy()
 *
 * Return: 0; -EINVAL for NULL, an unknown flag, a size without memory, a plan
 * that is not solved, or memory that is not aligned as a tensor has to be;
 * -ENOSPC for memory that is too small; -ENOMEM, of the device too, where
 * aclGetRecentErrMsg() says why.
 */
VNPU_PUBLIC int vnpu_arena_create(const struct vnpu_plan *plan, void *base,
	uint64_t size, uint32_t flags, struct vnpu_arena **arena);

/**
 * vnpu_arena_destroy() - free an arena, and its memory if that is its own
 * @arena: an arena that nothing uses any more, or NULL
 */
VNPU_PUBLIC void vnpu_arena_destroy(struct vnpu_arena *arena);

/**
 * vnpu_arena_fault() - what was wrong with the last call
 * @arena: an arena
 *
 * Return: a sentence without an end, like "tensor 3: used at 7, planned for
 * [2, 5)", or ""; valid until the next call for @arena.
 */
VNPU_PUBLIC const char *vnpu_arena_fault(const struct vnpu_arena *arena);

/**
 * vnpu_arena_begin() - tell that something begins
 * @arena: an arena
 * @time: of an operator its position; of a plan without operators any time,
 *	later than those before
 *
 * An operator begins when all have ended that it waits for: those of its
 * stream, and those that make what it reads.  Where there are no operators, one
 * time begins when the one before has ended.  After the last, and after
 * vnpu_arena_restart(), all may begin again.
 *
 * Return: 0, without VNPU_ARENA_CHECK always; -EINVAL for NULL; -ENOENT for a
 * position of no operator; -EBUSY for what has to wait, and vnpu_arena_fault()
 * says for which; -EALREADY for what has begun, or is in the past.
 */
VNPU_PUBLIC int vnpu_arena_begin(struct vnpu_arena *arena, uint64_t time);

/**
 * vnpu_arena_end() - tell that it has ended
 * @arena: an arena
 * @time: as it began
 *
 * Return: 0, without VNPU_ARENA_CHECK always; -EINVAL for NULL, or what has not
 * begun, or has ended.
 */
VNPU_PUBLIC int vnpu_arena_end(struct vnpu_arena *arena, uint64_t time);

/**
 * vnpu_arena_use() - the address of a tensor
 * @arena: an arena
 * @time: when it is used, which has begun and not ended
 * @tensor: its index in the plan
 * @address: set to where it lies, or to NULL for what is on the chip
 *
 * Return: 0; -EINVAL for NULL; -ENOENT for no such tensor; and with
 * VNPU_ARENA_CHECK -EINVAL for a time that has not begun, or has ended, and
 * -ESTALE for a use outside of its planned life.
 */
VNPU_PUBLIC int vnpu_arena_use(struct vnpu_arena *arena, uint64_t time,
	uint32_t tensor, void **address);

/**
 * vnpu_arena_restart() - tell that all begins again
 * @arena: an arena
 *
 * Return: 0; -EINVAL for NULL; -EBUSY if something has begun and not ended.
 */
VNPU_PUBLIC int vnpu_arena_restart(struct vnpu_arena *arena);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_ARENA_H */
