// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "profile.h"

/* Processes of the trace from this number on are devices. */
#define DEVICE_PID	0x40000000

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

static uint64_t number(struct json_object *object, const char *key)
{
	return json_object_get_uint64(member(object, key));
}

/* Convert microseconds to ns. */
static uint64_t time_ns(struct json_object *object, const char *key)
{
	double us = json_object_get_double(member(object, key));

	return us > 0 && us < 1e15 ? (uint64_t)(us * 1000 + 0.5) : 0;
}

static char *text(struct json_object *object, const char *key)
{
	const char *value = json_object_get_string(member(object, key));

	return strdup(value ? value : "");
}

/* Print the shapes or types of tensors: "2,3;3,4" or "FLOAT;FLOAT". */
static char *tensors(struct json_object *list, const char *key)
{
	size_t count = json_object_is_type(list, json_type_array) ?
		       json_object_array_length(list) : 0, size;
	char *line = NULL;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		struct json_object *value =
			member(json_object_array_get_idx(list, i), key);
		size_t parts = json_object_is_type(value, json_type_array) ?
			       json_object_array_length(value) : 0;

		if (i)
			fputc(';', f);
		if (json_object_is_type(value, json_type_string))
			fputs(json_object_get_string(value), f);
		for (size_t k = 0; k < parts; k++)
			fprintf(f, "%s%s", k ? "," : "", json_object_get_string(
				json_object_array_get_idx(value, k)));
	}
	if (fclose(f)) {
		free(line);
		return NULL;
	}
	return line;
}

static void task_free(struct task *task)
{
	free(task->name);
	free(task->call);
	free(task->core);
	for (int i = 0; i < 2; i++) {
		free(task->shapes[i]);
		free(task->types[i]);
	}
}

static bool task_make(struct task *task, struct json_object *event)
{
	struct json_object *args = member(event, "args");
	static const char *const sides[] = { "inputs", "outputs" };

	*task = (struct task){
		.device = number(event, "pid") - DEVICE_PID,
		.stream = number(event, "tid"),
		.id = number(args, "task"),
		.begin = time_ns(event, "ts"),
		.ready = time_ns(args, "submitted"),
		.bytes = number(args, "bytes"),
		.blocks = number(args, "blocks"),
		.name = text(event, "name"),
		.call = text(args, "call"),
	};
	task->end = task->begin + time_ns(event, "dur");
	if (member(args, "core"))
		task->core = text(args, "core");
	for (int i = 0; i < 2; i++) {
		task->shapes[i] = tensors(member(args, sides[i]), "shape");
		task->types[i] = tensors(member(args, sides[i]), "type");
	}
	return task->name && task->call && task->shapes[0] && task->shapes[1] &&
	       task->types[0] && task->types[1] &&
	       (task->core || !member(args, "core"));
}

static bool is_task(struct json_object *event)
{
	const char *phase = json_object_get_string(member(event, "ph"));
	const char *category = json_object_get_string(member(event, "cat"));

	return phase && category && !strcmp(phase, "X") &&
	       !strcmp(category, "task") && number(event, "pid") >= DEVICE_PID;
}

static bool add(struct profile *profile, struct json_object *event)
{
	size_t room = profile->count < profile->room ? profile->room :
		      2 * profile->room + 1024;
	struct task *more = profile->task;

	if (room != profile->room) {
		more = reallocarray(more, room, sizeof(*more));
		if (!more)
			return false;
		profile->task = more;
		profile->room = room;
	}
	if (!task_make(&more[profile->count], event)) {
		task_free(&more[profile->count]);
		return false;
	}
	profile->count++;
	return true;
}

static char *read_file(struct profile *profile, const char *path)
{
	struct json_object *root = json_object_from_file(path), *events;
	char *message = NULL;
	size_t count;

	events = member(root, "traceEvents");
	if (!json_object_is_type(events, json_type_array)) {
		json_object_put(root);
		return asprintf(&message, "%s is not a profile of libvnpu",
				path) < 0 ? NULL : message;
	}
	profile->files++;
	profile->lost += number(member(root, "otherData"), "lost");
	count = json_object_array_length(events);
	for (size_t i = 0; i < count && !message; i++) {
		struct json_object *event =
			json_object_array_get_idx(events, i);

		if (json_object_array_add(profile->events,
					  json_object_get(event)) ||
		    (is_task(event) && !add(profile, event)))
			message = strdup("out of memory");
	}
	json_object_put(root);
	return message;
}

static int is_profile(const struct dirent *entry)
{
	return !fnmatch("vnpu-prof-*.json", entry->d_name, 0);
}

static int by_start(const void *left, const void *right)
{
	const struct task *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int by_stream(const void *left, const void *right)
{
	const struct task *a = left, *b = right;

	if (a->device == b->device && a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return by_start(left, right);
}

static void sort(struct profile *profile)
{
	struct task *task = profile->task;

	qsort(task, profile->count, sizeof(*task), by_stream);
	for (size_t i = 1; i < profile->count; i++)
		if (task[i].device == task[i - 1].device &&
		    task[i].stream == task[i - 1].stream &&
		    task[i].ready < task[i - 1].end)
			task[i].ready = task[i - 1].end;
	qsort(task, profile->count, sizeof(*task), by_start);
}

char *profile_read(struct profile *profile, const char *dir)
{
	struct dirent **names = NULL;
	char *message = NULL, *path;
	int count;

	memset(profile, 0, sizeof(*profile));
	profile->events = json_object_new_array();
	if (!profile->events)
		return strdup("out of memory");
	count = scandir(dir, &names, is_profile, alphasort);
	if (count < 0) {
		count = asprintf(&message, "%s cannot be read: %s", dir,
				 strerror(errno));
		return count < 0 ? NULL : message;
	}
	for (int i = 0; i < count; i++) {
		if (!message &&
		    asprintf(&path, "%s/%s", dir, names[i]->d_name) >= 0) {
			message = read_file(profile, path);
			free(path);
		}
		free(names[i]);
	}
	free(names);
	if (profile->count)
		sort(profile);
	return message;
}

void profile_free(struct profile *profile)
{
	for (size_t i = 0; i < profile->count; i++)
		task_free(&profile->task[i]);
	free(profile->task);
	json_object_put(profile->events);
}

bool task_is_model(const struct task *task)
{
	return !task->core && !strcmp(task->name, "graph");
}

bool task_is_communication(const struct task *task)
{
	return !strncmp(task->call, "Hccl", 4);
}

const char *task_type(const struct task *task)
{
	return strncmp(task->name, "aclnn", 5) ? task->name : task->name + 5;
}
