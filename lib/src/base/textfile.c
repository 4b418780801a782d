// SPDX-License-Identifier: MIT
/* Reading configuration files, see textfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textfile.h"

#define TEXT_MAX	(10UL << 20)

static int read_open(int fd, char **text)
{
	struct stat stat;
	size_t length = 0;
	ssize_t n = 1;
	char *buffer;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	if ((uint64_t)stat.st_size > TEXT_MAX)
		return -EFBIG;
	buffer = malloc(stat.st_size + 1);
	if (!buffer)
		return -ENOMEM;

	while (n > 0 && length < (size_t)stat.st_size) {
		n = read(fd, buffer + length, stat.st_size - length);
		if (n > 0)
			length += n;
	}
	if (n < 0) {
		n = -errno;
		free(buffer);
		return n;
	}
	buffer[length] = '\0';
	*text = buffer;
	return 0;
}

int vnpu_text_read(const char *path, char **text)
{
	/* Do not block on a pipe without a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err = fd < 0 ? -errno : read_open(fd, text);

	if (fd >= 0)
		close(fd);
	return err;
}
