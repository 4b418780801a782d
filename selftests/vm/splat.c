// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that goes wrong in the way it is told to, so that vnpu-vm can be
 * seen to notice. It passes for vnpu.ko: it has that name and its parameters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0444);

static int ndevs;
module_param(ndevs, int, 0444);

static char *arena;
module_param(arena, charp, 0444);

static char *region;
module_param(region, charp, 0444);

static DEFINE_SPINLOCK(lock);

static void overflow(void)
{
	char *p = kmalloc(32, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	p[32] = 1;
	kfree(p);
}

static void leak(void)
{
	char *p = kmalloc(320, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
}

static void recurse(void)
{
	spin_lock(&lock);
	spin_lock(&lock);
	spin_unlock(&lock);
	spin_unlock(&lock);
}

static int __init splat_init(void)
{
	if (!strcmp(what, "refuse")) {
		pr_err("told to refuse\n");
		return -EDOM;
	}
	if (!strcmp(what, "warn"))
		WARN(1, "told to warn\n");
	if (!strcmp(what, "oops"))
		*(volatile int *)16 = 0;
	if (!strcmp(what, "hold"))
		__module_get(THIS_MODULE);
	if (!strcmp(what, "overflow"))
		overflow();
	if (!strcmp(what, "leak"))
		leak();
	if (!strcmp(what, "deadlock"))
		recurse();
	return 0;
}
module_init(splat_init);

static void __exit splat_exit(void)
{
}
module_exit(splat_exit);

MODULE_DESCRIPTION("Goes wrong as told, for the tests of vnpu-vm");
MODULE_LICENSE("GPL");
