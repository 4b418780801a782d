// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host of the executor in the process of the test: it loads the units of the
 * program, runs one launch at a time, and records the reports.  vnpu-core runs
 * kernels by the same executor.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec.h"
#include "harness.h"

#define UNITS	32

/* A unit, and its images once a kernel of it was launched. */
struct loaded {
	struct vnpu_unit *unit;
	const struct vnpu_image *image, *cube;
};

struct harness_report harness_report;
enum harness_order harness_order;

static struct loaded units[UNITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static bool is_ended;

static void die(const char *what)
{
	fprintf(stderr, "harness: %s\n", what);
	exit(1);
}

static void launch_finished(void *data, struct exec_launch *launch)
{
	(void)data;
	(void)launch;
	pthread_mutex_lock(&lock);
	is_ended = true;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
}

static void launch_finding(void *data, struct exec_launch *launch,
			   const struct exec_report *from)
{
	struct harness_report *report = &harness_report;

	(void)data;
	(void)launch;
	pthread_mutex_lock(&lock);
	if (!report->findings++) {
		report->finding_kind = from->kind;
		report->finding_address = from->address;
		snprintf(report->finding, sizeof(report->finding), "%.500s",
			 from->text);
	}
	pthread_mutex_unlock(&lock);
}

static void launch_print(void *data, struct exec_launch *launch,
			 const char *text, size_t length)
{
	size_t at, room;

	(void)data;
	(void)launch;
	pthread_mutex_lock(&lock);
	at = strlen(harness_report.output);
	room = sizeof(harness_report.output) - at - 1;
	if (length > room)
		length = room;
	memcpy(harness_report.output + at, text, length);
	harness_report.output[at + length] = '\0';
	pthread_mutex_unlock(&lock);
}

static const struct exec_host host = {
	.finished = launch_finished,
	.finding = launch_finding,
	.print = launch_print,
};

/* An executor for the current order; one thread, so that it is kept. */
static struct exec *executor(void)
{
	static const enum exec_order orders[] = {
		[HARNESS_FORWARD] = EXEC_ORDER_FORWARD,
		[HARNESS_BACKWARD] = EXEC_ORDER_BACKWARD,
		[HARNESS_RANDOM] = EXEC_ORDER_SEEDED,
	};
	static struct exec *by_order[HARNESS_RANDOM + 1];
	struct exec **exec = &by_order[harness_order];
	const struct exec_config config = {
		.local = {
			[VNPU_LOCAL_UB] = 192 << 10,
			[VNPU_LOCAL_L1] = 512 << 10,
			[VNPU_LOCAL_L0A] = 64 << 10,
			[VNPU_LOCAL_L0B] = 64 << 10,
			[VNPU_LOCAL_L0C] = 128 << 10,
			[VNPU_LOCAL_BT] = 1 << 10,
			[VNPU_LOCAL_FB] = 8 << 10,
		},
		.vector_cores = 48,
		.cube_cores = 24,
		.workers = harness_order == HARNESS_FORWARD ? 0 : 1,
		.order = orders[harness_order],
		.seed = 1,
		.check_races = getenv("VNPU_CORE_CHECK"),
		.host = &host,
	};

	if (!*exec && exec_create(&config, exec))
		die("no executor");
	return *exec;
}

static const struct vnpu_image *load(const void *data, size_t size)
{
	char path[64];
	int fd = memfd_create("image", MFD_CLOEXEC);
	void *handle, *image;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		die("no memfd");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		die(dlerror());
	/* The name would be taken for this image again. */
	image = dlsym(handle, "vnpu_image");
	if (!image || ((struct vnpu_image *)image)->magic != VNPU_IMAGE_MAGIC)
		die("no image");
	return image;
}

static void load_unit(struct loaded *loaded)
{
	const struct vnpu_image *image;

	if (loaded->image || !loaded->unit->image_size)
		return;
	image = load(loaded->unit->image, loaded->unit->image_size);
	loaded->image = image;
	if (image->cores == VNPU_CORE_CUBE)
		loaded->cube = image;
	else if (image->cube_end != image->cube)
		loaded->cube = load(image->cube, (const char *)image->cube_end -
				    (const char *)image->cube);
}

static const struct vnpu_kernel *find(const struct vnpu_image *image,
				      const char *name, const char *symbol)
{
	const struct vnpu_kernel *kernel;

	for (kernel = image ? image->kernels : NULL;
	     image && kernel < image->kernels_end; kernel++)
		if (name ? !strcmp(kernel->info->name, name) :
		    !strcmp(kernel->symbol, symbol))
			return kernel;
	return NULL;
}

const struct vnpu_kernel *harness_find(const char *symbol)
{
	const struct vnpu_kernel *kernel;

	for (int i = 0; i < UNITS; i++) {
		if (!units[i].unit)
			continue;
		load_unit(&units[i]);
		kernel = find(units[i].image, NULL, symbol);
		if (kernel)
			return kernel;
	}
	return NULL;
}

const struct vnpu_image *harness_image(const char *source_end)
{
	for (int i = 0; i < UNITS; i++) {
		size_t all, end = strlen(source_end);

		if (!units[i].unit)
			continue;
		load_unit(&units[i]);
		all = strlen(units[i].unit->source);
		if (all >= end && !strcmp(units[i].unit->source + all - end,
					  source_end))
			return units[i].image;
	}
	return NULL;
}

void vnpu_unit_register(struct vnpu_unit *unit)
{
	for (int i = 0; i < UNITS; i++)
		if (!units[i].unit) {
			units[i].unit = unit;
			unit->library = &units[i];
			return;
		}
	die("too many units");
}

void vnpu_unit_unregister(struct vnpu_unit *unit)
{
	struct loaded *loaded = unit->library;

	loaded->unit = NULL;
}

struct vnpu_launch_config **vnpu_launch_current(void)
{
	static __thread struct vnpu_launch_config *config;

	return &config;
}

static void code_set(struct exec_kernel *kernel, enum exec_kind kind,
		     const struct vnpu_image *image, const char *name)
{
	struct exec_code *code = &kernel->code[kind];

	code->kernel = find(image, name, NULL);
	code->state_size = image ? image->state_size : 0;
}

static uint32_t run(struct exec_kernel *kernel, const void *args,
		    uint32_t blocks)
{
	struct harness_report *report = &harness_report;
	static struct exec_launch launch;

	launch.kernel = kernel;
	launch.args = args;
	launch.blocks = blocks;
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		launch.limit[kind].cores = EXEC_NO_LIMIT;
	is_ended = false;
	if (exec_submit(executor(), &launch))
		return HARNESS_INVALID;
	pthread_mutex_lock(&lock);
	while (!is_ended)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
	if (!launch.result)
		return HARNESS_OK;
	report->kind = launch.report.kind;
	report->block = launch.report.block;
	snprintf(report->text, sizeof(report->text), "%.500s",
		 launch.report.text);
	snprintf(report->file, sizeof(report->file), "%s", launch.report.file);
	report->line = launch.report.line;
	return launch.result == EDEADLK ? HARNESS_TIMEOUT : HARNESS_EXCEPTION;
}

void vnpu_launch(struct vnpu_unit *unit, const char *name, const void *args,
		 size_t args_size)
{
	struct vnpu_launch_config *config = *vnpu_launch_current();
	const struct vnpu_kernel *vector, *cube;
	struct loaded *loaded = unit->library;
	struct exec_kernel kernel = {};

	memset(&harness_report, 0, sizeof(harness_report));
	if (!config)
		die("a kernel was called as a function");
	config->result = HARNESS_INVALID;
	load_unit(loaded);
	if (loaded->image != loaded->cube)
		code_set(&kernel, EXEC_VECTOR, loaded->image, name);
	code_set(&kernel, EXEC_CUBE, loaded->cube, name);
	vector = kernel.code[EXEC_VECTOR].kernel;
	cube = kernel.code[EXEC_CUBE].kernel;
	if (!vector && !cube)
		return;
	if (args_size != (vector ? vector : cube)->info->args_size)
		die("the passes disagree about the arguments");
	config->result = run(&kernel, args, config->blocks);
}
