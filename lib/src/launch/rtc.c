// SPDX-License-Identifier: MIT
/*
 * Compilation at run time, see acl/acl_rt_compile.h.
 *
 * A program is written to a temporary directory, and vnpu-cc makes an image of
 * it.  For each expression, a variable with the address of the kernel is appended
 * to the source; the image then has the kernel at that address.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl_rt_compile.h"
#include "base/error.h"
#include "base/handle.h"
#include "kernel/image.h"
#include "kernel/process.h"

#define COMPILER	"bin/vnpu-cc"
#define VARIABLE	"vnpu_rtc_name_"
#define OPTIONS_MAX	1024

extern char **environ;

/* An expression, and the name that it stands for once it is known. */
struct expression {
	struct expression *next;
	char *name;
	char text[];
};

struct program {
	uint64_t handle;		/* constant, like the next two */
	char *source;
	char *name;
	pthread_mutex_t lock;		/* protects the rest */
	struct expression *expressions;
	struct expression **end;
	char *log;
	char *data;			/* NULL before it is compiled */
	size_t size;
};

/* The files of a compilation. */
struct files {
	char directory[64];
	char source[96];
	char image[96];
	char log[96];
};

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_RTC_OUT_OF_MEMORY,
			  "no host memory for a program");
}

static void program_free(struct program *program)
{
	struct expression *next, *expression = program->expressions;

	for (; expression; expression = next) {
		next = expression->next;
		free(expression->name);
		free(expression);
	}
	free(program->data);
	free(program->log);
	free(program->name);
	free(program->source);
	free(program);
}

static void program_put(struct program *program)
{
	if (!vnpu_handle_put(program->handle))
		return;
	pthread_mutex_destroy(&program->lock);
	program_free(program);
}

/* Find a program, lock it, and take a reference; or report an error. */
static aclError enter(aclrtcProg handle, struct program **program)
{
	if (!handle)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"prog is NULL; pass one of aclrtcCreateProg");
	*program = vnpu_handle_get(VNPU_HANDLE_PROGRAM, handle);
	if (!*program)
		return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
			"prog = %p was destroyed, or is not from aclrtcCreateProg",
			handle);
	pthread_mutex_lock(&(*program)->lock);
	return ACL_SUCCESS;
}

static void leave(struct program *program)
{
	pthread_mutex_unlock(&program->lock);
	program_put(program);
}

static aclError null_input(const char *argument)
{
	return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			  "%s is NULL; pass a valid pointer", argument);
}

aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name,
			  int numHeaders, const char **headers,
			  const char **includeNames)
{
	VNPU_CALL();
	struct program *program;

	if (!prog)
		return null_input("prog");
	if (!src)
		return null_input("src");
	if (numHeaders || headers || includeNames)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"headers are not supported; pass 0 and NULL, and -I for the compiler");
	program = calloc(1, sizeof(*program));
	if (!program)
		return no_memory();
	program->source = strdup(src);
	program->name = strdup(name && *name ? name : "default_program");
	program->end = &program->expressions;
	pthread_mutex_init(&program->lock, NULL);
	if (program->source && program->name)
		program->handle = vnpu_handle_add(VNPU_HANDLE_PROGRAM, program);
	if (!program->handle) {
		program_free(program);
		return no_memory();
	}
	*prog = vnpu_u64_to_ptr(program->handle);
	return ACL_SUCCESS;
}

aclError aclrtcDestroyProg(aclrtcProg *prog)
{
	VNPU_CALL();
	struct program *program;

	if (!prog || !*prog)
		return null_input("prog");
	program = vnpu_handle_take(VNPU_HANDLE_PROGRAM, *prog);
	if (!program)
		return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
			"prog = %p was destroyed, or is not from aclrtcCreateProg",
			*prog);
	*prog = NULL;
	program_put(program);
	return ACL_SUCCESS;
}

static struct expression *find(const struct program *program, const char *text)
{
	struct expression *expression = program->expressions;

	while (expression && strcmp(expression->text, text))
		expression = expression->next;
	return expression;
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char *nameExpr)
{
	VNPU_CALL();
	struct expression *new = NULL;
	struct program *program;
	aclError ret;

	if (!nameExpr)
		return null_input("nameExpr");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data) {
		ret = vnpu_error(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION,
			"the program is compiled already; add \"%s\" before",
			nameExpr);
	} else if (!find(program, nameExpr)) {
		new = calloc(1, sizeof(*new) + strlen(nameExpr) + 1);
		if (new) {
			strcpy(new->text, nameExpr);
			*program->end = new;
			program->end = &new->next;
		} else {
			ret = no_memory();
		}
	}
	leave(program);
	return ret;
}

/* Write the source, with a line that gives it its name in messages. */
static int write_source(const struct program *program, const char *path)
{
	const struct expression *expression = program->expressions;
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
	const char *arguments[OPTIONS_MAX + 8] = {
		"vnpu-cc", "--image", "-x", "asc", files->source, "-o",
		files->image
	};
	posix_spawn_file_actions_t actions;
	int status = -1, ret;
	pid_t pid;

	ret = vnpu_process_find(path, sizeof(path), COMPILER, "VNPU_CC");
	if (ret)
		return ret;
	for (int i = 0; i < count; i++)
		arguments[7 + i] = options[i];
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
static int find_names(struct program *program)
{
	struct expression *expression = program->expressions;
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
	snprintf(files->source, sizeof(files->source), "%s/program.asc",
		 files->directory);
	snprintf(files->image, sizeof(files->image), "%s/image",
		 files->directory);
	snprintf(files->log, sizeof(files->log), "%s/log", files->directory);
}

static void remove_files(const struct files *files)
{
	unlink(files->source);
	unlink(files->image);
	unlink(files->log);
	rmdir(files->directory);
}

/* Compile in a temporary directory: an exit status, or -errno. */
static int compile(struct program *program, int count, const char **options)
{
	struct files files = { .directory = "/tmp/vnpu-rtc-XXXXXX" };
	size_t size;
	int ret;

	if (!mkdtemp(files.directory))
		return -errno;
	make_files(&files);
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

static aclError compile_error(int err, const struct program *program)
{
	const char *log = program->log ? program->log : "";

	if (err > 0)
		return vnpu_error(ACL_ERROR_RTC_COMPILATION,
			"vnpu-cc refuses the program; see aclrtcGetCompileLog: %.*s",
			(int)strcspn(log, "\n"), log);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RTC_FAILURE,
			"there is no vnpu-cc beside the library; install it, or set VNPU_CC");
	return vnpu_error(ACL_ERROR_RTC_FAILURE, "vnpu-cc cannot be run: %s",
			  strerrordesc_np(-err));
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
			   const char **options)
{
	VNPU_CALL();
	struct program *program;
	aclError ret;
	int err;

	if (numOptions < 0 || numOptions > OPTIONS_MAX)
		return vnpu_error(ACL_ERROR_RTC_INVALID_INPUT,
			"numOptions = %d is out of range; pass 0 to %d",
			numOptions, OPTIONS_MAX);
	if (numOptions && !options)
		return null_input("options");
	for (int i = 0; i < numOptions; i++)
		if (!options[i])
			return null_input("an option");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	err = compile(program, numOptions, options);
	if (err)
		ret = compile_error(err, program);
	leave(program);
	return ret;
}

static aclError not_compiled(void)
{
	return vnpu_error(ACL_ERROR_RTC_INVALID_PROG,
		"the program is not compiled; call aclrtcCompileProg before");
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet)
{
	VNPU_CALL();
	struct program *program;
	aclError ret;

	if (!binDataSizeRet)
		return null_input("binDataSizeRet");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data)
		*binDataSizeRet = program->size;
	else
		ret = not_compiled();
	leave(program);
	return ret;
}

aclError aclrtcGetBinData(aclrtcProg prog, char *binData)
{
	VNPU_CALL();
	struct program *program;
	aclError ret;

	if (!binData)
		return null_input("binData");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	if (program->data)
		memcpy(binData, program->data, program->size);
	else
		ret = not_compiled();
	leave(program);
	return ret;
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpr,
			      const char **loweredName)
{
	VNPU_CALL();
	const struct expression *expression;
	struct program *program;
	aclError ret;

	if (!nameExpr)
		return null_input("nameExpr");
	if (!loweredName)
		return null_input("loweredName");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	expression = find(program, nameExpr);
	if (!program->data)
		ret = vnpu_error(
			ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION,
			"the program is not compiled; call aclrtcCompileProg before");
	else if (!expression || !expression->name)
		ret = vnpu_error(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
			"\"%s\" %s", nameExpr, expression ?
			"is not a kernel of the program" :
			"was not added by aclrtcAddNameExpr");
	else
		*loweredName = expression->name;
	leave(program);
	return ret;
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet)
{
	VNPU_CALL();
	struct program *program;
	aclError ret;

	if (!logSizeRet)
		return null_input("logSizeRet");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	*logSizeRet = (program->log ? strlen(program->log) : 0) + 1;
	leave(program);
	return ACL_SUCCESS;
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char *log)
{
	VNPU_CALL();
	struct program *program;
	aclError ret;

	if (!log)
		return null_input("log");
	ret = enter(prog, &program);
	if (ret)
		return ret;
	strcpy(log, program->log ? program->log : "");
	leave(program);
	return ACL_SUCCESS;
}
