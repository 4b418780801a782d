// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synchronous copies and fills of device memory, in the caller's context.
 *
 * First check that the whole of each device range is bound, so that a call with
 * a bad address changes nothing. Then work in chunks. A chunk pins its memory, which
 * therefore does not move, and holds no lock. The bindings may have changed by then,
 * so each chunk checks the access rights again.
 *
 * A fault of host memory may take as long as another process likes, as in a file of
 * FUSE, and may need the lock, as in a mapping of this device. So a chunk takes no
 * fault: where host memory is not present, the copy brings it in without the pin, and
 * begins the rest of the chunk again.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "mem/mem.h"
#include "ras/ecc.h"
#include "bind.h"
#include "copy.h"

/* Number of bytes to process between checks for signals. */
#define VNPU_CHUNK	SZ_256K

static int vnpu_chunk_pause(void)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	return 0;
}

/* Check a range of host addresses that the caller passed. */
static int vnpu_check_host_range(u64 addr, u64 length)
{
	u64 last;

	if (check_add_overflow(addr, length - 1, &last))
		return -EOVERFLOW;
	if (addr != (unsigned long)addr || length != (size_t)length ||
	    !access_ok((void __user *)(unsigned long)addr, length))
		return -EFAULT;
	return 0;
}

/* Resolve an address as vnpu_bind_get_span(), and check it for ECC errors. */
static int vnpu_copy_get_span(struct vnpu_client *client, u64 va, u64 length,
			      u32 device, u32 access, struct vnpu_span *span)
{
	int ret = vnpu_bind_get_span(client, va, length, device, access, span);
	u64 addr;

	if (ret)
		return ret;
	ret = vnpu_ecc_check(client, va, span, &addr);
	if (ret)
		vnpu_span_put(span);
	return ret;
}

/* A copy between the host and a device. */
struct vnpu_host_copy {
	u64 va;
	void __user *host;
	u32 device;
	bool to_host;
};

/*
 * Copy the bytes of a span as far as host memory is present, and return the number
 * of the others. These user copies do not clear the rest of the destination, so every
 * byte that changes is counted as done.
 */
static size_t vnpu_copy_span(const struct vnpu_host_copy *copy, u64 done,
			     const struct vnpu_span *span)
{
	void __user *host = copy->host + done;
	size_t left;

	if (!copy->to_host)
		vnpu_mem_mark_written(span->mem, span->offset, span->length);
	pagefault_disable();
	if (copy->to_host)
		left = __copy_to_user_inatomic(host, span->addr, span->length);
	else
		left = __copy_from_user_inatomic(span->addr, host,
						 span->length);
	pagefault_enable();
	return left;
}

/* Bring in host memory, at least the first page of it. */
static int vnpu_copy_fault_in(const struct vnpu_host_copy *copy, u64 done,
			      size_t length)
{
	void __user *host = copy->host + done;
	size_t left = copy->to_host ? fault_in_safe_writeable(host, length) :
				      fault_in_readable(host, length);

	return left == length ? -EFAULT : 0;
}

/*
 * Check a span for ECC errors, but for the bytes before @checked: a piece is
 * resolved again if host memory was not present, and is used once.
 */
static int vnpu_copy_check_once(struct vnpu_client *client,
				const struct vnpu_host_copy *copy, u64 done,
				const struct vnpu_span *span, u64 *checked)
{
	struct vnpu_span rest = *span;
	u64 skip = *checked - done, addr;

	if (skip >= span->length)
		return 0;
	rest.offset += skip;
	rest.addr += skip;
	rest.length -= skip;
	*checked = done + span->length;
	return vnpu_ecc_check(client, copy->va + done + skip, &rest, &addr);
}

static int vnpu_copy_with_host(struct vnpu_client *client,
			       const struct vnpu_host_copy *copy, u64 length,
			       u64 *done)
{
	u32 access = copy->to_host ? VNPU_ACCESS_READ : VNPU_ACCESS_READ_WRITE;
	u64 checked = *done;

	while (*done < length) {
		struct vnpu_span span;
		size_t left;
		int ret;

		ret = vnpu_bind_get_span(client, copy->va + *done,
					 min_t(u64, length - *done, VNPU_CHUNK),
					 copy->device, access, &span);
		if (ret)
			return ret;
		ret = vnpu_copy_check_once(client, copy, *done, &span,
					   &checked);
		if (ret) {
			vnpu_span_put(&span);
			return ret;
		}
		left = vnpu_copy_span(copy, *done, &span);
		*done += span.length - left;
		vnpu_span_put(&span);
		if (left)
			ret = vnpu_copy_fault_in(copy, *done, left);
		if (!ret)
			ret = vnpu_chunk_pause();
		if (ret)
			return ret;
	}
	return 0;
}

/* Copy one piece between device addresses, and update @length to its size. */
static int vnpu_copy_piece(struct vnpu_client *client, u64 dst, u64 src,
			   u32 device, u64 *length)
{
	struct vnpu_span from, to;
	u64 addr;
	int ret;

	ret = vnpu_bind_get_span(client, src, *length, device, VNPU_ACCESS_READ,
				 &from);
	if (ret)
		return ret;
	ret = vnpu_copy_get_span(client, dst, from.length, device,
				 VNPU_ACCESS_READ_WRITE, &to);
	if (!ret) {
		from.length = to.length;
		ret = vnpu_ecc_check(client, src, &from, &addr);
		if (ret)
			vnpu_span_put(&to);
	}
	if (!ret) {
		vnpu_mem_mark_written(to.mem, to.offset, to.length);
		vnpu_move_bytes(to.addr, from.addr, to.length);
		*length = to.length;
		vnpu_span_put(&to);
	}
	vnpu_span_put(&from);
	return ret;
}

/* Return the number of bytes before @end that are in the last page. */
static u64 vnpu_in_last_page(u64 end)
{
	return ((end - 1) & (VNPU_PAGE_SIZE - 1)) + 1;
}

/**
 * vnpu_copy_next() - choose the next piece of a copy between device addresses
 * @dst: device address to copy to; set to that of the piece
 * @src: device address to copy from; likewise
 * @length: bytes of the whole copy
 * @done: bytes copied so far
 * @most: maximum number of bytes of a piece
 *
 * Ranges that overlap with the destination above the source are copied from the
 * end. Such a piece lies within one page on each side, so it is contiguous and
 * never cut short.
 *
 * Return: the number of bytes of the piece.
 */
u64 vnpu_copy_next(u64 *dst, u64 *src, u64 length, u64 done, u64 most)
{
	bool backward = *dst > *src && *dst - *src < length;
	u64 left = length - done;
	u64 piece, skip = done;

	if (backward) {
		piece = min3(left, vnpu_in_last_page(*dst + left),
			     vnpu_in_last_page(*src + left));
		skip = left - piece;
	} else {
		piece = min(left, most);
	}
	*dst += skip;
	*src += skip;
	return piece;
}

static int vnpu_copy_within(struct vnpu_client *client, u64 dst, u64 src,
			    u64 length, u32 device, u64 *done)
{
	while (*done < length) {
		u64 to = dst, from = src;
		u64 piece = vnpu_copy_next(&to, &from, length, *done,
					   VNPU_CHUNK);
		int ret;

		ret = vnpu_copy_piece(client, to, from, device, &piece);
		if (ret)
			return ret;
		*done += piece;
		ret = vnpu_chunk_pause();
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Choose the device that makes a copy: that of the destination, else that of
 * the source, else the host. An address of 0 is not a device address.
 */
static int vnpu_copy_device(struct vnpu_client *client, u64 dst, u64 src,
			    u32 *device)
{
	int ret = 0;

	*device = VNPU_DEVICE_HOST;
	if (dst)
		ret = vnpu_bind_device(client, dst, device);
	if (!ret && src && *device == VNPU_DEVICE_HOST)
		ret = vnpu_bind_device(client, src, device);
	return ret;
}

/*
 * Check one side of a copy: a range of device addresses or of host addresses.
 */
static int vnpu_check_side(struct vnpu_client *client, u64 addr, u64 length,
			   bool is_device, u32 device, u32 access)
{
	if (is_device)
		return vnpu_bind_check_range(client, addr, length, device,
					     access);
	return vnpu_check_host_range(addr, length);
}

/**
 * vnpu_va_copy() - copy between device addresses, or between device and host
 * @client: the client that has the device addresses
 * @dst: device or host address
 * @src: device or host address
 * @length: bytes
 * @done: filled with the number of bytes copied, also on failure
 *
 * Return: 0, -EINVAL (neither is a device address), -EFAULT, -EACCES,
 * -EOVERFLOW, -EINTR; see struct vnpu_copy.
 */
int vnpu_va_copy(struct vnpu_client *client, u64 dst, u64 src, u64 length,
		 u64 *done)
{
	bool to_device = vnpu_bind_in_window(client, dst);
	bool from_device = vnpu_bind_in_window(client, src);
	u32 device;
	int ret;

	*done = 0;
	if (!length)
		return 0;
	if (!to_device && !from_device)
		return -EINVAL;

	ret = vnpu_copy_device(client, to_device ? dst : 0,
			       from_device ? src : 0, &device);
	if (!ret)
		ret = vnpu_check_side(client, dst, length, to_device, device,
				      VNPU_ACCESS_READ_WRITE);
	if (!ret)
		ret = vnpu_check_side(client, src, length, from_device, device,
				      VNPU_ACCESS_READ);
	if (ret)
		return ret;

	if (!from_device || !to_device)
		return vnpu_copy_with_host(client, &(struct vnpu_host_copy){
			.va = to_device ? dst : src,
			.host = u64_to_user_ptr(to_device ? src : dst),
			.device = device,
			.to_host = !to_device,
		}, length, done);
	return vnpu_copy_within(client, dst, src, length, device, done);
}

/* Fill up to 8 bytes, which need not be fast. */
static void vnpu_fill_bytes(u8 *dst, const u8 pattern[8], unsigned int phase,
			    size_t length)
{
	while (length--)
		*dst++ = pattern[phase++ % 8];
}

/**
 * vnpu_fill_span() - fill memory with a pattern
 * @dst: the memory
 * @pattern: the pattern
 * @phase: position in the pattern of the first byte
 * @length: bytes
 */
void vnpu_fill_span(void *dst, const u8 pattern[8], unsigned int phase,
		    size_t length)
{
	size_t head = min_t(size_t, length, -(uintptr_t)dst & 7);
	size_t words = (length - head) / 8;
	u64 word;

	vnpu_fill_bytes(dst, pattern, phase, head);
	phase += head;
	vnpu_fill_bytes((u8 *)&word, pattern, phase, 8);
	memset64(dst + head, word, words);
	vnpu_fill_bytes(dst + head + words * 8, pattern, phase,
			length - head - words * 8);
}

/**
 * vnpu_fill_pattern() - expand a value to a pattern
 * @pattern: filled with the pattern
 * @value: the value
 * @value_size: its size in bytes: 1, 2, 4 or 8
 */
void vnpu_fill_pattern(u8 pattern[8], u64 value, unsigned int value_size)
{
	union {
		u64 u64;
		u32 u32[2];
		u16 u16[4];
		u8 u8[8];
	} word;
	unsigned int i;

	for (i = 0; i < 8 / value_size; i++) {
		switch (value_size) {
		case 1:
			word.u8[i] = value;
			break;
		case 2:
			word.u16[i] = value;
			break;
		case 4:
			word.u32[i] = value;
			break;
		default:
			word.u64 = value;
		}
	}
	memcpy(pattern, word.u8, 8);
}

/**
 * vnpu_va_fill() - fill device memory with a value
 * @client: the client that has the device addresses
 * @dst: device address
 * @length: bytes, a multiple of @value_size
 * @value: the value
 * @value_size: its size in bytes: 1, 2, 4 or 8
 * @done: filled with the number of bytes filled, also on failure
 *
 * Return: 0, -EFAULT, -EACCES, -EOVERFLOW or -EINTR; see struct vnpu_fill.
 */
int vnpu_va_fill(struct vnpu_client *client, u64 dst, u64 length, u64 value,
		 unsigned int value_size, u64 *done)
{
	u8 pattern[8];
	u32 device;
	int ret;

	*done = 0;
	if (!length)
		return 0;
	ret = vnpu_bind_device(client, dst, &device);
	if (!ret)
		ret = vnpu_bind_check_range(client, dst, length, device,
					    VNPU_ACCESS_READ_WRITE);
	if (ret)
		return ret;

	vnpu_fill_pattern(pattern, value, value_size);
	while (*done < length) {
		struct vnpu_span span;

		ret = vnpu_copy_get_span(client, dst + *done,
					 min_t(u64, length - *done, VNPU_CHUNK),
					 device, VNPU_ACCESS_READ_WRITE, &span);
		if (ret)
			return ret;
		vnpu_mem_mark_written(span.mem, span.offset, span.length);
		if (value_size == 1)
			memset(span.addr, value, span.length);
		else
			vnpu_fill_span(span.addr, pattern, *done % 8,
				       span.length);
		*done += span.length;
		vnpu_span_put(&span);
		ret = vnpu_chunk_pause();
		if (ret)
			return ret;
	}
	return 0;
}
