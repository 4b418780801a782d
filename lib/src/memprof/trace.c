// SPDX-License-Identifier: MIT
/*
 * Recording by the environment: ASCEND_MEMORY_TRACE=1 reports leaks at exit, on
 * standard error or, with ASCEND_MEMORY_LOG_PATH=FILE, in that file after a
 * line for each allocation and free:
 *
 * SECONDS THREAD alloc ADDRESS BYTES device=N stream=N|- site=N
 * SECONDS THREAD free|reset ADDRESS BYTES
 * site N "TAG" CALL < CALLER < ...
 *
 * in the order in which they happened; a site is described near its first use.
 * The buffer is written when it is full, or when its oldest line is a second
 * old.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/json.h"
#include "base/log.h"
#include "io/device_number.h"
#include "report.h"
#include "trace.h"

#define BUFFER_SIZE	65536
#define EVENT_MAX	256
#define FRAME_MAX	4352
#define FLUSH_NS	1000000000ULL

/* Protected by the profiler's lock. */
static char buffer[BUFFER_SIZE];
static size_t buffered;
static uint64_t last_flush_ns;
static int trace_fd = -1;		/* -1 for no file */
static bool is_traced;			/* until the report is written */

/*
 * Protected by the lock; NULL while a thread uses them.  That thread waits for
 * the dynamic loader, so a thread that the loader calls must not wait for it.
 */
static struct vnpu_symbols *names;

/* Ignore errors: the program must not notice them. */
static void write_all(int fd, const char *text, size_t length)
{
	int saved_errno = errno;
	ssize_t n;

	while (length) {
		n = write(fd, text, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		length -= n;
	}
	errno = saved_errno;
}

static void flush(void)
{
	write_all(trace_fd, buffer, buffered);
	buffered = 0;
}

static void append(const char *text, size_t length)
{
	if (trace_fd < 0)
		return;
	if (length > BUFFER_SIZE - buffered)
		flush();
	if (length > BUFFER_SIZE) {
		write_all(trace_fd, text, length);
		return;
	}
	memcpy(buffer + buffered, text, length);
	buffered += length;
}

static void append_event(const char *line, size_t length, uint64_t ns)
{
	append(line, length);
	if (ns - last_flush_ns < FLUSH_NS)
		return;
	flush();
	last_flush_ns = ns;
}

/*
 * Make the name of the file, with %p for the process; NULL if it is too long.
 */
static const char *path_make(const char *wish, char *path, size_t size)
{
	const char *mark = strstr(wish, "%p");
	int length = mark ? snprintf(path, size, "%.*s%d%s",
				     (int)(mark - wish), wish, getpid(),
				     mark + 2) :
			    snprintf(path, size, "%s", wish);

	return length < 0 || (size_t)length >= size ? NULL : path;
}

bool vnpu_trace_is_wanted(void)
{
	const char *wish = secure_getenv("ASCEND_MEMORY_TRACE");

	return wish && !strcmp(wish, "1");
}

bool vnpu_trace_setup(void)
{
	const char *to = secure_getenv("ASCEND_MEMORY_LOG_PATH");
	char path[4096], line[EVENT_MAX];
	int fd = -1, length;

	if (!vnpu_trace_is_wanted())
		return false;
	if (to && *to) {
		if (path_make(to, path, sizeof(path)))
			fd = open(path, O_WRONLY | O_CREAT | O_APPEND |
				  O_CLOEXEC | O_NOCTTY, 0640);
		if (fd < 0)
			vnpu_log(ACL_ERROR, __func__,
				 "ASCEND_MEMORY_LOG_PATH = \"%s\" cannot be opened; leaks are reported on standard error",
				 to);
	}
	length = snprintf(line, sizeof(line), "process %d %.64s\n", getpid(),
			  program_invocation_short_name);
	vnpu_profile_lock();
	trace_fd = fd;
	is_traced = true;
	append(line, length);
	vnpu_profile_unlock();
	return true;
}

void vnpu_trace_disown(void)
{
	is_traced = false;
	buffered = 0;
	if (trace_fd >= 0)
		close(trace_fd);
	trace_fd = -1;
}

/* Format numbers and words; printf() would be half of the cost of a line. */
static char *put_text(char *at, const char *text)
{
	return stpcpy(at, text);
}

static char *put_digits(char *at, uint64_t value, unsigned int base, int least)
{
	char digits[20];
	int count = 0;

	while (value || count < least) {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	}
	while (count)
		*at++ = digits[--count];
	return at;
}

static char *put_number(char *at, uint64_t value)
{
	return put_digits(at, value, 10, 1);
}

static char *put_event(char *at, uint64_t ns, uint32_t thread, const char *what,
		       const struct vnpu_record *record)
{
	at = put_number(at, ns / 1000000000);
	at = put_text(at, ".");
	at = put_digits(at, ns % 1000000000, 10, 9);
	at = put_text(at, " ");
	at = put_number(at, thread);
	at = put_text(at, what);
	at = put_digits(at, record->address, 16, 1);
	at = put_text(at, " ");
	return put_number(at, record->size);
}

struct vnpu_site *vnpu_trace_alloc(const struct vnpu_record *record)
{
	int32_t device = vnpu_device_user_number(record->device);
	struct vnpu_site *site = record->site;
	char line[EVENT_MAX], *end;

	if (trace_fd < 0)
		return NULL;
	end = put_event(line, record->alloc_ns, record->alloc_thread,
			" alloc 0x", record);
	end = put_text(end, " device=");
	end = device < 0 ? put_text(end, "-") : put_number(end, device);
	end = put_text(end, " stream=");
	end = record->stream == VNPU_PROFILE_NO_STREAM ? put_text(end, "-") :
	      put_number(end, record->stream);
	end = put_text(end, " site=");
	end = put_number(end, site->number);
	*end++ = '\n';
	append_event(line, end - line, record->alloc_ns);
	if (site->is_traced)
		return NULL;
	site->is_traced = true;
	return site;
}

void vnpu_trace_free(const struct vnpu_record *record, bool with_device)
{
	char line[EVENT_MAX], *end;

	if (trace_fd < 0)
		return;
	end = put_event(line, record->free_ns, record->free_thread,
			with_device ? " reset 0x" : " free 0x", record);
	*end++ = '\n';
	append_event(line, end - line, record->free_ns);
}

/* Take the existing set of names, or a new one; NULL without memory. */
static struct vnpu_symbols *names_take(void)
{
	struct vnpu_symbols *taken;

	vnpu_profile_lock();
	taken = names;
	names = NULL;
	vnpu_profile_unlock();
	return taken ? taken : vnpu_symbols_create();
}

/* Put a set of names back for the next user, while there is a trace. */
static void names_put(struct vnpu_symbols *taken)
{
	vnpu_profile_lock();
	if (is_traced && !names) {
		names = taken;
		taken = NULL;
	}
	vnpu_profile_unlock();
	vnpu_symbols_destroy(taken);
}

static void print_site(FILE *file, const struct vnpu_site *site,
		       struct vnpu_symbols *symbols)
{
	char frame[FRAME_MAX];
	size_t i = vnpu_symbols_skip(symbols, site->frames, site->nr_frames);

	fprintf(file, "site %u ", site->number);
	vnpu_json_print_string(file, site->tag);
	for (const char *before = " "; i < site->nr_frames; before = " < ", i++) {
		vnpu_symbols_text(symbols, site->frames[i], frame,
				  sizeof(frame));
		fprintf(file, "%s%s", before, frame);
	}
	fputc('\n', file);
}

void vnpu_trace_site(const struct vnpu_site *site)
{
	size_t length = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);
	struct vnpu_symbols *symbols;

	if (!file)
		return;
	symbols = names_take();
	if (symbols)
		print_site(file, site, symbols);
	names_put(symbols);
	if (!fclose(file) && text) {
		vnpu_profile_lock();
		append(text, length);
		vnpu_profile_unlock();
	}
	free(text);
}

static void print_leaks(const struct vnpu_holdings *leaks, FILE *file)
{
	struct vnpu_symbols *symbols = names_take();

	fprintf(file, "leaks of %s (%d): %llu bytes in %llu block%s\n",
		program_invocation_short_name, getpid(),
		(unsigned long long)leaks->bytes,
		(unsigned long long)leaks->blocks,
		leaks->blocks == 1 ? "" : "s");
	if (symbols)
		vnpu_holdings_print(leaks, symbols, file);
	names_put(symbols);
}

static void report_leaks(const struct vnpu_holdings *leaks)
{
	size_t length = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return;
	print_leaks(leaks, file);
	if (!fclose(file) && text) {
		vnpu_profile_lock();
		if (trace_fd < 0)
			write_all(STDERR_FILENO, text, length);
		else
			append(text, length);
		vnpu_profile_unlock();
	}
	free(text);
}

/* Run after the program's own exit functions, which may free memory. */
__attribute__((destructor))
static void trace_finish(void)
{
	struct vnpu_holdings leaks = { 0 };
	struct vnpu_record *records;
	bool is_made = false;
	size_t count;

	vnpu_profile_lock();
	if (is_traced) {
		records = vnpu_record_copy(VNPU_PROFILE_LIVE,
					   VNPU_RECORD_ANY_DEVICE, &count);
		is_made = records && vnpu_holdings_init(&leaks, records, count,
							true);
		free(records);
	}
	is_traced = false;
	vnpu_profile_unlock();
	if (is_made)
		report_leaks(&leaks);
	vnpu_holdings_fini(&leaks);
	vnpu_profile_lock();
	if (trace_fd >= 0) {
		flush();
		close(trace_fd);
	}
	trace_fd = -1;
	vnpu_profile_unlock();
}
