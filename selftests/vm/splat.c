// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that makes the errors that its parameter lists, separated by commas,
 * to test that vnpu-vm detects them. It takes the place of vnpu.ko: it has its name and its
 * parameters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *what = "";
module_param(what, charp, 0444);

static int ndevs;
module_param(ndevs, int, 0444);

static char *arena;
module_param(arena, charp, 0444);

static char *region;
module_param(region, charp, 0444);

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(outer);
static DEFINE_MUTEX(inner);
static int __rcu *shared;
static int width = 32;

struct timed {
	struct timer_list timer;
};

static void warn(void)
{
	WARN(1, "told to warn\n");
}

static void oops(void)
{
	*(volatile int *)16 = 0;
}

static void hold(void)
{
	__module_get(THIS_MODULE);
}

static void overflow(void)
{
	char *p = kmalloc(32, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	p[32] = 1;
	kfree(p);
}

static void stale(void)
{
	char *p = kmalloc(32, GFP_KERNEL);

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	p[0] = 1;
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

static void invert(void)
{
	mutex_lock(&outer);
	mutex_lock(&inner);
	mutex_unlock(&inner);
	mutex_unlock(&outer);

	mutex_lock(&inner);
	mutex_lock(&outer);
	mutex_unlock(&outer);
	mutex_unlock(&inner);
}

static void unprotected(void)
{
	if (rcu_dereference(shared))
		pr_err("there is something\n");
}

static void atomic_sleep(void)
{
	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void shift(void)
{
	OPTIMIZER_HIDE_VAR(width);
	pr_info("%d\n", 1 << width);
}

static void on_timer(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timed *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	timer_setup(&t->timer, on_timer, 0);
	mod_timer(&t->timer, jiffies + 1000 * HZ);
	kfree(t);
}

static void corrupt_list(void)
{
	struct list_head head, entry;

	INIT_LIST_HEAD(&head);
	list_add(&entry, &head);
	list_add(&entry, &head);
}

/* As a device or the owner of the arena would write: KASAN does not see it. */
static void __no_sanitize_address write_free_page(void)
{
	struct page *page = alloc_page(GFP_KERNEL), *next;
	LIST_HEAD(taken);
	volatile char *p;
	int i;

	if (!page)
		return;
	p = page_address(page);
	__free_page(page);
	p[100] = 1;
	for (i = 0; i < 512 && (page = alloc_page(GFP_KERNEL)); i++)
		list_add(&page->lru, &taken);
	list_for_each_entry_safe(page, next, &taken, lru)
		__free_page(page);
}

static void spin(void)
{
	preempt_disable();
	for (;;)
		cpu_relax();
}

static void block(void)
{
	for (;;)
		schedule_timeout_uninterruptible(1000 * HZ);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "warn", warn },
	{ "oops", oops },
	{ "hold", hold },
	{ "overflow", overflow },
	{ "stale", stale },
	{ "leak", leak },
	{ "recurse", recurse },
	{ "invert", invert },
	{ "unprotected", unprotected },
	{ "atomic-sleep", atomic_sleep },
	{ "shift", shift },
	{ "free-active", free_active },
	{ "corrupt-list", corrupt_list },
	{ "write-free-page", write_free_page },
	{ "spin", spin },
	{ "block", block },
};

static int make_error(const char *name)
{
	int i;

	if (!strcmp(name, "none"))
		return 0;
	if (!strcmp(name, "refuse")) {
		pr_err("told to refuse\n");
		return -EDOM;
	}
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!strcmp(name, ways[i].name)) {
			ways[i].run();
			return 0;
		}
	}
	return -EINVAL;
}

static int __init splat_init(void)
{
	char *names = kstrdup(what, GFP_KERNEL), *rest = names, *name;
	int err = 0;

	if (!names)
		return -ENOMEM;
	while (!err && (name = strsep(&rest, ",")))
		err = make_error(name);
	kfree(names);
	return err;
}
module_init(splat_init);

static void __exit splat_exit(void)
{
}
module_exit(splat_exit);

MODULE_DESCRIPTION("Goes wrong as told, for the tests of vnpu-vm");
MODULE_LICENSE("GPL");
