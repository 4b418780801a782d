// SPDX-License-Identifier: GPL-2.0-only
/*
 * A chain of signals whose order a test knows: a thread signals a timeline that
 * a stream waits for. The stream signals one for a second stream, which signals
 * one that the thread waits for.
 *
 * It prints the ids of the three timelines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stream.h"
#include "util.h"

#define TIMELINES	3

static void check(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "relay: %s: %s\n", what, strerror(-ret));
	exit(1);
}

int main(void)
{
	__u64 ids[TIMELINES];
	struct stream s[2];
	struct client c;
	int i;

	check(client_open(&c), "open");
	for (i = 0; i < TIMELINES; i++) {
		check(timeline_create(&c, 0, 0, 0, &ids[i]), "timeline");
		printf("%llu\n", ids[i]);
	}
	for (i = 0; i < 2; i++) {
		check(stream_create(&s[i], &c, 0), "stream");
		stream_put(&s[i], task_wait(ids[i], 1));
		stream_put(&s[i], task_signal(ids[i + 1], 1,
					      VNPU_SIGNAL_ADVANCE));
		check(stream_submit(&s[i]), "submit");
	}
	/* Both wait by now, even on a busy machine. */
	usleep(100000);
	check(timeline_signal(&c, ids[0], 1, VNPU_SIGNAL_ADVANCE), "signal");
	check(wait_point(&c, ids[2], 1, in_ms(10000)), "wait");
	/* Wait for a value that was signalled before. */
	check(wait_point(&c, ids[1], 1, in_ms(10000)), "wait");
	return 0;
}
