// SPDX-License-Identifier: GPL-2.0-only
/* What is loaded for a while, by those that have plugin.h. */

int plugin_function(int value);

/* Of the program, called while the loader has its lock. */
void plugin_loads(void);

int plugin_function(int value)
{
	return value + 1;
}

__attribute__((constructor))
static void begin(void)
{
	plugin_loads();
}
