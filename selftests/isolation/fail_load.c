// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load the module with an allocation failing, then with the next one failing,
 * and so on until none is left to fail. It must load completely or not at all:
 * after a failure there is no node, no device, no netlink family and no memory
 * left.
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "../tool/nl.h"
#include "../uapi/client.h"
#include "../uapi/fail.h"
#include "../uapi/util.h"

#include "kselftest_harness.h"

#define PARAMETERS	"/sys/module/vnpu/parameters/"
#define SMALL		"ndevs=2 arena=2M"
#define MANY		100000
/* On a slow machine fewer allocations are made to fail. */
#define SECONDS		100

FIXTURE(load) {
	struct fail fail;
	void *image;
	size_t length;
	char old[512];	/* its parameters before the test */
};

static void parameter_read(const char *name, char *all, size_t size)
{
	char path[96], value[64] = "";
	size_t used = strlen(all);
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "r");
	if (!f)
		return;
	/* A parameter that was not set reads as "(null)". */
	if (fscanf(f, "%63s", value) == 1 && strcmp(value, "(null)"))
		snprintf(all + used, size - used, "%s=%s ", name, value);
	fclose(f);
}

static int image_read(FIXTURE_DATA(load) *self)
{
	const char *build = getenv("B");
	struct utsname u;
	char path[256];
	struct stat st;
	int fd;

	uname(&u);
	snprintf(path, sizeof(path), "%s/kmod/%s/vnpu.ko",
		 build ? build : "build", u.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	self->length = (size_t)st.st_size;
	/*
	 * Keep the file in memory, so that loads do not read or copy it again.
	 */
	self->image = mmap(NULL, self->length, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	return self->image == MAP_FAILED ? -errno : 0;
}

static int load(const FIXTURE_DATA(load) *self, const char *parameters)
{
	return syscall(SYS_init_module, self->image, self->length, parameters) ?
	       -errno : 0;
}

/* Another process may be reading it at this moment. */
static int unload(void)
{
	uint64_t end = now_ms() + 20000;

	while (syscall(SYS_delete_module, "vnpu", O_NONBLOCK)) {
		if ((errno != EAGAIN && errno != EBUSY) || now_ms() > end)
			return -errno;
		usleep(10000);
	}
	return 0;
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static bool has_memory(void)
{
	char line[128];
	bool found = false;
	FILE *f = fopen("/proc/iomem", "r");

	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, "vnpu");
	if (f)
		fclose(f);
	return found;
}

static bool is_family(void)
{
	int fd = nl_open();
	int ret = nl_family(fd);

	close(fd);
	return ret != -ENOENT;
}

FIXTURE_SETUP(load)
{
	int ret;

	if (is_there("/sys/kernel/debug/kmemleak"))
		SKIP(return, "leaks of the kernel itself would be reported");
	ret = fail_begin(&self->fail);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, image_read(self));
	parameter_read("ndevs", self->old, sizeof(self->old));
	parameter_read("arena", self->old, sizeof(self->old));
	parameter_read("region", self->old, sizeof(self->old));
	ASSERT_EQ(0, unload());
}

FIXTURE_TEARDOWN(load)
{
	fail_end(&self->fail);
	EXPECT_EQ(0, load(self, self->old));
	munmap(self->image, self->length);
}

/*
 * Return how many allocations can fail until the module finds that its first
 * device has no memory. Before that the kernel creates caches, and does not
 * handle failures there: it leaks their names in sysfs.
 */
static unsigned int before_devices(const FIXTURE_DATA(load) *self)
{
	char text[16] = "";
	int ret;

	fail_arm(&self->fail, MANY);
	ret = load(self, "ndevs=1 region=2M$0xffffffffffe00000");
	if (pread(self->fail.fd, text, sizeof(text) - 1, 0) < 0)
		abort();
	fail_disarm(&self->fail);
	return ret ? MANY - (unsigned int)atoi(text) : 0;
}

TEST_F_TIMEOUT(load, nth, 280)
{
	uint64_t end = now_ms() + SECONDS * 1000;
	unsigned int n, first, failed = 0, loaded = 0;
	bool hit = true;
	int ret;

	first = before_devices(self);
	ASSERT_LT(0, first);
	for (n = first; hit && now_ms() < end; n++) {
		ASSERT_GT(MANY, n);
		fail_arm(&self->fail, n);
		ret = load(self, SMALL);
		hit = fail_disarm(&self->fail);
		if (!ret) {
			loaded++;
			EXPECT_TRUE(is_there("/dev/vnpu"));
			ASSERT_EQ(0, unload());
			continue;
		}
		failed++;
		EXPECT_TRUE(hit);
		EXPECT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
			TH_LOG("failure %u: %d", n, ret);
		}
		EXPECT_FALSE(is_there("/dev/vnpu"));
		EXPECT_FALSE(is_there("/sys/module/vnpu"));
		EXPECT_FALSE(is_there("/sys/class/vnpu"));
		EXPECT_FALSE(is_there("/sys/kernel/debug/vnpu"));
		EXPECT_FALSE(has_memory());
		EXPECT_FALSE(is_family());
	}
	printf("# %u loads failed, %u did not%s\n", failed, loaded,
	       hit ? "; there was no time for the rest" : "");
	fflush(stdout);
}

TEST_HARNESS_MAIN
