/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: memory for a plan of the memory planner.
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
 * An arena maps the tensors of a plan to addresses.  With VNPU_ARENA_CHECK it
 * also records which operators begin and end, and reports uses that violate the
 * plan.  Without this flag the calls only return addresses.
 *
 * Different threads may use different arenas at the same time, but only one
 * thread at a time may use the same arena.
 */
#ifndef VNPU_ARENA_H
#define VNPU_ARENA_H

#include "vnpu/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vnpu_arena;

/* Flags of vnpu_arena_create(). */
#define VNPU_ARENA_CHECK	(1U << 0)	/* check that the program
						 * follows the plan */

/**
 * vnpu_arena_create() - place the tensors of a plan in memory
 * @plan: a solved plan; it may be changed or destroyed after the call
 * @base: memory for it; NULL to allocate memory with aclrtMalloc() in the
 *	current context
 * @size: bytes of @base; 0 if @base is NULL
 * @flags: VNPU_ARENA_CHECK, or 0
 * @arena: set to the arena, to be destroyed by vnpu_arena_destroy()
 *
 * Return: 0; -EINVAL for NULL, an unknown flag, a @size without @base, a plan
 * that is not solved, or a @base that is not aligned for the tensors; -ENOSPC
 * if @size is too small; -ENOMEM if host or device memory is exhausted: in the
 * latter case, aclGetRecentErrMsg() explains it.
 */
VNPU_PUBLIC int vnpu_arena_create(const struct vnpu_plan *plan, void *base,
	uint64_t size, uint32_t flags, struct vnpu_arena **arena);

/**
 * vnpu_arena_destroy() - destroy an arena, and free the memory that it allocated
 * @arena: an arena that is no longer in use, or NULL
 */
VNPU_PUBLIC void vnpu_arena_destroy(struct vnpu_arena *arena);

/**
 * vnpu_arena_fault() - describe the failure of the last call
 * @arena: an arena
 *
 * Return: a clause without a full stop, like "tensor 3: used at 7, planned for
 * [2, 5)", or ""; valid until the next call for @arena.
 */
VNPU_PUBLIC const char *vnpu_arena_fault(const struct vnpu_arena *arena);

/**
 * vnpu_arena_begin() - record that an operator begins
 * @arena: an arena
 * @time: position of the operator; for a plan without operators any time that
 *	is later than the previous ones
 *
 * An operator may begin when all operators that it waits for have ended: those
 * before it in its stream, and those that make its inputs.  Without operators,
 * a time may begin when the previous one has ended.  After the last one, and
 * after vnpu_arena_restart(), all may begin again.
 *
 * Return: 0, always without VNPU_ARENA_CHECK; -EINVAL for NULL; -ENOENT if no
 * operator has this position; -EBUSY if the operator has to wait, where
 * vnpu_arena_fault() names the one to wait for; -EALREADY if it has begun
 * before, or its time has passed.
 */
VNPU_PUBLIC int vnpu_arena_begin(struct vnpu_arena *arena, uint64_t time);

/**
 * vnpu_arena_end() - record that an operator has ended
 * @arena: an arena
 * @time: the value that was passed to vnpu_arena_begin()
 *
 * Return: 0, always without VNPU_ARENA_CHECK; -EINVAL for NULL, or if the
 * operator has not begun or has ended already.
 */
VNPU_PUBLIC int vnpu_arena_end(struct vnpu_arena *arena, uint64_t time);

/**
 * vnpu_arena_use() - get the address of a tensor
 * @arena: an arena
 * @time: the time of use; it has begun and not ended
 * @tensor: its index in the plan
 * @address: set to its address, or to NULL for a tensor on the chip
 *
 * Return: 0; -EINVAL for NULL; -ENOENT for an unknown tensor.  With
 * VNPU_ARENA_CHECK also -EINVAL for a time that has not begun or has ended, and
 * -ESTALE for a use outside the planned lifetime.
 */
VNPU_PUBLIC int vnpu_arena_use(struct vnpu_arena *arena, uint64_t time,
	uint32_t tensor, void **address);

/**
 * vnpu_arena_restart() - start the plan again from the beginning
 * @arena: an arena
 *
 * Return: 0; -EINVAL for NULL; -EBUSY if an operator has begun and not ended.
 */
VNPU_PUBLIC int vnpu_arena_restart(struct vnpu_arena *arena);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_ARENA_H */
