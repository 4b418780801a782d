// SPDX-License-Identifier: MIT
/*
 * Events as JSON for chrome://tracing and Perfetto.  The process has its
 * threads.  Each device is a separate process, with a number that no real
 * process has, and its threads are streams.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/json.h"
#include "io/io.h"
#include "prof.h"

#define DEVICE_PID	0x40000000	/* above all process ids of the kernel
					 * */

/* Begin an event; times are in microseconds. */
static void print_head(FILE *file, char phase, uint64_t ns, int pid,
		       uint32_t thread, const char *name)
{
	fprintf(file, ",\n{\"ph\":\"%c\",\"ts\":%" PRIu64 ".%03u,\"pid\":%d,\"tid\":%u,\"name\":",
		phase, ns / 1000, (unsigned int)(ns % 1000), pid, thread);
	vnpu_json_print_string(file, *name ? name : "unnamed");
}

static void print_process(FILE *file, int pid, const char *name)
{
	fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":",
		pid);
	vnpu_json_print_string(file, name);
	fprintf(file, "}}");
}

/* Names of aclDataType without ACL_, as CANN's profiles have them. */
static const char *type_name(unsigned int dtype)
{
	static const char *const names[VNPU_DT_COUNT] = {
		[VNPU_DT_F16] = "FLOAT16",
		[VNPU_DT_BF16] = "DT_BF16",
		[VNPU_DT_F32] = "FLOAT",
		[VNPU_DT_F64] = "DOUBLE",
		[VNPU_DT_I8] = "INT8",
		[VNPU_DT_I16] = "INT16",
		[VNPU_DT_I32] = "INT32",
		[VNPU_DT_I64] = "INT64",
		[VNPU_DT_U8] = "UINT8",
		[VNPU_DT_U16] = "UINT16",
		[VNPU_DT_U32] = "UINT32",
		[VNPU_DT_BOOL] = "BOOL",
		[VNPU_DT_I4] = "INT4",
	};

	return dtype < VNPU_DT_COUNT && names[dtype] ? names[dtype] : "";
}

static void print_tensors(FILE *file, const char *key,
			  const struct vnpu_prof_tensors *tensors,
			  uint32_t first, uint32_t end)
{
	fprintf(file, ",\"%s\":[", key);
	for (uint32_t i = first; i < end; i++) {
		fprintf(file, "%s{\"type\":\"%s\",\"shape\":[",
			i > first ? "," : "",
			type_name(tensors->tensor[i].dtype));
		for (unsigned int d = 0; d < tensors->tensor[i].rank; d++)
			fprintf(file, "%s%" PRId64, d ? "," : "",
				tensors->tensor[i].dims[d]);
		fputs("]}", file);
	}
	fputc(']', file);
}

/* Print the members that only launches have. */
static void print_launch(FILE *file, const struct vnpu_prof_event *event)
{
	const struct vnpu_prof_tensors *tensors = event->tensors;

	fprintf(file, ",\"core\":\"%s\",\"blocks\":%u", event->core,
		event->blocks);
	if (!tensors)
		return;
	print_tensors(file, "inputs", tensors, 0, tensors->inputs);
	print_tensors(file, "outputs", tensors, tensors->inputs,
		      tensors->count);
}

static void print_task(FILE *file, const struct vnpu_prof_event *event)
{
	uint64_t ns = event->end.ns - event->begin.ns;
	int pid = DEVICE_PID + event->device;

	/* A task that the device has not done only has a submission time. */
	if (event->begin.ns && event->end.ns) {
		print_head(file, 'X', event->begin.ns, pid, event->stream,
			   event->name);
		fprintf(file, ",\"dur\":%" PRIu64 ".%03u", ns / 1000,
			(unsigned int)(ns % 1000));
	} else {
		print_head(file, 'i', event->ns, pid, event->stream,
			   event->name);
		fprintf(file, ",\"s\":\"t\"");
	}
	fprintf(file, ",\"cat\":\"task\",\"args\":{\"call\":\"%s\",\"task\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"submitted\":%" PRIu64 ".%03u,\"thread\":%u",
		event->call, event->id, event->bytes, event->ns / 1000,
		(unsigned int)(event->ns % 1000), event->thread);
	if (event->core)
		print_launch(file, event);
	fputs("}}", file);
}

static void print_mark(FILE *file, const struct vnpu_prof_event *event)
{
	print_head(file, 'i', event->ns, getpid(), event->thread, event->name);
	fprintf(file, ",\"cat\":\"mark\",\"s\":\"t\"}");
	if (!event->begin.ns)
		return;
	print_head(file, 'i', event->begin.ns, DEVICE_PID + event->device,
		   event->stream, event->name);
	fprintf(file, ",\"cat\":\"mark\",\"s\":\"t\"}");
}

static void print_event(FILE *file, const struct vnpu_prof_event *event)
{
	static const char phases[] = {
		[VNPU_PROF_PUSH]	= 'B',
		[VNPU_PROF_POP]		= 'E',
		[VNPU_PROF_RANGE_START]	= 'b',
		[VNPU_PROF_RANGE_STOP]	= 'e',
	};

	switch (event->kind) {
	case VNPU_PROF_TASK:
		print_task(file, event);
		return;
	case VNPU_PROF_MARK:
		print_mark(file, event);
		return;
	default:
		break;
	}
	print_head(file, phases[event->kind], event->ns, getpid(),
		   event->thread, event->name);
	fprintf(file, ",\"cat\":\"range\"");
	if (event->id)
		fprintf(file, ",\"id\":%" PRIu64, event->id);
	if (event->type) {
		fprintf(file, ",\"args\":{\"type\":");
		vnpu_json_print_string(file, event->type);
		fputc('}', file);
	}
	fputc('}', file);
}

void vnpu_prof_print(const struct vnpu_prof_event *events, uint64_t lost,
		     const struct vnpu_prof_values *values, FILE *file)
{
	uint64_t devices = 0;
	char name[32];

	fprintf(file, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost\":%" PRIu64 ",\"config\":{",
		lost);
	vnpu_prof_values_print(values, file);
	fprintf(file, "}},\"traceEvents\":[\n");
	fprintf(file, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}}",
		getpid());
	print_process(file, getpid(), program_invocation_short_name);
	for (; events; events = events->next) {
		bool has_stream = events->kind == VNPU_PROF_TASK ||
				  events->begin.ns;

		if (has_stream && !(devices >> events->device & 1)) {
			devices |= 1ULL << events->device;
			snprintf(name, sizeof(name), "device %d",
				 events->device);
			print_process(file, DEVICE_PID + events->device, name);
		}
		print_event(file, events);
	}
	fprintf(file, "\n]}\n");
}
