/* SPDX-License-Identifier: MIT */
/* Reading configuration files. */
#ifndef VNPU_LIB_TEXTFILE_H
#define VNPU_LIB_TEXTFILE_H

/**
 * vnpu_text_read() - read a file into a string that the caller frees
 * @path: the file
 * @text: set to the string
 *
 * Return: 0; -EISDIR or -EINVAL for anything but a regular file; -EFBIG for one of
 * more than 10 MiB; -ENOMEM; another -errno.
 */
int vnpu_text_read(const char *path, char **text);

#endif /* VNPU_LIB_TEXTFILE_H */
