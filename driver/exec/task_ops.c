// SPDX-License-Identifier: GPL-2.0-only
/* The table of operations. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "engine.h"
#include "task.h"

static bool vnpu_task_nop_small(struct vnpu_stream *stream, u64 *cost)
{
	return true;
}

static int vnpu_task_nop_run(struct vnpu_stream *stream, u64 *cost)
{
	return 0;
}

static const struct vnpu_task_op vnpu_task_ops[] = {
	[VNPU_TASK_NOP] = {
		.class = VNPU_ENGINE_ANY,
		.small = vnpu_task_nop_small,
		.run = vnpu_task_nop_run,
	},
	[VNPU_TASK_COPY] = {
		.class = VNPU_ENGINE_COPY,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH,
		.small = vnpu_task_copy_small,
		.prepare = vnpu_task_copy_prepare,
		.run = vnpu_task_copy_run,
	},
	[VNPU_TASK_COPY_INDIRECT] = {
		.class = VNPU_ENGINE_COPY,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH |
			  VNPU_TASK_ARG0 | VNPU_TASK_ARG1 | VNPU_TASK_ARG2,
		.prepare = vnpu_task_copy_indirect_prepare,
		.run = vnpu_task_copy_indirect_run,
	},
	[VNPU_TASK_COPY_2D] = {
		.class = VNPU_ENGINE_COPY,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH |
			  VNPU_TASK_ARG0 | VNPU_TASK_ARG1 | VNPU_TASK_ARG2,
		.prepare = vnpu_task_copy_2d_prepare,
		.run = vnpu_task_copy_2d_run,
	},
	[VNPU_TASK_FILL] = {
		.class = VNPU_ENGINE_VECTOR,
		.fields = VNPU_TASK_DST | VNPU_TASK_LENGTH | VNPU_TASK_ARG0 |
			  VNPU_TASK_MODE,
		.prepare = vnpu_task_fill_prepare,
		.run = vnpu_task_fill_run,
	},
	[VNPU_TASK_FILL_2D] = {
		.class = VNPU_ENGINE_VECTOR,
		.fields = VNPU_TASK_DST | VNPU_TASK_LENGTH | VNPU_TASK_ARG0 |
			  VNPU_TASK_ARG1 | VNPU_TASK_ARG2 | VNPU_TASK_MODE,
		.prepare = vnpu_task_fill_2d_prepare,
		.run = vnpu_task_fill_run,
	},
	[VNPU_TASK_REDUCE] = {
		.class = VNPU_ENGINE_VECTOR,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH |
			  VNPU_TASK_ARG0 | VNPU_TASK_ARG1 | VNPU_TASK_ARG2 |
			  VNPU_TASK_MODE,
		.flags = VNPU_TASK_F_REPLACE,
		.prepare = vnpu_task_reduce_prepare,
		.run = vnpu_task_reduce_run,
	},
	[VNPU_TASK_RANDOM] = {
		.class = VNPU_ENGINE_VECTOR,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH |
			  VNPU_TASK_ARG0 | VNPU_TASK_ARG1 | VNPU_TASK_ARG2 |
			  VNPU_TASK_MODE,
		.prepare = vnpu_task_random_prepare,
		.run = vnpu_task_random_run,
	},
	[VNPU_TASK_VALUE_WRITE] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_DST | VNPU_TASK_ARG0 | VNPU_TASK_MODE,
		.small = vnpu_task_value_write_small,
		.prepare = vnpu_task_value_write_prepare,
		.run = vnpu_task_value_write_run,
	},
	[VNPU_TASK_VALUE_WAIT] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_SRC | VNPU_TASK_ARG0 | VNPU_TASK_MODE,
		.waits = true,
		.prepare = vnpu_task_value_wait_prepare,
		.run = vnpu_task_value_wait_run,
		.drop = vnpu_task_value_wait_drop,
	},
	[VNPU_TASK_TIMESTAMP] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_DST | VNPU_TASK_ARG0,
		.small = vnpu_task_timestamp_small,
		.prepare = vnpu_task_timestamp_prepare,
		.run = vnpu_task_timestamp_run,
	},
	[VNPU_TASK_WAIT] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_SRC | VNPU_TASK_ARG0,
		.waits = true,
		.small = vnpu_task_wait_small,
		.run = vnpu_task_wait_run,
		.drop = vnpu_task_wait_drop,
	},
	[VNPU_TASK_SIGNAL] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_DST | VNPU_TASK_ARG0 | VNPU_TASK_MODE,
		.run = vnpu_task_signal_run,
		.drop = vnpu_task_signal_drop,
	},
	[VNPU_TASK_BASE] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_ARG0 | VNPU_TASK_MODE,
		/* vnpu_task_resolve() does all of its work. */
		.run = vnpu_task_nop_run,
	},
	[VNPU_TASK_COUNTER_WAIT] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_SRC | VNPU_TASK_ARG0 | VNPU_TASK_ARG1 |
			  VNPU_TASK_MODE,
		.flags = VNPU_TASK_F_CLEAR,
		.waits = true,
		.prepare = vnpu_task_counter_wait_prepare,
		.run = vnpu_task_counter_wait_run,
		.drop = vnpu_task_counter_wait_drop,
	},
	[VNPU_TASK_LAUNCH] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_SRC | VNPU_TASK_LENGTH | VNPU_TASK_ARG0 |
			  VNPU_TASK_ARG1 | VNPU_TASK_ARG2 | VNPU_TASK_MODE,
		.prepare = vnpu_task_launch_prepare,
		.run = vnpu_task_launch_run,
		.drop = vnpu_task_launch_drop,
	},
	[VNPU_TASK_GRAPH] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_ARG0 |
			  VNPU_TASK_ARG1 | VNPU_TASK_MODE,
		.waits = true,
		.prepare = vnpu_task_graph_prepare,
		.run = vnpu_task_graph_run,
		.drop = vnpu_task_graph_drop,
	},
	[VNPU_TASK_GRAPH_UPDATE] = {
		.class = VNPU_ENGINE_ANY,
		.fields = VNPU_TASK_DST | VNPU_TASK_SRC | VNPU_TASK_LENGTH |
			  VNPU_TASK_ARG0 | VNPU_TASK_ARG1,
		.prepare = vnpu_task_graph_update_prepare,
		.run = vnpu_task_graph_update_run,
	},
};

/**
 * vnpu_task_op_find() - look up an operation
 * @op: any number
 *
 * Return: the operation or NULL.
 */
const struct vnpu_task_op *vnpu_task_op_find(u8 op)
{
	if (op >= ARRAY_SIZE(vnpu_task_ops))
		return NULL;
	op = array_index_nospec(op, ARRAY_SIZE(vnpu_task_ops));
	return vnpu_task_ops[op].run ? &vnpu_task_ops[op] : NULL;
}

/**
 * vnpu_task_list_ops() - list the existing operations
 * @words: filled: bit N % 64 of word N / 64 is set for operation N
 * @count: number of words; they have bits for all operations
 */
void vnpu_task_list_ops(u64 *words, size_t count)
{
	unsigned int op;

	memset(words, 0, count * sizeof(*words));
	for (op = 0; op < ARRAY_SIZE(vnpu_task_ops); op++)
		if (vnpu_task_ops[op].run)
			words[op / 64] |= BIT_ULL(op % 64);
}
