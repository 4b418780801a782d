// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the result of VNPU_IOCTL_DEVICE_QUERY, as lines for a shell, one for
 * each device:
 *
 *	ID HEALTH TOTAL FREE LARGEST_FREE UUID BUS_ID NAME
 */
#include <stdio.h>

#include "client.h"

static void print_device(__u32 id, const struct vnpu_device_query *q)
{
	int i;

	printf("%u %u %llu %llu %llu ", id, q->out_health,
	       (unsigned long long)q->out_total,
	       (unsigned long long)q->out_free,
	       (unsigned long long)q->out_largest_free);
	for (i = 0; i < VNPU_DEVICE_UUID_LEN; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ?
		       "-" : "", q->out_uuid[i]);
	printf(" %s %s\n", (const char *)q->out_bus_id,
	       (const char *)q->out_name);
}

int main(void)
{
	struct vnpu_device_query query;
	struct client client;
	__u32 count, i;
	int ret;

	ret = client_open_only(&client);
	if (ret) {
		fprintf(stderr, "query: %s: %s\n", VNPU_NODE, strerror(-ret));
		return 1;
	}
	count = device_count(&client);
	for (i = 0; i < count; i++) {
		ret = device_query(&client, i, &query);
		if (ret) {
			fprintf(stderr, "query: device %u: %s\n", i,
				strerror(-ret));
			return 1;
		}
		print_device(i, &query);
	}
	client_close(&client);
	return 0;
}
