// SPDX-License-Identifier: GPL-2.0-only
/* Device memory as a dma-buf in two processes, one of which is killed. */
#define _GNU_SOURCE

#include "kselftest_harness.h"

#include "client.h"
#include "pass.h"
#include "util.h"

#define SIZE		(64 * PAGE)

static void exporter(int sock)
{
	struct client c;
	__u32 id;
	int fd;

	if (client_open(&c) || mem_alloc(&c, 0, 0, 0, SIZE, &id) ||
	    va_bind(&c, id, c.base, SIZE, 0) ||
	    fill(&c, c.base, SIZE, 0x99, 1))
		_exit(1);
	fd = mem_export_dmabuf(&c, 0, id);
	if (fd < 0 || file_send(sock, fd))
		_exit(2);
	baton_take(sock);
	_exit(copy(&c, c.base, c.base + PAGE, PAGE) ? 3 : 0);
}

/* Hold it both as a mapping and as imported memory. */
static void importer(int sock)
{
	struct vnpu_mem_import_dmabuf i;
	struct vnpu_device_query q;
	struct client c;
	__u8 *p;
	int fd;

	fd = file_receive(sock);
	if (fd < 0 || client_open(&c) || mem_import_dmabuf(&c, fd, &i) ||
	    va_bind(&c, i.out_id, c.base, SIZE, 0))
		_exit(1);
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		_exit(2);
	close(fd);
	baton_pass(sock);
	baton_take(sock);
	if (!is_all(p, 0x99, SIZE) || fill(&c, c.base, SIZE, 0x11, 1) ||
	    !is_all(p, 0x11, SIZE) || device_query(&c, 0, &q))
		_exit(3);
	_exit(q.out_client_used == SIZE ? 0 : 4);
}

static void two_processes(struct __test_metadata *_metadata, bool kill_exporter)
{
	struct client c;
	int sock[2], from_end[2];
	pid_t from, to;
	__u64 used;

	ASSERT_EQ(0, client_open_only(&c));
	used = device_used(&c, 0);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, from_end));
	from = fork_bound();
	ASSERT_LE(0, from);
	if (!from)
		exporter(from_end[0]);
	to = fork_bound();
	ASSERT_LE(0, to);
	if (!to)
		importer(sock[1]);
	{
		int fd = file_receive(from_end[1]);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, file_send(sock[0], fd));
		close(fd);
	}
	baton_take(sock[0]);
	EXPECT_EQ(used + SIZE, device_used(&c, 0));
	kill(kill_exporter ? from : to, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(kill_exporter ? from : to));
	baton_pass(kill_exporter ? sock[0] : from_end[1]);
	EXPECT_EQ(0, child_wait(kill_exporter ? to : from));
	EXPECT_EQ(used, device_used(&c, 0));
	client_close(&c);
}

TEST(exporter_is_killed)
{
	two_processes(_metadata, true);
}

TEST(importer_is_killed)
{
	two_processes(_metadata, false);
}

TEST_HARNESS_MAIN
