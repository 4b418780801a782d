// SPDX-License-Identifier: GPL-2.0-only
/* vnpu-bench: devices that are added and removed by sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"

#define CLASS		"/sys/class/vnpu"

static bool has_device(unsigned int index)
{
	char path[sizeof(CLASS) + 24];

	snprintf(path, sizeof(path), CLASS "/vnpu%u", index);
	return !access(path, F_OK);
}

static int write_class(const char *name, const char *text)
{
	char path[sizeof(CLASS) + 24];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), CLASS "/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? (int)n : 0;
}

/*
 * Find the number of the new device.  It cannot be derived, because a device
 * that was just removed may keep its number for a while.
 */
static void see_what_was_added(struct devices *d)
{
	unsigned int i;

	for (i = 0; i < DEVICES; i++)
		if (!d->before[i] && has_device(i))
			d->added[i] = true;
	d->is_adding = false;
}

int devices_add(struct devices *d)
{
	unsigned int i, count = 0;
	int ret;

	for (i = 0; i < DEVICES; i++) {
		d->before[i] = has_device(i);
		count += d->before[i];
	}
	if (count == DEVICES)
		return -ENOSPC;
	d->is_adding = true;
	ret = write_class("new_device", "2M");
	see_what_was_added(d);
	return ret;
}

void devices_remove(void *arg)
{
	struct devices *d = arg;
	char number[16];
	unsigned int i;

	if (d->is_adding)
		see_what_was_added(d);
	for (i = 0; i < DEVICES; i++) {
		if (!d->added[i])
			continue;
		snprintf(number, sizeof(number), "%u", i);
		write_class("del_device", number);
		d->added[i] = false;
	}
}
