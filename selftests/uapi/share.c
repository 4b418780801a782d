// SPDX-License-Identifier: GPL-2.0-only
/* Memory with several ids, in one client and in several. */
#include "kselftest_harness.h"

#include "client.h"
#include "pass.h"
#include "util.h"

#define SIZE	(8 * PAGE)

FIXTURE(share)
{
	struct client a;
	struct client b;
	__u32 id;	/* in a */
	__u64 used;	/* free on the device before @id */
};

FIXTURE_SETUP(share)
{
	ASSERT_EQ(0, client_open(&self->a));
	ASSERT_EQ(0, client_open(&self->b));
	self->used = device_used(&self->a, 0);
	ASSERT_EQ(0, mem_alloc(&self->a, 0, 0, 0, SIZE, &self->id));
	ASSERT_EQ(0, va_bind(&self->a, self->id, self->a.base, SIZE, 0));
	ASSERT_EQ(0, fill(&self->a, self->a.base, SIZE, 0x77, 1));
}

FIXTURE_TEARDOWN(share)
{
	client_close(&self->a);
	client_close(&self->b);
}

static __u64 held_by(const struct client *c)
{
	struct vnpu_device_query q;

	return device_query(c, 0, &q) ? ~0ULL : q.out_client_used;
}

static int import(FIXTURE_DATA(share) * self, __u32 *id)
{
	int fd = mem_export(&self->a, self->id);
	int ret = fd;

	if (fd >= 0) {
		ret = mem_import(&self->b, fd, id);
		close(fd);
	}
	return ret;
}

static int bytes_are(const struct client *c, __u64 va, int value)
{
	__u8 buffer[SIZE];

	return !copy(c, addr(buffer), va, SIZE) && is_all(buffer, value, SIZE);
}

TEST_F(share, open_by_address)
{
	struct vnpu_mem_query q;
	__u32 id;

	EXPECT_EQ(-ENOENT, mem_open(&self->a, self->a.base + SIZE, &id));
	ASSERT_EQ(0, mem_open(&self->a, self->a.base + SIZE - 1, &id));
	EXPECT_NE(self->id, id);
	ASSERT_EQ(0, mem_query(&self->a, id, &q));
	EXPECT_EQ(SIZE, q.out_length);
	EXPECT_EQ(1, q.out_clients);

	/* Each id, and each binding, keeps it. */
	ASSERT_EQ(0, mem_free(&self->a, self->id));
	ASSERT_EQ(0, va_unbind(&self->a, self->a.base, 0));
	EXPECT_EQ(self->used + SIZE, device_used(&self->a, 0));
	ASSERT_EQ(0, va_bind(&self->a, id, self->a.base, SIZE, 0));
	EXPECT_TRUE(bytes_are(&self->a, self->a.base, 0x77));
	ASSERT_EQ(0, mem_free(&self->a, id));
	EXPECT_EQ(-ENOENT, mem_free(&self->a, id));
	ASSERT_EQ(0, va_unbind(&self->a, self->a.base, 0));
	EXPECT_EQ(self->used, device_used(&self->a, 0));
}

/*
 * The owner cannot free memory that was bound by an id, even if it allocated
 * it.
 */
TEST_F(share, free_of_memory_with_an_id)
{
	__u64 own = self->a.base + SIZE, other = self->a.base + 2 * SIZE;
	__u32 id;

	ASSERT_EQ(0, mem_alloc_at(&self->a, 0, 0, 0, SIZE, own));
	ASSERT_EQ(0, mem_open(&self->a, own, &id));
	ASSERT_EQ(0, va_bind(&self->a, id, other, SIZE, 0));
	EXPECT_EQ(-EINVAL, va_unbind_flags(&self->a, VNPU_VA_UNBIND_F_FREE,
					   other, 0));
	EXPECT_EQ(0, va_unbind_flags(&self->a, VNPU_VA_UNBIND_F_FREE, own, 0));
	EXPECT_EQ(0, va_unbind(&self->a, other, 0));
	EXPECT_EQ(0, mem_free(&self->a, id));
}

TEST_F(share, both_clients_see_it)
{
	struct vnpu_mem_query q;
	__u32 id;

	ASSERT_EQ(0, import(self, &id));
	ASSERT_EQ(0, va_bind(&self->b, id, self->b.base, SIZE, 0));
	EXPECT_TRUE(bytes_are(&self->b, self->b.base, 0x77));
	ASSERT_EQ(0, fill(&self->b, self->b.base, SIZE, 0x88, 1));
	EXPECT_TRUE(bytes_are(&self->a, self->a.base, 0x88));

	ASSERT_EQ(0, mem_query(&self->b, id, &q));
	EXPECT_EQ(2, q.out_clients);
	EXPECT_EQ(2, q.out_bindings);
	EXPECT_EQ(0, q.out_device);
}

/* Charged once, to the client that has had it longest. */
TEST_F(share, charged_to_a_remaining_holder)
{
	__u32 id, again;

	ASSERT_EQ(0, import(self, &id));
	EXPECT_EQ(self->used + SIZE, device_used(&self->a, 0));
	EXPECT_EQ(SIZE, held_by(&self->a));
	EXPECT_EQ(0, held_by(&self->b));

	ASSERT_EQ(0, mem_free(&self->a, self->id));
	EXPECT_EQ(SIZE, held_by(&self->a));
	ASSERT_EQ(0, va_unbind(&self->a, self->a.base, 0));
	EXPECT_EQ(0, held_by(&self->a));
	EXPECT_EQ(SIZE, held_by(&self->b));
	EXPECT_EQ(self->used + SIZE, device_used(&self->a, 0));

	ASSERT_EQ(0, va_bind(&self->b, id, self->b.base, SIZE, 0));
	ASSERT_EQ(0, mem_open(&self->b, self->b.base, &again));
	ASSERT_EQ(0, mem_free(&self->b, id));
	ASSERT_EQ(0, va_unbind(&self->b, self->b.base, 0));
	EXPECT_EQ(SIZE, held_by(&self->b));
	ASSERT_EQ(0, mem_free(&self->b, again));
	EXPECT_EQ(0, held_by(&self->b));
	EXPECT_EQ(self->used, device_used(&self->a, 0));
}

TEST_F(share, exporter_closes_first)
{
	__u32 id;

	ASSERT_EQ(0, import(self, &id));
	client_close(&self->a);
	EXPECT_EQ(SIZE, held_by(&self->b));
	ASSERT_EQ(0, va_bind(&self->b, id, self->b.base, SIZE, 0));
	EXPECT_TRUE(bytes_are(&self->b, self->b.base, 0x77));
	client_close(&self->b);
	ASSERT_EQ(0, client_open(&self->a));
	EXPECT_EQ(self->used, device_used(&self->a, 0));
}

TEST_F(share, importer_closes_first)
{
	__u32 id;

	ASSERT_EQ(0, import(self, &id));
	client_close(&self->b);
	EXPECT_TRUE(bytes_are(&self->a, self->a.base, 0x77));
	EXPECT_EQ(SIZE, held_by(&self->a));
}

/* The file alone keeps the memory, and a client that imports it is charged. */
TEST_F(share, only_the_file_is_left)
{
	int fd = mem_export(&self->a, self->id);
	__u32 id;

	ASSERT_LE(0, fd);
	client_close(&self->a);
	EXPECT_EQ(self->used + SIZE, device_used(&self->b, 0));
	ASSERT_EQ(0, mem_import(&self->b, fd, &id));
	EXPECT_EQ(SIZE, held_by(&self->b));
	close(fd);
	ASSERT_EQ(0, va_bind(&self->b, id, self->b.base, SIZE, 0));
	EXPECT_TRUE(bytes_are(&self->b, self->b.base, 0x77));
	ASSERT_EQ(0, mem_export(&self->b, id) < 0);
}

TEST_F(share, file_closed_without_import)
{
	int fd = mem_export(&self->a, self->id);

	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	client_close(&self->a);
	EXPECT_EQ(self->used + SIZE, device_used(&self->b, 0));
	close(fd);
	EXPECT_EQ(self->used, device_used(&self->b, 0));
}

TEST_F(share, refused)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	__u32 id;

	EXPECT_EQ(-ENOENT, mem_export(&self->a, 0));
	EXPECT_EQ(-ENOENT, mem_export(&self->a, self->id + 1));
	EXPECT_EQ(-ENOENT, mem_export(&self->b, self->id));
	EXPECT_EQ(-EBADF, mem_import(&self->b, -1, &id));
	EXPECT_EQ(-EBADF, mem_import(&self->b, 1 << 20, &id));
	EXPECT_EQ(-EINVAL, mem_import(&self->b, null, &id));
	EXPECT_EQ(-EINVAL, mem_import(&self->b, self->a.fd, &id));
	close(null);
}

/* A separate process imports, and goes on when the exporter is killed. */
static void importer(int sock)
{
	struct client c;
	__u32 id;
	int fd;

	fd = file_receive(sock);
	if (fd < 0 || client_open(&c) || mem_import(&c, fd, &id) ||
	    va_bind(&c, id, c.base, SIZE, 0))
		_exit(1);
	close(fd);
	baton_pass(sock);
	baton_take(sock);
	if (!bytes_are(&c, c.base, 0x99))
		_exit(2);
	_exit(held_by(&c) == SIZE ? 0 : 3);
}

/* The importer finds its memory unchanged when the test asks it to check. */
static void exporter(int sock, int told)
{
	struct client c;
	__u32 id;
	int fd;

	if (client_open(&c) || mem_alloc(&c, 0, 0, 0, SIZE, &id) ||
	    va_bind(&c, id, c.base, SIZE, 0) ||
	    fill(&c, c.base, SIZE, 0x99, 1))
		_exit(1);
	fd = mem_export(&c, id);
	if (fd < 0 || file_send(sock, fd))
		_exit(2);
	close(fd);
	baton_take(told);
	if (!bytes_are(&c, c.base, 0x99))
		_exit(3);
	_exit(held_by(&c) == SIZE ? 0 : 4);
}

static void two_processes(struct __test_metadata *_metadata,
			  FIXTURE_DATA(share) * self, bool kill_exporter)
{
	int sock[2], told[2];
	pid_t from, to;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	ASSERT_EQ(0, pipe(told));
	from = fork_bound();
	ASSERT_LE(0, from);
	if (!from)
		exporter(sock[0], told[0]);
	to = fork_bound();
	ASSERT_LE(0, to);
	if (!to)
		importer(sock[1]);
	baton_take(sock[0]);
	kill(kill_exporter ? from : to, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(kill_exporter ? from : to));
	baton_pass(kill_exporter ? sock[0] : told[1]);
	EXPECT_EQ(0, child_wait(kill_exporter ? to : from));
	EXPECT_EQ(self->used + SIZE, device_used(&self->a, 0));
}

TEST_F(share, exporter_is_killed)
{
	two_processes(_metadata, self, true);
}

TEST_F(share, importer_is_killed)
{
	two_processes(_metadata, self, false);
}

TEST_HARNESS_MAIN
