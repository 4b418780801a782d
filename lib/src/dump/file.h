/* SPDX-License-Identifier: MIT */
/* The files of a dump. */
#ifndef VNPU_LIB_DUMP_FILE_H
#define VNPU_LIB_DUMP_FILE_H

#include <stdio.h>

#include "dump.h"

/* Append a name to a path, with other characters than [A-Za-z0-9_-] replaced. */
void vnpu_dump_print_name(const char *name, unsigned int max, FILE *f);

/* Get the path of the files of the next operator, which the caller frees. */
aclError vnpu_dump_path(struct vnpu_dump_run *run,
			const struct vnpu_dump_op *op, char **path);

/*
 * Resolve the path of a folder that this user may write to: a path that the caller
 * frees, or NULL with errno.
 */
char *vnpu_dump_find_folder(const char *path);

/*
 * Create each folder of a path that a "/" follows. The folder that the first
 * @known bytes name exists. Return: 0 or -errno.
 */
int vnpu_dump_make_folders(char *path, size_t known);

/* Create a file that does not exist yet, to write it: a descriptor or -errno. */
int vnpu_dump_open(const char *path);

/**
 * struct vnpu_dump_file - a file that is being written
 * @f: the stream
 * @path: its path
 */
struct vnpu_dump_file {
	FILE *f;
	char *path;
};

/*
 * Create a file and its folders below dump_path, or report an error.  @path: of
 * vnpu_dump_path(), to which @suffix is appended.
 */
aclError vnpu_dump_create(const struct vnpu_dump_run *run, const char *path,
			  const char *suffix, struct vnpu_dump_file *file);

/*
 * Complete a file, or remove it and report an error.  After the error @ret of the
 * caller, which is returned, the file is removed as well.
 */
aclError vnpu_dump_close(struct vnpu_dump_file *file, aclError ret);

#endif /* VNPU_LIB_DUMP_FILE_H */
