/* SPDX-License-Identifier: MIT */
/*
 * The executor: runs the blocks of launches as fibers on a few threads.
 *
 *	host	hands over launches, and gets their results.  It is the process
 *		vnpu-core with its engine file, or a test that has the executor
 *		in its own process.
 *	worker	a thread that runs blocks
 *	unit	what a block needs while it runs: a stack, the memories of a
 *		core, and struct vnpu_block.  A unit stands for a core.
 *
 * There is one worker more than may run blocks at a time, so that one is always
 * free to listen for the host.  See worker.c for the roles of workers, sched.c
 * for the order of blocks, and signals.c for the ends of kernels that fail.
 *
 * The executor is thread-safe.  All its state is in struct exec, except what
 * signal handlers need: the worker of the thread, and the previous handlers.
 */
#ifndef VNPU_CORE_EXEC_H
#define VNPU_CORE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list.h"
#include "vnpu/kernel.h"

struct exec;
struct exec_launch;
struct exec_race;
struct exec_unit;

/* The order in which the blocks of a launch begin. */
enum exec_order {
	EXEC_ORDER_FORWARD,
	EXEC_ORDER_BACKWARD,
	EXEC_ORDER_SEEDED,
};

/*
 * The kinds of faults that the executor itself finds, beside VNPU_FAULT_*. The
 * numbers are those of CORE_FAULT_* in the protocol.
 */
enum exec_fault {
	EXEC_FAULT_ACCESS = 64,
	EXEC_FAULT_DEADLOCK,
	EXEC_FAULT_SYSCALL,
	EXEC_FAULT_INSTRUCTION,
	EXEC_FAULT_STOPPED,
	EXEC_FAULT_FUNCTION,
	EXEC_FAULT_STACK,
};

#define EXEC_TEXT_MAX	1024
#define EXEC_CALLERS	15
#define EXEC_SITE_CALLERS 7

/**
 * struct exec_site - a place in a kernel
 * @pc: an address in the instruction, or 0
 * @callers: as in struct exec_report, but fewer
 */
struct exec_site {
	uint64_t pc;
	uint64_t callers[EXEC_SITE_CALLERS + 1];
};

/**
 * struct exec_report - an exception, or a finding
 * @kind: VNPU_FAULT_* or EXEC_FAULT_*; 0 if there is none
 * @error: the positive errno with which the launch ends
 * @block: index of the block, as GetBlockIdx() counts
 * @core: the kind of its core, VNPU_CORE_*
 * @sub_index: of a vector core in its group
 * @is_write: whether the access was a write
 * @address: the address that is concerned, or 0
 * @pc: address of the instruction, or 0
 * @callers: return addresses that were on the stack, the innermost first; 0
 *	behind the last one
 * @other: place of the access that this one races with
 * @file: source file of an assertion, or ""
 * @line: line of @file, or 0
 * @text: description, without the kernel's name and the place
 */
struct exec_report {
	uint32_t kind;
	int error;
	uint32_t block;
	uint32_t core;
	uint32_t sub_index;
	bool is_write;
	uint64_t address;
	uint64_t pc;
	uint64_t callers[EXEC_CALLERS + 1];
	struct exec_site other;
	char file[256];
	uint32_t line;
	char text[EXEC_TEXT_MAX];
};

/* Indices of kinds of cores, and of a sum over both. */
enum exec_kind {
	EXEC_VECTOR,
	EXEC_CUBE,
	EXEC_KINDS,
	EXEC_ALL = EXEC_KINDS,
};

/**
 * struct exec_code - the code of a kernel for a kind of core
 * @kernel: the kernel in its image; NULL if there is no code for this kind
 * @state_size: vnpu_image.state_size, at most EXEC_STATE_MAX
 * @text: first address of the image's code; 0 if it is unknown
 * @text_end: address behind it
 * @is_builtin: the code is the host's own, and uses no memory of a core
 */
struct exec_code {
	const struct vnpu_kernel *kernel;
	uint32_t state_size;
	bool is_builtin;
	uint64_t text;
	uint64_t text_end;
};

#define EXEC_STATE_MAX	(2U << 20)

/**
 * struct exec_kernel - a kernel that can be launched
 * @code: by enum exec_kind
 * @block_ns: time that the last measured block took; the executor's
 *
 * Stays valid while a launch of it exists.
 */
struct exec_kernel {
	struct exec_code code[EXEC_KINDS];
	_Atomic uint64_t block_ns;
};

/**
 * struct exec_barrier - a barrier of a launch
 * @waiting: units that wait, in the order in which they came
 * @arrived: their number, and the one that completes them
 */
struct exec_barrier {
	struct list waiting;
	uint32_t arrived;
};

#define EXEC_NO_LIMIT	UINT32_MAX

/**
 * struct exec_limit - the cores of a kind that a launch may use
 * @cores: the most blocks that it has at a time, or EXEC_NO_LIMIT
 * @is_shared: workers run no more blocks at a time of all launches together that
 *	share a limit of at most @cores; their blocks that wait do not count
 */
struct exec_limit {
	uint32_t cores;
	bool is_shared;
};

/**
 * struct exec_launch - a launch
 *
 * The host sets the first fields, and leaves all of them alone from
 * exec_submit() until exec_host.finished().  The rest are the executor's, under
 * the lock of struct exec.
 *
 * @kernel: what to run
 * @args: the argument block
 * @id: a number that the host chooses, for exec_stop()
 * @blocks: number of blocks, or of groups of a mixed kernel
 * @first: index of the first
 * @dynamic_bytes: of struct vnpu_block
 * @priority: 0 is served first
 * @limit: by enum exec_kind
 * @result: 0 or a positive errno, for exec_host.finished()
 * @report: the exception, if there was one, for exec_host.finished()
 * @node: in exec.launches or exec.finished
 * @ready: units that can run
 * @yielded: units that can run, and gave way
 * @flagged: units that wait for a flag
 * @held: units that have run their block, but other units still need their
 *	flags
 * @barriers: by enum exec_kind, EXEC_ALL included
 * @set_all: number of units that have set a flag in mode ALL for the next
 *	round, by kind of core and id
 * @members: number of blocks by enum exec_kind, EXEC_ALL included
 * @ratio: vector cores of a group; 0 without groups
 * @begun: number of groups that have begun
 * @resident: number of groups that have units
 * @resident_max: number of groups that the device, or @limit, allows at a time
 * @is_limited: @resident_max is that of @limit
 * @live: blocks that have begun and not ended
 * @running: those of them that a worker runs now, by enum exec_kind
 * @waiting: those of them that wait for others
 * @number: exec.submissions at its submission
 * @race: the checker of its races, or NULL
 * @is_active: between exec_submit() and the end
 * @is_failed: ends as soon as no worker runs a block of it
 * @keeps_units: a flag of mode ALL was set
 */
struct exec_launch {
	struct exec_kernel *kernel;
	const void *args;
	uint64_t id;
	uint32_t blocks;
	uint32_t first;
	uint32_t dynamic_bytes;
	uint32_t priority;
	struct exec_limit limit[EXEC_KINDS];

	int result;
	struct exec_report report;

	struct list node;
	struct list ready;
	struct list yielded;
	struct list flagged;
	struct list held;
	struct exec_barrier barriers[EXEC_KINDS + 1];
	uint32_t set_all[EXEC_KINDS][VNPU_FLAG_COUNT];
	uint64_t members[EXEC_KINDS + 1];
	uint32_t ratio;
	uint32_t begun;
	uint32_t resident;
	uint32_t resident_max;
	uint32_t live;
	uint32_t running[EXEC_KINDS];
	uint32_t waiting;
	uint64_t number;
	struct exec_race *race;
	bool is_limited;
	bool is_active;
	_Atomic bool is_failed;
	bool keeps_units;
};

/* Most bytes of a call of print(). */
#define EXEC_LINE_MAX	512

/**
 * struct exec_host - the functions that the host implements
 *
 * Called without locks, from workers, several at a time unless stated otherwise.
 * Only @finished is mandatory.
 *
 * @listen: wait for launches and submit them; one worker at a time.  Returns
 *	when it has submitted some, when exec_is_called(), or when @finished
 *	should be called for stopped launches.  Calls exec_begin_sleep() before
 *	it sleeps.
 * @finished: a launch has ended
 * @finding: a mistake that does not end the launch; called on the stack of the
 *	block
 * @print: text of a kernel, EXEC_LINE_MAX bytes at most
 */
struct exec_host {
	void (*listen)(void *data);
	void (*finished)(void *data, struct exec_launch *launch);
	void (*finding)(void *data, struct exec_launch *launch,
			const struct exec_report *report);
	void (*print)(void *data, struct exec_launch *launch, const char *text,
		      size_t length);
};

/**
 * struct exec_config - the properties of an executor
 * @local: sizes of the memories of a core, by VNPU_LOCAL_*; each is rounded up
 *	to pages
 * @vector_cores: number of vector cores of the device
 * @cube_cores: number of cube cores
 * @workers: number of threads that run blocks at a time; 0 for one per processor
 * @order: the order of blocks
 * @seed: of EXEC_ORDER_SEEDED
 * @check_races: look for races in all kernels with VNPU_KERNEL_F_ACCESS, not
 *	only in those with VNPU_KERNEL_F_RACE
 * @race_memory: bytes that this takes for a launch at most; 0 for 256 MiB
 * @is_guest: the process is not the host's own, so its signals are left alone.  A
 *	fault of a kernel is a signal of the process, and a launch is stopped when
 *	its blocks call a service.
 * @host: the functions of the host
 * @data: their first argument
 */
struct exec_config {
	uint64_t local[VNPU_LOCAL_COUNT];
	uint32_t vector_cores;
	uint32_t cube_cores;
	uint32_t workers;
	enum exec_order order;
	uint64_t seed;
	bool check_races;
	uint64_t race_memory;
	bool is_guest;
	const struct exec_host *host;
	void *data;
};

/**
 * exec_create() - start the threads of an executor
 * @config: copied
 * @out: the executor
 *
 * Return: 0 or a negative errno.
 */
int exec_create(const struct exec_config *config, struct exec **out);

/**
 * exec_destroy() - end the threads and free the executor
 * @exec: has no launches; exec_host.listen does not sleep
 *
 * Not to be called by a worker.
 */
void exec_destroy(struct exec *exec);

/**
 * exec_submit() - begin a launch
 * @exec: an executor
 * @launch: the launch, with its first fields set
 *
 * Return: 0, or a negative errno: EINVAL if the kernel has no code for a kind of
 * core that it needs, if @launch has no blocks or too many, or if its limits are
 * below the cores of a group; ENOMEM if there is no memory to check it for races.
 */
int exec_submit(struct exec *exec, struct exec_launch *launch);

/**
 * exec_stop() - end a launch early
 * @exec: an executor
 * @launch: a launch, which may have ended and been submitted anew
 * @id: its id; nothing happens if the id of @launch differs
 *
 * The launch ends with ECANCELED, soon: a kernel that runs is interrupted.
 */
void exec_stop(struct exec *exec, struct exec_launch *launch, uint64_t id);

/**
 * exec_dequeue() - remove a launch of which no block has begun
 * @exec: an executor
 *
 * Return: such a launch, which is the host's again, or NULL.
 */
struct exec_launch *exec_dequeue(struct exec *exec);

/**
 * exec_is_called() - ask whether exec_host.listen should return
 * @exec: an executor
 */
bool exec_is_called(struct exec *exec);

/**
 * exec_begin_sleep() - announce that exec_host.listen is about to sleep
 * @exec: an executor
 *
 * Return: false if it has to return instead.
 */
bool exec_begin_sleep(struct exec *exec);

/**
 * exec_is_tainted() - ask whether a kernel may have damaged the process
 * @exec: an executor
 *
 * Is true once a kernel had an exception or was interrupted: it may have written
 * anywhere, or hold a lock of the C library.  The next launch should have another
 * process.
 */
bool exec_is_tainted(struct exec *exec);

/**
 * exec_service_enter() - begin to run code of the host in a block
 * @block: the running block, of a kernel that is the host's own
 *
 * The block may make system calls and take locks until exec_service_leave(), but
 * must access no device memory.
 */
void exec_service_enter(struct vnpu_block *block);

/**
 * exec_service_leave() - end what exec_service_enter() has begun
 * @block: the running block
 *
 * Does not return if the launch has failed meanwhile.
 */
void exec_service_leave(struct vnpu_block *block);

#endif /* VNPU_CORE_EXEC_H */
