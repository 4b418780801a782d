// SPDX-License-Identifier: GPL-2.0-only
/* The profiler: every kind of allocation is recorded correctly. */
#include "profile.h"

#include <sys/wait.h>

#include "acl/acl_rt_memory_soma.h"

/* Return the last block of a set, and how many there are. */
struct seen {
	struct vnpu_profile_block block;
	size_t count;
};

static void see(const struct vnpu_profile_block *block, void *arg)
{
	struct seen *seen = arg;

	seen->block = *block;
	seen->count++;
	/* The callback may call the library. */
	stats();
}

static struct seen walk(vnpu_profile_set set)
{
	struct seen seen = { .count = 0 };

	if (vnpu_profile_walk(set, see, &seen))
		abort();
	return seen;
}

FIXTURE(profile) {
};

FIXTURE_SETUP(profile)
{
	OK(aclrtSetDevice(0));
	OK(vnpu_profile_start(1000));
}

FIXTURE_TEARDOWN(profile)
{
	vnpu_profile_stop();
	OK(aclrtResetDeviceForce(0));
	unlink(file_name());
}

TEST_F(profile, calls_refuse)
{
	struct vnpu_profile_stats s;
	char tag[VNPU_PROFILE_TAG_MAX + 2];

	EXPECT_ACL(ACL_ERROR_PROF_ALREADY_RUN, vnpu_profile_start(0));
	OK(vnpu_profile_stop());
	EXPECT_ACL(ACL_ERROR_PROF_NOT_RUN, vnpu_profile_stop());
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_get_stats(NULL, sizeof(s)));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_stats(&s, 0));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_stats(&s, sizeof(s) + 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   vnpu_profile_get_device_stats(0, NULL, sizeof(s)));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_device_stats(0, &s, 0));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_get_device_stats(-1, &s, sizeof(s)));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_get_device_stats(1000, &s, sizeof(s)));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk(0, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk(3, see, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk(-1, see, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk_device(0, 0, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk_device(0, 3, see, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_walk_device(-1, 0, see, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_walk_device(1000, 0, see, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_write(0, 0, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_write(4, 0, "/dev/null"));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_write(0, 3, "/dev/null"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, "/none/x"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, "/"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, ""));
	EXPECT_ACL(ACL_ERROR_WRITE_FILE, vnpu_profile_write(0, 0, "/dev/full"));

	EXPECT_ACL(BAD_VALUE, vnpu_profile_pop_tag());
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_push_tag(NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag(""));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("a\nb"));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("a\x7f"));
	memset(tag, 'x', sizeof(tag));
	tag[sizeof(tag) - 1] = '\0';
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag(tag));
	tag[sizeof(tag) - 2] = '\0';
	OK(vnpu_profile_push_tag(tag));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("y"));
	OK(vnpu_profile_pop_tag());
	for (int i = 0; i < VNPU_PROFILE_TAG_DEPTH; i++)
		OK(vnpu_profile_push_tag("deep"));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("z"));
	for (int i = 0; i < VNPU_PROFILE_TAG_DEPTH; i++)
		OK(vnpu_profile_pop_tag());
	EXPECT_ACL(BAD_VALUE, vnpu_profile_pop_tag());
}

TEST(tags_are_bounded)
{
	char tag[32];
	int i;

	for (i = 0; i < VNPU_PROFILE_TAGS; i++) {
		snprintf(tag, sizeof(tag), "%d", i);
		OK(vnpu_profile_push_tag(tag));
		OK(vnpu_profile_pop_tag());
	}
	EXPECT_ACL(ACL_ERROR_BAD_ALLOC, vnpu_profile_push_tag("more"));
	OK(vnpu_profile_push_tag("7"));
}

/* Only one block of this kind was recorded since @before. */
#define EXPECT_BLOCK(before, want, bytes, at)				\
do {									\
	struct seen last = walk(VNPU_PROFILE_LIVE);			\
									\
	ASSERT_EQ((before) + 1, last.count);				\
	EXPECT_EQ(want, last.block.kind);				\
	EXPECT_EQ(bytes, last.block.size);				\
	EXPECT_EQ((uintptr_t)(at), last.block.address);		\
	EXPECT_EQ(0, last.block.device);				\
	EXPECT_EQ(0, last.block.free_ns);				\
	EXPECT_EQ(gettid(), last.block.alloc_thread);			\
	EXPECT_LT(2, last.block.nr_frames);				\
	EXPECT_STREQ("outer/inner", last.block.tag);			\
} while (0)

TEST_F(profile, every_kind)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtDrvMemHandle handle;
	void *p;

	OK(vnpu_profile_push_tag("outer"));
	OK(vnpu_profile_push_tag("inner"));
	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 100, p);
	OK(aclrtFree(p));
	OK(aclrtMallocCached(&p, 5000, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 5000, p);
	OK(aclrtFreeWithDevSync(p));
	OK(aclrtMallocAlign32(&p, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 3 * MIB, p);
	OK(aclrtFree(p));
	OK(aclrtMallocWithCfg(&p, 7, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 7, p);
	OK(aclrtFree(p));
	OK(vnpu_malloc(&p, 10000, VNPU_MALLOC_CONTIGUOUS));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 10000, p);
	OK(aclrtFree(p));
	OK(aclrtMemAllocManaged(&p, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
	EXPECT_BLOCK(0, VNPU_PROFILE_MANAGED, 4096, p);
	OK(aclrtFree(p));
	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	EXPECT_BLOCK(0, VNPU_PROFILE_PHYSICAL, 2 * MIB, handle);
	OK(aclrtFreePhysical(handle));
	EXPECT_EQ(7, stats().allocs);
	EXPECT_EQ(7, stats().frees);
	EXPECT_EQ(0, stats().live_bytes);

	/* Host memory is counted separately. */
	OK(aclrtMallocHost(&p, 4096));
	EXPECT_EQ(7, stats().allocs);
	OK(aclrtFreeHost(p));
	prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	prop.memAttr = ACL_DDR_MEM_NORMAL;
	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	EXPECT_EQ(7, stats().allocs);
	OK(aclrtFreePhysical(handle));
}

/* It is that of the device, also after all memory was freed. */
TEST_F(profile, the_peak_of_a_device)
{
	struct seen seen = { .count = 0 };
	void *p;

	OK(aclrtMalloc(&p, 5000, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(vnpu_profile_walk_device(0, VNPU_PROFILE_PEAK, see, &seen));
	EXPECT_EQ(1, seen.count);
	EXPECT_EQ(5000, seen.block.size);
	EXPECT_NE(0, seen.block.free_ns);
	seen.count = 0;
	OK(vnpu_profile_walk_device(0, VNPU_PROFILE_LIVE, see, &seen));
	EXPECT_EQ(0, seen.count);
}

/* A mapping keeps physical memory, and so its record. */
TEST_F(profile, physical_memory_ends_with_its_mapping)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtDrvMemHandle handle;
	void *at;

	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	OK(aclrtReserveMemAddress(&at, 2 * MIB, 0, NULL, 0));
	OK(aclrtMapMem(at, 2 * MIB, 0, handle, 0));
	OK(aclrtFreePhysical(handle));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtUnmapMem(at));
	EXPECT_EQ(0, stats().live_blocks);
	OK(aclrtReleaseMemAddress(at));
}

TEST_F(profile, pools)
{
	aclrtMemPoolProps props = {
		.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtMemPool pool;
	aclrtStream stream;
	int32_t number;
	void *p, *q;

	OK(aclrtMemPoolCreate(&pool, &props));
	OK(aclrtCreateStream(&stream));
	OK(aclrtStreamGetId(stream, &number));
	OK(vnpu_profile_push_tag("outer"));
	OK(vnpu_profile_push_tag("inner"));
	OK(aclrtMemPoolMallocAsync(&p, 100, pool, stream));
	EXPECT_BLOCK(0, VNPU_PROFILE_POOL, 100, p);
	EXPECT_EQ(number, walk(VNPU_PROFILE_LIVE).block.stream);
	OK(aclrtMemPoolFreeAsync(p, stream));
	EXPECT_EQ(0, stats().live_blocks);
	/* Memory that a pool keeps has no owner. */
	OK(aclrtMemPoolMallocAsync(&q, 200, pool, stream));
	EXPECT_EQ(p, q);
	EXPECT_BLOCK(0, VNPU_PROFILE_POOL, 200, q);
	OK(aclrtFree(q));
	EXPECT_EQ(0, stats().live_blocks);
	EXPECT_EQ(2, stats().frees);
	OK(aclrtSynchronizeStream(stream));
	OK(aclrtMemPoolDestroy(pool));
	EXPECT_EQ(2, stats().frees);
}

TEST_F(profile, failed_calls_are_not_recorded)
{
	void *p;

	EXPECT_ACL(OUT_OF_MEMORY, aclrtMalloc(&p, total_bytes() + 1,
					      ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(0, stats().allocs);
	OK(aclrtMalloc(&p, 100 * KIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_ACL(BAD_VALUE, aclrtFree((char *)p + 64));
	EXPECT_ACL(BAD_VALUE, aclrtFree(&p));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_EQ(1, stats().frees);
}

TEST_F(profile, the_peak_stays)
{
	void *p[10];

	for (int i = 0; i < 10; i++)
		OK(aclrtMalloc(&p[i], MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < 10; i++)
		OK(aclrtFree(p[i]));
	OK(aclrtMalloc(&p[0], 64, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(10 * MIB, stats().peak_bytes);
	EXPECT_EQ(10, walk(VNPU_PROFILE_PEAK).count);
	EXPECT_EQ(1, walk(VNPU_PROFILE_LIVE).count);
	EXPECT_EQ(11, walk(VNPU_PROFILE_ALL).count);
	EXPECT_NE(0, walk(VNPU_PROFILE_PEAK).block.free_ns);
	OK(aclrtFree(p[0]));
}

TEST_F(profile, a_reset_ends_all_records)
{
	void *p = leaky(MIB);

	ASSERT_NE(NULL, p);
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtResetDeviceForce(0));
	EXPECT_EQ(0, stats().live_blocks);
	EXPECT_EQ(1, stats().frees);
	OK(aclrtSetDevice(0));
}

TEST_F(profile, report_names_the_functions)
{
	const char *path = file_name();
	char *text, *at;
	void *p;

	OK(vnpu_profile_push_tag("model"));
	p = wrapper(MIB);
	OK(vnpu_profile_pop_tag());
	ASSERT_NE(NULL, p);
	OK(vnpu_profile_write(VNPU_PROFILE_REPORT, VNPU_PROFILE_LIVE, path));
	text = file_read(path);
	TH_LOG("%.600s", text);
	at = strstr(text, "1048576 bytes in 1 block, tag model\n");
	ASSERT_NE(NULL, at);
	/* The call first, then its caller. */
	EXPECT_EQ(0, strncmp(strchr(at, '\n') + 1, "    aclrtMalloc+", 16));
	at = strstr(at, "\n    leaky+");
	ASSERT_NE(NULL, at);
	at = strstr(at, "\n    wrapper+");
	ASSERT_NE(NULL, at);
	free(text);
	OK(aclrtFree(p));
}

TEST_F(profile, folded_stacks)
{
	const char *path = file_name();
	void *p = wrapper(MIB), *q;
	char *text;

	OK(vnpu_profile_push_tag("a;b c"));
	q = wrapper(MIB / 2);
	ASSERT_NE(NULL, q);
	OK(vnpu_profile_write(VNPU_PROFILE_FOLDED, VNPU_PROFILE_PEAK, path));
	text = file_read(path);
	TH_LOG("%.600s", text);
	EXPECT_EQ(0, strncmp(text, "untagged;", 9));
	EXPECT_NE(NULL, strstr(text, ";wrapper;leaky;aclrtMalloc 1048576\n"));
	EXPECT_NE(NULL, strstr(text, "\na_b c;"));
	EXPECT_NE(NULL, strstr(text, ";wrapper;leaky;aclrtMalloc 524288\n"));
	free(text);
	OK(aclrtFree(p));
	OK(aclrtFree(q));
}

TEST_F(profile, histogram)
{
	const char *path = file_name();
	unsigned long long from, to, blocks, bytes;
	char *text;
	void *p[3];

	OK(aclrtMalloc(&p[0], 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&p[1], 1024, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&p[2], 2047, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(vnpu_profile_write(VNPU_PROFILE_HISTOGRAM, VNPU_PROFILE_ALL, path));
	text = file_read(path);
	ASSERT_EQ(4, sscanf(strchr(text, '\n'), "%llu %llu %llu %llu", &from,
			    &to, &blocks, &bytes));
	EXPECT_TRUE(from == 1 && to == 1 && blocks == 1 && bytes == 1);
	ASSERT_EQ(4, sscanf(strchr(strchr(text, '\n') + 1, '\n'),
			    "%llu %llu %llu %llu", &from, &to, &blocks,
			    &bytes));
	EXPECT_TRUE(from == 1024 && to == 2047 && blocks == 2 && bytes == 3071);
	free(text);
	for (int i = 0; i < 3; i++)
		OK(aclrtFree(p[i]));
}

/* A separate JSON parser reads it, and its sums are correct. */
#define CHECK_TIMELINE \
	"import json, sys\n" \
	"e = json.load(open(sys.argv[1]))['traceEvents']\n" \
	"b = [x for x in e if x['ph'] == 'b']\n" \
	"f = [x for x in e if x['ph'] == 'e']\n" \
	"c = [x['args']['bytes'] for x in e if x['ph'] == 'C']\n" \
	"assert c == [100, 300, 200, 0], c\n" \
	"assert [x['name'] for x in b] == ['malloc', 'T\\u00e4g \"x\" \\u00ff'], b\n" \
	"assert [x['args']['bytes'] for x in b] == [100, 200]\n" \
	"assert sorted(x['id'] for x in b) == sorted(x['id'] for x in f)\n" \
	"assert all(x['tid'] == b[0]['tid'] for x in f)\n" \
	"t = [x['ts'] for x in e if 'ts' in x]\n" \
	"assert t == sorted(t)\n"

static int run_python(const char *script, const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("python3", "python3", "-S", "-c", script, path, NULL);
		_exit(127);
	}
	return child_wait(pid);
}

TEST_F(profile, timeline)
{
	const char *path = file_name();
	void *p, *q;

	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	/* UTF-8, a quote, and a byte that is neither. */
	OK(vnpu_profile_push_tag("T\xc3\xa4g \"x\" \xff"));
	OK(aclrtMalloc(&q, 200, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(aclrtFree(q));
	OK(vnpu_profile_write(VNPU_PROFILE_TIMELINE, VNPU_PROFILE_ALL, path));
	EXPECT_EQ(0, run_python(CHECK_TIMELINE, path));
}

/* A child has no device memory, and records none of its parent's. */
TEST_F(profile, a_child_does_not_record)
{
	void *p = leaky(MIB);
	pid_t pid;

	ASSERT_NE(NULL, p);
	pid = fork_bound();
	if (!pid)
		_exit(vnpu_profile_stop() != ACL_ERROR_PROF_NOT_RUN ||
		      vnpu_profile_start(0) != ACL_SUCCESS ||
		      stats().live_blocks != 0);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtFree(p));
}

TEST_HARNESS_MAIN
