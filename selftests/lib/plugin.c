// SPDX-License-Identifier: GPL-2.0-only
/* What is loaded for a while, by profile_book.c. */

int plugin_function(int value);

int plugin_function(int value)
{
	return value + 1;
}
