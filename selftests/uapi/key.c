// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys: a process opens a file of another process by a number, if it is allowed
 * to, for as long as the other process has the key.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "key.h"
#include "param.h"
#include "stream.h"
#include "util.h"

#define KIND	7
#define UID	65533
#define MOUNT	"/tmp/vnpu-key"

FIXTURE(key)
{
	struct client c;
	__u32 id;	/* id of memory, */
	int file;	/* a file of it, */
	/* a key of that file, which no other process may open */
	struct key key;
};

FIXTURE_SETUP(key)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &self->id));
	self->file = mem_export(&self->c, self->id);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, key_create(&self->c, self->file, KIND, 0, &self->key));
}

FIXTURE_TEARDOWN(key)
{
	close(self->file);
	client_close(&self->c);
}

/* Run @fn in a child, with a client of its own; it returns 0 or -errno. */
static int as_child(int (*run)(struct client *c, const void *arg), const void *arg)
{
	pid_t pid = fork_bound();
	struct client c;

	if (pid)
		return child_wait(pid);
	_exit(-(client_open_only(&c) ?: run(&c, arg)));
}

static int open_key(struct client *c, const void *arg)
{
	int fd = key_open(c, *(const struct key *)arg, KIND, NULL);

	return fd < 0 ? fd : 0;
}

TEST_F(key, opens_memory)
{
	__u64 data[2];
	__u32 id;
	int fd;

	fd = key_open(&self->c, self->key, KIND, data);
	ASSERT_LE(0, fd);
	EXPECT_EQ(11, data[0]);
	EXPECT_EQ(22, data[1]);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(0, mem_import(&self->c, fd, &id));
	close(fd);
}

TEST_F(key, opens_a_timeline)
{
	__u64 timeline, id;
	struct key key;
	__u32 kind;
	int fd;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 5, &timeline));
	fd = timeline_export(&self->c, timeline, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, key_create(&self->c, fd, KIND, 0, &key));
	close(fd);
	fd = key_open(&self->c, key, KIND, NULL);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, timeline_import(&self->c, fd, &id, &kind));
	close(fd);
}

TEST_F(key, opens_shared_memory)
{
	int page = shared_page(), fd;
	struct stat a, b;
	struct key key;

	ASSERT_LE(0, page);
	ASSERT_EQ(0, key_create(&self->c, page, KIND, 0, &key));
	fd = key_open(&self->c, key, KIND, NULL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(page, &a));
	ASSERT_EQ(0, fstat(fd, &b));
	EXPECT_EQ(a.st_ino, b.st_ino);
	EXPECT_EQ(a.st_dev, b.st_dev);
	close(fd);
	close(page);
}

/* A client whose key keeps its own file open would never end. */
TEST_F(key, no_other_files)
{
	int fds[2], dmabuf, file;
	struct key key;

	dmabuf = mem_export_dmabuf(&self->c, 0, self->id);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	/* A file of a mount, which would stay busy. */
	ASSERT_EQ(0, mkdir(MOUNT, 0700));
	ASSERT_EQ(0, mount("none", MOUNT, "tmpfs", 0, NULL));
	file = open(MOUNT "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_LE(0, file);
	EXPECT_EQ(-EINVAL, key_create(&self->c, file, KIND, 0, &key));
	close(file);
	EXPECT_EQ(0, umount(MOUNT));
	EXPECT_EQ(0, rmdir(MOUNT));
	EXPECT_EQ(-EINVAL, key_create(&self->c, self->c.fd, KIND, 0, &key));
	EXPECT_EQ(-EINVAL, key_create(&self->c, fds[0], KIND, 0, &key));
	EXPECT_EQ(-EINVAL, key_create(&self->c, dmabuf, KIND, 0, &key));
	EXPECT_EQ(-EBADF, key_create(&self->c, -1, KIND, 0, &key));
	EXPECT_EQ(-EBADF, key_create(&self->c, 1000000, KIND, 0, &key));
	close(fds[0]);
	close(fds[1]);
	close(dmabuf);
}

TEST_F(key, invalid_keys)
{
	struct key wrong = self->key;

	EXPECT_EQ(-ENOENT, key_open(&self->c, self->key, KIND + 1, NULL));
	wrong.words[0] ^= 1;
	EXPECT_EQ(-ENOENT, key_open(&self->c, wrong, KIND, NULL));
	EXPECT_EQ(-ENOENT, key_destroy(&self->c, wrong));
	EXPECT_EQ(-ENOENT, key_allow(&self->c, wrong, 1));
	wrong = self->key;
	wrong.words[1] ^= 1ULL << 63;
	EXPECT_EQ(-ENOENT, key_open(&self->c, wrong, KIND, NULL));
	EXPECT_EQ(-ENOENT, key_open(&self->c, (struct key){ }, KIND, NULL));
}

TEST_F(key, are_random)
{
	struct key a, b;

	ASSERT_EQ(0, key_create(&self->c, self->file, KIND, 0, &a));
	ASSERT_EQ(0, key_create(&self->c, self->file, KIND,
				VNPU_KEY_F_SHORT, &b));
	EXPECT_NE(self->key.words[0], a.words[0]);
	EXPECT_NE(self->key.words[1], a.words[1]);
	EXPECT_NE(a.words[0], b.words[0]);
	EXPECT_EQ(0, b.words[1]);
}

TEST_F(key, only_processes_that_were_allowed)
{
	struct key any;

	ASSERT_EQ(0, key_create(&self->c, self->file, KIND,
				VNPU_KEY_F_ANY_PROCESS, &any));
	EXPECT_EQ(0, as_child(open_key, &any));
	EXPECT_EQ(EACCES, as_child(open_key, &self->key));
	ASSERT_EQ(0, key_allow(&self->c, self->key, getpid()));
	EXPECT_EQ(EACCES, as_child(open_key, &self->key));
}

static int open_key_when_let(struct client *c, const void *arg)
{
	int ret;

	while ((ret = open_key(c, arg)) == -EACCES)
		usleep(1000);
	return ret;
}

TEST_F(key, processes_are_allowed_later)
{
	pid_t pid = fork_bound();
	__s32 many[3] = { 1, 0, 1 };
	struct client c;

	if (!pid)
		_exit(-(client_open_only(&c) ?:
			open_key_when_let(&c, &self->key)));
	many[1] = pid;
	/* Allow every second process. */
	ASSERT_EQ(0, key_allow_many(&self->c, self->key, many, 2, 8));
	usleep(20000);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	ASSERT_EQ(0, key_allow_many(&self->c, self->key, many, 3, 4));
	EXPECT_EQ(0, child_wait(pid));
}

TEST_F(key, processes_that_cannot_be_named)
{
	static __s32 pids[VNPU_KEY_ALLOW_MAX + 1];
	unsigned int i;

	EXPECT_EQ(-EINVAL, key_allow(&self->c, self->key, 0));
	EXPECT_EQ(-EINVAL, key_allow(&self->c, self->key, -1));
	EXPECT_EQ(-EINVAL, key_allow(&self->c, self->key, INT32_MAX));
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = i + 1;
	EXPECT_EQ(0, key_allow_many(&self->c, self->key, pids,
				    VNPU_KEY_ALLOW_MAX, 0));
	/* More processes are refused, but these can be allowed again. */
	EXPECT_EQ(0, key_allow_many(&self->c, self->key, pids,
				    VNPU_KEY_ALLOW_MAX, 0));
	EXPECT_EQ(-EDQUOT, key_allow(&self->c, self->key,
				     VNPU_KEY_ALLOW_MAX + 1));
	EXPECT_EQ(-EINVAL, key_allow_many(&self->c, self->key, pids, 0, 0));
	EXPECT_EQ(-EINVAL, key_allow_many(&self->c, self->key, pids,
					  VNPU_KEY_ALLOW_MAX + 1, 0));
	EXPECT_EQ(-EINVAL, key_allow_many(&self->c, self->key, pids, 1, 2));
	EXPECT_EQ(-EINVAL, key_allow_many(&self->c, self->key, pids, 1, 6));
	EXPECT_EQ(-EFAULT, key_allow_many(&self->c, self->key, NULL, 1, 0));
	EXPECT_EQ(-EFAULT, key_allow_many(&self->c, self->key, pids, 2,
					  1U << 31));
}

static int change_key(struct client *c, const void *arg)
{
	struct key key = *(const struct key *)arg;

	if (key_allow(c, key, getpid()) != -ENOENT)
		return -EPROTO;
	return key_destroy(c, key) == -ENOENT ? 0 : -EPROTO;
}

/* A process that knows a key can only open it. */
TEST_F(key, belongs_to_its_client)
{
	EXPECT_EQ(0, as_child(change_key, &self->key));
	EXPECT_LE(0, key_open(&self->c, self->key, KIND, NULL));
}

TEST_F(key, opens_nothing_when_destroyed)
{
	__u32 id;
	int fd;

	fd = key_open(&self->c, self->key, KIND, NULL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, key_destroy(&self->c, self->key));
	EXPECT_EQ(-ENOENT, key_destroy(&self->c, self->key));
	EXPECT_EQ(-ENOENT, key_allow(&self->c, self->key, 1));
	EXPECT_EQ(-ENOENT, key_open(&self->c, self->key, KIND, NULL));
	/* A process that has opened it keeps it. */
	EXPECT_EQ(0, mem_import(&self->c, fd, &id));
	close(fd);
}

/* Create a key in a child that is then killed; no process has its file. */
static int key_of_the_dead(struct key *key)
{
	struct key *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct client c;
	int page, ret;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -errno;
	pid = fork_bound();
	if (!pid) {
		page = shared_page();
		if (!client_open_only(&c) && page >= 0)
			key_create(&c, page, KIND, VNPU_KEY_F_ANY_PROCESS,
				   shared);
		raise(SIGKILL);
	}
	ret = child_wait(pid);
	*key = *shared;
	munmap(shared, PAGE);
	return ret == 256 + SIGKILL && key->words[0] ? 0 : -ECHILD;
}

TEST_F(key, ends_with_its_client)
{
	struct key key;
	struct client c;

	ASSERT_EQ(0, key_of_the_dead(&key));
	EXPECT_EQ(-ENOENT, key_open(&self->c, key, KIND, NULL));

	ASSERT_EQ(0, client_open_only(&c));
	ASSERT_EQ(0, key_create(&c, self->file, KIND, VNPU_KEY_F_ANY_PROCESS,
				&key));
	client_close(&c);
	EXPECT_EQ(-ENOENT, key_open(&self->c, key, KIND, NULL));
}

/* When the key has ended, the memory is free, as it has no other user. */
TEST_F(key, keeps_its_file)
{
	struct vnpu_device_query before, q;

	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	close(self->file);
	self->file = -1;
	ASSERT_EQ(0, mem_free(&self->c, self->id));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(before.out_free, q.out_free);
	ASSERT_EQ(0, key_destroy(&self->c, self->key));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(before.out_free + PAGE, q.out_free);
}

static int create_more_than_allowed(struct client *c, const void *arg)
{
	struct key keys[11];
	int i, ret = 0, page = shared_page();

	(void)arg;
	if (page < 0)
		return page;
	for (i = 0; !ret && i < 11; i++)
		ret = key_create(c, page, KIND, 0, &keys[i]);
	if (i != 11 || ret != -EDQUOT)
		return -EPROTO;
	/*
	 * Destroying a key makes room for another key, or for the id of a
	 * process.
	 */
	ret = key_destroy(c, keys[3]) ?:
	      key_create(c, page, KIND, 0, &keys[3]) ?:
	      key_destroy(c, keys[3]) ?:
	      key_allow(c, keys[4], 1000) ?: key_allow(c, keys[4], 1000);
	if (ret || key_allow(c, keys[4], 1001) != -EDQUOT)
		return -EPROTO;
	/* The id ends with its key. */
	return key_destroy(c, keys[4]) ?: key_allow(c, keys[5], 1000) ?:
	       key_create(c, page, KIND, 0, &keys[3]);
}

static int create_as_user(struct client *c, const void *arg)
{
	struct client mine;

	(void)c;
	if (setresgid(UID, UID, UID) || setresuid(UID, UID, UID))
		return -errno;
	return client_open_only(&mine) ?: create_more_than_allowed(&mine, arg);
}

TEST_F(key, counts_as_an_object_of_its_user)
{
	unsigned int before;
	struct stat st;

	ASSERT_EQ(0, stat(VNPU_NODE, &st));
	ASSERT_EQ(0, param_get("user_objects", &before));
	ASSERT_EQ(0, chmod(VNPU_NODE, 0666));
	ASSERT_EQ(0, param_set("user_objects", 10));
	EXPECT_EQ(0, as_child(create_as_user, NULL));
	ASSERT_EQ(0, param_set("user_objects", before));
	ASSERT_EQ(0, chmod(VNPU_NODE, st.st_mode & 07777));
}

#define MANY	8191	/* and the key of the fixture */

TEST_F_TIMEOUT(key, many, 120)
{
	static struct key keys[MANY];
	struct key more;
	int i, fd, page = shared_page();

	ASSERT_LE(0, page);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, key_create(&self->c, page, KIND, 0, &keys[i]));
	EXPECT_EQ(-EAGAIN, key_create(&self->c, page, KIND, 0, &more));
	for (i = 0; i < MANY; i += 7) {
		fd = key_open(&self->c, keys[i], KIND, NULL);
		ASSERT_LE(0, fd);
		close(fd);
	}
	for (i = 0; i < MANY; i += 2)
		ASSERT_EQ(0, key_destroy(&self->c, keys[i]));
	EXPECT_EQ(-ENOENT, key_open(&self->c, keys[0], KIND, NULL));
	/* The client's end frees the other half. */
	close(page);
}

/* One thread destroys keys while others open them and allow processes. */
struct race {
	struct client c;
	struct client other;
	struct key keys[64];
	int file;
	atomic_bool is_over;
	atomic_int opened, wrong;
};

static void *open_all(void *arg)
{
	struct race *race = arg;
	struct rng r = rng_init();

	while (!atomic_load(&race->is_over)) {
		struct key key = race->keys[rng_below(&r, 64)];
		int fd = key_open(&race->other, key, KIND, NULL);
		int ret = key_allow(&race->c, key, getpid());

		if (fd >= 0) {
			close(fd);
			atomic_fetch_add(&race->opened, 1);
		} else if (fd != -ENOENT) {
			atomic_fetch_add(&race->wrong, 1);
		}
		if (ret && ret != -ENOENT)
			atomic_fetch_add(&race->wrong, 1);
	}
	return NULL;
}

TEST_F_TIMEOUT(key, are_destroyed_while_they_are_opened, 120)
{
	struct race *race = calloc(1, sizeof(*race));
	pthread_t threads[3];
	unsigned int i, round;

	ASSERT_NE(NULL, race);
	race->file = self->file;
	ASSERT_EQ(0, client_open_only(&race->c));
	ASSERT_EQ(0, client_open_only(&race->other));
	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, key_create(&race->c, race->file, KIND, 0,
					&race->keys[i]));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_all, race));
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 64; i++) {
			EXPECT_EQ(0, key_destroy(&race->c, race->keys[i]));
			EXPECT_EQ(0, key_create(&race->c, race->file, KIND, 0,
						&race->keys[i]));
		}
		usleep(1000);
	}
	atomic_store(&race->is_over, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, atomic_load(&race->wrong));
	EXPECT_LT(0, atomic_load(&race->opened));
	client_close(&race->c);
	client_close(&race->other);
	free(race);
}

TEST_HARNESS_MAIN
