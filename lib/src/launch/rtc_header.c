// SPDX-License-Identifier: MIT
/*
 * Headers of programs that are compiled at run time, see rtc_header.h.
 */
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rtc_header.h"

struct vnpu_rtc_header {
	struct vnpu_rtc_header *next;
	char *text;
	char name[];
};

/* Check that a name cannot lead out of the directory of headers. */
static bool is_inside(const char *name)
{
	if (!*name || *name == '/' || strlen(name) > VNPU_RTC_HEADER_NAME)
		return false;
	for (;;) {
		size_t length = strcspn(name, "/");

		if (!length || !strncmp(name, ".", length) ||
		    (length == 2 && !strncmp(name, "..", 2)))
			return false;
		if (!name[length])
			return true;
		name += length + 1;
	}
}

static bool has(const struct vnpu_rtc_header *list, const char *name)
{
	while (list && strcmp(list->name, name))
		list = list->next;
	return list;
}

int vnpu_rtc_header_add(struct vnpu_rtc_header **list, const char *name,
			const char *text)
{
	struct vnpu_rtc_header *new;

	if (!is_inside(name))
		return -EINVAL;
	if (has(*list, name))
		return -EEXIST;
	new = malloc(sizeof(*new) + strlen(name) + 1);
	if (!new)
		return -ENOMEM;
	new->text = strdup(text);
	if (!new->text) {
		free(new);
		return -ENOMEM;
	}
	strcpy(new->name, name);
	new->next = *list;
	*list = new;
	return 0;
}

void vnpu_rtc_headers_free(struct vnpu_rtc_header *list)
{
	while (list) {
		struct vnpu_rtc_header *next = list->next;

		free(list->text);
		free(list);
		list = next;
	}
}

/* Make the directories that a path has after its first @from characters. */
static int make_directories(char *path, size_t from)
{
	for (char *c = path + from; *c; c++) {
		int ret;

		if (*c != '/')
			continue;
		*c = '\0';
		ret = mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
		*c = '/';
		if (ret)
			return ret;
	}
	return 0;
}

static int write_header(const struct vnpu_rtc_header *header,
			const char *directory)
{
	char *path;
	FILE *file;
	int ret;

	if (asprintf(&path, "%s/%s", directory, header->name) < 0)
		return -ENOMEM;
	ret = make_directories(path, strlen(directory) + 1);
	file = ret ? NULL : fopen(path, "wxe");
	if (!ret && !file)
		ret = -errno;
	free(path);
	if (!file)
		return ret;
	ret = fputs(header->text, file) < 0 ? -EIO : 0;
	return fclose(file) && !ret ? -errno : ret;
}

int vnpu_rtc_headers_write(const struct vnpu_rtc_header *list,
			   const char *directory)
{
	int ret = list && mkdir(directory, 0700) ? -errno : 0;

	for (; !ret && list; list = list->next)
		ret = write_header(list, directory);
	return ret;
}

static int remove_one(const char *path, const struct stat *stat, int type,
		      struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void vnpu_rtc_headers_remove(const char *directory)
{
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
