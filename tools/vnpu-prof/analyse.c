// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares of time.  Tasks of several streams overlap, so all times are those of
 * the union of intervals: a moment counts for the first of launches, runs of
 * models, copies, and HCCL that has a task then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse.h"

/* Kinds of tasks, as bits. */
#define LAUNCH		(1U << 0)
#define MODEL		(1U << 1)
#define MEMORY		(1U << 2)
#define COMMUNICATION	(1U << 3)
#define OTHER		(1U << 4)
#define ALL		(LAUNCH | MODEL | MEMORY | COMMUNICATION | OTHER)

static unsigned int kind_of(const struct task *task)
{
	if (task_is_communication(task))
		return COMMUNICATION;
	if (task->core)
		return LAUNCH;
	if (task_is_model(task))
		return MODEL;
	return task->bytes ? MEMORY : OTHER;
}

/* The time in which a task of some kinds runs; tasks are sorted by start. */
static uint64_t time_of(const struct task *task, size_t count,
			unsigned int kinds)
{
	uint64_t until = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t begin = task[i].begin;

		if (!(kind_of(&task[i]) & kinds) || task[i].end <= until)
			continue;
		if (begin < until)
			begin = until;
		sum += task[i].end - begin;
		until = task[i].end;
	}
	return sum;
}

static int by_name(const void *left, const void *right)
{
	const struct task *a = *(const struct task *const *)left;
	const struct task *b = *(const struct task *const *)right;

	return strcmp(a->name, b->name);
}

/* Find the name with the largest sum of times. */
static bool find_longest(const struct task *task, size_t count,
			 struct shares *shares)
{
	const struct task **launches = calloc(count + 1, sizeof(*launches));
	uint64_t sum = 0;
	size_t nr = 0;

	if (!launches)
		return false;
	for (size_t i = 0; i < count; i++)
		if (task[i].core)
			launches[nr++] = &task[i];
	qsort(launches, nr, sizeof(*launches), by_name);
	for (size_t i = 0; i < nr; i++) {
		if (!i || by_name(&launches[i - 1], &launches[i]))
			sum = 0;
		sum += launches[i]->end - launches[i]->begin;
		if (sum > shares->longest_ns) {
			shares->longest_ns = sum;
			shares->longest = launches[i]->name;
		}
	}
	free(launches);
	return true;
}

static bool measure(const struct task *task, size_t count,
		    struct shares *shares)
{
	uint64_t last = 0, models, memory, communication;

	*shares = (struct shares){
		.device = task->device,
		.begin = task->begin,
		.cores = time_of(task, count, LAUNCH),
	};
	for (size_t i = 0; i < count; i++) {
		last = task[i].end > last ? task[i].end : last;
		if (kind_of(&task[i]) == MEMORY)
			shares->memory_bytes += task[i].bytes;
		if (task[i].begin > task[i].ready + shares->gap_ns) {
			shares->gap_ns = task[i].begin - task[i].ready;
			shares->gap_stream = task[i].stream;
			shares->gap_name = task[i].name;
		}
	}
	shares->span = last - task->begin;
	models = time_of(task, count, LAUNCH | MODEL);
	memory = time_of(task, count, LAUNCH | MODEL | MEMORY);
	communication = time_of(task, count, ALL & ~OTHER);
	shares->models = models - shares->cores;
	shares->memory = memory - models;
	shares->communication = communication - memory;
	shares->idle = shares->span - time_of(task, count, ALL);
	return find_longest(task, count, shares);
}

struct shares *analyse(const struct profile *profile, size_t *count)
{
	struct shares *all = calloc(profile->count + 1, sizeof(*all));
	size_t first = 0;

	*count = 0;
	for (size_t i = 1; all && i <= profile->count; i++) {
		if (i < profile->count &&
		    profile->task[i].device == profile->task[first].device)
			continue;
		if (!measure(profile->task + first, i - first,
			     &all[(*count)++])) {
			free(all);
			return NULL;
		}
		first = i;
	}
	return all;
}

bool shares_hide_cores(const struct shares *shares)
{
	return shares->models > shares->cores;
}

double bottleneck_percent(const struct shares *shares, enum bottleneck which)
{
	const uint64_t of[BOTTLENECKS] = {
		[BOTTLENECK_MEMORY] = shares->memory,
		[BOTTLENECK_CORES] = shares->cores,
		[BOTTLENECK_COMMUNICATION] = shares->communication,
		[BOTTLENECK_SCHEDULING] = shares->idle,
	};

	return shares->span ? 100.0 * of[which] / shares->span : 0;
}

bool bottleneck_is(const struct shares *shares, enum bottleneck which,
		   double threshold)
{
	static const double usual[BOTTLENECKS] = {
		[BOTTLENECK_MEMORY] = 90,
		[BOTTLENECK_CORES] = 70,
		[BOTTLENECK_COMMUNICATION] = 30,
		[BOTTLENECK_SCHEDULING] = 15,
	};
	double percent = bottleneck_percent(shares, which);

	if (threshold < 0)
		threshold = usual[which];
	if (which == BOTTLENECK_CORES)
		return percent < threshold && !shares_hide_cores(shares);
	return percent > threshold;
}

const char *bottleneck_name(enum bottleneck which)
{
	static const char *const names[BOTTLENECKS] = {
		[BOTTLENECK_MEMORY] = "memory bandwidth",
		[BOTTLENECK_CORES] = "core utilisation",
		[BOTTLENECK_COMMUNICATION] = "communication",
		[BOTTLENECK_SCHEDULING] = "scheduling",
	};

	return names[which];
}

char *bottleneck_advice(const struct shares *shares, enum bottleneck which)
{
	/* The work of models has been recorded already. */
	const char *record = shares->models ? "" :
			     ", and record a sequence that repeats as a graph";
	char *text = NULL;
	int ret = -1;

	switch (which) {
	case BOTTLENECK_MEMORY:
		ret = asprintf(&text, "Copies and fills move %.1f MiB while no core works. Copy in another stream than the one of the operators, and keep intermediate tensors on the device.",
			       shares->memory_bytes / 1048576.0);
		break;
	case BOTTLENECK_CORES:
		ret = shares->longest ?
			asprintf(&text, "The launches of %s take most time, %.3f ms together. Submit operators without waiting for each, and run independent ones in several streams.",
				 shares->longest, shares->longest_ns / 1e6) :
			asprintf(&text, "No kernel or operator ran on this device.");
		break;
	case BOTTLENECK_COMMUNICATION:
		ret = asprintf(&text, "Collectives run while no core works. Start them on a stream of their own as soon as their input is complete, and wait for them where their result is used.");
		break;
	case BOTTLENECK_SCHEDULING:
		ret = shares->gap_name ?
			asprintf(&text, "The longest wait of a task that could run is %.3f ms, for %s in stream %u. Submit work before the device needs it: wait for the last task only%s.",
				 shares->gap_ns / 1e6, shares->gap_name,
				 shares->gap_stream, record) :
			asprintf(&text, "The device waits for the program. Submit work before the device needs it: wait for the last task only.");
		break;
	default:
		break;
	}
	return ret < 0 ? NULL : text;
}
