/* SPDX-License-Identifier: MIT */
/*
 * Owners of a core's memory: queues between pipes, and scratch buffers.
 */
#ifndef ASCENDC_VNPU_QUEUE_H
#define ASCENDC_VNPU_QUEUE_H

#include "events.h"

namespace vnpu {

/* A buffer of a queue. */
struct buffer {
	uint8_t *at;
	uint32_t bytes;
	enum : uint8_t { FREE, TAKEN, QUEUED } state;
#if VNPU_CHECK
	struct clock filled;	/* of the pipe that filled it, at EnQue() */
	struct clock emptied;	/* of the pipe that used it, at FreeTensor() */
#endif
};

/* Buffers of all queues of a TPipe together. */
constexpr uint32_t BUFFERS = 64;

/* The part of a queue that is independent of types. */
struct queue {
	struct buffer *buffers = nullptr;
	uint16_t count = 0;
	uint16_t next = 0;	/* the buffer to look at first */
	uint16_t queued = 0;
	uint16_t head = 0;
	struct buffer *fifo[BUFFERS];
};

[[noreturn]] VNPU_COLD inline void fault_queue(const char *what,
					       const struct queue &q)
{
	uint32_t taken = 0, queued = 0;

	for (uint32_t i = 0; i < q.count; i++) {
		taken += q.buffers[i].state == buffer::TAKEN;
		queued += q.buffers[i].state == buffer::QUEUED;
	}
	if (!q.count)
		fault(VNPU_FAULT_QUEUE,
		      "%s: the queue has no buffers; InitBuffer() was not called",
		      what);
	fault(VNPU_FAULT_QUEUE,
	      "%s: of %u buffers %u are taken and %u are queued", what,
	      q.count, taken, queued);
}

inline struct buffer *queue_alloc(struct queue &q)
{
	for (uint32_t n = 0; n < q.count; n++) {
		struct buffer *b = &q.buffers[q.next];

		q.next = q.next + 1 == q.count ? 0 : q.next + 1;
		if (b->state == buffer::FREE) {
			b->state = buffer::TAKEN;
			return b;
		}
	}
	fault_queue("AllocTensor", q);
}

inline bool queue_owns(const struct queue &q, const void *b)
{
	return b >= q.buffers && b < q.buffers + q.count;
}

inline bool queue_push(struct queue &q, void *at)
{
	struct buffer *b = static_cast<struct buffer *>(at);

	if (!queue_owns(q, b))
		fault(VNPU_FAULT_QUEUE,
		      "EnQue: the tensor was not allocated from this queue");
	if (b->state != buffer::TAKEN)
		fault(VNPU_FAULT_QUEUE, "EnQue: the tensor %s",
		      b->state == buffer::FREE ? "was freed" :
		      "is in the queue");
	b->state = buffer::QUEUED;
	q.fifo[(q.head + q.queued++) % BUFFERS] = b;
	return true;
}

inline struct buffer *queue_pop(struct queue &q)
{
	struct buffer *b;

	if (!q.queued)
		fault_queue("DeQue", q);
	b = q.fifo[q.head];
	q.head = (q.head + 1) % BUFFERS;
	q.queued--;
	b->state = buffer::TAKEN;
	return b;
}

inline void queue_free(struct queue &q, void *at)
{
	struct buffer *b = static_cast<struct buffer *>(at);

	if (!queue_owns(q, b))
		fault(VNPU_FAULT_QUEUE,
		      "FreeTensor: the tensor was not allocated from this queue");
	if (b->state != buffer::TAKEN)
		fault(VNPU_FAULT_QUEUE, "FreeTensor: the tensor %s",
		      b->state == buffer::FREE ? "is free" :
		      "is still in the queue");
	b->state = buffer::FREE;
}

/* The pipe that fills a buffer, and the one that uses it. */
constexpr uint32_t filling_pipe(AscendC::TPosition src)
{
	using P = AscendC::TPosition;

	return src == P::GM || src == P::VECIN ? PIPE_MTE2 :
		src == P::A1 || src == P::B1 || src == P::C1 ||
		src == P::TSCM ? PIPE_MTE2 :
		src == P::A2 || src == P::B2 || src == P::C2 ? PIPE_MTE1 :
		src == P::CO1 ? PIPE_M :
		src == P::CO2 || src == P::C2PIPE2GM ? PIPE_FIX : PIPE_V;
}

constexpr uint32_t using_pipe(AscendC::TPosition dst)
{
	using P = AscendC::TPosition;

	return dst == P::GM || dst == P::VECOUT ? PIPE_MTE3 :
		dst == P::A1 || dst == P::B1 || dst == P::C1 ||
		dst == P::TSCM ? PIPE_MTE1 :
		dst == P::A2 || dst == P::B2 || dst == P::C2 ? PIPE_M :
		dst == P::CO1 || dst == P::CO2 || dst == P::C2PIPE2GM ?
		PIPE_FIX : PIPE_V;
}

#if VNPU_CHECK

inline void check_taken(struct buffer *b, uint32_t pipe)
{
	check_arrive(b->emptied, pipe);
}

inline void check_filled(struct buffer *b, uint32_t pipe)
{
	check_carry(&b->filled, pipe);
}

inline void check_fetched(struct buffer *b, uint32_t pipe)
{
	check_arrive(b->filled, pipe);
}

inline void check_emptied(void *b, uint32_t pipe)
{
	check_carry(&static_cast<struct buffer *>(b)->emptied, pipe);
}

inline void check_holder(const char *what, const char *operand,
			 const struct buffer *b)
{
	if (b && b->state != buffer::TAKEN && check_may_report())
		finding(VNPU_FAULT_QUEUE, b->state == buffer::FREE ?
			"%s uses a tensor behind its FreeTensor() or before AllocTensor(), as %s" :
			"%s uses a tensor between its EnQue() and DeQue(), as %s",
			what, operand);
}

inline void check_depth(const struct queue &q, int32_t depth)
{
	if (is_checked(VNPU_CHECK_QUEUE) && depth > 0 && q.queued > depth &&
	    check_may_report())
		finding(VNPU_FAULT_QUEUE,
			"EnQue: %u tensors in a queue of depth %d", q.queued,
			depth);
}

#else

VNPU_ALWAYS_INLINE void check_taken(struct buffer *, uint32_t) {}
VNPU_ALWAYS_INLINE void check_filled(struct buffer *, uint32_t) {}
VNPU_ALWAYS_INLINE void check_fetched(struct buffer *, uint32_t) {}
VNPU_ALWAYS_INLINE void check_emptied(void *, uint32_t) {}
VNPU_ALWAYS_INLINE void check_depth(const struct queue &, int32_t) {}

#endif /* VNPU_CHECK */

} /* namespace vnpu */

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
	template <typename T>
	LocalTensor<T> AllocTensor()
	{
		struct vnpu::buffer *b = vnpu::queue_alloc(queue_);

		vnpu::check_taken(b, vnpu::filling_pipe(src));
		return tensor<T>(b);
	}

	template <typename T>
	void AllocTensor(LocalTensor<T> &out)
	{
		out = AllocTensor<T>();
	}

	template <typename T>
	void FreeTensor(LocalTensor<T> &which)
	{
		vnpu::queue_free(queue_, which.buffer_);
		vnpu::check_emptied(which.buffer_, vnpu::using_pipe(dst));
	}

	template <typename T>
	void FreeTensor(const LocalTensor<T> &which)
	{
		vnpu::queue_free(queue_, which.buffer_);
		vnpu::check_emptied(which.buffer_, vnpu::using_pipe(dst));
	}

	template <typename T>
	bool EnQue(const LocalTensor<T> &which)
	{
		return EnQue<src, dst>(which);
	}

	template <TPosition from, TPosition to, typename T>
	bool EnQue(const LocalTensor<T> &which)
	{
		vnpu::queue_push(queue_, which.buffer_);
		vnpu::check_filled(static_cast<struct vnpu::buffer *>(
			which.buffer_), vnpu::filling_pipe(from));
		vnpu::check_depth(queue_, depth);
		return true;
	}

	template <typename T>
	LocalTensor<T> DeQue()
	{
		return DeQue<src, dst, T>();
	}

	template <typename T>
	void DeQue(LocalTensor<T> &out)
	{
		out = DeQue<T>();
	}

	template <TPosition from, TPosition to, typename T>
	LocalTensor<T> DeQue()
	{
		struct vnpu::buffer *b = vnpu::queue_pop(queue_);

		vnpu::check_fetched(b, vnpu::using_pipe(to));
		return tensor<T>(b);
	}

	bool VacantInQue() const
	{
		return queue_.queued < (depth > 0 ? depth : 1);
	}

	bool HasTensorInQue() const
	{
		return queue_.queued;
	}

	int32_t GetTensorCountInQue() const
	{
		return queue_.queued;
	}

	bool HasIdleBuffer() const
	{
		for (uint32_t i = 0; i < queue_.count; i++)
			if (queue_.buffers[i].state == vnpu::buffer::FREE)
				return true;
		return false;
	}

	void FreeAllEvent()
	{
	}

	TBufHandle AllocBuffer()
	{
		return vnpu::queue_alloc(queue_)->at;
	}

	struct vnpu::queue queue_;

	/* Where its buffers are. */
	static constexpr TPosition position =
		dst == TPosition::GM || src == TPosition::VECIN ? src :
		src == TPosition::GM ? dst : src;

private:
	template <typename T>
	LocalTensor<T> tensor(struct vnpu::buffer *from)
	{
		LocalTensor<T> out;

		out.address_ = from->at;
		out.bytes_ = from->bytes;
		out.position_ = position;
		out.buffer_ = from;
		return out;
	}
};

/* The other end of a queue's way. */
constexpr TPosition QueueSource(TPosition position)
{
	return position == TPosition::VECIN || position == TPosition::A1 ||
		position == TPosition::B1 || position == TPosition::C1 ?
		TPosition::GM : position;
}

constexpr TPosition QueueDestination(TPosition position)
{
	return position == TPosition::VECOUT ? TPosition::GM : position;
}

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<QueueSource(pos), QueueDestination(pos), depth,
			     mask> {
public:
	static constexpr TPosition position = pos;
};

template <TPosition pos = TPosition::LCM>
class TBuf {
public:
	template <typename T>
	LocalTensor<T> Get() const
	{
		return GetWithOffset<T>(bytes_ / sizeof(T), 0);
	}

	template <typename T>
	LocalTensor<T> Get(uint32_t count) const
	{
		return GetWithOffset<T>(count, 0);
	}

	template <typename T>
	LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset) const
	{
		LocalTensor<T> out;

		if (!address_)
			vnpu::fault(VNPU_FAULT_QUEUE,
				    "TBuf: the buffer has no memory; InitBuffer() was not called");
		if (offset + uint64_t(count) * sizeof(T) > bytes_)
			vnpu::finding(VNPU_FAULT_BOUNDS,
				      "TBuf: %u elements of %u bytes at %u, of a buffer of %u bytes",
				      count, uint32_t(sizeof(T)), offset,
				      bytes_);
		out.address_ = address_ + offset;
		out.bytes_ = count * sizeof(T);
		out.position_ = pos;
		return out;
	}

	uint8_t *address_ = nullptr;
	uint32_t bytes_ = 0;

	static constexpr TPosition position = pos;
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_QUEUE_H */
