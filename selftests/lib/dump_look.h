/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder for dumps, and a look at the files in it. */
#ifndef SELFTESTS_LIB_DUMP_LOOK_H
#define SELFTESTS_LIB_DUMP_LOOK_H

#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];		/* dump_path */
static char npy_head[4096];	/* of the last .npy file */

static inline void folder_make(void)
{
	if (folder[0])
		mkdir(folder, 0700);
	else if (!mkdtemp(strcpy(folder, "/tmp/vnpu-dump-XXXXXX")))
		abort();
}

static inline int remove_entry(const char *path, const struct stat *info,
			       int kind, struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline void folder_remove(void)
{
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *wanted;	/* a pattern for the end of a path, or NULL */
static char found[4096];
static int count;

static inline int see_entry(const char *path, const struct stat *info,
			    int kind, struct FTW *where)
{
	char pattern[256];

	(void)info;
	(void)where;
	if (kind != FTW_F)
		return 0;
	snprintf(pattern, sizeof(pattern), "*%s", wanted ? wanted : "");
	if (fnmatch(pattern, path, 0))
		return 0;
	count++;
	snprintf(found, sizeof(found), "%s", path);
	return 0;
}

/* Find a file by the end of its path: false unless there is one alone. */
static inline bool find_file(const char *pattern)
{
	wanted = pattern;
	count = 0;
	nftw(folder, see_entry, 8, FTW_PHYS);
	return count == 1;
}

static inline int nr_files(void)
{
	find_file(NULL);
	return count;
}

/* Read such a file: its bytes, which a zero follows. */
static inline char *file_bytes(const char *pattern, size_t *size)
{
	static char bytes[65536];
	FILE *f = find_file(pattern) ? fopen(found, "r") : NULL;

	*size = f ? fread(bytes, 1, sizeof(bytes) - 1, f) : 0;
	bytes[*size] = '\0';
	if (f)
		fclose(f);
	return bytes;
}

static inline char *file_text(const char *pattern)
{
	size_t size;

	return file_bytes(pattern, &size);
}

/* Check the head of a .npy file by a pattern, and its elements. */
static inline bool npy_is(const char *pattern, const char *head,
			  const void *elements, size_t bytes)
{
	size_t size, start;
	char *data = file_bytes(pattern, &size), match[256];

	if (size < 10 || memcmp(data, "\x93NUMPY\1\0", 8))
		return false;
	start = 10 + (uint8_t)data[8] + 256 * (size_t)(uint8_t)data[9];
	snprintf(match, sizeof(match), "*%s*", head);
	snprintf(npy_head, sizeof(npy_head), "%.4000s", data + 10);
	if (start % 64 || start + bytes != size || data[start - 1] != '\n')
		return false;
	data[start - 1] = '\0';
	return !fnmatch(match, data + 10, 0) &&
	       !memcmp(data + start, elements, bytes);
}

#endif
