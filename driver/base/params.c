// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of the module. An invalid value fails the load, with a message
 * that contains the value and the values that are allowed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "core/allocator.h"
#include "params.h"
#include "soc.h"

#define VNPU_SOC_DEFAULT	"Ascend910B1"

static unsigned int ndevs = 1;
module_param(ndevs, uint, 0444);
MODULE_PARM_DESC(ndevs, "Number of devices, 1 to 64 (default: 1)");

static char *arena;
module_param(arena, charp, 0444);
MODULE_PARM_DESC(arena, "Memory of each device, a multiple of 2M, for example 512M or 2G (default: an equal share of region, or 256M)");

static char *region;
module_param(region, charp, 0444);
MODULE_PARM_DESC(region, "Physical memory that the boot parameter memmap=SIZE$ADDR reserves, in the same form SIZE$ADDR (default: memory of the page allocator)");

static char *soc = VNPU_SOC_DEFAULT;
module_param(soc, charp, 0444);
MODULE_PARM_DESC(soc, "Chip that each device emulates: " VNPU_SOC_NAMES
		 ", or its long name (default: " VNPU_SOC_DEFAULT ")");

#define VNPU_ARENA_DEFAULT	SZ_256M
#define VNPU_ARENA_UNIT		((u64)VNPU_ALLOCATOR_SEG_PAGES << VNPU_PAGE_SHIFT)
#define VNPU_ARENA_MAX		((u64)VNPU_ALLOCATOR_MAX_PAGES << VNPU_PAGE_SHIFT)

static bool vnpu_param_given(const char *param)
{
	return param && *param;
}

/*
 * Parse a size as memparse() does, but fail on overflow. memparse() keeps the
 * low bits, and so would read 16 EiB and 2 MiB as 2 MiB.
 */
static int vnpu_parse_size(const char *s, const char **rest, u64 *size)
{
	static const char units[] = "kmgtpe";
	const char *digits = strncasecmp(s, "0x", 2) ?
			     "0123456789" : "0123456789abcdefABCDEFxX";
	size_t length = strspn(s, digits);
	char number[24];
	const char *unit;

	if (!length || length >= sizeof(number))
		return -EINVAL;
	strscpy(number, s, length + 1);
	if (kstrtou64(number, 0, size))
		return -EINVAL;
	s += length;
	unit = *s ? strchr(units, tolower(*s)) : NULL;
	if (unit) {
		if (check_shl_overflow(*size, 10 * (unit - units + 1), size))
			return -EINVAL;
		s++;
	}
	*rest = s;
	return 0;
}

static int vnpu_parse_region(struct vnpu_config *cfg)
{
	const char *rest;
	u64 end;

	if (vnpu_parse_size(region, &rest, &cfg->region_size) ||
	    *rest++ != '$' ||
	    vnpu_parse_size(rest, &rest, &cfg->region_base) || *rest) {
		pr_err("region=%s: must have the form SIZE$ADDR, for example 1G$0x100000000\n",
		       region);
		return -EINVAL;
	}
	if (!cfg->region_size ||
	    !IS_ALIGNED(cfg->region_base | cfg->region_size, VNPU_ARENA_UNIT) ||
	    check_add_overflow(cfg->region_base, cfg->region_size - 1, &end)) {
		pr_err("region=%s: size and address must be multiples of 2M, size must not be 0, and the end must not exceed 2^64\n",
		       region);
		return -EINVAL;
	}
	return 0;
}

static int vnpu_parse_arena(struct vnpu_config *cfg)
{
	const char *rest;

	if (vnpu_parse_size(arena, &rest, &cfg->arena_size) || *rest) {
		pr_err("arena=%s: must be a size, for example 512M or 2G\n", arena);
		return -EINVAL;
	}
	return 0;
}

static int vnpu_parse_soc(struct vnpu_config *cfg)
{
	cfg->soc = vnpu_soc_find(soc);
	if (cfg->soc)
		return 0;
	pr_err("soc=%s: must be " VNPU_SOC_NAMES ", or a long name such as "
	       VNPU_SOC_DEFAULT "\n", soc);
	return -EINVAL;
}

/**
 * vnpu_params_arena_is_valid() - check whether a device can have a memory size
 * @size: the size in bytes
 *
 * Return: true if the size is valid.
 */
bool vnpu_params_arena_is_valid(u64 size)
{
	return size && IS_ALIGNED(size, VNPU_ARENA_UNIT) &&
	       size <= VNPU_ARENA_MAX;
}

/**
 * vnpu_params_arena() - parse the size of a device's memory
 * @s: the text
 * @size: set to the size in bytes
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_params_arena(const char *s, u64 *size)
{
	const char *rest;

	if (vnpu_parse_size(s, &rest, size) || *rest ||
	    !vnpu_params_arena_is_valid(*size))
		return -EINVAL;
	return 0;
}

/**
 * vnpu_params_parse() - parse and validate the parameters of the module
 * @cfg: filled with the configuration
 *
 * Return: 0, or -EINVAL after a message in the log.
 */
int vnpu_params_parse(struct vnpu_config *cfg)
{
	u64 total;
	int ret;

	*cfg = (struct vnpu_config){ .ndevs = ndevs };

	if (!ndevs || ndevs > VNPU_MAX_DEVICES) {
		pr_err("ndevs=%u: must be 1 to %u\n", ndevs, VNPU_MAX_DEVICES);
		return -EINVAL;
	}
	ret = vnpu_parse_soc(cfg);
	if (ret)
		return ret;
	if (vnpu_param_given(region)) {
		ret = vnpu_parse_region(cfg);
		if (ret)
			return ret;
		cfg->arena_size = ALIGN_DOWN(div_u64(cfg->region_size, ndevs),
					     VNPU_ARENA_UNIT);
	} else {
		cfg->arena_size = VNPU_ARENA_DEFAULT;
	}
	if (vnpu_param_given(arena)) {
		ret = vnpu_parse_arena(cfg);
		if (ret)
			return ret;
	}
	if (!vnpu_params_arena_is_valid(cfg->arena_size)) {
		pr_err("arena: %llu bytes: must be a multiple of 2M, from 2M to 512G\n",
		       cfg->arena_size);
		return -EINVAL;
	}
	total = cfg->arena_size * cfg->ndevs;
	if (cfg->region_size && total > cfg->region_size) {
		pr_err("region=%s: too small: %u devices of %llu bytes need %llu bytes\n",
		       region, ndevs, cfg->arena_size, total);
		return -EINVAL;
	}
	return 0;
}
