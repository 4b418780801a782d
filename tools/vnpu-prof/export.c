// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables, see export.h.  Times are in microseconds.  N/A is what this device has
 * not: models, cycles, formats other than ND.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "export.h"

static char *failed(const char *path)
{
	char *message;

	return asprintf(&message, "%s cannot be written: %s", path,
			strerror(errno)) < 0 ? NULL : message;
}

static void print_us(FILE *f, uint64_t ns)
{
	fprintf(f, ",%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

/* Print a field, quoted if it has to be. */
static void print_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",;\"\n")) {
		fprintf(f, ",%s", *text ? text : "N/A");
		return;
	}
	fputs(",\"", f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

/* Print the format of each tensor. */
static void print_formats(FILE *f, const char *types)
{
	char line[256] = "ND";
	size_t length = 2;

	if (!*types)
		line[0] = '\0';
	for (; (types = strchr(types, ';')) && length < sizeof(line) - 4;
	     types++)
		length += sprintf(line + length, ";ND");
	print_text(f, line);
}

static void print_tensors(FILE *f, const struct task *task, int side)
{
	print_text(f, task->shapes[side]);
	print_text(f, task->types[side]);
	print_formats(f, task->types[side]);
}

static void write_op_summary(const struct profile *profile,
			     enum metrics metrics, FILE *f)
{
	fputs("Device_id,Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num,HF32 Eligible,Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID",
	      f);
	metrics_print_head(f, metrics);
	fputc('\n', f);
	for (size_t i = 0; i < profile->count; i++) {
		const struct task *task = &profile->task[i];

		if (!task->core)
			continue;
		fprintf(f, "%u,N/A,N/A,%" PRIu64 ",%u,N/A", task->device,
			task->id, task->stream);
		print_text(f, task->name);
		print_text(f, task_type(task));
		fprintf(f, ",static,%s", task->core);
		print_us(f, task->begin);
		print_us(f, task->end - task->begin);
		print_us(f, task->begin > task->ready ?
			    task->begin - task->ready : 0);
		fprintf(f, ",%u,NO,%u", task->blocks,
			strncmp(task->core, "MIX", 3) ? 0 : task->blocks);
		print_tensors(f, task, 0);
		print_tensors(f, task, 1);
		fputs(",N/A", f);
		metrics_print(f, metrics, task);
		fputc('\n', f);
	}
}

static void write_task_time(const struct profile *profile,
			    enum metrics metrics, FILE *f)
{
	(void)metrics;
	fputs("Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n",
	      f);
	for (size_t i = 0; i < profile->count; i++) {
		const struct task *task = &profile->task[i];

		fprintf(f, "%u", task->device);
		print_text(f, task->name);
		print_text(f, task->core ? task->core : "TASK");
		fprintf(f, ",%u,%" PRIu64, task->stream, task->id);
		print_us(f, task->end - task->begin);
		print_us(f, task->begin);
		print_us(f, task->end);
		fputc('\n', f);
	}
}

/* Tasks of one kind on a device: launches of a type of operator, or a call. */
struct group {
	const struct task *first;
	uint64_t count, total, least, most;
};

typedef int (*order_fn)(const void *left, const void *right);

static int by_type(const void *left, const void *right)
{
	const struct task *a = *(const struct task *const *)left;
	const struct task *b = *(const struct task *const *)right;
	int order;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	order = strcmp(task_type(a), task_type(b));
	return order ? order : strcmp(a->core, b->core);
}

static int by_call(const void *left, const void *right)
{
	const struct task *a = *(const struct task *const *)left;
	const struct task *b = *(const struct task *const *)right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return strcmp(a->call, b->call);
}

static int by_total(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->first->device != b->first->device)
		return a->first->device < b->first->device ? -1 : 1;
	return a->total > b->total ? -1 : a->total < b->total;
}

/* Sum up tasks that are sorted; returns the number of groups. */
static size_t group(const struct task *const *tasks, size_t count,
		    order_fn order, struct group *groups)
{
	size_t nr = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = tasks[i]->end - tasks[i]->begin;
		struct group *g;

		if (!i || order(&tasks[i - 1], &tasks[i]))
			groups[nr++] = (struct group){ tasks[i], 0, 0, ns, ns };
		g = &groups[nr - 1];
		g->count++;
		g->total += ns;
		g->least = ns < g->least ? ns : g->least;
		g->most = ns > g->most ? ns : g->most;
	}
	return nr;
}

static void print_groups(FILE *f, const struct group *groups, size_t count,
			 void (*print_kind)(FILE *f, const struct task *task))
{
	for (size_t i = 0; i < count; i++) {
		const struct group *g = &groups[i];
		uint64_t all = 0;

		for (size_t k = 0; k < count; k++)
			if (groups[k].first->device == g->first->device)
				all += groups[k].total;
		fprintf(f, "%u", g->first->device);
		print_kind(f, g->first);
		fprintf(f, ",%" PRIu64, g->count);
		print_us(f, g->total);
		print_us(f, g->total / g->count);
		print_us(f, g->least);
		print_us(f, g->most);
		fprintf(f, ",%.3f\n", all ? 100.0 * g->total / all : 0);
	}
}

/* Write a row for each group of some of the tasks, the longest first. */
static void write_groups(const struct profile *profile, FILE *f,
			 bool (*is_wanted)(const struct task *task),
			 order_fn order,
			 void (*print_kind)(FILE *f, const struct task *task))
{
	const struct task **tasks = calloc(profile->count + 1, sizeof(*tasks));
	struct group *groups = calloc(profile->count + 1, sizeof(*groups));
	size_t count = 0;

	for (size_t i = 0; tasks && i < profile->count; i++)
		if (is_wanted(&profile->task[i]))
			tasks[count++] = &profile->task[i];
	if (tasks && groups && count) {
		qsort(tasks, count, sizeof(*tasks), order);
		count = group(tasks, count, order, groups);
		qsort(groups, count, sizeof(*groups), by_total);
		print_groups(f, groups, count, print_kind);
	}
	free(tasks);
	free(groups);
}

static bool is_launch(const struct task *task)
{
	return task->core;
}

static void print_type(FILE *f, const struct task *task)
{
	fputs(",N/A", f);
	print_text(f, task_type(task));
	fprintf(f, ",%s", task->core);
}

static void write_op_statistic(const struct profile *profile,
			       enum metrics metrics, FILE *f)
{
	(void)metrics;
	fputs("Device_id,Model Name,OP Type,Core Type,Count,Total Time(us),Avg Time(us),Min Time(us),Max Time(us),Ratio(%)\n",
	      f);
	write_groups(profile, f, is_launch, by_type, print_type);
}

static void print_call(FILE *f, const struct task *task)
{
	print_text(f, task->call);
}

static void write_communication(const struct profile *profile,
				enum metrics metrics, FILE *f)
{
	(void)metrics;
	fputs("Device_id,OP Type,Count,Total Time(us),Avg Time(us),Min Time(us),Max Time(us),Ratio(%)\n",
	      f);
	write_groups(profile, f, task_is_communication, by_call, print_call);
}

static char *write_table(const struct profile *profile, const char *dir,
			 const char *name, const char *stamp,
			 enum metrics metrics,
			 void (*write)(const struct profile *, enum metrics,
				       FILE *))
{
	char *path, *message = NULL;
	FILE *f;

	if (asprintf(&path, "%s/%s_%s.csv", dir, name, stamp) < 0)
		return strdup("out of memory");
	f = fopen(path, "we");
	if (f)
		write(profile, metrics, f);
	if (!f || ferror(f) || fclose(f))
		message = failed(path);
	free(path);
	return message;
}

char *export_tables(const struct profile *profile, const char *dir,
		    const char *stamp, enum metrics metrics)
{
	static const struct {
		const char *name;
		void (*write)(const struct profile *profile,
			      enum metrics metrics, FILE *f);
	} tables[] = {
		{ "op_summary", write_op_summary },
		{ "op_statistic", write_op_statistic },
		{ "task_time", write_task_time },
		{ "communication_statistic", write_communication },
	};
	char *message = NULL;

	for (size_t i = 0; !message && i < sizeof(tables) / sizeof(*tables);
	     i++)
		message = write_table(profile, dir, tables[i].name, stamp,
				      metrics, tables[i].write);
	return message;
}

char *export_trace(const struct profile *profile, const char *dir,
		   const char *stamp)
{
	struct json_object *root = json_object_new_object();
	char *path = NULL, *message = NULL;

	if (!root || asprintf(&path, "%s/msprof_%s.json", dir, stamp) < 0 ||
	    json_object_object_add(root, "traceEvents",
				   json_object_get(profile->events)))
		message = strdup("out of memory");
	else if (json_object_to_file_ext(path, root, JSON_C_TO_STRING_PLAIN))
		message = failed(path);
	json_object_put(root);
	free(path);
	return message;
}
