#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""atc --insert_op_conf: preprocessed images equal those of plain Python."""

import random

from harness import (FILES, FLOAT16, UINT8, Model, compile_model, info, main, npy, outputs_of,
                     refuse_model, run, test)

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
            (["dynamic preprocessing"], "aipp_mode: dynamic"),
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
    refuse_model(["sizes are even"], planes([1, 3, 3, 3]),
                 config("aipp_mode: static input_format: YUV420SP_U8"))


if __name__ == "__main__":
    raise SystemExit(main())
