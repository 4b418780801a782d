/* SPDX-License-Identifier: MIT */
/* Headers that a program brings along, for its compilation at run time. */
#ifndef VNPU_LIB_LAUNCH_RTC_HEADER_H
#define VNPU_LIB_LAUNCH_RTC_HEADER_H

/* The longest name of a header, in characters. */
#define VNPU_RTC_HEADER_NAME	255

struct vnpu_rtc_header;

/*
 * Add a copy of a header to a list.  Return 0; -EINVAL if the name is absolute, too
 * long, or has a component that is empty, "." or ".."; -EEXIST if the list has the name;
 * or -ENOMEM.
 */
int vnpu_rtc_header_add(struct vnpu_rtc_header **list, const char *name,
			const char *text);

void vnpu_rtc_headers_free(struct vnpu_rtc_header *list);

/*
 * Create a directory with the headers of a list, unless that is empty; return 0 or
 * -errno.  vnpu_rtc_headers_remove() removes what exists of it.
 */
int vnpu_rtc_headers_write(const struct vnpu_rtc_header *list,
			   const char *directory);
void vnpu_rtc_headers_remove(const char *directory);

#endif /* VNPU_LIB_LAUNCH_RTC_HEADER_H */
