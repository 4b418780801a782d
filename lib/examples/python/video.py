#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Frames of a video through three models, with copies beside the computation.

usage: video.py DIRECTORY

The directory is that of models.py. A frame is copied on one stream, and three models
run on another, which waits for an event. Two buffers alternate, so the copy of a frame
does not wait for the models of the one before. No frame takes memory from the device
for its buffers: they come from a pool, at the start.
"""

import sys

import acl
import aclnn
import numpy

HEIGHT, WIDTH, FRAMES = 16, 24, 6


class VideoEnhancementPipeline:
    def __init__(self, model_paths):
        self.memory_pool = acl.rt.MemoryPool(
            size=64 * 1024 * 1024, pool_type=acl.rt.MemoryPoolType.HOST_DEVICE)
        self.sr_model = aclnn.load_model(model_paths["super_resolution"], precision="fp16")
        self.denoise_model = aclnn.load_model(model_paths["denoise"], precision="int8")
        self.color_model = aclnn.load_model(model_paths["color_enhance"], precision="fp16")
        self.compute_stream, _ = acl.rt.create_stream()
        self.transfer_stream, _ = acl.rt.create_stream()
        self.transfer_event, _ = acl.rt.create_event()
        self.input_buffers = [self.memory_pool.alloc(HEIGHT * WIDTH * 3) for _ in range(2)]
        self.output_buffers = [self.memory_pool.alloc(2 * HEIGHT * 2 * WIDTH * 3)
                               for _ in range(2)]
        self.current_buffer = 0

    def process_frame(self, frame_data):
        """Submit the work for a frame, and return the buffer that will have the result."""
        input_buf = self.input_buffers[self.current_buffer]
        output_buf = self.output_buffers[self.current_buffer]
        acl.rt.memcpy_async(input_buf, frame_data.nbytes, acl.util.numpy_to_ptr(frame_data),
                            frame_data.nbytes, acl.rt.MemcpyKind.HOST_TO_DEVICE,
                            self.transfer_stream)
        acl.rt.record_event(self.transfer_event, self.transfer_stream)
        acl.rt.stream_wait_event(self.compute_stream, self.transfer_event)
        sr_output = aclnn.execute(self.sr_model, inputs={"input": input_buf},
                                  stream=self.compute_stream)
        denoise_output = aclnn.execute(self.denoise_model, inputs={"input": sr_output},
                                       stream=self.compute_stream)
        final_output = aclnn.execute(self.color_model, inputs={"input": denoise_output},
                                     stream=self.compute_stream)
        # The result is copied on the stream that computes it: it is there then.
        acl.rt.memcpy_async(output_buf, final_output.nbytes, final_output,
                            final_output.nbytes, acl.rt.MemcpyKind.DEVICE_TO_HOST,
                            self.compute_stream)
        self.current_buffer = 1 - self.current_buffer
        return output_buf

    def wait(self):
        acl.rt.synchronize_stream(self.compute_stream)


def expected(frame):
    """Compute the same by numpy."""
    large = frame.astype("float32").repeat(2, 0).repeat(2, 1)
    padded = numpy.pad(large, ((1, 1), (1, 1), (0, 0)))
    smooth = sum(padded[i:i + large.shape[0], k:k + large.shape[1]]
                 for i in range(3) for k in range(3)) / 9
    return numpy.clip(smooth * 1.2 - 25.6, 0, 255)


def main():
    folder = sys.argv[1]
    acl.rt.set_device(0)
    pipeline = VideoEnhancementPipeline(
        {name: f"{folder}/{name}.om"
         for name in ("super_resolution", "denoise", "color_enhance")})
    random = numpy.random.default_rng(0)
    worst = 0
    for _ in range(FRAMES):
        frame = random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype="uint8")
        output = pipeline.process_frame(frame)
        pipeline.wait()
        shown = numpy.frombuffer(
            acl.util.ptr_to_bytes(output, output.size), "uint8").reshape(
                2 * HEIGHT, 2 * WIDTH, 3)
        worst = max(worst, float(numpy.abs(shown - expected(frame)).max()))
    print(f"{FRAMES} frames of {WIDTH} x {HEIGHT} became {2 * WIDTH} x {2 * HEIGHT}; "
          f"largest difference from numpy {worst:.2f}")
    if worst > 1.01:
        sys.exit("the frames are wrong")


main()
