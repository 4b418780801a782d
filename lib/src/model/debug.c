// SPDX-License-Identifier: MIT
/* Descriptions of models, as text and for a trace viewer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model.h"

/* Print the wait of a task for another one of the model. */
static void print_wait(const struct vnpu_model *model,
		       const struct vnpu_task *task)
{
	if (task->op == VNPU_TASK_WAIT && task->flags & VNPU_TASK_F_GRAPH)
		printf(", waits for task %llu of stream %u",
		       (unsigned long long)task->arg0,
		       model->capture->lanes[task->src]->number);
}

static void print(const struct vnpu_model *model)
{
	const struct vnpu_capture *capture = model->capture;

	flockfile(stdout);
	printf("model %u: %u streams, %u tasks\n", model->number,
	       capture->nr_lanes, atomic_load(&capture->tasks));
	for (uint32_t i = 0; i < capture->nr_lanes; i++) {
		const struct vnpu_lane *lane = capture->lanes[i];

		printf("stream %u%s\n", lane->number, i ? "" : " (first)");
		for (uint32_t j = 0; j < lane->count; j++) {
			printf("  task %u: %s (%s)", j,
			       vnpu_stream_op_name(lane->tasks[j].op),
			       lane->infos[j].call);
			print_wait(model, &lane->tasks[j]);
			putchar('\n');
		}
	}
	fflush(stdout);
	funlockfile(stdout);
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret = vnpu_model_get_ready(modelRI, &model);

	if (ret)
		return ret;
	print(model);
	vnpu_model_put(model);
	return ACL_SUCCESS;
}

static void write_details(FILE *file, const struct vnpu_task *task)
{
	fprintf(file,
		", \"dst\": \"0x%llx\", \"src\": \"0x%llx\", \"length\": %llu, \"mode\": %u, \"flags\": %u, \"timeout_ms\": %u",
		(unsigned long long)task->dst, (unsigned long long)task->src,
		(unsigned long long)task->length, task->mode, task->flags,
		task->timeout_ms);
}

/* A task takes one unit of time: the file shows the order, not durations. */
static void write_task(FILE *file, const struct vnpu_model *model,
		       const struct vnpu_lane *lane, uint32_t index,
		       bool has_details)
{
	const struct vnpu_task *task = &lane->tasks[index];

	fprintf(file,
		"{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %u, \"dur\": 1, \"pid\": \"model %u\", \"tid\": \"stream %u\", \"args\": {\"model id\": %u, \"stream id\": %u, \"task id\": %u, \"task type\": \"%s\"",
		lane->infos[index].call, vnpu_stream_op_name(task->op), index,
		model->number, lane->number, model->number, lane->number, index,
		vnpu_stream_op_name(task->op));
	if (has_details)
		write_details(file, task);
	fputs("}}", file);
}

static void write_model(FILE *file, const struct vnpu_model *model,
			bool has_details)
{
	const char *before = "\n";

	fputs("{\"traceEvents\": [", file);
	for (uint32_t i = 0; i < model->capture->nr_lanes; i++) {
		const struct vnpu_lane *lane = model->capture->lanes[i];

		for (uint32_t j = 0; j < lane->count; j++) {
			fputs(before, file);
			write_task(file, model, lane, j, has_details);
			before = ",\n";
		}
	}
	fputs("\n]}\n", file);
}

static aclError write_file(const struct vnpu_model *model, const char *path,
			   bool has_details)
{
	FILE *file = fopen(path, "we");
	bool is_bad;

	if (!file)
		return vnpu_error(errno == ENOMEM ? ACL_ERROR_BAD_ALLOC :
						    ACL_ERROR_RT_FILE_OPEN,
				  "path = %s cannot be opened for writing: %m",
				  path);
	write_model(file, model, has_details);
	is_bad = ferror(file);
	if (fclose(file) || is_bad)
		return vnpu_error(ACL_ERROR_RT_FILE_WRITE,
				  "path = %s cannot be written: %m", path);
	return ACL_SUCCESS;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path,
				uint32_t flags)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	if (!path)
		return vnpu_error_null("path");
	if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %u is not known; use ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE",
			flags);
	ret = vnpu_model_get_ready(modelRI, &model);
	if (ret)
		return ret;
	ret = write_file(model, path,
			 flags == ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE);
	vnpu_model_put(model);
	return ret;
}
