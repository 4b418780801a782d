// SPDX-License-Identifier: MIT
/*
 * Units: a stack and the memories of a core, each between pages that are not
 * accessible.
 *
 * A unit is a single mapping, its structure included: a kernel that was stopped in
 * malloc() leaves its lock taken, and the executor must go on nevertheless.
 *
 * A kernel must not read what it has not written, so before the first block of
 * a launch the memories are overwritten with bytes that read as NaN.  The part
 * that was in use is found by samples, as most kernels use little of it.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "valgrind.h"

/* A half, float or bfloat16_t of these bytes is NaN. */
#define POISON		0xff
#define POISON_WORD	0xffffffffffffffffULL
#define PAGE		4096UL		/* of samples */
#define SAMPLE		1024UL

static size_t page_size(void)
{
	static size_t size;

	if (!size)
		size = sysconf(_SC_PAGESIZE);
	return size;
}

static size_t whole_pages(size_t size)
{
	return (size + page_size() - 1) / page_size() * page_size();
}

/* A stack, without the guard in it. */
static size_t stack_size(void)
{
	return VNPU_STACK_SIZE - page_size();
}

/* Make the next part of a mapping accessible, and move @at behind its guard. */
static char *part(char **at, size_t size)
{
	char *start = *at;

	if (mprotect(start, whole_pages(size), PROT_READ | PROT_WRITE))
		return NULL;
	*at += whole_pages(size) + page_size();
	return start;
}

/*
 * A stack that overflows by a large frame should hit no other memory, so the
 * lower part of the mapping, of the size of a stack, is a guard.
 */
static struct exec_unit *unit_make(const uint64_t *local)
{
	size_t size = 3 * VNPU_STACK_SIZE + 3 * page_size() +
		whole_pages(EXEC_STATE_MAX) +
		whole_pages(sizeof(struct exec_unit));
	struct exec_unit *unit;
	char *mapping, *stack, *at;

	for (unsigned int i = 0; i < VNPU_LOCAL_COUNT; i++)
		if (local[i])
			size += whole_pages(local[i]) + page_size();
	mapping = mmap(NULL, size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	stack = (char *)(((uintptr_t)mapping + 2 * VNPU_STACK_SIZE - 1) &
			 ~(VNPU_STACK_SIZE - 1));
	/* The kernel's interface requires a guard in the stack itself. */
	at = stack += page_size();
	if (!part(&at, stack_size()))
		goto err;
	unit = (struct exec_unit *)part(&at, sizeof(*unit));
	if (!unit)
		goto err;
	unit->mapping = mapping;
	unit->mapping_size = size;
	unit->stack = stack;
	unit->state = part(&at, EXEC_STATE_MAX);
	if (!unit->state)
		goto err;
	for (unsigned int i = 0; i < VNPU_LOCAL_COUNT; i++) {
		if (!local[i])
			continue;
		unit->block.local[i].base = part(&at, local[i]);
		unit->block.local[i].size = local[i];
		if (!unit->block.local[i].base)
			goto err;
	}
	list_init(&unit->node);
	return unit;

err:
	munmap(mapping, size);
	return NULL;
}

static void unit_free(struct exec_unit *unit)
{
	valgrind_stack_remove(unit->stack_number);
	munmap(unit->mapping, unit->mapping_size);
}

struct exec_unit *exec_unit_get_locked(struct exec *exec, enum exec_kind kind)
{
	struct list *node = list_pop(&exec->idle[kind]);
	struct exec_unit *unit;

	if (node)
		return exec_unit_of(node);
	unit = unit_make(exec->config.local);
	if (!unit)
		return NULL;
	unit->kind = kind;
	unit->number = exec->units[kind]++;
	if (exec->config.is_guest)
		unit->stack_number = valgrind_stack_add(unit->stack,
							stack_size());
	return unit;
}

void exec_unit_put_locked(struct exec *exec, struct exec_unit *unit)
{
	unit->launch = NULL;
	/* Several launches at once may have had more units than the device. */
	if (exec->units[unit->kind] > exec_cores(exec, unit->kind) &&
	    unit->number + 1 == exec->units[unit->kind]) {
		exec->units[unit->kind]--;
		unit_free(unit);
		return;
	}
	/* Take this unit first next time: it is hot in the caches. */
	list_add_first(&unit->node, &exec->idle[unit->kind]);
}

void exec_units_free(struct exec *exec)
{
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++) {
		struct list *node;

		while ((node = list_pop(&exec->idle[kind])))
			unit_free(exec_unit_of(node));
	}
}

static bool is_poisoned(const char *page, size_t length)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= length; at += SAMPLE)
		if (*(const uint64_t *)(page + at) != POISON_WORD)
			return false;
	return true;
}

/*
 * Overwrite a memory.  For a guest, memcheck then takes it for undefined; without
 * samples, as memcheck would report these reads.
 */
static void poison(struct vnpu_local *local, bool is_first, bool is_guest)
{
	char *base = local->base;
	size_t used = local->size;

	if (!used)
		return;
	while (!is_first && !is_guest && used > PAGE) {
		size_t page = (used - 1) / PAGE * PAGE;

		if (!is_poisoned(base + page, used - page))
			break;
		used = page;
	}
	memset(base, POISON, used);
	if (is_guest)
		valgrind_forget(base, used);
}

void exec_unit_prepare(struct exec_unit *unit, void (*main)(void *unit))
{
	struct exec *exec = unit->worker->exec;
	char *top = unit->stack + stack_size();
	uint64_t number = unit->launch->number;
	bool is_first = !unit->poisoned_for;

	/* Vector cores use their unified buffer only. */
	if (unit->poisoned_for != number && !unit->code->is_builtin) {
		for (unsigned int i = 0; i < VNPU_LOCAL_COUNT; i++)
			if (i == VNPU_LOCAL_UB || unit->kind == EXEC_CUBE)
				poison(&unit->block.local[i], is_first,
				       exec->config.is_guest);
		unit->poisoned_for = number;
	}
	memset(unit->state, 0, unit->code->state_size);
	unit->line_length = 0;
	unit->is_fresh = false;

	unit->block.size = sizeof(unit->block);
	unit->block.abi = VNPU_KERNEL_ABI;
	unit->block.ops = unit->launch->race ? &exec_services_checked :
		&exec_services;
	unit->block.core = unit;
	unit->block.state = unit->state;
	unit->block.core_id = unit->number % exec_cores(exec, unit->kind);
	((struct vnpu_block **)top)[-1] = &unit->block;
	unit->sp = exec_fiber_init(top - 64, main, unit);
}
