// SPDX-License-Identifier: GPL-2.0-only
/* An object that tests load for a while; they include plugin.h. */

int plugin_function(int value);

/* A function of the program, called while the loader has its lock. */
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
