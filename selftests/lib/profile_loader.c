// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiler beside the loader, which it needs for names and for the
 * unwinder: objects that are unloaded, and objects that allocate while they are
 * loaded.  Also built for ThreadSanitizer.
 */
#include "profile_book.h"

#include <fcntl.h>
#include <semaphore.h>

#include "plugin.h"

#include "memprof/symbol.h"

/* A name that was found is kept when its object is unloaded. */
TEST(names_outlive_their_objects)
{
	static const char name[] = "plugin_function+0x0 (";
	struct vnpu_symbols *symbols = vnpu_symbols_create();
	void *plugin = plugin_open(0);
	char *address, text[4352];

	ASSERT_NE(NULL, symbols);
	ASSERT_NE(NULL, plugin) TH_LOG("%s", dlerror());
	address = dlsym(plugin, "plugin_function");
	ASSERT_NE(NULL, address);
	vnpu_symbols_text(symbols, address + 1, text, sizeof(text));
	EXPECT_EQ(0, strncmp(text, name, strlen(name)));
	ASSERT_EQ(0, dlclose(plugin));
	ASSERT_EQ(NULL, plugin_open(RTLD_NOLOAD));
	vnpu_symbols_text(symbols, address + 1, text, sizeof(text));
	EXPECT_EQ(0, strncmp(text, name, strlen(name)));
	vnpu_symbols_destroy(symbols);
}

/* Copy a file; its new name is made from @path. */
static bool copy_file(const char *from, char *path)
{
	int in = open(from, O_RDONLY), out = mkstemp(path);
	char block[4096];
	ssize_t n = -1;

	while (in >= 0 && out >= 0 && (n = read(in, block, sizeof(block))) > 0)
		if (write(out, block, n) != n)
			break;
	close(in);
	close(out);
	return !n;
}

/*
 * Another object is loaded at the address of an unloaded one: it has its own
 * name.
 */
TEST(an_object_in_the_place_of_another)
{
	char path[] = "/tmp/vnpu-book-XXXXXX", text[4352], *first, *second;
	struct vnpu_symbols *symbols = vnpu_symbols_create();
	void *plugin = plugin_open(0);
	Dl_info info;

	ASSERT_NE(NULL, symbols);
	ASSERT_NE(NULL, plugin) TH_LOG("%s", dlerror());
	first = dlsym(plugin, "plugin_function");
	ASSERT_NE(0, dladdr(first, &info));
	ASSERT_TRUE(copy_file(info.dli_fname, path));
	vnpu_symbols_text(symbols, first + 1, text, sizeof(text));
	EXPECT_EQ(NULL, strstr(text, path));
	ASSERT_EQ(0, dlclose(plugin));
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ASSERT_NE(NULL, plugin) TH_LOG("%s", dlerror());
	unlink(path);
	second = dlsym(plugin, "plugin_function");
	if (second != first)
		SKIP(return, "it was loaded somewhere else");
	vnpu_symbols_text(symbols, second + 2, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, path)) TH_LOG("%s", text);
	vnpu_symbols_destroy(symbols);
	dlclose(plugin);
}

static sem_t is_loading;

static void alloc_while_it_loads(void)
{
	sem_post(&is_loading);
	/* So that the other thread most likely waits for the loader by now. */
	usleep(200000);
	on_alloc(4096, 1, 0);
}

static void *alloc_meanwhile(void *arg)
{
	while (sem_wait(&is_loading))
		;
	on_alloc(8192, 1, 0);
	return arg;
}

/*
 * A thread that needs the loader waits for it, and a loading thread waits for
 * no other.
 */
static void load_and_alloc(struct __test_metadata *_metadata)
{
	pthread_t thread;
	void *plugin;

	ASSERT_EQ(0, sem_init(&is_loading, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, alloc_meanwhile, NULL));
	when_plugin_loads = alloc_while_it_loads;
	plugin = plugin_open(0);
	when_plugin_loads = NULL;
	ASSERT_NE(NULL, plugin) TH_LOG("%s", dlerror());
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(2, stats().live_blocks);
	ASSERT_EQ(0, dlclose(plugin));
}

static void trace_to_nowhere(void)
{
	setenv("ASCEND_MEMORY_TRACE", "1", 1);
	setenv("ASCEND_MEMORY_LOG_PATH", "/dev/null", 1);
}

/* The loader provides the names of sites. */
TEST(sites_while_an_object_is_loaded)
{
	trace_to_nowhere();
	on_alloc(12288, 1, 0);
	on_free(12288);
	load_and_alloc(_metadata);
}

/* The unwinder is loaded. */
TEST(a_trace_begins_while_an_object_is_loaded)
{
	trace_to_nowhere();
	load_and_alloc(_metadata);
}

TEST_HARNESS_MAIN
