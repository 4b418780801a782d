/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole files. Messages name the file, and are freed by the caller.
 */
#ifndef VNPU_MODEL_FILE_H
#define VNPU_MODEL_FILE_H

#include <stddef.h>
#include <stdio.h>

/**
 * struct file - a file in memory
 * @data: its content, aligned to a page, with a zero behind it
 * @size: its size
 */
struct file {
	void *data;
	size_t size;
};

/* Read a regular file; return NULL or a message. */
char *file_read(struct file *f, const char *path);

void file_free(struct file *f);

/**
 * file_write() - write a file, which appears under its name when it is complete
 * @path: its path
 * @data: its content
 * @size: bytes
 *
 * A device or a pipe of this name is written to, and stays.
 *
 * Return: NULL or a message.
 */
char *file_write(const char *path, const void *data, size_t size);

/* Likewise, with the output of a function. */
char *file_print(const char *path, void (*print)(FILE *f, const void *data),
		 const void *data);

/* Get the directory of a path; freed by the caller; NULL without memory. */
char *file_folder(const char *path);

#endif
