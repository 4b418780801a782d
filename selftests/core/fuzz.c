// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer drives the arena allocator beside the naive arena: five bytes are
 * an operation. What the two disagree about aborts.
 */
#include "model.h"

#define PAGES	2048U

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void fuzz_alloc(struct vnpu_buddy *b, struct model *m, u8 flags,
		       u32 pages, u8 align)
{
	struct vnpu_buddy_req req = {
		.pages = pages,
		.granule_order = flags & 4 ? 9 : 0,
		.align_order = align & 15,
		.flags = flags & 3,
	};
	u32 order = req.granule_order;
	struct vnpu_extent ext, best;
	int err = vnpu_buddy_alloc(b, &req, &ext);

	if (err == -EINVAL) {
		MUST(!pages || pages & ((1U << order) - 1));
		return;
	}
	if (req.flags & VNPU_BUDDY_CONTIGUOUS) {
		if (order < req.align_order)
			order = req.align_order;
		MUST(!err == model_best(m, pages, order, false, &best));
	} else {
		MUST(!err == !!model_largest(m, order));
	}
	if (err)
		return;
	MUST(model_all_free(m, ext));
	MUST(!(ext.start & ((1U << order) - 1)));
	model_take(m, ext);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct vnpu_extent segs[] = {
		{ 0, 1024 }, { 1024, 512 }, { 1536 + 512, 512 },
	};
	struct vnpu_buddy *b;
	struct model m;

	b = vnpu_buddy_create(segs, 3, size & 1);
	MUST(!IS_ERR(b));
	model_init(&m, segs, 3, size & 1);

	for (; size >= 5; data += 5, size -= 5) {
		u32 x = data[1] | data[2] << 8;
		u32 y = data[3] | data[4] << 8;
		struct vnpu_extent ext = { x % PAGES, y % PAGES };

		switch (data[0] & 3) {
		case 0:
			fuzz_alloc(b, &m, data[0] >> 2, x % PAGES, data[3]);
			break;
		case 1:
			fuzz_alloc(b, &m, data[0] >> 2, (x & 3) * 512, data[3]);
			break;
		case 2:
			if (vnpu_buddy_free(b, ext, data[0] & 4)) {
				MUST(!model_may_free(&m, ext));
				break;
			}
			MUST(model_may_free(&m, ext));
			model_give(&m, ext, data[0] & 4);
			break;
		case 3:
			vnpu_buddy_set_clean(b, ext);
			break;
		}
	}

	MUST(vnpu_buddy_check(b));
	vnpu_buddy_destroy(b);
	model_fini(&m);
	return 0;
}
