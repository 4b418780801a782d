#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""atc --insert_op_conf: preprocessed images equal those of plain Python, and those that a
run describes (dynamic) equal those that the file describes (static).
"""

import random
import struct

from harness import (FILES, FLOAT16, UINT8, Model, call, compile_model, info, main, npy,
                     outputs_of, refuse_model, run, test)

JPEG = ("csc_switch: true matrix_r0c0: 256 matrix_r0c1: 0 matrix_r0c2: 359 matrix_r1c0: 256 "
        "matrix_r1c1: -88 matrix_r1c2: -183 matrix_r2c0: 256 matrix_r2c1: 454 matrix_r2c2: 0 "
        "input_bias_0: 0 input_bias_1: 128 input_bias_2: 128")
MATRIX = [[256, 0, 359], [256, -88, -183], [256, 454, 0]]


def planes(dims, **kind):
    """A model that returns its image."""
    m = Model()
    m.input("image", dims, **kind)
    m.node("Identity", ["image"], ["y"])
    m.output("y")
    return m


def config(text):
    return "--insert_op_conf=" + FILES.write("aipp.cfg", f"aipp_op {{\n{text}\n}}\n")


def pixels(dims):
    """Random bytes in the order of pixels."""
    count = 1
    for d in dims:
        count *= d
    values = random.Random(5).choices(range(256), k=count)
    return values, FILES.write("image.npy", npy(dims, values, kind=UINT8))


def turned(values, height, width, channels, change=lambda c, v: v):
    """Planes of an image."""
    return [change(c, values[i * channels + c]) for c in range(channels)
            for i in range(height * width)]


def close(given, expected):
    assert len(given) == len(expected), (len(given), len(expected))
    assert all(abs(a - b) < 1e-4 for a, b in zip(given, expected)), (given, expected)


@test
def bytes_become_planes():
    path, _ = compile_model(planes([1, 3, 2, 4]),
                            config("aipp_mode: static\ninput_format: RGB888_U8"))
    m = info(path)["inputs"][0]
    assert (m["name"], m["type"], m["shape"]) == ("image", "u8", [1, 2, 4, 3])
    assert m["format"] == "NHWC"
    values, image = pixels([1, 2, 4, 3])
    close(outputs_of(path, image), turned(values, 2, 4, 3))


@test
def means_and_factors():
    path, _ = compile_model(planes([1, 3, 2, 2]), config("""
        aipp_mode: static  # a comment
        input_format: "RGB888_U8", rbuv_swap_switch: true;
        mean_chn_0: 104 mean_chn_1: 117 mean_chn_2: 123 min_chn_0: 1.5
        var_reci_chn_0: 0.5 var_reci_chn_1: 0.25 var_reci_chn_2: 2"""))
    values, image = pixels([1, 2, 2, 3])
    mean, factor = [105.5, 117, 123], [0.5, 0.25, 2]
    swapped = [values[i // 3 * 3 + 2 - i % 3] for i in range(12)]
    close(outputs_of(path, image),
          turned(swapped, 2, 2, 3, lambda c, v: (v - mean[c]) * factor[c]))


@test
def a_part_with_borders():
    path, _ = compile_model(planes([1, 1, 4, 5]), config("""
        aipp_mode: static input_format: YUV400_U8 src_image_size_w: 6 src_image_size_h: 5
        crop: true load_start_pos_w: 2 load_start_pos_h: 1 crop_size_w: 3 crop_size_h: 2
        padding: true left_padding_size: 1 right_padding_size: 1 top_padding_size: 2
        padding_value: -7"""))
    values, image = pixels([1, 5, 6, 1])
    expected = [-7] * 20
    for row in range(2):
        for column in range(3):
            expected[(row + 2) * 5 + column + 1] = values[(row + 1) * 6 + column + 2]
    close(outputs_of(path, image), expected)


@test
def colours_of_video():
    path, _ = compile_model(planes([1, 3, 4, 6]),
                            config("aipp_mode: static input_format: YUV420SP_U8 " + JPEG))
    assert info(path)["inputs"][0]["shape"] == [1, 6, 6, 1]
    values, image = pixels([1, 6, 6, 1])
    expected = []
    for c in range(3):
        for row in range(4):
            for column in range(6):
                pair = 24 + row // 2 * 6 + column // 2 * 2
                yuv = [values[row * 6 + column], values[pair] - 128, values[pair + 1] - 128]
                total = sum(a * b for a, b in zip(MATRIX[c], yuv)) // 256
                expected.append(min(255, max(0, total)))
    close(outputs_of(path, image), expected)


@test
def fewer_channels_and_other_inputs():
    path, _ = compile_model(planes([1, 2, 2, 3], kind=FLOAT16),
                            config("""aipp_mode: static input_format: XRGB8888_U8
                            ax_swap_switch: true related_input_name: "image" """),
                            "--input_format=NHWC")
    values, image = pixels([1, 2, 2, 4])
    run(path, image, options=("--output=" + FILES.path("o"), "--format=txt"))
    close([float(v) for v in FILES.read("o/output_0.txt").split()],
          [values[i * 4 + 1 + c] for i in range(4) for c in range(3)])


@test
def wrong_files_are_refused():
    static = "aipp_mode: static input_format: RGB888_U8 "
    for words, text in [
            (["needs max_src_image_size"], "aipp_mode: dynamic"),
            (["max_src_image_size is '0'"], "aipp_mode: dynamic max_src_image_size: 0"),
            (["'1.9'", "an integer"], "aipp_mode: dynamic max_src_image_size: 1.9"),
            (["aipp_mode is 'odd'"], "aipp_mode: odd"),
            (["needs aipp_mode"], "input_format: RGB888_U8"),
            (["'RAW10'", "YUV420SP_U8"], "aipp_mode: static input_format: RAW10"),
            (["line 3", "'mean'"], static + "\nmean: 3"),
            (["mean_chn_0 is 'x'"], static + "mean_chn_0: x"),
            (["crop is '2'"], static + "crop: 2"),
            (["resize", "not supported"], static + "resize: true"),
            (["expected FIELD: VALUE"], static + "mean_chn_0 3"),
            (["no input number 3"], static + "related_input_rank: 3"),
            (["no input 'z'"], static + "related_input_name: 'z'".replace("'", '"')),
            (["2 x 2", "6 x 6"], static + "src_image_size_w: 6 src_image_size_h: 6"),
            (["outside"], static + "crop: true load_start_pos_w: 1 "
             "src_image_size_w: 2 src_image_size_h: 2"),
            (["3 channels", "1"], "aipp_mode: static input_format: YUV400_U8"),
            (["csc_switch"], "aipp_mode: static input_format: YUV400_U8 csc_switch: true"),
            (["four channels"], static + "ax_swap_switch: true")]:
        refuse_model(words, planes([1, 3, 2, 2]), config(text))
    refuse_model(["no aipp_op"], planes([1, 3, 2, 2]),
                 "--insert_op_conf=" + FILES.write("aipp.cfg", "# nothing\n"))
    refuse_model(["expected aipp_op {", "line 2"], planes([1, 3, 2, 2]),
                 "--insert_op_conf=" + FILES.write("aipp.cfg", "\nsomething"))
    refuse_model(["expected FIELD", "line 1"], planes([1, 3, 2, 2]),
                 "--insert_op_conf=" + FILES.write("aipp.cfg", "aipp_op {"))
    refuse_model(["not closed", "line 3"], planes([1, 3, 2, 2]),
                 config(static + '\nrelated_input_name: "image'))
    refuse_model(["byte 0"], planes([1, 3, 2, 2]), "--insert_op_conf=" + FILES.write(
        "aipp.cfg", "aipp_op { %s }\0more" % static))
    refuse_model(["no input 'last'"], planes([1, 3, 2, 2]),
                 config(static + 'related_input_name: "first" related_input_name: "last"'))
    refuse_model(["four dimensions"], planes([6, 2]), config(static))
    refuse_model(["sizes must be even"], planes([1, 3, 3, 3]),
                 config("aipp_mode: static input_format: YUV420SP_U8"))


FORMATS = {"YUV420SP_U8": 1, "XRGB8888_U8": 2, "RGB888_U8": 3, "YUV400_U8": 4}
CROP, SWAP_RB, SWAP_X, CONVERT, RESIZE, PAD = (1 << i for i in range(6))
RECORD = "<4I14i9h6B4h8f"
DYNAMIC = "aipp_mode: dynamic max_src_image_size: %d"


def record(form, width, height, flags=0, crop=(0, 0, 0, 0), resize=(0, 0, 0, 0),
           pad=(0, 0, 0, 0), matrix=(0,) * 9, bias=(0,) * 6, mean=(0,) * 4, least=(0,) * 4,
           factor=(1,) * 4, magic=0x50504941, version=1):
    """The parameters of an image: see lib/ops/image.h."""
    return struct.pack(RECORD, magic, version, FORMATS.get(form, form), flags, width, height,
                       *crop, *resize, *pad, *matrix, *bias, *mean, *least, *factor)


def parameters(*records):
    """Parameters as an array: a line for each image."""
    data = b"".join(records)
    return FILES.write("parameters.npy", npy([len(records), len(records[0])], list(data),
                                             kind=UINT8))


CASES = [
    ([1, 3, 4, 6], "input_format: RGB888_U8", record("RGB888_U8", 6, 4)),
    ([1, 3, 2, 2], """input_format: RGB888_U8 rbuv_swap_switch: true
        mean_chn_0: 104 mean_chn_1: 117 mean_chn_2: 123 min_chn_0: 1.5
        var_reci_chn_0: 0.017 var_reci_chn_1: 0.25 var_reci_chn_2: 2""",
     record("RGB888_U8", 2, 2, SWAP_RB, mean=(104, 117, 123, 0), least=(1.5, 0, 0, 0),
            factor=(0.017, 0.25, 2, 1))),
    ([1, 1, 4, 5], """input_format: YUV400_U8 src_image_size_w: 6 src_image_size_h: 5
        crop: true load_start_pos_w: 2 load_start_pos_h: 1 crop_size_w: 3 crop_size_h: 2
        padding: true left_padding_size: 1 right_padding_size: 1 top_padding_size: 2""",
     record("YUV400_U8", 6, 5, CROP | PAD, crop=(2, 1, 3, 2), pad=(1, 1, 2, 0))),
    ([1, 3, 4, 6], "input_format: YUV420SP_U8 " + JPEG,
     record("YUV420SP_U8", 6, 4, CONVERT, matrix=sum(MATRIX, []), bias=(0, 128, 128, 0, 0, 0))),
    ([1, 3, 3, 5], """input_format: YUV420SP_U8 rbuv_swap_switch: true src_image_size_w: 8
        src_image_size_h: 6 crop: true load_start_pos_w: 3 load_start_pos_h: 1 """ + JPEG,
     record("YUV420SP_U8", 8, 6, CROP | SWAP_RB | CONVERT, crop=(3, 1, 5, 3),
            matrix=sum(MATRIX, []), bias=(0, 128, 128, 0, 0, 0))),
    ([1, 2, 3, 3], "input_format: XRGB8888_U8 ax_swap_switch: true",
     record("XRGB8888_U8", 3, 3, SWAP_X)),
]


def image_bytes(form, width, height):
    return width * height * {1: 3, 2: 8, 3: 6, 4: 2}[form] // 2


@test
def dynamic_equals_static():
    for dims, text, block in CASES:
        form, _, width, height = struct.unpack_from("<4i", block, 8)
        size = image_bytes(form, width, height)
        static, _ = compile_model(planes(dims), config("aipp_mode: static " + text), name="s")
        values, image = pixels(info(static)["inputs"][0]["shape"])
        assert len(values) == size
        expected = outputs_of(static, image)
        dynamic, _ = compile_model(planes(dims), config(DYNAMIC % (size + 5)), name="d")
        bytes_ = FILES.write("bytes.npy", npy([size + 5], values + [0] * 5, kind=UINT8))
        assert outputs_of(dynamic, bytes_, parameters(block)) == expected, (dims, text)


@test
def dynamic_inputs():
    m = Model()
    m.input("first", [2, 3, 4, 4], kind=FLOAT16)
    m.input("second", [2, 1, 4, 4])
    m.node("Identity", ["first"], ["y"])
    m.node("Identity", ["second"], ["z"])
    m.output("y")
    m.output("z")
    path, _ = compile_model(m, "--insert_op_conf=" + FILES.write("aipp.cfg", """
        aipp_op { aipp_mode: dynamic related_input_rank: 0 max_src_image_size: 200 }
        aipp_op { aipp_mode: dynamic related_input_name: "second" max_src_image_size: 100 }"""))
    size = struct.calcsize(RECORD)
    assert [(i["name"], i["type"], i["shape"]) for i in info(path)["inputs"]] == [
        ("first", "u8", [200]), ("second", "u8", [100]),
        ("ascend_dynamic_aipp_data", "u8", [2, size]),
        ("ascend_dynamic_aipp_data_1", "u8", [2, size])]


@test
def images_of_a_batch_differ():
    path, _ = compile_model(planes([2, 3, 4, 4]), config(DYNAMIC % 108))
    values, image = pixels([108])
    # The second image begins where the first one would end with the same size.
    blocks = [record("RGB888_U8", 6, 3, CROP | PAD, crop=(1, 1, 4, 2), pad=(0, 0, 1, 1)),
              record("RGB888_U8", 6, 3, CROP | PAD, crop=(2, 0, 3, 3), pad=(1, 0, 0, 1),
                     mean=(10, 20, 30, 0), factor=(2, 3, 4, 1))]
    expected = []
    for n, (left, top, x, y, width, height, mean, factor) in enumerate([
            (0, 1, 1, 1, 4, 2, (0, 0, 0), (1, 1, 1)),
            (1, 0, 2, 0, 3, 3, (10, 20, 30), (2, 3, 4))]):
        for c in range(3):
            for row in range(4):
                for column in range(4):
                    h, w = row - top, column - left
                    inside = 0 <= h < height and 0 <= w < width
                    at = n * 54 + ((h + y) * 6 + w + x) * 3 + c
                    expected.append((values[at] - mean[c]) * factor[c] if inside else 0)
    close(outputs_of(path, image, parameters(*blocks)), expected)


@test
def resized_images():
    path, _ = compile_model(planes([1, 1, 2, 4]), config(DYNAMIC % 8))
    image = FILES.write("image.npy", npy([8], [0, 100, 200, 40, 10, 20, 30, 40], kind=UINT8))
    same = record("YUV400_U8", 4, 2, RESIZE, resize=(4, 2, 4, 2))
    assert outputs_of(path, image, parameters(same)) == [0, 100, 200, 40, 10, 20, 30, 40]
    # Two columns become four: middles are at -1/4, 1/4, 3/4 and 5/4 of the pixels.
    wide = record("YUV400_U8", 2, 2, RESIZE, resize=(2, 2, 4, 2))
    close(outputs_of(path, image, parameters(wide)), [0, 25, 75, 100, 200, 160, 80, 40])
    # Four lines become two: the mean of two lines.
    high = record("YUV400_U8", 2, 4, RESIZE, resize=(2, 4, 4, 2))
    close(outputs_of(path, image, parameters(high)), [100, 92.5, 77.5, 70, 20, 22.5, 27.5, 30])


@test
def dynamic_batches():
    path, _ = compile_model(planes([-1, 3, 2, 2]), config(DYNAMIC % 36),
                            "--input_shape=image:-1,3,2,2", "--dynamic_batch_size=1,3")
    shapes = [i["shape"] for i in info(path)["inputs"]]
    assert shapes == [[36], [-1, struct.calcsize(RECORD)]], shapes
    values, image = pixels([36])
    for batch in (1, 3):
        block = parameters(*[record("RGB888_U8", 2, 2, mean=(n, n, n, 0)) for n in range(batch)])
        expected = [v - n for n in range(batch)
                    for v in turned(values[n * 12:n * 12 + 12], 2, 2, 3)]
        close(outputs_of(path, image, block, options=(f"--sizes={batch}",)), expected)


@test
def hostile_parameters_are_refused():
    path, _ = compile_model(planes([1, 3, 4, 4]), config(DYNAMIC % 48))
    _, image = pixels([48])
    good = record("RGB888_U8", 4, 4)
    bad = [bytes(len(good)), b"\xff" * len(good), record("RGB888_U8", 4, 4, magic=1),
           record("RGB888_U8", 4, 4, version=2), record(5, 4, 4), record("RGB888_U8", 4, 4, 64),
           record("RGB888_U8", 5, 4), record("XRGB8888_U8", 4, 4),
           record("RGB888_U8", 4, 4, CROP, crop=(1, 0, 4, 4)),
           record("RGB888_U8", 4, 4, CROP, crop=(-1, 0, 4, 4)),
           record("RGB888_U8", 4, 4, PAD, pad=(2**31 - 1, 2**31 - 1, 1, 1)),
           record("RGB888_U8", 2**31 - 1, 2**31 - 1, CROP, crop=(2**31 - 5, 0, 4, 4)),
           record("RGB888_U8", 4, 4, RESIZE, resize=(8, 8, 4, 4))]
    outputs_of(path, image, parameters(good))
    for block in bad:
        status, _, err = call("vnpu-model", "run", "--host", f"--input={image}",
                              f"--input={parameters(block)}", path)
        assert status and "the parameters are not valid" in err, (status, err)


@test
def wrong_dynamic_files_are_refused():
    for words, dims, text, options in [
            (["5 channels", "up to 4"], [1, 5, 2, 2], DYNAMIC % 100, []),
            (["max_src_image_size is 2", "3 images"], [3, 3, 2, 2], DYNAMIC % 2, []),
            (["batch of 65537", "65536 images"], [65537, 1, 2, 2], DYNAMIC % 300000, []),
            (["four dimensions"], [6, 2], DYNAMIC % 100, []),
            (["one image size"], [1, 3, -1, -1], DYNAMIC % 100,
             ["--input_shape=image:1,3,-1,-1", "--dynamic_image_size=2,2;4,4"])]:
        refuse_model(words, planes(dims), config(text), *options)
    _, err = compile_model(planes([1, 3, 2, 2]), config(DYNAMIC % 12 + " mean_chn_0: 3"))
    assert "have no meaning" in err, err


if __name__ == "__main__":
    raise SystemExit(main())
