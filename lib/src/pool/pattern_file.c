// SPDX-License-Identifier: MIT
/*
 * Profiles as files, in the format of vnpu_pool_save_profile().  A file may be
 * from an untrusted source, so all its values are checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "heap.h"
#include "pattern.h"

#define HEAD		"vnpu-pool-profile "
#define VERSION		1
/* All lines are shorter. */
#define LINE_MOST	80
/* Suffix of the temporary file name. */
#define SUFFIX_MOST	24
/* More addresses than any pool has. */
#define RESERVE_MOST	(UINT64_C(1) << 47)

struct reader {
	FILE *file;
	unsigned int number;		/* of the line */
	char line[LINE_MOST];
	const char *fault;
};

static bool refuse(struct reader *reader, const char *why)
{
	reader->fault = why;
	return false;
}

/* Read a line, without its end. */
static bool next_line(struct reader *reader)
{
	char *end;

	reader->number++;
	if (!fgets(reader->line, sizeof(reader->line), reader->file))
		return refuse(reader, "the file ends before \"end\"");
	end = strchr(reader->line, '\n');
	if (!end)
		return refuse(reader, "the line is too long, or not terminated");
	*end = '\0';
	return true;
}

/* Parse digits up to @end; returns the rest, or NULL. */
static const char *number(const char *at, char end, uint64_t *value)
{
	*value = 0;
	do {
		if (*at < '0' || *at > '9' ||
		    __builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *at - '0', value))
			return NULL;
	} while (*++at != end);
	return at + 1;
}

/* Parse a line of a word and a number. */
static bool field(struct reader *reader, const char *word, uint64_t *value)
{
	size_t length = strlen(word);

	if (!next_line(reader))
		return false;
	if (strncmp(reader->line, word, length) ||
	    !number(reader->line + length, '\0', value))
		return refuse(reader, "unexpected keyword, or no number");
	return true;
}

static bool read_head(struct reader *reader, struct vnpu_pattern *pattern)
{
	uint64_t version;

	if (!field(reader, HEAD, &version))
		return refuse(reader, "not a pool profile");
	if (version != VERSION)
		return refuse(reader, "unknown version");
	if (!field(reader, "requests ", &pattern->requests) ||
	    !field(reader, "fine ", &pattern->reserve[VNPU_FINE]) ||
	    !field(reader, "coarse ", &pattern->reserve[VNPU_COARSE]) ||
	    !field(reader, "paged ", &pattern->reserve[VNPU_PAGED]))
		return false;
	for (int i = 0; i < VNPU_RANGES; i++)
		if (pattern->reserve[i] % VNPU_CHUNK_MIN ||
		    pattern->reserve[i] > RESERVE_MOST)
			return refuse(reader, "bytes of chunks must be multiples of 2 MiB, at most 128 TiB");
	return true;
}

static bool read_size(struct reader *reader, struct vnpu_pattern *pattern)
{
	static const char word[] = "size ";
	struct vnpu_pattern_size size;
	const char *at = NULL;

	if (!strncmp(reader->line, word, strlen(word)))
		at = number(reader->line + strlen(word), ' ', &size.size);
	if (!at || !number(at, '\0', &size.requests))
		return refuse(reader, "expected \"size\" with two numbers, or \"end\"");
	if (!size.size || size.size > VNPU_LARGE_MAX ||
	    vnpu_size_of(vnpu_size_index(size.size)) != size.size)
		return refuse(reader, "invalid size of a class");
	if (size.requests > pattern->requests)
		return refuse(reader, "more requests than in total");
	for (unsigned int i = 0; i < pattern->count; i++)
		if (pattern->size[i].size == size.size)
			return refuse(reader, "a size is repeated");
	if (pattern->count == VNPU_PATTERN_MOST)
		return refuse(reader, "more sizes than can each be over 1 % of the requests");
	pattern->size[pattern->count++] = size;
	return true;
}

static bool read_all(struct reader *reader, struct vnpu_pattern *pattern)
{
	if (!read_head(reader, pattern))
		return false;
	for (;;) {
		if (!next_line(reader))
			return false;
		if (!strcmp(reader->line, "end"))
			break;
		if (!read_size(reader, pattern))
			return false;
	}
	reader->number++;
	return fgetc(reader->file) == EOF ? true :
	       refuse(reader, "extra data after \"end\"");
}

/* Do not block on a file that is not a regular one. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat about;
	FILE *file = NULL;

	if (fd < 0)
		return NULL;
	errno = EINVAL;
	if (!fstat(fd, &about) && S_ISREG(about.st_mode))
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

aclError vnpu_pattern_read(const char *path, struct vnpu_pattern *pattern)
{
	struct reader reader = { .file = open_file(path) };
	bool is_good;
	int err;

	memset(pattern, 0, sizeof(*pattern));
	if (!reader.file)
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"\"%s\" cannot be read: %s", path, strerror(errno));
	is_good = read_all(&reader, pattern);
	err = ferror(reader.file) ? EIO : 0;
	fclose(reader.file);
	if (err)
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"\"%s\" cannot be read: %s", path, strerror(err));
	return is_good ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_PARSE_FILE, "\"%s\", line %u: %s", path,
			  reader.number, reader.fault);
}

static void print(FILE *file, const struct vnpu_pattern *pattern)
{
	fprintf(file, HEAD "%d\nrequests %" PRIu64 "\nfine %" PRIu64
		"\ncoarse %" PRIu64 "\npaged %" PRIu64 "\n", VERSION,
		pattern->requests, pattern->reserve[VNPU_FINE],
		pattern->reserve[VNPU_COARSE], pattern->reserve[VNPU_PAGED]);
	for (unsigned int i = 0; i < pattern->count; i++)
		fprintf(file, "size %" PRIu64 " %" PRIu64 "\n",
			pattern->size[i].size, pattern->size[i].requests);
	fputs("end\n", file);
}

/* Replace a file as a whole or not at all; 0 or an errno. */
static int replace(const char *path, const char *part,
		   const struct vnpu_pattern *pattern)
{
	int err = 0, fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
				     O_NOCTTY, 0666);
	FILE *file;

	if (fd < 0)
		return errno;
	file = fdopen(fd, "w");
	if (!file) {
		err = errno;
		close(fd);
	} else {
		print(file, pattern);
		if (ferror(file))
			err = EIO;
		if (fclose(file))
			err = errno;
		if (!err && rename(part, path))
			err = errno;
	}
	if (err)
		unlink(part);
	return err;
}

/* The process id is not unique: other containers may have the same. */
static int replace_by_part(const char *path, const struct vnpu_pattern *pattern)
{
	size_t size = strlen(path) + SUFFIX_MOST;
	char *part = malloc(size);
	uint64_t number;
	int err = ENOMEM;

	if (part && getrandom(&number, sizeof(number), 0) < 0) {
		err = errno;
	} else if (part) {
		snprintf(part, size, "%s.%016" PRIx64, path, number);
		err = replace(path, part, pattern);
	}
	free(part);
	return err;
}

aclError vnpu_pattern_write(const char *path,
			    const struct vnpu_pattern *pattern)
{
	int err = replace_by_part(path, pattern);

	return err ? vnpu_error(ACL_ERROR_WRITE_FILE,
		"\"%s\" cannot be written: %s", path, strerror(err)) :
	       ACL_SUCCESS;
}
