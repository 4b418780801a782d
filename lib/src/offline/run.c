// SPDX-License-Identifier: MIT
/*
 * Runs of offline models: the steps of a program as launches in stream order.
 *
 * A launch has the steps of one node of the model, so that a failure names it.
 * The call is written to the arguments of the launch, with addresses in place
 * of the offsets that steps have in segments.  Launches that are dumped run one
 * by one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ops/call.h"

#include "base/error.h"
#include "launch/operators.h"
#include "stream/build.h"
#include "stream/order.h"
#include "offline.h"

/**
 * struct part - a launch of a run
 * @model: the model
 * @program: its program
 * @io: memory of the run
 * @stream: the stream
 * @dump: the dump of the run, or NULL
 * @first: the first step
 * @steps: number of steps
 * @size: bytes of the call
 * @parts: for the launch
 */
struct part {
	const struct vnpu_offline *model;
	const struct program *program;
	const struct vnpu_offline_io *io;
	struct vnpu_stream *stream;
	struct vnpu_dump_run *dump;
	const struct program_step *first;
	uint32_t steps;
	uint32_t size;
	uint32_t parts;
};

static uint64_t segment_address(const struct part *part, unsigned int segment)
{
	switch (segment) {
	case PROGRAM_WEIGHTS:
		return part->model->weights;
	case PROGRAM_WORK:
		return part->io->work;
	default:
		return part->io->io[segment - PROGRAM_IO];
	}
}

static void write_step(const struct part *part, const struct program_step *step,
		       struct vnpu_op_launch *to)
{
	const struct vnpu_op_launch *from = program_launch(step);

	memcpy(to, from, from->size);
	for (unsigned int i = 0;
	     i < (unsigned int)from->inputs + from->outputs; i++)
		if (step->segments[i] != PROGRAM_IMMEDIATE)
			to->tensor[i].data +=
				segment_address(part, step->segments[i]);
}

/* Write the call of a part.  Its name is what messages show. */
static void write_part(const void *from, char *to, uint64_t va)
{
	const struct part *part = from;
	const struct program_step *step = part->first;
	const char *text = part->program->text;
	struct vnpu_op_call head = {
		.size = part->size,
		.version = VNPU_OP_CALL_VERSION,
		.steps = part->steps,
	};

	(void)va;
	snprintf(head.name, sizeof(head.name), "%.16s: %.30s (%.12s)",
		 vnpu_offline_name(part->model), text + step->name,
		 text + step->type);
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	for (uint32_t i = 0; i < part->steps; i++) {
		const struct vnpu_op_launch *launch = program_launch(step);

		/* The block is aligned, and sizes are multiples of 8. */
		write_step(part, step, (struct vnpu_op_launch *)(void *)to);
		to += launch->size;
		step = program_next(part->program, step);
	}
}

/* Take the steps of the next node; return the step behind them, or NULL. */
static const struct program_step *take(struct part *part,
				       const struct program_step *step)
{
	part->first = step;
	part->steps = 0;
	part->size = sizeof(struct vnpu_op_call);
	part->parts = 1;
	while (step && step->name == part->first->name &&
	       step->type == part->first->type && part->steps < UINT16_MAX) {
		uint32_t bytes = program_launch(step)->size;

		if (bytes > VNPU_OP_CALL_MAX - part->size)
			break;
		part->size += bytes;
		part->steps++;
		if (step->parts > part->parts)
			part->parts = step->parts;
		step = program_next(part->program, step);
	}
	return step;
}

static aclError submit_part(const void *from)
{
	const struct part *part = from;
	const struct vnpu_operator_args args = {
		.write = write_part,
		.from = part,
		.size = part->size,
		.parts = part->parts,
	};

	return vnpu_operator_submit(&args,
				    vnpu_u64_to_ptr(part->stream->handle));
}

static bool is_dumped(const struct part *part)
{
	const struct vnpu_offline *model = part->model;

	return part->dump && !atomic_load(&model->dump->has_ended) &&
	       vnpu_dump_has(model->dump, vnpu_offline_name(model),
			     model->om->file,
			     part->program->text + part->first->name);
}

static aclError dump_part(const struct part *part)
{
	const char *text = part->program->text;
	char *call = malloc(part->size);
	struct vnpu_dump_op op = {
		.type = text + part->first->type,
		.name = text + part->first->name,
		.call = (const struct vnpu_op_call *)(void *)call,
		.submit = submit_part,
		.from = part,
	};
	aclError ret;

	if (!call)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to dump an operator");
	write_part(part, call, 0);
	ret = vnpu_dump_op(part->dump, &op);
	free(call);
	return ret;
}

static aclError submit_steps(const struct vnpu_offline *model,
			     struct vnpu_stream *stream,
			     const struct vnpu_offline_io *io,
			     struct vnpu_dump_run *dump)
{
	const struct program_step *step;
	struct program program;
	struct part part = {
		.model = model,
		.program = &program,
		.io = io,
		.stream = stream,
		.dump = dump,
	};
	aclError ret = ACL_SUCCESS;

	om_program(&model->om->om, io->gear, &program);
	step = program_next(&program, NULL);
	while (!ret && step) {
		step = take(&part, step);
		ret = is_dumped(&part) ? dump_part(&part) : submit_part(&part);
	}
	return ret;
}

/* Submit the steps, and dump them if the dump of the model has this run. */
static aclError submit_dumped_locked(struct vnpu_offline *model,
				     struct vnpu_stream *stream,
				     const struct vnpu_offline_io *io)
{
	struct vnpu_dump_run run = {
		.dump = model->dump,
		.stream = stream,
		.timeout = io->timeout,
	};
	uint64_t index;
	aclError ret;

	if (!run.dump || atomic_load(&run.dump->has_ended))
		return submit_steps(model, stream, io, NULL);
	index = model->dumped++;
	if (!vnpu_dump_has_run(run.dump, index))
		return submit_steps(model, stream, io, NULL);
	ret = vnpu_dump_run_init(&run, vnpu_offline_name(model), model->number,
				 index);
	if (ret)
		return ret;
	ret = submit_steps(model, stream, io, &run);
	vnpu_dump_run_fini(&run);
	return ret;
}

/* Forget runs that are complete; the lock of the model is held. */
static void prune_locked(struct vnpu_offline *model)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < model->nr_runs; i++) {
		struct vnpu_offline_run run = model->runs[i];

		if (vnpu_queue_is_done(&run.stream->queue, run.seq))
			vnpu_stream_put(run.stream);
		else
			model->runs[kept++] = run;
	}
	model->nr_runs = kept;
}

bool vnpu_offline_is_running(struct vnpu_offline *model)
{
	bool is_running;

	pthread_mutex_lock(&model->lock);
	prune_locked(model);
	is_running = model->nr_runs;
	pthread_mutex_unlock(&model->lock);
	return is_running;
}

/* Make room for one more run. */
static aclError reserve_locked(struct vnpu_offline *model)
{
	struct vnpu_offline_run *more;

	prune_locked(model);
	more = reallocarray(model->runs, model->nr_runs + 1, sizeof(*more));
	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to run a model");
	model->runs = more;
	return ACL_SUCCESS;
}

/* Have the stream wait for runs on other streams. */
static aclError wait_locked(const struct vnpu_offline *model,
			    struct vnpu_stream *stream)
{
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; !ret && i < model->nr_runs; i++) {
		const struct vnpu_offline_run *run = &model->runs[i];
		const struct vnpu_task task = {
			.op = VNPU_TASK_WAIT,
			.src = run->stream->queue.id,
			.arg0 = run->seq,
		};

		if (run->stream == stream)
			continue;
		ret = vnpu_stream_submit(stream, &task, 1, NULL);
		if (!ret)
			vnpu_order_note(stream, task.src, task.arg0);
	}
	return ret;
}

/* Remember the last run of a stream. */
static void note_locked(struct vnpu_offline *model, struct vnpu_stream *stream)
{
	uint64_t seq = vnpu_queue_last(&stream->queue);

	for (uint32_t i = 0; i < model->nr_runs; i++) {
		if (model->runs[i].stream == stream) {
			model->runs[i].seq = seq;
			return;
		}
	}
	vnpu_stream_ref(stream);
	model->runs[model->nr_runs++] = (struct vnpu_offline_run){
		stream, seq
	};
}

static aclError submit_locked(struct vnpu_offline *model,
			      struct vnpu_stream *stream,
			      const struct vnpu_offline_io *io)
{
	uint64_t captured;
	aclError ret = reserve_locked(model);

	if (ret)
		return ret;
	/* Tasks that are captured run later, in the order of the program. */
	if (vnpu_build_is_bound(stream) ||
	    vnpu_capture_status(stream, &captured) !=
	    ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return submit_steps(model, stream, io, NULL);
	if (io->work == model->work)
		ret = wait_locked(model, stream);
	if (!ret)
		ret = submit_dumped_locked(model, stream, io);
	/* Do so after an error, too, as some steps may run. */
	note_locked(model, stream);
	return ret;
}

aclError vnpu_offline_submit(struct vnpu_offline *model,
			     struct vnpu_stream *stream,
			     const struct vnpu_offline_io *io)
{
	aclError ret;

	pthread_mutex_lock(&model->lock);
	ret = submit_locked(model, stream, io);
	pthread_mutex_unlock(&model->lock);
	return ret;
}
