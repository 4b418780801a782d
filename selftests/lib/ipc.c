// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that two processes share, by key and by shareable handle: contents,
 * access rights, and cleanup when one of them dies.
 */
#include "ipc.h"

#include <sched.h>

FIXTURE(share) {
	struct peer peer;
	size_t free_before;
	struct memory m;
	union name name;
};

FIXTURE_VARIANT(share) {
	enum kind kind;
};

FIXTURE_VARIANT_ADD(share, key) { .kind = KEY };
FIXTURE_VARIANT_ADD(share, number) { .kind = NUMBER };
FIXTURE_VARIANT_ADD(share, fabric) { .kind = FABRIC };

FIXTURE_SETUP(share)
{
	memset(&self->name, 0, sizeof(self->name));
	peer_start(&self->peer);
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
}

/* However it was shared, no memory is left. */
FIXTURE_TEARDOWN(share)
{
	if (self->peer.pid)
		peer_kill(&self->peer);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

#define TELL(order, value) \
	tell(&self->peer, order, variant->kind, value, NULL)

/* The peer allocates memory, full of 0x11, and shares it. */
static aclError peer_shares(FIXTURE_DATA(share) * self, enum kind kind,
			    uint64_t flags)
{
	aclError err = tell(&self->peer, MAKE, kind, 0, NULL);

	if (!err)
		err = tell(&self->peer, FILL, kind, 0x11, NULL);
	return err ? err : tell(&self->peer, EXPORT, kind, flags, &self->name);
}

TEST_F(share, data_is_visible_on_both_sides)
{
	OK(peer_shares(self, variant->kind, 0));
	OK(TELL(ALLOW, getpid()));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(fill(&self->m, 0x22));
	OK(TELL(CHECK, 0x22));
	OK(TELL(FILL, 0x33));
	EXPECT_TRUE(holds(&self->m, 0x33));
	/* Each process can import it once. */
	EXPECT_EQ(self->free_before - SIZE, free_bytes());

	OK(drop(&self->m));
	OK(TELL(CHECK, 0x33));
	OK(TELL(DESTROY, 0));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, only_allowed_processes)
{
	OK(peer_shares(self, variant->kind, 0));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	OK(TELL(ALLOW, getpid() + 1));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	OK(TELL(ALLOW, 0));
	OK(TELL(ALLOW, -1));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	/* An importer cannot allow processes. */
	memcpy(&self->m.name, &self->name, sizeof(self->name));
	self->m.kind = variant->kind;
	EXPECT_ACL(BAD_VALUE, allow(&self->m, getpid()));

	OK(TELL(ALLOW, getpid()));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
}

TEST_F(share, all_processes)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
}

TEST_F(share, exporter_dies_first)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(fill(&self->m, 0x44));
	EXPECT_TRUE(holds(&self->m, 0x44));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
	OK(drop(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, importer_dies_first)
{
	OK(make(&self->m, variant->kind));
	OK(fill(&self->m, 0x55));
	OK(export(&self->m, 0));
	OK(allow(&self->m, self->peer.pid));
	OK(tell(&self->peer, IMPORT, variant->kind, 0, &self->m.name));
	OK(TELL(CHECK, 0x55));
	OK(TELL(FILL, 0x66));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_TRUE(holds(&self->m, 0x66));
	OK(destroy(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

/* Its holder keeps it; no other process gets it. */
TEST_F(share, closed)
{
	struct memory late;

	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	OK(TELL(DROP, 0));
	EXPECT_TRUE(holds(&self->m, 0x11));
	if (variant->kind != KEY)
		EXPECT_ACL(NO_SUCH_KEY,
			   import(&late, variant->kind, &self->name));
	OK(drop(&self->m));
	EXPECT_ACL(NO_SUCH_KEY, import(&late, variant->kind, &self->name));
}

TEST_F(share, freed)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(TELL(DESTROY, 0));
	EXPECT_EQ(self->free_before, free_bytes());
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
}

TEST_F(share, exporter_has_ended)
{
	uint64_t start;

	OK(peer_shares(self, variant->kind, 1));
	ASSERT_EQ(0, peer_kill(&self->peer));
	start = now_ms();
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
	EXPECT_GT(2000, now_ms() - start);
}

TEST_F(share, invalid_keys_and_handles)
{
	union name wrong;
	size_t i, length = variant->kind == NUMBER ? sizeof(wrong.number) : 37;

	OK(peer_shares(self, variant->kind, 1));
	for (i = 0; i < length; i += 3) {
		wrong = self->name;
		wrong.key[i] ^= 1;
		EXPECT_ACL(NO_SUCH_KEY,
			   import(&self->m, variant->kind, &wrong));
	}
	memset(&wrong, 0, sizeof(wrong));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &wrong));
	memset(&wrong, 0xff, sizeof(wrong));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &wrong));
	OK(import(&self->m, variant->kind, &self->name));
}

TEST_F(share, many_imports)
{
	struct memory many[32];
	int i, round;

	OK(peer_shares(self, variant->kind, 1));
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 32; i++) {
			OK(import(&many[i], variant->kind, &self->name));
			/*
			 * Importing a key returns the same address, importing a
			 * handle a new one.
			 */
			EXPECT_EQ(variant->kind == KEY || !i,
				  many[i].at == many[0].at);
		}
		EXPECT_TRUE(holds(&many[31], 0x11));
		EXPECT_EQ(self->free_before - SIZE, free_bytes());
		for (i = 0; i < 31; i++)
			OK(drop(&many[i]));
		EXPECT_TRUE(holds(&many[31], 0x11));
		OK(drop(&many[31]));
	}
}

TEST_F(share, in_one_process)
{
	struct memory back;

	OK(make(&self->m, variant->kind));
	OK(fill(&self->m, 0x77));
	OK(export(&self->m, 0));
	OK(import(&back, variant->kind, &self->m.name));
	EXPECT_NE(self->m.at, back.at);
	EXPECT_TRUE(holds(&back, 0x77));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
	OK(drop(&back));
	EXPECT_TRUE(holds(&self->m, 0x77));
	OK(destroy(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, reset_drops_both_ends)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	OK(aclrtResetDevice(0));
	EXPECT_NE(ACL_SUCCESS, drop(&self->m));
	EXPECT_ACL(NO_CONTEXT, import(&self->m, variant->kind, &self->name));
	OK(aclrtSetDevice(0));

	OK(make(&self->m, variant->kind));
	OK(export(&self->m, 1));
	OK(tell(&self->peer, IMPORT, variant->kind, 0, &self->m.name));
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind,
				       &self->m.name));
	OK(TELL(FILL, 0x12));
	OK(TELL(CHECK, 0x12));
}

/* A child of the exporter keeps neither the key nor the memory. */
TEST_F(share, child_keeps_nothing)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(TELL(FORK, 0));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(drop(&self->m));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
	EXPECT_EQ(self->free_before, free_bytes());
}

/* Keys work without any process running. */
TEST_F(share, exporter_is_stopped)
{
	OK(peer_shares(self, variant->kind, 1));
	ASSERT_EQ(0, kill(self->peer.pid, SIGSTOP));
	ASSERT_EQ(self->peer.pid,
		  waitpid(self->peer.pid, NULL, WUNTRACED));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
	ASSERT_EQ(0, kill(self->peer.pid, SIGCONT));
	OK(drop(&self->m));
}

/* Start a peer that is process 1 of a namespace of its own. */
static void peer_start_inside(struct peer *peer)
{
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork_bound();
		if (!pid)
			peer_run(fds[1]);
		if (write(fds[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		_exit(child_wait(pid));
	}
	close(fds[1]);
	peer->fd = fds[0];
	if (read(peer->fd, &peer->pid, sizeof(peer->pid)) != sizeof(peer->pid))
		abort();
}

/*
 * Process ids are those in the exporter's namespace; processes outside of it
 * have none.
 */
TEST(pid_namespaces)
{
	struct memory m;
	struct peer peer;
	union name name;
	enum kind kind;

	peer_start_inside(&peer);
	OK(aclrtSetDevice(0));
	for (kind = KEY; kind <= FABRIC; kind++) {
		OK(make(&m, kind));
		OK(export(&m, 0));
		name = m.name;
		OK(allow(&m, 1));
		EXPECT_EQ(NOT_ALLOWED, tell(&peer, IMPORT, kind, 0, &name));
		OK(allow(&m, peer.pid));
		OK(tell(&peer, IMPORT, kind, 0, &name));
		OK(tell(&peer, DROP, kind, 0, NULL));
		OK(destroy(&m));

		OK(tell(&peer, MAKE, kind, 0, NULL));
		OK(tell(&peer, EXPORT, kind, 0, &name));
		OK(tell(&peer, ALLOW, kind, getpid(), NULL));
		OK(tell(&peer, ALLOW, kind, 0, NULL));
		EXPECT_ACL(NOT_ALLOWED, import(&m, kind, &name));
		OK(tell(&peer, DESTROY, kind, 0, NULL));
	}
	close(peer.fd);
}

TEST_HARNESS_MAIN
