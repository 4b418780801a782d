// SPDX-License-Identifier: MIT
/*
 * The log, see log.h.  A line has the format of CANN:
 *
 * [LEVEL] MODULE(pid,program):date-time.ms.us [file:line]thread func:"text"
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

#define LOG_LINE_MAX	1024	/* as in CANN; longer lines are truncated */
#define LOG_LEVEL_NONE	4

static pthread_once_t log_once = PTHREAD_ONCE_INIT;

enum module {
	MODULE_APP,		/* the program, by aclAppLog() */
	MODULE_RUNTIME,		/* the library */
	NR_MODULES
};

static const char *const module_names[] = {
	[MODULE_APP]		= "APP",
	[MODULE_RUNTIME]	= "RUNTIME",
};

/* Constant after log_setup(). */
static int log_levels[NR_MODULES];
static FILE *log_file;		/* NULL for no log */

static const char *const level_names[] = {
	[ACL_DEBUG]	= "DEBUG",
	[ACL_INFO]	= "INFO",
	[ACL_WARNING]	= "WARNING",
	[ACL_ERROR]	= "ERROR",
};

/* Create all directories of @path up to its last slash. */
static void make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0750);
		*p = '/';
	}
}

static FILE *open_file(const char *dir)
{
	char path[PATH_MAX];
	struct timespec now;
	struct tm tm;
	char date[32];
	int length, fd;
	FILE *file;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
	length = snprintf(path, sizeof(path), "%s/debug/plog/plog-%d_%s%03ld.log",
			  dir, getpid(), date, now.tv_nsec / 1000000);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;

	make_parents(path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	if (fd < 0)
		return NULL;
	file = fdopen(fd, "a");
	if (!file) {
		close(fd);
		return NULL;
	}
	/*
	 * A line is one write(), so that a crash neither loses nor mixes lines.
	 */
	setvbuf(file, NULL, _IONBF, 0);
	return file;
}

/* Parse one NAME=LEVEL; invalid entries are skipped. */
static void module_level(const char *wish, size_t length)
{
	for (size_t i = 0; i < NR_MODULES; i++) {
		size_t name = strlen(module_names[i]);

		if (length == name + 2 && wish[name] == '=' &&
		    !memcmp(wish, module_names[i], name) &&
		    wish[name + 1] >= '0' && wish[name + 1] <= '4')
			log_levels[i] = wish[name + 1] - '0';
	}
}

static bool is_level_set(void)
{
	for (size_t i = 0; i < NR_MODULES; i++)
		if (log_levels[i] < LOG_LEVEL_NONE)
			return true;
	return false;
}

static void log_setup(void)
{
	const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
	const char *modules = getenv("ASCEND_MODULE_LOG_LEVEL");
	const char *to_stdout = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
	const char *dir = getenv("ASCEND_PROCESS_LOG_PATH");

	for (size_t i = 0; i < NR_MODULES; i++) {
		log_levels[i] = ACL_ERROR;
		if (level && level[0] >= '0' && level[0] <= '4' && !level[1])
			log_levels[i] = level[0] - '0';
	}
	while (modules && *modules) {
		size_t length = strcspn(modules, ":");

		module_level(modules, length);
		modules += length + (modules[length] == ':');
	}

	if (to_stdout && !strcmp(to_stdout, "1"))
		log_file = stdout;
	else if (dir && *dir && is_level_set())
		log_file = open_file(dir);
}

static bool is_wanted(enum module module, aclLogLevel level)
{
	pthread_once(&log_once, log_setup);
	return log_file && (int)level >= log_levels[module] &&
	       (size_t)level < ARRAY_SIZE(level_names);
}

/* Append to a line of @size bytes, of which @length are used. */
VNPU_PRINTF(4, 0)
static size_t append(char *line, size_t size, size_t length, const char *fmt,
		     va_list args)
{
	int more = vsnprintf(line + length, size - length, fmt, args);

	if (more < 0)
		return length;
	return (size_t)more < size - length ? length + more : size - 1;
}

VNPU_PRINTF(4, 5)
static size_t appendf(char *line, size_t size, size_t length, const char *fmt,
		      ...)
{
	va_list args;

	va_start(args, fmt);
	length = append(line, size, length, fmt, args);
	va_end(args);
	return length;
}

VNPU_PRINTF(6, 0)
static void write_line(aclLogLevel level, enum module module, const char *func,
		       const char *file, uint32_t line_nr, const char *fmt,
		       va_list args)
{
	char line[LOG_LINE_MAX];
	const size_t size = sizeof(line) - 2;	/* the quote and the newline */
	const char *slash = file ? strrchr(file, '/') : NULL;
	int saved_errno = errno;
	struct timespec now;
	struct tm tm;
	char date[32];
	size_t length;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d-%H:%M:%S", &tm);

	length = appendf(line, size, 0,
			 "[%s] %s(%d,%s):%s.%03ld.%03ld [%s:%u]%ld %s:\"",
			 level_names[level], module_names[module], getpid(),
			 program_invocation_short_name, date,
			 now.tv_nsec / 1000000, now.tv_nsec / 1000 % 1000,
			 slash ? slash + 1 : file ? file : "-", line_nr,
			 syscall(SYS_gettid), func ? func : "-");
	errno = saved_errno;			/* fmt may have %m */
	length = append(line, size, length, fmt, args);
	line[length++] = '"';
	line[length++] = '\n';

	/* Ignore errors: the program must not notice them. */
	fwrite(line, 1, length, log_file);
	errno = saved_errno;
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file,
	       uint32_t line, const char *fmt, ...)
{
	va_list args;

	if (!fmt || !is_wanted(MODULE_APP, logLevel))
		return;
	va_start(args, fmt);
	write_line(logLevel, MODULE_APP, func, file, line, fmt, args);
	va_end(args);
}

void vnpu_log(aclLogLevel level, const char *func, const char *fmt, ...)
{
	va_list args;

	if (!is_wanted(MODULE_RUNTIME, level))
		return;
	va_start(args, fmt);
	write_line(level, MODULE_RUNTIME, func, "libvnpu", 0, fmt, args);
	va_end(args);
}
