// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench alloc: allocate and free, without touching a page.
 *
 * Device memory that is not written stays clear, so clearing is not measured.
 * The peers differ: vgem, memfd and private mappings allocate pages on first
 * touch, dma-heap and udmabuf at once.
 */
#include <string.h>

#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"

static const uint64_t sizes[] = {
	4 * KIB, 64 * KIB, 2 * MIB, 16 * MIB, 256 * MIB
};

struct load {
	const struct peer *peer;
	uint64_t size;
};

static int run_npu(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	aclError err;
	void *p;

	(void)ns;
	err = aclrtMallocAlign32(&p, load->size, ACL_MEM_MALLOC_HUGE_FIRST);
	return npu_errno(err ? err : aclrtFree(p));
}

static int run_peer(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	struct peer_buffer buffer = { .size = load->size };
	int ret = load->peer->create(&buffer);

	(void)ns;
	if (!ret)
		load->peer->destroy(&buffer);
	return ret;
}

static void measure(const struct options *opt, struct report *report,
		    uint64_t size)
{
	struct load loads[CONTEST_SUBJECTS];
	struct contest contest = { .title = "allocate and free", .size = size };
	size_t i;

	loads[0] = (struct load){ .size = size };
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run_npu, .arg = &loads[0],
	};
	for (i = 0; i < peer_count; i++) {
		const struct peer *peer = &peers[i];
		struct load *load = &loads[contest.count];

		if (peer->granule && size % peer->granule)
			continue;
		*load = (struct load){ peer, size };
		*contest_add(&contest) = (struct subject){
			.name = peer->name,
			.run = run_peer,
			.arg = load,
			.goal = strcmp(peer->name, "vgem") ? 0 : 0.25,
		};
	}
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

void bench_alloc(const struct options *opt, struct report *report)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i] <= npu_free_bytes())
			measure(opt, report, sizes[i]);
		else
			warn("alloc: %s exceeds the free memory of the device",
			     size_text(sizes[i]).text);
	}
}
