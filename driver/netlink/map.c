// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: the map of an arena, and the requests that would fit in
 * it.
 *
 * Any user may send these requests, even without access to the device's node,
 * because a monitor has no client. The memory for an answer is therefore
 * bounded and charged to the caller. A map takes memory only for its cells. A
 * check of fit takes a snapshot of the device; look_lock allows one at a time.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "alloc/fit.h"
#include "compact/map.h"
#include "mem/pages.h"
#include "genl.h"

static_assert(VNPU_A_MAP_DEV_ID == VNPU_A_REQUEST_DEVICE);
static_assert(VNPU_A_FIT_DEV_ID == VNPU_A_REQUEST_DEVICE);

#define VNPU_MAP_CELLS_DEFAULT	64

/* The size of one cell's attributes: four numbers and the nest around them. */
#define VNPU_MAP_CELL_SIZE	(5 * nla_total_size_64bit(sizeof(u64)))

struct vnpu_map_answer {
	u32 device;
	u32 nr;
	struct vnpu_map_cell cells[VNPU_MAP_CELLS_MAX];
};

static int vnpu_fill_cell(struct sk_buff *skb, const struct vnpu_map_cell *cell)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_MAP_CELL);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_MAP_CELL_SIZE,
			      vnpu_pages_to_bytes(cell->pages),
			      VNPU_A_MAP_CELL_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MAP_CELL_USED,
			      vnpu_pages_to_bytes(cell->used),
			      VNPU_A_MAP_CELL_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MAP_CELL_FIXED,
			      vnpu_pages_to_bytes(cell->fixed),
			      VNPU_A_MAP_CELL_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MAP_CELL_DIRTY,
			      vnpu_pages_to_bytes(cell->dirty),
			      VNPU_A_MAP_CELL_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_map(struct sk_buff *skb, void *arg)
{
	const struct vnpu_map_answer *map = arg;
	u32 i;

	if (nla_put_u32(skb, VNPU_A_MAP_DEV_ID, map->device) ||
	    nla_put_u32(skb, VNPU_A_MAP_CELLS, map->nr))
		return -EMSGSIZE;
	for (i = 0; i < map->nr; i++)
		if (vnpu_fill_cell(skb, &map->cells[i]))
			return -EMSGSIZE;
	return 0;
}

int vnpu_nl_map_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *cells = info->attrs[VNPU_A_MAP_CELLS];
	struct vnpu_map_answer *map;
	struct vnpu_device *dev;
	int ret;

	dev = vnpu_nl_device_get(info);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	map = kmalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map) {
		ret = -ENOMEM;
		goto out;
	}
	map->device = dev->index;
	map->nr = cells ? nla_get_u32(cells) : VNPU_MAP_CELLS_DEFAULT;
	ret = vnpu_map_read(dev, map->cells, map->nr);
	if (!ret)
		ret = vnpu_nl_reply(info, map->nr * VNPU_MAP_CELL_SIZE + 64,
				    vnpu_fill_map, map);
	kfree(map);
out:
	vnpu_device_put(dev);
	return ret;
}

struct vnpu_fit_answer {
	u32 device;
	u64 cost;
	struct vnpu_fit fit;
};

static int vnpu_fill_fit(struct sk_buff *skb, void *arg)
{
	const struct vnpu_fit_answer *answer = arg;
	const struct vnpu_fit *fit = &answer->fit;

	if (nla_put_u32(skb, VNPU_A_FIT_DEV_ID, answer->device) ||
	    nla_put_u64_64bit(skb, VNPU_A_FIT_COST, answer->cost,
			      VNPU_A_FIT_PAD) ||
	    nla_put_u32(skb, VNPU_A_FIT_FITS, fit->fits) ||
	    nla_put_u32(skb, VNPU_A_FIT_FITS_COMPACTED, fit->fits_compacted) ||
	    nla_put_u64_64bit(skb, VNPU_A_FIT_LARGEST,
			      vnpu_pages_to_bytes(fit->largest),
			      VNPU_A_FIT_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_FIT_LARGEST_COMPACTED,
			      vnpu_pages_to_bytes(fit->largest_compacted),
			      VNPU_A_FIT_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_FIT_MOVED,
			      vnpu_pages_to_bytes(fit->moved), VNPU_A_FIT_PAD))
		return -EMSGSIZE;
	return 0;
}

/* Return the requested page shift, or 0 if the page size is not supported. */
static u32 vnpu_fit_page_shift(const struct nlattr *attr)
{
	u64 page_size = attr ? nla_get_u64(attr) : VNPU_PAGE_SIZE;

	switch (page_size) {
	case BIT_ULL(VNPU_PAGE_SHIFT_4K):
		return VNPU_PAGE_SHIFT_4K;
	case BIT_ULL(VNPU_PAGE_SHIFT_2M):
		return VNPU_PAGE_SHIFT_2M;
	case BIT_ULL(VNPU_PAGE_SHIFT_1G):
		return VNPU_PAGE_SHIFT_1G;
	default:
		return 0;
	}
}

static int vnpu_fit_query(struct genl_info *info, struct vnpu_device *dev,
			  struct vnpu_fit_answer *answer)
{
	u64 length = nla_get_u64(info->attrs[VNPU_A_FIT_LENGTH]);
	u32 shift = vnpu_fit_page_shift(info->attrs[VNPU_A_FIT_PAGE_SIZE]);
	struct vnpu_pages_req req = {
		.contiguous = nla_get_flag(info->attrs[VNPU_A_FIT_CONTIGUOUS]),
	};
	int ret;

	if (!shift) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[VNPU_A_FIT_PAGE_SIZE],
				    "invalid page size: must be 4 KiB, 2 MiB or 1 GiB");
		return -EINVAL;
	}
	if (!length || length > S64_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[VNPU_A_FIT_LENGTH],
				    "invalid length: must be 1 to 2^63 - 1 bytes");
		return -EINVAL;
	}
	answer->cost = round_up(length, BIT_ULL(shift));
	req.order = shift - VNPU_PAGE_SHIFT;
		/*
		 * No arena holds 2^32 pages, so a larger count changes nothing.
		 */
	req.count = min_t(u64, answer->cost >> VNPU_PAGE_SHIFT,
			  round_down(U32_MAX, BIT(req.order)));
	if (mutex_lock_killable(&dev->look_lock))
		return -EINTR;
	ret = vnpu_fit_check(dev, &req, true, &answer->fit);
	mutex_unlock(&dev->look_lock);
	return ret;
}

int vnpu_nl_fit_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_fit_answer answer;
	struct vnpu_device *dev;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, VNPU_A_FIT_LENGTH))
		return -EINVAL;
	dev = vnpu_nl_device_get(info);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	answer.device = dev->index;
	ret = vnpu_fit_query(info, dev, &answer);
	if (!ret)
		ret = vnpu_nl_reply(info, GENLMSG_DEFAULT_SIZE, vnpu_fill_fit,
				    &answer);
	vnpu_device_put(dev);
	return ret;
}
