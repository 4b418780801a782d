// SPDX-License-Identifier: MIT
/*
 * The services of a core: the functions that kernels call, on the stack of their
 * block.
 *
 * A service is between enter() and leave().  Meanwhile signals that stop the
 * launch have no effect, system calls are allowed, and the block keeps no lock
 * when it gives way: the worker has the lock then.  A block may return from
 * give_way() on another thread, so nothing here uses thread-local variables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* More stack than any service takes, with the functions of the host. */
#define STACK_RESERVE	32768

/* Let the worker go on; called with its lock, returns without. */
static void give_way(struct exec_unit *unit, enum exec_status status)
{
	unit->status = status;
	exec_fiber_switch(&unit->sp, unit->worker->sp);
}

/* End the block without returning to its kernel. */
static void __attribute__((noreturn)) end(struct exec_unit *unit)
{
	pthread_mutex_lock(&unit->worker->exec->lock);
	give_way(unit, EXEC_ENDED);
	__builtin_unreachable();
}

static void leave(struct exec_unit *unit)
{
	struct exec_worker *worker = unit->worker;

	worker->selector = EXEC_IN_KERNEL;
	/* Pairs with the signal: it is sent after the launch has failed. */
	atomic_signal_fence(memory_order_seq_cst);
	if (!unit->launch->is_failed)
		return;
	worker->selector = EXEC_IN_CORE;
	end(unit);
}

void exec_service_leave(struct vnpu_block *block)
{
	leave(block->core);
}

void exec_unit_main(void *arg)
{
	struct exec_unit *unit = arg;
	const struct vnpu_kernel *kernel = unit->code->kernel;
	const void *args = unit->launch->args;

	leave(unit);
	kernel->info->call(kernel->entry, args);
	unit->worker->selector = EXEC_IN_CORE;
	exec_flush_line(unit);
	end(unit);
}

/* End the launch because of a call that can never be right. */
static void __attribute__((noreturn))
refuse_locked(struct exec_unit *unit, uint32_t kind, int error,
	      const char *text)
{
	struct exec_launch *launch = unit->launch;

	if (!launch->is_failed) {
		struct exec_report *report = &launch->report;

		exec_report_init(report, unit, kind, error);
		report->pc = (uintptr_t)unit->service_pc;
		exec_report_callers(report, unit, (uintptr_t)
				    __builtin_frame_address(0));
		snprintf(report->text, sizeof(report->text), "%s", text);
		exec_launch_fail_locked(unit->worker->exec, launch, error);
	}
	give_way(unit, EXEC_ENDED);
	__builtin_unreachable();
}

/*
 * Services use the stack of the kernel.  One that overflowed it would keep locks
 * of the core for ever, so there has to be room before it begins.  Otherwise the
 * block ends as by an access to the guard of its stack, without another call here.
 */
static void check_stack(struct exec_unit *unit)
{
	const char *sp = __builtin_frame_address(0);
	struct exec_worker *worker = unit->worker;

	if (__builtin_expect(sp - unit->stack >= STACK_RESERVE, 1))
		return;
	worker->signal = (struct exec_signal){
		.number = SIGSEGV,
		.code = SEGV_ACCERR,
		.is_write = true,
		.is_address = true,
		.address = (uintptr_t)unit->stack - 1,
		.pc = (uintptr_t)unit->service_pc - 1,
		.sp = (uintptr_t)sp,
	};
	exec_fiber_switch(&unit->sp, worker->sp);
}

static struct exec_unit *enter(struct vnpu_block *block, const void *pc)
{
	struct exec_unit *unit = block->core;

	unit->worker->selector = EXEC_IN_CORE;
	unit->service_pc = pc;
	check_stack(unit);
	return unit;
}

#define ENTER(block)	enter(block, __builtin_return_address(0))

void exec_service_enter(struct vnpu_block *block)
{
	ENTER(block);
}

static void service_yield(struct vnpu_block *block)
{
	struct exec_unit *unit = ENTER(block);

	pthread_mutex_lock(&unit->worker->exec->lock);
	give_way(unit, EXEC_YIELDED);
	leave(unit);
}

/* Refuse a call in which blocks would wait for blocks that cannot begin. */
static void check_resident_locked(struct exec_unit *unit, const char *what)
{
	const struct exec_launch *launch = unit->launch;
	char text[EXEC_TEXT_MAX];

	if (launch->blocks <= launch->resident_max)
		return;
	snprintf(text, sizeof(text),
		 "%s waits for all %u blocks, but %s %u at a time", what,
		 launch->blocks, exec_limit_name(launch),
		 launch->resident_max);
	refuse_locked(unit, EXEC_FAULT_DEADLOCK, EDEADLK, text);
}

static void service_barrier(struct vnpu_block *block, uint32_t scope)
{
	struct exec_unit *unit = ENTER(block);
	struct exec *exec = unit->worker->exec;
	struct exec_launch *launch = unit->launch;
	uint32_t which = scope == VNPU_SCOPE_ALL ? EXEC_ALL : unit->kind;
	struct exec_barrier *barrier = &launch->barriers[which];

	pthread_mutex_lock(&exec->lock);
	if (launch->is_failed)
		give_way(unit, EXEC_ENDED);
	check_resident_locked(unit, "SyncAll");
	if (barrier->arrived + 1 < launch->members[which]) {
		barrier->arrived++;
		launch->waiting++;
		list_add_before(&unit->node, &barrier->waiting);
		unit->wait_id = which;
		give_way(unit, EXEC_AT_BARRIER);
	} else {
		uint32_t count = barrier->arrived;

		barrier->arrived = 0;
		if (launch->race)
			exec_race_barrier(unit, &barrier->waiting);
		if (count)
			exec_units_ready_locked(exec, launch, &barrier->waiting,
						count);
		pthread_mutex_unlock(&exec->lock);
	}
	leave(unit);
}

/* Raise the counter of a block, and let it continue if it waits for that. */
static void raise_locked(struct exec_unit *by, struct exec_unit *unit,
			 uint32_t id)
{
	struct list one;
	char text[EXEC_TEXT_MAX];

	if (by->launch->race)
		exec_race_raise(unit, id);
	if (unit->status == EXEC_AT_FLAG && unit->wait_id == id) {
		list_init(&one);
		list_remove(&unit->node);
		list_add_first(&unit->node, &one);
		exec_units_ready_locked(by->worker->exec, by->launch, &one, 1);
		return;
	}
	if (unit->counter[id]++ < VNPU_FLAG_MAX)
		return;
	snprintf(text, sizeof(text),
		 "CrossCoreSetFlag: flag %u of block %u is set more than %u times before a wait",
		 id, unit->block.index, VNPU_FLAG_MAX);
	refuse_locked(by, VNPU_FAULT_EVENT, EIO, text);
}

/* All cores of the kind have to set the flag; their units are kept for it. */
static void set_all_locked(struct exec_unit *unit, uint32_t id)
{
	struct exec_launch *launch = unit->launch;
	struct list *lists[] = {
		&launch->ready, &launch->yielded, &launch->flagged,
		&launch->held, &launch->barriers[EXEC_VECTOR].waiting,
		&launch->barriers[EXEC_CUBE].waiting,
		&launch->barriers[EXEC_ALL].waiting,
	};
	uint32_t *count = &launch->set_all[unit->kind][id];
	struct exec *exec = unit->worker->exec;
	struct list *at, *next;

	check_resident_locked(unit, "CrossCoreSetFlag<0>");
	launch->keeps_units = true;
	if (launch->race)
		exec_race_set_all(unit, id, unit->set[VNPU_FLAG_ALL][id]);
	if (unit->set[VNPU_FLAG_ALL][id]++)
		return;
	if (++*count < launch->members[unit->kind])
		return;
	*count = 0;
	if (launch->race)
		exec_race_collect(unit, VNPU_FLAG_ALL, id);
	for (uint32_t i = 0; i < exec->worker_count; i++) {
		struct exec_unit *other = exec->workers[i].unit;

		if (!other || other->launch != launch ||
		    other->kind != unit->kind)
			continue;
		*count += --other->set[VNPU_FLAG_ALL][id] > 0;
		raise_locked(unit, other, id);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (at = lists[i]->next; at != lists[i]; at = next) {
			struct exec_unit *other = exec_unit_of(at);

			next = at->next;
			/* Units that the loop made ready are behind it. */
			if (other->kind != unit->kind ||
			    !other->set[VNPU_FLAG_ALL][id])
				continue;
			*count += --other->set[VNPU_FLAG_ALL][id] > 0;
			raise_locked(unit, other, id);
		}
	if (launch->race)
		exec_race_round_end(launch);
}

/* All cores of the kind in the group have to set the flag. */
static void set_group_locked(struct exec_unit *unit, uint32_t mode, uint32_t id)
{
	struct exec_launch *launch = unit->launch;
	struct exec_unit *other = unit;

	unit->set[mode][id]++;
	if (launch->race)
		exec_race_set(unit, mode, id);
	do {
		if (other->kind == unit->kind && !other->set[mode][id])
			return;
		other = other->group;
	} while (other != unit);
	do {
		if (launch->race && other->kind == unit->kind)
			exec_race_collect(other, mode, id);
		other = other->group;
	} while (other != unit);
	do {
		if (other->kind == unit->kind) {
			other->set[mode][id]--;
			if (mode == VNPU_FLAG_GROUP)
				raise_locked(unit, other, id);
		} else if (mode == VNPU_FLAG_CROSS) {
			raise_locked(unit, other, id);
		}
		other = other->group;
	} while (other != unit);
	if (launch->race)
		exec_race_round_end(launch);
}

static void service_flag_set(struct vnpu_block *block, uint32_t mode,
			     uint32_t pipe, uint32_t id)
{
	struct exec_unit *unit = ENTER(block);
	struct exec *exec = unit->worker->exec;

	(void)pipe;
	pthread_mutex_lock(&exec->lock);
	if (unit->launch->is_failed)
		give_way(unit, EXEC_ENDED);
	if (mode >= EXEC_FLAG_MODES || id >= VNPU_FLAG_COUNT)
		refuse_locked(unit, VNPU_FAULT_ARGUMENT, EIO,
			      "CrossCoreSetFlag: there is no such mode or flag");
	if (mode == VNPU_FLAG_ALL)
		set_all_locked(unit, id);
	else
		set_group_locked(unit, mode, id);
	pthread_mutex_unlock(&exec->lock);
	leave(unit);
}

static void service_flag_wait(struct vnpu_block *block, uint32_t pipe,
			      uint32_t id)
{
	struct exec_unit *unit = ENTER(block);
	struct exec *exec = unit->worker->exec;
	struct exec_launch *launch = unit->launch;

	(void)pipe;
	pthread_mutex_lock(&exec->lock);
	if (launch->is_failed)
		give_way(unit, EXEC_ENDED);
	if (id >= VNPU_FLAG_COUNT)
		refuse_locked(unit, VNPU_FAULT_ARGUMENT, EIO,
			      "CrossCoreWaitFlag: there is no such flag");
	if (unit->counter[id]) {
		unit->counter[id]--;
		if (launch->race)
			exec_race_wait(unit, id);
		pthread_mutex_unlock(&exec->lock);
	} else {
		/* The block that raises the counter lets this one continue. */
		launch->waiting++;
		list_add_before(&unit->node, &launch->flagged);
		unit->wait_id = id;
		give_way(unit, EXEC_AT_FLAG);
	}
	leave(unit);
}

/* Between these, a signal is the fault of the kernel. */
static void copy_begin(struct exec_worker *worker)
{
	worker->is_copying = true;
	atomic_signal_fence(memory_order_seq_cst);
}

static void copy_end(struct exec_worker *worker)
{
	atomic_signal_fence(memory_order_seq_cst);
	worker->is_copying = false;
}

void exec_flush_line(struct exec_unit *unit)
{
	const struct exec_config *config = &unit->worker->exec->config;

	if (unit->line_length && config->host->print)
		config->host->print(config->data, unit->launch, unit->line,
				    unit->line_length);
	unit->line_length = 0;
}

/* Lines are passed on as a whole, so that those of several blocks do not mix. */
static void service_print(struct vnpu_block *block, const char *text,
			  size_t length)
{
	struct exec_unit *unit = ENTER(block);

	while (length) {
		size_t part = EXEC_LINE_MAX - unit->line_length;

		if (part > length)
			part = length;
		copy_begin(unit->worker);
		memcpy(unit->line + unit->line_length, text, part);
		copy_end(unit->worker);
		unit->line_length += part;
		text += part;
		length -= part;
		if (unit->line_length == EXEC_LINE_MAX ||
		    unit->line[unit->line_length - 1] == '\n')
			exec_flush_line(unit);
	}
	leave(unit);
}

/* The kernel's structure may be shorter than this core's, and its texts bad. */
static void report_copy(struct exec_unit *unit, struct exec_report *report,
			const struct vnpu_fault *from)
{
	struct exec_worker *worker = unit->worker;
	struct vnpu_fault fault = {};

	copy_begin(worker);
	memcpy(&fault, from, from->size < sizeof(fault) ? from->size :
	       sizeof(fault));
	exec_report_init(report, unit, fault.kind, EIO);
	if (fault.text)
		snprintf(report->text, sizeof(report->text), "%s", fault.text);
	if (fault.file)
		snprintf(report->file, sizeof(report->file), "%s", fault.file);
	copy_end(worker);
	report->line = fault.line;
	report->pc = (uintptr_t)fault.pc;
	report->address = (uintptr_t)fault.address;
	exec_report_callers(report, unit,
			    (uintptr_t)__builtin_frame_address(0));
}

static void service_fault(struct vnpu_block *block,
			  const struct vnpu_fault *fault)
{
	struct exec_unit *unit = ENTER(block);
	struct exec *exec = unit->worker->exec;
	struct exec_launch *launch = unit->launch;

	report_copy(unit, &unit->worker->report, fault);
	exec_flush_line(unit);
	pthread_mutex_lock(&exec->lock);
	atomic_store(&exec->is_tainted, true);
	if (!launch->is_failed) {
		launch->report = unit->worker->report;
		exec_launch_fail_locked(exec, launch, launch->report.error);
	}
	give_way(unit, EXEC_ENDED);
}

static void service_finding(struct vnpu_block *block,
			    const struct vnpu_fault *fault)
{
	struct exec_unit *unit = ENTER(block);
	struct exec *exec = unit->worker->exec;
	const struct exec_config *config = &exec->config;

	report_copy(unit, &unit->worker->report, fault);
	if (config->host->finding)
		config->host->finding(config->data, unit->launch,
				      &unit->worker->report);
	leave(unit);
}

static uint64_t service_ticks(struct vnpu_block *block)
{
	struct exec_unit *unit = ENTER(block);
	uint64_t ticks = exec_now() / 20;

	leave(unit);
	return ticks;
}

static void service_access(struct vnpu_block *block, const void *address,
			   uint64_t length, uint32_t flags)
{
	struct exec_unit *unit = ENTER(block);
	const struct exec_config *config = &unit->worker->exec->config;
	struct exec_report *report = &unit->worker->report;

	if (exec_race_access(unit, address, length, flags, report) &&
	    config->host->finding)
		config->host->finding(config->data, unit->launch, report);
	leave(unit);
}

#define SERVICES \
	.size = sizeof(struct vnpu_core_ops), \
	.abi = VNPU_KERNEL_ABI, \
	.yield = service_yield, \
	.barrier = service_barrier, \
	.flag_set = service_flag_set, \
	.flag_wait = service_flag_wait, \
	.print = service_print, \
	.fault = service_fault, \
	.finding = service_finding, \
	.ticks = service_ticks

const struct vnpu_core_ops exec_services = { SERVICES };

const struct vnpu_core_ops exec_services_checked = {
	SERVICES,
	.access = service_access,
};
