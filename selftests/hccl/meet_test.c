// SPDX-License-Identifier: GPL-2.0-only
/*
 * Meetings of ranks, among strangers that send anything; under sanitizers.
 *
 * usage: meet_test [SEED]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "message.h"
#include "region.h"
#include "siphash.h"

#define RANKS	5

static unsigned int tests, failures;
static uint64_t state;

static uint64_t dice(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static void check(bool is_ok, const char *name)
{
	printf("%sok %u %s\n", is_ok ? "" : "not ", ++tests, name);
	failures += !is_ok;
}

/* The error of the next messages that this thread sends, or 0. */
static _Thread_local int send_error;

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!send_error)
		return __real_sendmsg(fd, message, flags);
	errno = send_error;
	return -1;
}

struct rank {
	pthread_t thread;
	const struct hccl_place *place;
	struct hccl_self self;
	unsigned int seconds;
	struct hccl_meeting meeting;
	HcclResult result;
};

static void *be_rank(void *arg)
{
	struct rank *rank = arg;

	rank->result = hccl_meet(rank->place, &rank->self, rank->seconds, true,
				 NULL, &rank->meeting);
	return NULL;
}

static void start(struct rank *rank, const struct hccl_place *place,
		  unsigned int number, unsigned int ranks)
{
	*rank = (struct rank){
		.place = place,
		.self = { ranks, number, 100 + number, getpid(), 7 },
		.seconds = 60,
	};
	if (pthread_create(&rank->thread, NULL, be_rank, rank))
		abort();
}

/* Ranks that have met share memory, and none has ended. */
static bool have_met(struct rank ranks[], unsigned int count)
{
	struct hccl_region region[RANKS];
	bool is_fine = true;

	for (unsigned int i = 0; i < count; i++) {
		const struct hccl_meeting *meeting = &ranks[i].meeting;

		if (ranks[i].result || hccl_region_map(&region[i],
						       meeting->memory, count))
			return false;
		for (unsigned int j = 0; j < count; j++)
			is_fine &= meeting->members[j].self.rank == j &&
				   meeting->members[j].self.device == 100 + j;
		hccl_region_rank(&region[i], i)->posts[0].posted = 1000 + i;
	}
	for (unsigned int i = 0; i < count; i++) {
		for (unsigned int j = 0; j < count; j++) {
			struct pollfd end = {
				ranks[i].meeting.members[j].alive, POLLIN, 0,
			};

			is_fine &= hccl_region_rank(&region[i], j)
				   ->posts[0].posted == 1000 + j &&
				   !poll(&end, 1, 0);
		}
	}
	for (unsigned int i = 0; i < count; i++)
		hccl_region_unmap(&region[i]);
	return is_fine;
}

/* The others see the end of a rank, and that of no other. */
static bool see_end(struct rank ranks[], unsigned int count)
{
	struct hccl_member *members = ranks[0].meeting.members;
	struct pollfd pollers[2] = { { .events = POLLIN }, { .events = POLLIN } };

	if (count < 3)
		return true;
	pollers[0].fd = members[1].alive;
	pollers[1].fd = members[2].alive;
	hccl_file_close(ranks[2].meeting.life);
	ranks[2].meeting.life = -1;
	return poll(pollers, 2, 10000) == 1 && pollers[1].revents;
}

static void part(struct rank ranks[], unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct hccl_meeting *meeting = &ranks[i].meeting;

		if (ranks[i].result)
			continue;
		hccl_members_free(meeting->members, count);
		hccl_file_close(meeting->memory);
		hccl_file_close(meeting->life);
	}
}

static int visit(const struct hccl_place *place)
{
	struct sockaddr_un address;
	socklen_t length = hccl_place_address(place, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		abort();
	if (connect(fd, (struct sockaddr *)&address, length)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Send something that is almost a message of a rank, but has no token. */
static void annoy(int fd)
{
	uint8_t bytes[4 * sizeof(struct hccl_hello)];
	struct hccl_hello hello = {
		.magic = HCCL_MESSAGE_MAGIC,
		.version = HCCL_PLACE_VERSION,
		.self = { (uint32_t)dice(), (uint32_t)dice(), 0, 0, 0 },
	};
	int files[2] = { fd, STDOUT_FILENO };
	size_t size = sizeof(hello);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)dice();
	if (dice() % 2)
		memcpy(bytes, &hello, sizeof(hello));
	if (dice() % 3 == 0)
		size = dice() % sizeof(bytes);
	if (dice() % 4 == 0)
		bytes[dice() % sizeof(hello)] ^= (uint8_t)(1U << dice() % 8);
	hccl_message_send(fd, bytes, size, files, dice() % 3);
}

static atomic_bool is_enough;

/* A crowd of strangers, of which some stay. */
static void *be_crowd(void *arg)
{
	const struct hccl_place *place = arg;
	int fds[100];

	for (int i = 0; i < 100; i++)
		fds[i] = -1;
	for (unsigned int n = 0; !is_enough && n < 20000; n++) {
		int *fd = &fds[dice() % 100];

		if (*fd >= 0)
			close(*fd);
		*fd = visit(place);
		for (unsigned int i = dice() % 3; *fd >= 0 && i; i--)
			annoy(*fd);
	}
	for (int i = 0; i < 100; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return NULL;
}

static void test_meeting(unsigned int count, bool has_crowd, const char *name)
{
	struct rank ranks[RANKS];
	struct hccl_place place;
	pthread_t crowd;
	bool is_fine;

	is_enough = false;
	if (hccl_place_random(&place) || hccl_meet_serve(&place, 60) ||
	    (has_crowd && pthread_create(&crowd, NULL, be_crowd, &place)))
		abort();
	for (unsigned int i = count; i--;) {
		if (has_crowd)
			usleep(20000);
		start(&ranks[i], &place, i, count);
	}
	for (unsigned int i = 0; i < count; i++)
		pthread_join(ranks[i].thread, NULL);
	is_enough = true;
	if (has_crowd)
		pthread_join(crowd, NULL);
	is_fine = have_met(ranks, count) && see_end(ranks, count);
	check(is_fine, name);
	part(ranks, count);
}

/* Ranks that have met may meet at the same place again, at once. */
static void test_again(void)
{
	bool is_fine = true;

	for (int i = 0; i < 50; i++) {
		struct rank ranks[2];
		struct hccl_place place;

		hccl_place_derive(&place, NULL, "again", 5, true);
		is_fine &= !hccl_meet_serve(&place, 60);
		for (unsigned int r = 0; r < 2; r++)
			start(&ranks[r], &place, r, 2);
		for (unsigned int r = 0; r < 2; r++)
			pthread_join(ranks[r].thread, NULL);
		is_fine &= have_met(ranks, 2);
		part(ranks, 2);
	}
	check(is_fine, "ranks meet at the same place again");
}

/* Ranks that do not fit together get the reason. */
static void test_disagreement(void)
{
	struct rank ranks[4];
	struct hccl_place place;

	if (hccl_place_random(&place) || hccl_meet_serve(&place, 60))
		abort();
	start(&ranks[0], &place, 0, 2);
	usleep(100000);
	start(&ranks[1], &place, 1, 3);
	pthread_join(ranks[1].thread, NULL);
	check(ranks[1].result == HCCL_E_PARA &&
	      strstr(ranks[1].meeting.text, "expects 3"),
	      "another number of ranks is refused");
	start(&ranks[2], &place, 0, 2);
	pthread_join(ranks[2].thread, NULL);
	check(ranks[2].result == HCCL_E_PARA &&
	      strstr(ranks[2].meeting.text, "twice"),
	      "a second rank of the same number is refused");
	ranks[3] = (struct rank){ .place = &place, .seconds = 60,
				  .self = { 2, 1, 100, 1, 1 } };
	be_rank(&ranks[3]);
	check(ranks[3].result == HCCL_E_PARA &&
	      strstr(ranks[3].meeting.text, "same device"),
	      "a second rank of the same device is refused");
	start(&ranks[1], &place, 1, 2);
	pthread_join(ranks[0].thread, NULL);
	pthread_join(ranks[1].thread, NULL);
	check(have_met(ranks, 2), "the other ranks meet nevertheless");
	part(ranks, 2);
}

static void test_timeout(void)
{
	struct rank rank;
	struct hccl_place place;

	if (hccl_place_random(&place) || hccl_meet_serve(&place, 1))
		abort();
	start(&rank, &place, 1, 3);
	pthread_join(rank.thread, NULL);
	check(rank.result == HCCL_E_TIMEOUT &&
	      strstr(rank.meeting.text, "missing: 0 2"),
	      "the ranks that are missing are named");
}

static bool is_lost_soon(const void *arg)
{
	_Atomic int *looks = (_Atomic int *)(uintptr_t)arg;

	return --*looks < 0;
}

/* A rank that knows that another one will not come does not wait for it. */
static void test_watch(void)
{
	static const struct hccl_self self = { 3, 1, 101, 1, 7 };
	bool is_fine = true;

	for (int served = 0; served < 2; served++) {
		_Atomic int looks = 3;
		const struct hccl_watch watch = {
			is_lost_soon, (const void *)(uintptr_t)&looks,
		};
		struct hccl_meeting meeting;
		struct hccl_place place;

		if (hccl_place_random(&place) ||
		    (served && hccl_meet_serve(&place, 60)))
			abort();
		is_fine &= hccl_meet(&place, &self, 60, true, &watch,
				     &meeting) == HCCL_E_REMOTE && looks < 0;
	}
	check(is_fine, "a rank stops to wait for one that has ended");
}

/* Only a connection that the server has closed is a fault of another rank. */
static void test_hello(void)
{
	static const struct {
		int error;
		HcclResult result;
	} cases[] = {
		{ EPIPE, HCCL_E_REMOTE }, { ECONNRESET, HCCL_E_REMOTE },
		{ ENOBUFS, HCCL_E_SYSCALL },
	};
	bool is_fine = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hccl_place place;
		struct rank rank = { .place = &place, .seconds = 5,
				     .self = { 1, 0, 100, 1, 1 } };

		if (hccl_place_random(&place) || hccl_meet_serve(&place, 1))
			abort();
		send_error = cases[i].error;
		be_rank(&rank);
		send_error = 0;
		is_fine &= rank.result == cases[i].result;
	}
	check(is_fine, "a rank that cannot send its hello reports the reason");
}

/* A server that sends anything does no harm to a rank. */
static void *be_liar(void *arg)
{
	int listener = *(int *)arg, fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		struct hccl_welcome welcome = { .magic = HCCL_MESSAGE_MAGIC };

		hccl_message_send(fd, &welcome, dice() % 3 ? sizeof(welcome) :
				  dice() % sizeof(welcome), &listener,
				  dice() % 4 > 0);
		for (uint32_t order = 0, i = dice() % 6; i; i--, order++) {
			struct hccl_introduction other = {
				.magic = HCCL_MESSAGE_MAGIC,
				.self = { 3, dice() % 4 ? order : 7, 0, 0, 0 },
			};
			/* Not its own end, which would then stay open. */
			int ends[2], file;

			if (pipe2(ends, O_CLOEXEC))
				abort();
			file = dice() % 8 ? ends[0] : listener;
			hccl_message_send(fd, &other, sizeof(other), &file, 1);
			close(ends[0]);
			close(ends[1]);
		}
		close(fd);
	}
	return NULL;
}

static unsigned int open_files(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_liar(void)
{
	struct sockaddr_un address;
	struct hccl_region region;
	struct hccl_place place;
	unsigned int before, met = 0;
	bool is_fine = true;
	pthread_t thread;
	int listener;

	hccl_place_derive(&place, NULL, "liar", 4, true);
	listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (bind(listener, (struct sockaddr *)&address,
		 hccl_place_address(&place, &address)) || listen(listener, 5) ||
	    pthread_create(&thread, NULL, be_liar, &listener))
		abort();
	before = open_files();
	/* Few of the answers make ranks meet; go on until one does. */
	for (int i = 0; i < 200 || (!met && i < 20000); i++) {
		struct rank rank = { .place = &place, .seconds = 5,
				     .self = { 3, 0, 0, 0, 0 } };

		be_rank(&rank);
		if (rank.result)
			continue;
		is_fine &= hccl_region_map(&region, rank.meeting.memory, 3) ==
			   HCCL_E_INTERNAL;
		met++;
		hccl_members_free(rank.meeting.members, 3);
		hccl_file_close(rank.meeting.memory);
		hccl_file_close(rank.meeting.life);
	}
	shutdown(listener, SHUT_RDWR);
	pthread_join(thread, NULL);
	check(is_fine && met && open_files() <= before,
	      "ranks detect a false server, and no file stays open");
	close(listener);
}

static atomic_int forks_with_files;

/* A child has no file of the ranks, whatever they do at the time of the fork. */
static void *be_forker(void *arg)
{
	unsigned int before = *(unsigned int *)arg;

	for (int i = 0; i < 100 && !is_enough; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(open_files() > before);
		if (child < 0 || waitpid(child, &status, 0) != child)
			abort();
		forks_with_files += status != 0;
	}
	return NULL;
}

static void test_forks(void)
{
	unsigned int before = open_files();
	bool is_fine = true;
	pthread_t forker;

	is_enough = false;
	if (pthread_create(&forker, NULL, be_forker, &before))
		abort();
	for (int i = 0; i < 200; i++) {
		struct rank ranks[2];
		struct hccl_place place;

		if (hccl_place_random(&place) || hccl_meet_serve(&place, 60))
			abort();
		for (unsigned int r = 0; r < 2; r++)
			start(&ranks[r], &place, r, 2);
		for (unsigned int r = 0; r < 2; r++)
			pthread_join(ranks[r].thread, NULL);
		is_fine &= have_met(ranks, 2);
		part(ranks, 2);
	}
	is_enough = true;
	pthread_join(forker, NULL);
	check(is_fine && !forks_with_files,
	      "children that are forked while ranks meet have no files of them");
}

static void test_places(void)
{
	struct hccl_place a, b, c;
	uint8_t key[16];

	for (unsigned int i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i;
	hccl_place_derive(&a, NULL, "abc", 3, false);
	hccl_place_derive(&b, NULL, "abc", 3, false);
	hccl_place_derive(&c, NULL, "abd", 3, false);
	check(!memcmp(&a, &b, sizeof(a)) && strcmp(a.name, c.name) &&
	      memcmp(a.token, c.token, sizeof(a.token)) &&
	      hccl_place_is_valid(&a), "places are derived");
	hccl_place_derive(&c, key, "abc", 3, false);
	check(strcmp(a.name, c.name) && memcmp(a.token, c.token, sizeof(a.token)),
	      "a key changes the place");
	/* The vector of the algorithm's paper: the key and the message count up. */
	check(hccl_siphash(key, key, 15) == 0xa129ca6149be45e5ULL,
	      "the hash is SipHash-2-4");
	check(!hccl_meet_serve(&a, 1) &&
	      hccl_meet_serve(&b, 1) == HCCL_E_UNAVAIL,
	      "a place has one server");
	memset(a.name, 'x', sizeof(a.name));
	check(!hccl_place_is_valid(&a), "a name without an end is invalid");
}

int main(int argc, char **argv)
{
	state = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n# seed %llu\n", (unsigned long long)state);
	test_places();
	test_meeting(1, false, "one rank meets itself");
	test_meeting(RANKS, false, "ranks meet");
	test_meeting(RANKS, true, "ranks meet in a crowd of strangers");
	test_again();
	test_disagreement();
	test_timeout();
	test_watch();
	test_hello();
	test_liar();
	test_forks();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
