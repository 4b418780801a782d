/* SPDX-License-Identifier: MIT */
/*
 * The lines of a source that an address in an image stands for.
 *
 * vnpu-cc gives each image tables of lines and of inlined calls.  The readers
 * here (lines.c, inline.c) read just these, on demand; a library for all of
 * DWARF would be loaded at each start of a core.
 */
#ifndef VNPU_CORE_LINES_H
#define VNPU_CORE_LINES_H

#include <stddef.h>
#include <stdint.h>

#define LINE_FILE_MAX	256

/**
 * struct line - a line of a source
 * @file: path of the file, "" if it is unknown
 * @number: of the line
 */
struct line {
	char file[LINE_FILE_MAX];
	uint32_t number;
};

/**
 * line_find() - find the line of an address
 * @data: the image, which need not be valid
 * @size: its bytes
 * @pc: an address in the image
 * @out: the line; its @file is "" if there is none
 *
 * Code of the headers of Ascend C and of the system stands for the line of the
 * program that it was inlined into.  If all of the function comes from such
 * headers, there is none.
 *
 * One thread at a time: tables are static, as stacks of blocks are small and
 * malloc() is not to be used after an exception.
 */
void line_find(const void *data, size_t size, uint64_t pc, struct line *out);

#endif /* VNPU_CORE_LINES_H */
