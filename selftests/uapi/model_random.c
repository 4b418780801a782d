// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random numbers for the interpreter of stream_model.h, from the driver's own
 * source files. The tests of driver/core and of the library check the numbers;
 * this checks where they are written.
 */
#include "../../driver/core/philox.h"
#include "model_random.h"

unsigned long long model_random_bytes(const struct vnpu_task *task)
{
	return (task->length * vnpu_random_bits(task->mode & 0xff,
						task->mode >> 8) + 7) / 8;
}

void model_random(const struct vnpu_task *task,
		  const unsigned long long counter[2], void *dst)
{
	struct vnpu_random r;

	if (vnpu_random_init(&r, task->mode & 0xff, task->mode >> 8, task->arg0,
			     task->arg1, task->arg2))
		abort();
	r.counter[0] = counter[0];
	r.counter[1] = counter[1];
	vnpu_random(&r, dst, 0, task->length);
}
