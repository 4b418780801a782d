// SPDX-License-Identifier: MIT
/*
 * Compilation at run time, see rtc.h.
 *
 * A program and its headers are written to a temporary directory, and vnpu-cc makes
 * an image of them.  For each expression, a variable with the address of the kernel is appended
 * to the source; the image then has the kernel at that address.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/image.h"
#include "kernel/process.h"
#include "rtc.h"

#define COMPILER	"bin/vnpu-cc"
#define VARIABLE	"vnpu_rtc_name_"

extern char **environ;

/* The files of a compilation. */
struct files {
	char directory[64];
	char headers[96];	/* a directory */
	char include[96 + 2];	/* the option for that */
	char source[96];
	char image[96];
	char log[96];
};

/* Write the source, with a line that gives it its name in messages. */
static int write_source(const struct vnpu_rtc_program *program,
			const char *path)
{
	const struct vnpu_rtc_expression *expression = program->expressions;
	FILE *file = fopen(path, "we");
	unsigned int i = 0;

	if (!file)
		return -errno;
	fputs("#line 1 \"", file);
	for (const char *c = program->name; *c; c++)
		if (*c != '"' && *c != '\\' && *c != '\n')
			fputc(*c, file);
	fprintf(file, "\"\n%s\n", program->source);
	for (; expression; expression = expression->next)
		fprintf(file, "extern \"C\" { __attribute__((used, retain)) const void *const volatile "
			VARIABLE "%u = (const void *)&(%s); }\n", i++,
			expression->text);
	if (ferror(file)) {
		fclose(file);
		return -EIO;
	}
	return fclose(file) ? -errno : 0;
}

/* Read a whole file, with a zero behind it; NULL if that fails. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *data = NULL;
	long length;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0 &&
	    !fseek(file, 0, SEEK_SET) && (data = malloc(length + 1))) {
		*size = fread(data, 1, length, file);
		data[*size] = '\0';
	}
	fclose(file);
	return data;
}

/* Run the compiler: its exit status, or -errno. */
static int run(const struct files *files, int count, const char **options)
{
	char path[PATH_MAX];
	const char *arguments[VNPU_RTC_OPTIONS + 9] = {
		"vnpu-cc", "--image", "-x", "asc", files->source, "-o",
		files->image, files->include
	};
	posix_spawn_file_actions_t actions;
	int status = -1, ret;
	pid_t pid;

	ret = vnpu_process_find(path, sizeof(path), COMPILER, "VNPU_CC");
	if (ret)
		return ret;
	for (int i = 0; i < count; i++)
		arguments[8 + i] = options[i];
	ret = -posix_spawn_file_actions_init(&actions);
	if (ret)
		return ret;
	ret = -posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
			files->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!ret)
		ret = -posix_spawn_file_actions_adddup2(&actions,
							STDERR_FILENO,
							STDOUT_FILENO);
	if (!ret)
		ret = -posix_spawn(&pid, path, &actions, NULL,
				   (char **)(uintptr_t)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret)
		return ret;
	while (waitpid(pid, &status, 0) < 0)
		/* The program has reaped it: the image shows the result. */
		if (errno != EINTR)
			return access(files->image, R_OK) ? 1 : 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Get the name of the kernel at the address that a variable has. */
static char *find_name(const struct vnpu_image_view *image, unsigned int i)
{
	uint64_t at, size, address;
	char variable[40];

	snprintf(variable, sizeof(variable), VARIABLE "%u", i);
	if (!vnpu_image_find_global(image, variable, &at, &size) ||
	    !vnpu_elf_pointer(&image->elf, at, &address))
		return NULL;
	for (uint32_t n = 0; n < image->count; n++)
		if (image->kernels[n].address == address)
			return strndup(image->kernels[n].symbol,
				       image->kernels[n].length);
	return NULL;
}

/* Find the names of all expressions in the image. */
static int find_names(struct vnpu_rtc_program *program)
{
	struct vnpu_rtc_expression *expression = program->expressions;
	struct vnpu_image_view image;
	const char *why;
	unsigned int i = 0;
	int ret;

	ret = vnpu_image_open(&image, program->data, program->size, &why);
	if (ret)
		return ret;
	for (; expression; expression = expression->next) {
		free(expression->name);
		expression->name = find_name(&image, i++);
	}
	vnpu_image_close(&image);
	return 0;
}

static void make_files(struct files *files)
{
	snprintf(files->headers, sizeof(files->headers), "%s/headers",
		 files->directory);
	snprintf(files->include, sizeof(files->include), "-I%s",
		 files->headers);
	snprintf(files->source, sizeof(files->source), "%s/program.asc",
		 files->directory);
	snprintf(files->image, sizeof(files->image), "%s/image",
		 files->directory);
	snprintf(files->log, sizeof(files->log), "%s/log", files->directory);
}

static void remove_files(const struct files *files)
{
	vnpu_rtc_headers_remove(files->headers);
	unlink(files->source);
	unlink(files->image);
	unlink(files->log);
	rmdir(files->directory);
}

int vnpu_rtc_compile(struct vnpu_rtc_program *program, int count,
		     const char **options)
{
	struct files files = { .directory = "/tmp/vnpu-rtc-XXXXXX" };
	size_t size;
	int ret;

	if (!mkdtemp(files.directory))
		return -errno;
	make_files(&files);
	ret = vnpu_rtc_headers_write(program->headers, files.headers);
	if (!ret)
		ret = write_source(program, files.source);
	if (!ret)
		ret = run(&files, count, options);
	free(program->log);
	program->log = read_file(files.log, &size);
	if (!ret) {
		free(program->data);
		program->data = read_file(files.image, &program->size);
		ret = program->data ? find_names(program) : -EIO;
	}
	remove_files(&files);
	return ret;
}
