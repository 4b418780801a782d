// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library as a plug-in: loaded and unloaded at run time.  The program is
 * not linked with it, so that unloading is effective.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "kselftest_harness.h"

#include "acl/acl.h"
#include "util.h"

/* Next to the tests: build/cann/lib64. */
static void *load(const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

	if (n < 0)
		return NULL;
	path[n] = 0;
	strcpy(strrchr(path, '/'), "/../../cann/lib64/");
	strcat(path, name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

typedef aclError (*device_fn)(int32_t device);
typedef aclError (*malloc_fn)(void **p, size_t size, aclrtMemMallocPolicy how);

static aclError use(void *library)
{
	device_fn set = (device_fn)dlsym(library, "aclrtSetDevice");
	device_fn reset = (device_fn)dlsym(library, "aclrtResetDevice");
	malloc_fn get = (malloc_fn)dlsym(library, "aclrtMalloc");
	aclError err;
	void *p;

	if (!set || !reset || !get)
		return ACL_ERROR_FAILURE;
	err = set(0);
	if (!err)
		err = get(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	if (!err)
		err = reset(0);
	return err;
}

TEST(both_names)
{
	void *a = load("libascendcl.so"), *b = load("libacl_rt.so");

	ASSERT_NE(NULL, a) TH_LOG("%s", dlerror());
	ASSERT_NE(NULL, b) TH_LOG("%s", dlerror());
	EXPECT_EQ(dlsym(a, "aclrtMalloc"), dlsym(b, "aclrtMalloc"));
	EXPECT_EQ(ACL_SUCCESS, use(a));
	EXPECT_EQ(ACL_SUCCESS, use(b));
}

/*
 * Load it many times, with forks in between: its handlers are removed with it.
 */
TEST(load_and_unload)
{
	void *library;
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++) {
		library = load("libascendcl.so");
		ASSERT_NE(NULL, library) TH_LOG("%s", dlerror());
		ASSERT_EQ(ACL_SUCCESS, use(library));
		ASSERT_EQ(0, dlclose(library));
		fflush(stdout);
		pid = fork_bound();
		if (!pid)
			_exit(0);
		ASSERT_EQ(0, child_wait(pid));
	}
}

static void *use_in_thread(void *library)
{
	return (void *)(intptr_t)use(library);
}

/* A thread that has used the library ends after the library is unloaded. */
TEST(thread_ends_after_unload)
{
	void *library = load("libascendcl.so"), *err;
	pthread_t thread;

	ASSERT_NE(NULL, library) TH_LOG("%s", dlerror());
	ASSERT_EQ(0, pthread_create(&thread, NULL, use_in_thread, library));
	ASSERT_EQ(0, pthread_join(thread, &err));
	EXPECT_EQ(NULL, err);
	ASSERT_EQ(0, dlclose(library));
}

typedef aclError (*export_fn)(void *p, size_t size, char *key, size_t len,
			      uint64_t flags);

/* The library stays loaded while it serves shared objects. */
TEST(shares_after_unload)
{
	void *library = load("libascendcl.so"), *p;
	device_fn set = (device_fn)dlsym(library, "aclrtSetDevice");
	malloc_fn get = (malloc_fn)dlsym(library, "aclrtMalloc");
	export_fn export = (export_fn)dlsym(library, "aclrtIpcMemGetExportKey");
	char key[65];

	ASSERT_EQ(ACL_SUCCESS, set(0));
	ASSERT_EQ(ACL_SUCCESS, get(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	ASSERT_EQ(ACL_SUCCESS, export(p, 4096, key, sizeof(key), 0));
	ASSERT_EQ(0, dlclose(library));
	usleep(10000);
	EXPECT_EQ(library, load("libascendcl.so"));
}

TEST_HARNESS_MAIN
