// SPDX-License-Identifier: GPL-2.0-only
/* Compare the arena allocator with the naive arena. */
#include "fuzz.h"
#include "model.h"

#define PAGES	2600U

static void do_alloc(struct vnpu_allocator *b, struct model *m, u8 flags,
		     u32 pages, u8 align)
{
	struct vnpu_allocator_req req = {
		.pages = pages,
		.granule_order = flags & 4 ? 9 : 0,
		.align_order = align & 15,
		.flags = flags & 3,
	};
	u32 order = req.granule_order;
	struct vnpu_extent ext, best;
	int err = vnpu_allocator_alloc(b, &req, &ext);

	while (err == -EAGAIN) {
		req.resume = ext.start;
		err = vnpu_allocator_alloc(b, &req, &ext);
	}
	if (err == -EINVAL) {
		MUST(!pages || pages & ((1U << order) - 1));
		return;
	}
	if (req.flags & VNPU_ALLOC_CONTIGUOUS) {
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
	MUST(model_take(m, ext));
}

static void do_claim(struct vnpu_allocator *b, struct model *m,
		     struct vnpu_extent ext)
{
	int err = vnpu_allocator_claim(b, ext);

	MUST((err == -EINVAL) == !model_is_inside(m, ext));
	MUST(!err == model_all_free(m, ext));
	if (!err)
		MUST(model_take(m, ext));
}

static void do_free(struct vnpu_allocator *b, struct model *m,
		    struct vnpu_extent ext, bool dirty)
{
	MUST(!vnpu_allocator_free(b, ext, dirty) == model_may_free(m, ext));
	if (model_may_free(m, ext))
		model_give(m, ext, dirty);
}

static void do_clear(struct vnpu_allocator *b, struct model *m, u32 most)
{
	struct vnpu_extent ext;
	bool more;

	do {
		more = vnpu_allocator_next_to_clear(b, most, &ext);
		MUST(ext.count <= most);
		if (!ext.count)
			continue;
		MUST(model_all_free(m, ext) && model_all_dirty(m, ext));
		vnpu_allocator_set_clean(b, ext);
		model_clean(m, ext);
	} while (more);
	MUST(model_none_to_clear(m));
}

static void look(const struct vnpu_allocator *b, const struct model *m)
{
	struct vnpu_allocator_stats got, want;

	MUST(vnpu_allocator_check(b));
	vnpu_allocator_get_stats(b, &got);
	model_stats(m, &want);
	MUST(!memcmp(&got, &want, sizeof(got)));
}

static void do_something(struct vnpu_allocator *b, struct model *m,
			 struct fuzz_input *in)
{
	u8 what = fuzz_byte(in);
	u32 x = fuzz_word(in), y = fuzz_word(in);
	struct vnpu_extent ext = { x % PAGES, y % PAGES };

	switch (what & 7) {
	case 0:
	case 1:
		do_alloc(b, m, what >> 3, x % PAGES, y);
		break;
	case 2:
		do_alloc(b, m, what >> 3, (x & 3) * 512, y);
		break;
	case 3:
	case 4:
		do_free(b, m, ext, what & 8);
		break;
	case 5:
		do_claim(b, m, ext);
		break;
	case 6:
		vnpu_allocator_set_clean(b, ext);
		if (model_is_inside(m, ext))
			model_clean(m, ext);
		break;
	case 7:
		if (what & 8)
			do_clear(b, m, 1 + (x & 31));
		else
			look(b, m);
		break;
	}
}

void fuzz_allocator(const u8 *data, size_t size)
{
	static const struct vnpu_extent segs[] = {
		{ 0, 1024 }, { 1024, 512 }, { 1536 + 512, 512 },
	};
	struct fuzz_input in = { data, size };
	bool dirty = fuzz_byte(&in) & 1;
	struct vnpu_allocator *b;
	struct model m;

	b = vnpu_allocator_create(segs, ARRAY_SIZE(segs), dirty);
	MUST(!IS_ERR(b));
	MUST(model_init(&m, segs, ARRAY_SIZE(segs), dirty));
	while (in.size)
		do_something(b, &m, &in);
	look(b, &m);
	vnpu_allocator_destroy(b);
	model_fini(&m);
}
