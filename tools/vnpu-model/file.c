// SPDX-License-Identifier: GPL-2.0-only
/* Whole files. See file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define PAGE	4096UL

static char *failed(const char *path, const char *verb, const char *reason)
{
	char *message;

	return asprintf(&message, "'%s' cannot be %s: %s", path, verb,
			reason) < 0 ? strdup("out of memory") : message;
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

/* Read a file that is open; return NULL or the reason of a failure. */
static const char *read_file(struct file *f, int fd)
{
	struct stat st;
	size_t room;
	int err;

	if (fstat(fd, &st))
		return strerror(errno);
	if (S_ISDIR(st.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	room = ((size_t)st.st_size + PAGE) / PAGE * PAGE;
	f->data = aligned_alloc(PAGE, room);
	if (!f->data)
		return strerror(ENOMEM);
	f->size = st.st_size;
	memset((char *)f->data + f->size, 0, room - f->size);
	err = read_all(fd, f->data, f->size);
	if (err)
		file_free(f);
	return err ? strerror(err) : NULL;
}

char *file_read(struct file *f, const char *path)
{
	const char *reason;
	int fd;

	*f = (struct file){ 0 };
	/* A FIFO without a writer must not stop the program. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return failed(path, "opened", strerror(errno));
	reason = read_file(f, fd);
	close(fd);
	return reason ? failed(path, "read", reason) : NULL;
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

/* Give a new file the mode of new files, and write it to the disk. */
static int finish(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) || fsync(fd) ? errno : 0;
}

/* Print to a file that is open, and close it; return an errno. */
static int print_to(int fd, bool is_new,
		    void (*print)(FILE *f, const void *data), const void *data)
{
	FILE *f = fdopen(fd, "w");
	int err = 0;

	if (!f) {
		err = errno;
		close(fd);
		return err;
	}
	print(f, data);
	if (fflush(f) || ferror(f))
		err = errno ? errno : EIO;
	if (!err && is_new)
		err = finish(fd);
	if (fclose(f) && !err)
		err = errno;
	return err;
}

/* Print to a temporary file, and give it its name; return an errno. */
static int print_new(const char *path,
		     void (*print)(FILE *f, const void *data), const void *data)
{
	char *temporary;
	int fd, err;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	err = fd < 0 ? errno : print_to(fd, true, print, data);
	if (!err && rename(temporary, path))
		err = errno;
	if (fd >= 0 && err)
		unlink(temporary);
	free(temporary);
	return err;
}

char *file_print(const char *path, void (*print)(FILE *f, const void *data),
		 const void *data)
{
	struct stat st;
	int fd, err;

	/* A terminal, a pipe or /dev/stdout stays, and is written to. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		err = fd < 0 ? errno : print_to(fd, false, print, data);
	} else {
		err = print_new(path, print, data);
	}
	return err ? failed(path, "written", strerror(err)) : NULL;
}

char *file_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, slash - path);
}
