// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library as a plug-in: loaded and unloaded at run time.  The program is
 * not linked with it, so that unloading is effective.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
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

static int thread_local_bytes(struct dl_phdr_info *info, size_t size,
			      void *bytes)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libvnpu.so") &&
	    !strstr(info->dlpi_name, "libascendcl.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			*(size_t *)bytes = info->dlpi_phdr[i].p_memsz;
	return 1;
}

/*
 * glibc reserves about 1600 bytes per thread for thread-local variables of
 * libraries that are loaded later.  Other libraries need them, too.
 */
TEST(thread_local_variables_are_small)
{
	void *library = load("libascendcl.so");
	size_t bytes = 0;

	ASSERT_NE(NULL, library) TH_LOG("%s", dlerror());
	ASSERT_EQ(1, dl_iterate_phdr(thread_local_bytes, &bytes));
	EXPECT_LT(0, bytes);
	EXPECT_GE(576, bytes);
	ASSERT_EQ(0, dlclose(library));
}

typedef const char *(*message_fn)(void);

static pthread_barrier_t barrier;
static void *loaded;

/* Started before the library is loaded; has messages of its own. */
static void *fail_in_thread(void *arg)
{
	malloc_fn get;
	message_fn message;
	const char *text;

	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	if (!loaded)
		return arg;
	get = (malloc_fn)dlsym(loaded, "aclrtMalloc");
	message = (message_fn)dlsym(loaded, "aclGetRecentErrMsg");
	if (message() || !get(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST))
		return arg;
	text = message();
	return text && strstr(text, "aclrtMalloc") && !message() ? NULL : arg;
}

TEST(loaded_beside_threads)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	void *result;

	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, THREADS + 1));
		for (int i = 0; i < THREADS; i++)
			ASSERT_EQ(0, pthread_create(&threads[i], NULL,
						    fail_in_thread, &barrier));
		pthread_barrier_wait(&barrier);
		loaded = load("libascendcl.so");
		EXPECT_NE(NULL, loaded) TH_LOG("%s", dlerror());
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < THREADS; i++) {
			ASSERT_EQ(0, pthread_join(threads[i], &result));
			EXPECT_EQ(NULL, result);
		}
		ASSERT_EQ(0, pthread_barrier_destroy(&barrier));
		ASSERT_NE(NULL, loaded);
		ASSERT_EQ(0, dlclose(loaded));
	}
}

/*
 * The library's destructors run at exit(), too, where other libraries may still
 * print a message.  At unload, a test can see that they do not free it.
 */
TEST(message_outlives_the_library)
{
	void *library = load("libascendcl.so");
	message_fn message;
	malloc_fn get;
	const char *text;

	ASSERT_NE(NULL, library) TH_LOG("%s", dlerror());
	get = (malloc_fn)dlsym(library, "aclrtMalloc");
	message = (message_fn)dlsym(library, "aclGetRecentErrMsg");
	ASSERT_NE(ACL_SUCCESS, get(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	text = message();
	ASSERT_NE(NULL, text);
	ASSERT_EQ(0, dlclose(library));
	ASSERT_EQ(NULL, dlsym(RTLD_DEFAULT, "aclrtMalloc"));
	EXPECT_NE(NULL, strstr(text, "aclrtMalloc"));
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
