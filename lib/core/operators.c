// SPDX-License-Identifier: MIT
/*
 * Operators: calls of lib/ops, as a kernel that is part of the core.
 *
 * A launch has a run, which its blocks share.  Block 0 copies the arguments, which
 * the client may change at any time, and prepares each step.  Then all blocks
 * compute a part.  Memory of the core is allocated in services, the memory of the
 * client is only touched outside of them: so a fault there is an exception of the
 * launch, like one of a kernel.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/call.h"

#include "core.h"

/* The memory that all launches may have for intermediate values. */
#define MEMORY_MAX	(4ULL << 30)
#define ALIGN		64U

/**
 * struct run - the launch of a call
 * @kernel: for the engine; the first member
 * @name: of the operator, for messages
 * @args: device address of the arguments
 * @at: position of the next step
 * @job: the step that runs
 * @memory: for the intermediate values of @job
 * @memory_size: its bytes
 * @stride: bytes of it for each block
 * @call: copy of the arguments
 */
struct run {
	struct kernel kernel;
	char name[VNPU_OP_CALL_NAME];
	const void *args;
	size_t at;
	struct vnpu_op_job job;
	char *memory;
	uint64_t memory_size;
	uint64_t stride;
	struct vnpu_op_call call;
};

static struct vnpu_block *this_block(void)
{
	uintptr_t top = ((uintptr_t)__builtin_frame_address(0) |
			 (VNPU_STACK_SIZE - 1)) + 1;

	return ((struct vnpu_block **)top)[-1];
}

/* End the launch with an exception. */
__attribute__((format(printf, 3, 4)))
static void fail(struct vnpu_block *block, uint32_t kind, const char *format,
		 ...)
{
	char text[EXEC_TEXT_MAX];
	const struct vnpu_fault fault = {
		.size = sizeof(fault),
		.kind = kind,
		.text = text,
	};
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	block->ops->fault(block, &fault);
}

/* Names come from the client, and go to its messages and logs. */
static void name_set(struct run *run)
{
	for (size_t i = 0; i < sizeof(run->name) - 1; i++) {
		char c = run->call.name[i];

		run->name[i] = c >= ' ' && c <= '~' ? c : c ? '?' : '\0';
		if (!c)
			break;
	}
}

static void read_call(struct run *run, struct vnpu_block *block, size_t size)
{
	const char *why;

	memcpy(&run->call, run->args, size);
	why = vnpu_op_call_check(&run->call, size);
	if (why)
		fail(block, VNPU_FAULT_ARGUMENT, "the call is invalid: %s",
		     why);
	name_set(run);
}

/*
 * Reserve bytes of the memory that all launches share, or return them if
 * negative.  Return false if there are not enough.
 */
static bool take_memory(int64_t bytes)
{
	static uint64_t taken;
	uint64_t now = __atomic_add_fetch(&taken, bytes, __ATOMIC_RELAXED);

	if (bytes <= 0 || now <= MEMORY_MAX)
		return true;
	__atomic_sub_fetch(&taken, bytes, __ATOMIC_RELAXED);
	return false;
}

static void free_memory(struct run *run)
{
	free(run->memory);
	take_memory(-(int64_t)run->memory_size);
	run->memory = NULL;
	run->memory_size = 0;
}

/* Allocate memory for the intermediate values of the job. */
static void allocate(struct run *run, struct vnpu_block *block)
{
	const struct vnpu_op_job *job = &run->job;
	uint64_t size = 0, shared;

	shared = (job->shared + ALIGN - 1) & ~(ALIGN - 1ULL);
	run->stride = (job->scratch + ALIGN - 1) & ~(ALIGN - 1ULL);
	if (job->shared > MEMORY_MAX || job->scratch > MEMORY_MAX ||
	    __builtin_mul_overflow(run->stride, block->count, &size) ||
	    __builtin_add_overflow(shared, size, &size) || size > MEMORY_MAX)
		fail(block, VNPU_FAULT_MEMORY,
		     "the operator needs more than %llu MiB for intermediate values",
		     MEMORY_MAX >> 20);
	if (size <= run->memory_size)
		return;
	exec_service_enter(block);
	free_memory(run);
	if (take_memory(size)) {
		run->memory = aligned_alloc(ALIGN, size);
		run->memory_size = size;
		if (!run->memory)
			free_memory(run);
	}
	exec_service_leave(block);
	if (!run->memory)
		fail(block, VNPU_FAULT_MEMORY,
		     "there is no memory for %llu bytes of intermediate values; all launches may have %llu MiB",
		     (unsigned long long)size, MEMORY_MAX >> 20);
}

/* Prepare the next step. */
static void next(struct run *run, struct vnpu_block *block)
{
	const struct vnpu_op_window window = {
		core.attach.out_window,
		core.attach.out_window + core.attach.out_window_length
	};
	struct vnpu_op_error error = { .argument = -1 };
	const void *step;
	size_t size;

	step = vnpu_op_call_step(&run->call, &run->at, &size);
	if (!step || vnpu_op_prepare(&run->job, step, size, &window, &error))
		fail(block, VNPU_FAULT_ARGUMENT, "%s", error.text);
	allocate(run, block);
}

static void meet(struct vnpu_block *block)
{
	if (block->count > 1)
		block->ops->barrier(block, VNPU_SCOPE_KIND);
}

/* Compute this block's part of the step; @is_last: no step follows. */
static void compute(const struct run *run, struct vnpu_block *block,
		    bool is_last)
{
	/* A copy: after the last meet(), block 0 prepares the next job. */
	const uint32_t phases = run->job.phases;
	struct vnpu_op_work work = {
		.part = block->index,
		.parts = block->count,
	};
	int ret;

	if (run->job.scratch)
		work.scratch = run->memory + run->stride * block->index;
	if (run->job.shared)
		work.shared = run->memory + run->stride * block->count;
	for (; work.phase < phases; work.phase++) {
		ret = vnpu_op_run(&run->job, &work);
		if (ret)
			fail(block, VNPU_FAULT_BOUNDS, "%s: %s",
			     vnpu_op_name(run->job.launch.op),
			     ret == -ERANGE ? "an index is out of range" :
			     ret == -EBADMSG ? "the parameters are not valid" :
					       "it cannot be computed");
		if (work.phase + 1 < phases || !is_last)
			meet(block);
	}
}

static void call(void (*entry)(void), const void *args)
{
	/* It is not constant: operators_get() made it for this launch. */
	struct run *run = (struct run *)(uintptr_t)args;
	struct vnpu_block *block = this_block();
	unsigned int done = 0, steps;

	(void)entry;
	if (!block->index)
		read_call(run, block, run->call.size);
	do {
		if (!block->index && run->call.steps)
			next(run, block);
		meet(block);
		steps = run->call.steps;
		if (steps)
			compute(run, block, ++done == steps);
	} while (done < steps);
}

static const struct vnpu_kernel_info info = {
	.name = "operator",
	.call = call,
};

static const struct vnpu_kernel builtin = {
	.symbol = "operator",
	.info = &info,
	.type = VNPU_KERNEL_TYPE_AIV_ONLY,
};

struct kernel *operators_get(const struct vnpu_engine_event *event, char *error,
			     size_t size, int *result)
{
	uint64_t length = event->args_length;
	struct run *run;

	if (event->function != CORE_OPERATOR) {
		*result = ENOENT;
		snprintf(error, size,
			 "kernel %u of the core: there is no such kernel",
			 (uint32_t)event->function);
		return NULL;
	}
	*result = EINVAL;
	if (length < sizeof(run->call) || length > VNPU_OP_CALL_MAX ||
	    event->blocks >> 32) {
		snprintf(error, size,
			 "operator: the launch has %llu bytes of arguments and begins at block %u",
			 (unsigned long long)length,
			 (uint32_t)(event->blocks >> 32));
		return NULL;
	}
	run = calloc(1, sizeof(*run) + length - sizeof(run->call));
	if (!run) {
		*result = ENOMEM;
		snprintf(error, size, "operator: the core has no memory for it");
		return NULL;
	}
	strcpy(run->name, "?");
	run->args = (const void *)(uintptr_t)event->args;
	run->call.size = length;
	run->kernel.name = run->name;
	run->kernel.exec.code[EXEC_VECTOR] = (struct exec_code){
		.kernel = &builtin,
		.is_builtin = true,
	};
	return &run->kernel;
}

void operators_put(struct kernel *kernel)
{
	struct run *run = (struct run *)kernel;

	free_memory(run);
	free(run);
}

const void *operators_args(const struct kernel *kernel)
{
	return kernel;
}
