/* SPDX-License-Identifier: MIT */
/*
 * The executor from the inside.
 *
 * There is one lock, exec.lock.  A worker holds it while it chooses what to do
 * and releases it while it runs a block; services of blocks take it for what
 * they change.  Functions with the suffix _locked need it.
 */
#ifndef VNPU_CORE_EXEC_INTERNAL_H
#define VNPU_CORE_EXEC_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "exec.h"
#include "fiber.h"
#include "race.h"

/* States of a block. */
enum exec_status {
	EXEC_READY,		/* in exec_launch.ready */
	EXEC_RUNNING,
	EXEC_YIELDED,		/* in exec_launch.yielded */
	EXEC_AT_BARRIER,	/* in exec_barrier.waiting */
	EXEC_AT_FLAG,		/* in exec_launch.flagged */
	EXEC_ENDED,
};

/* Modes of flags: VNPU_FLAG_ALL, GROUP and CROSS. */
#define EXEC_FLAG_MODES	3

/**
 * struct exec_unit - a core with the block that it runs
 * @block: for the kernel
 * @sp: where the block continues, unless it is running
 * @worker: runs it, while it is running
 * @launch: the launch
 * @code: the kernel
 * @node: in a list of the launch, or in exec.idle
 * @group: the next unit of the group, a ring
 * @status: state of the block
 * @wait_id: the flag, or the kind of barrier, that it waits for
 * @service_pc: where the kernel called the service
 * @is_fresh: the block has not begun
 * @kind: of core
 * @number: of the unit among those of its kind
 * @poisoned_for: exec.submissions of the launch that the memories were
 *	overwritten for; 0 if they never were
 * @set: flags that were set and did not have an effect yet, by mode and id
 * @counter: flags that can be waited for
 * @line: text that was printed without a newline
 * @line_length: its bytes
 * @mapping: of stack and memories
 * @mapping_size: its bytes
 * @stack: the lowest address; a page that is not accessible is below
 * @stack_number: of it in valgrind
 * @state: of struct vnpu_block; EXEC_STATE_MAX bytes
 * @race: for the checker of races
 */
struct exec_unit {
	struct vnpu_block block;
	void *sp;
	struct exec_worker *worker;
	struct exec_launch *launch;
	const struct exec_code *code;
	struct list node;
	struct exec_unit *group;
	enum exec_status status;
	uint32_t wait_id;
	const void *service_pc;
	bool is_fresh;
	enum exec_kind kind;
	uint32_t number;
	uint64_t poisoned_for;
	uint8_t set[EXEC_FLAG_MODES][VNPU_FLAG_COUNT];
	uint8_t counter[VNPU_FLAG_COUNT];
	char line[EXEC_LINE_MAX];
	uint32_t line_length;
	char *mapping;
	size_t mapping_size;
	char *stack;
	uint64_t stack_number;
	char *state;
	struct race_unit race;
};

/* Values of exec_worker.selector: of syscall user dispatch. */
#define EXEC_IN_CORE	0	/* SYSCALL_DISPATCH_FILTER_ALLOW */
#define EXEC_IN_KERNEL	1	/* SYSCALL_DISPATCH_FILTER_BLOCK */

/**
 * struct exec_signal - a signal that ended a block, as its handler found it
 * @number: of the signal; 0 if there was none
 * @code: siginfo_t.si_code
 * @syscall: number of the system call, for SIGSYS
 * @is_write: the access was a write
 * @is_address: @address is valid
 * @address: address of the access
 * @pc: the instruction
 * @sp: the stack pointer
 */
struct exec_signal {
	int number;
	int code;
	int syscall;
	bool is_write;
	bool is_address;
	uint64_t address;
	uint64_t pc;
	uint64_t sp;
};

/**
 * struct exec_worker - a thread
 * @exec: the executor
 * @thread: the thread
 * @tid: its number for tgkill(); 0 until it has begun
 * @unit: the unit of the block that it runs; changes under the lock
 * @sp: where it continues when the block gives way
 * @selector: EXEC_IN_KERNEL while code of a kernel runs; read by the kernel of
 *	the operating system and by signal handlers
 * @is_copying: reads memory that the kernel named; a signal is its fault
 * @signal: signal that ended the block
 * @report: what ended the block, as the service fault() was called
 * @yields: number of blocks that gave way since one did something else
 * @node: in exec.parked
 * @wake: the word that it waits on, while it is parked
 * @signal_stack: for handlers
 */
struct exec_worker {
	struct exec *exec;
	pthread_t thread;
	_Atomic pid_t tid;
	struct exec_unit *unit;
	void *sp;
	volatile uint8_t selector;
	volatile bool is_copying;
	struct exec_signal signal;
	struct exec_report report;
	unsigned int yields;
	struct list node;
	_Atomic uint32_t wake;
	void *signal_stack;
};

/**
 * struct exec - an executor
 * @config: as given
 * @lock: protects all that follows
 * @launches: that have not ended, by priority, then in order of submission
 * @finished: that have ended, for exec_host.finished()
 * @idle: units without a block, by kind
 * @units: number of units that exist, by kind
 * @submissions: number of launches so far
 * @parked: workers that wait for something to do
 * @listener: the worker in exec_host.listen
 * @deputy: the parked worker that looks after the others once in a while
 * @deputy_is_timed: it wakes by itself
 * @listener_sleeps: since exec_begin_sleep()
 * @called: the listener should return; read without the lock
 * @running: number of workers that run blocks
 * @listens: number of times that a worker has become the listener
 * @active_ns: when the host last had something to do
 * @started: number of workers that have begun, or a negative errno
 * @has_started: signalled with @started
 * @urgent: number of threads that wait for the lock in exec_lock(); read
 *	without the lock
 * @is_ending: workers end
 * @is_tainted: see exec_is_tainted()
 * @worker_count: number of workers
 * @workers: one more than may run blocks at a time
 */
struct exec {
	struct exec_config config;
	pthread_mutex_t lock;
	struct list launches;
	struct list finished;
	struct list idle[EXEC_KINDS];
	uint32_t units[EXEC_KINDS];
	uint64_t submissions;
	struct list parked;
	struct exec_worker *listener;
	struct exec_worker *deputy;
	bool deputy_is_timed;
	bool listener_sleeps;
	_Atomic bool called;
	uint32_t running;
	uint64_t listens;
	uint64_t active_ns;
	int started;
	pthread_cond_t has_started;
	_Atomic uint32_t urgent;
	bool is_ending;
	_Atomic bool is_tainted;
	uint32_t worker_count;
	struct exec_worker workers[];
};

static inline struct exec_unit *exec_unit_of(struct list *node)
{
	return list_entry(node, struct exec_unit, node);
}

/* GetBlockIdx(): blocks of groups are counted by kind. */
static inline uint32_t exec_unit_index(const struct exec_unit *unit)
{
	const struct vnpu_block *block = &unit->block;

	return block->ratio && unit->kind == EXEC_VECTOR ?
		block->index * block->ratio + block->sub_index : block->index;
}

static inline uint32_t exec_cores(const struct exec *exec, enum exec_kind kind)
{
	return kind == EXEC_CUBE ? exec->config.cube_cores :
		exec->config.vector_cores;
}

/*
 * Take the lock for something that must not wait for long.  Workers take it all
 * the time while their blocks only wait for memory, and make room.
 */
static inline void exec_lock(struct exec *exec)
{
	exec->urgent++;
	pthread_mutex_lock(&exec->lock);
	exec->urgent--;
}

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t exec_now(void);

/* unit.c */

/* Take a unit; NULL if there is no memory. */
struct exec_unit *exec_unit_get_locked(struct exec *exec, enum exec_kind kind);

/* Give a unit back. */
void exec_unit_put_locked(struct exec *exec, struct exec_unit *unit);

/* Prepare memories and stack for a block that calls @main. */
void exec_unit_prepare(struct exec_unit *unit, void (*main)(void *unit));

void exec_units_free(struct exec *exec);

/* sched.c */

/* Take the next unit to run from its list; NULL if there is none. */
struct exec_unit *exec_pick_locked(struct exec *exec);

/* Check whether waking another worker for the ready units is worthwhile. */
bool exec_is_worth_waking_locked(struct exec *exec);

/* Give a unit back with its group, after its block has ended. */
void exec_unit_end_locked(struct exec *exec, struct exec_unit *unit);

/* End a launch as soon as no worker runs a block of it. */
void exec_launch_fail_locked(struct exec *exec, struct exec_launch *launch,
			     int error);

/* Finish a launch if nothing of it is left, or find its deadlock. */
void exec_launch_look_locked(struct exec *exec, struct exec_launch *launch);

/* Make units of @list of this launch ready. */
void exec_units_ready_locked(struct exec *exec, struct exec_launch *launch,
			     struct list *list, uint32_t count);

/* order.c: the n-th of @count groups to begin. */
uint32_t exec_order(const struct exec_config *config, uint32_t n,
		    uint32_t count);

/* deadlock.c */

/* Describe why no block of a launch can continue, and end it. */
void exec_deadlock_locked(struct exec *exec, struct exec_launch *launch);

/*
 * Return the subject of a sentence that ends with "resident_max at a time": the
 * limit of cores, or the device.
 */
const char *exec_limit_name(const struct exec_launch *launch);

/* services.c */

/* The services, and those for launches that are checked for races. */
extern const struct vnpu_core_ops exec_services;
extern const struct vnpu_core_ops exec_services_checked;

/* The function that a fiber begins with. */
void exec_unit_main(void *unit);

/* Hand over the text that a block printed without a newline. */
void exec_flush_line(struct exec_unit *unit);

/* report.c */

/* Begin a report about the block of @unit. */
void exec_report_init(struct exec_report *report, const struct exec_unit *unit,
		      uint32_t kind, int error);

/* Collect return addresses above @sp, and a 0 behind them. */
void exec_report_callers(struct exec_report *report,
			 const struct exec_unit *unit, uint64_t sp);
void exec_site_callers(uint64_t *callers, unsigned int max,
		       const struct exec_unit *unit, uint64_t sp);

/* Describe the signal that ended the block of @worker in its report. */
void exec_report_signal(struct exec_worker *worker);

/*
 * race.c; the functions for units need exec.lock, but for exec_race_access(), and
 * a launch with a checker.
 */

/* Make the checker of a launch, if it needs one; 0 or a negative errno. */
int exec_race_create(const struct exec *exec, struct exec_launch *launch);
void exec_race_destroy(struct exec_launch *launch);

void exec_race_begin(struct exec_unit *unit);
void exec_race_end(struct exec_unit *unit);

/* Note the end of a barrier that @unit and all of @waiting have reached. */
void exec_race_barrier(struct exec_unit *unit, struct list *waiting);

/*
 * Note that @unit sets a flag; in mode ALL, for the @round-th incomplete round.
 */
void exec_race_set(struct exec_unit *unit, uint32_t mode, uint32_t id);
void exec_race_set_all(struct exec_unit *unit, uint32_t id, uint32_t round);

/*
 * Note that all units that have to set a flag have set it.  Its clock comes
 * from each of these, in mode ALL from any, and goes to the units for which it
 * is raised.
 */
void exec_race_collect(struct exec_unit *unit, uint32_t mode, uint32_t id);
void exec_race_raise(struct exec_unit *unit, uint32_t id);
void exec_race_round_end(struct exec_launch *launch);

/* Note that @unit lowers its counter. */
void exec_race_wait(struct exec_unit *unit, uint32_t id);

/* Note an access; returns true if there is something to report. */
bool exec_race_access(struct exec_unit *unit, const void *address,
		      uint64_t length, uint32_t flags,
		      struct exec_report *report);

/* signals.c */

int exec_signals_init(void);

/* Let the calling thread catch signals and system calls of kernels. */
int exec_signals_init_worker(struct exec_worker *worker);
void exec_signals_fini_worker(struct exec_worker *worker);

/* Interrupt the kernel that @worker runs. */
void exec_signals_interrupt(struct exec_worker *worker);

/* worker.c */

void *exec_worker_main(void *worker);

/* Wake a worker to run what is ready. */
void exec_wake_locked(struct exec *exec);
void exec_wake_all_locked(struct exec *exec);

#endif /* VNPU_CORE_EXEC_INTERNAL_H */
