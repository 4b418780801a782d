// SPDX-License-Identifier: GPL-2.0-only
/* Whole files. See file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define PAGE	4096UL

static char *failed(const char *path, const char *verb, int err)
{
	char *message;

	return asprintf(&message, "'%s' cannot be %s: %s", path, verb,
			strerror(err)) < 0 ? strdup("out of memory") : message;
}

static int read_all(int fd, char *to, size_t size)
{
	ssize_t n;

	for (; size; size -= n, to += n) {
		n = read(fd, to, size);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n < 0)
			n = 0;
		else if (!n)
			return EIO;
	}
	return 0;
}

static int read_file(struct file *f, int fd)
{
	struct stat st;
	size_t room;
	int err;

	if (fstat(fd, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	room = ((size_t)st.st_size + PAGE) / PAGE * PAGE;
	f->data = aligned_alloc(PAGE, room);
	if (!f->data)
		return ENOMEM;
	f->size = st.st_size;
	memset((char *)f->data + f->size, 0, room - f->size);
	err = read_all(fd, f->data, f->size);
	if (err)
		file_free(f);
	return err;
}

char *file_read(struct file *f, const char *path)
{
	int fd, err;

	*f = (struct file){ 0 };
	/* A FIFO without a writer must not stop the program. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return failed(path, "opened", errno);
	err = read_file(f, fd);
	close(fd);
	return err ? failed(path, "read", err) : NULL;
}

void file_free(struct file *f)
{
	free(f->data);
	*f = (struct file){ 0 };
}

static void print_bytes(FILE *f, const void *data)
{
	const struct file *content = data;

	fwrite(content->data, 1, content->size, f);
}

char *file_write(const char *path, const void *data, size_t size)
{
	struct file content = { (void *)data, size };

	return file_print(path, print_bytes, &content);
}

/* Print to a temporary file, and give it its name. */
static int print_to(int fd, const char *temporary, const char *path,
		    void (*print)(FILE *f, const void *data), const void *data)
{
	mode_t mask = umask(0);
	FILE *f = fdopen(fd, "w");
	int err = 0;

	umask(mask);
	if (!f) {
		err = errno;
		close(fd);
		return err;
	}
	print(f, data);
	if (fchmod(fd, 0666 & ~mask) || fflush(f) || ferror(f) || fsync(fd))
		err = errno ? errno : EIO;
	if (fclose(f) && !err)
		err = errno;
	if (!err && rename(temporary, path))
		err = errno;
	return err;
}

char *file_print(const char *path, void (*print)(FILE *f, const void *data),
		 const void *data)
{
	char *temporary;
	int fd, err;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return strdup("out of memory");
	fd = mkostemp(temporary, O_CLOEXEC);
	err = fd < 0 ? errno : print_to(fd, temporary, path, print, data);
	if (fd >= 0 && err)
		unlink(temporary);
	free(temporary);
	return err ? failed(path, "written", err) : NULL;
}

char *file_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, slash - path);
}
