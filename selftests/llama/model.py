#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write a small Llama model that recites TEXT, as a GGUF file.

    model.py FILE
    model.py --text     print TEXT

Its weights are computed, not trained, and the same at each run. The embedding of
a character is a code of random signs. In layer 0, head h of the attention copies
the code of the character h + 1 positions before: the angles of the rotary
embedding in its queries make that key the largest one. So the feed-forward network
gets the codes of CONTEXT characters. Each of its units knows one such sequence
of TEXT, and adds the code of the next character, from which the output makes
logits. Layer 1 has random weights, too small to change the text.

A backend whose results are wrong writes another text.
"""

import math
import random
import struct
import sys

TEXT = """vnpu is a software NPU for Linux. Its kernel module behaves like an \
accelerator with memory of its own: bounded, isolated, and empty after\
 a kill. Programs written to AscendCL compile unchanged, even \
llama.cpp, which just said all this: every product, norm or angle came\
 from cores that are plain processes."""

WIDTH = 256             # of the embedding
HEADS = 4
HEAD = WIDTH // HEADS
UNITS = 768             # of the feed-forward network
CODE = 40               # signs of a code
CONTEXT = HEADS + 1     # characters that the next one depends on
FIRST = 16              # where the code of the current character begins
NEXT = FIRST + CONTEXT * CODE
ONE = math.sqrt(WIDTH - CONTEXT * CODE)     # element 0, of each embedding
ROPE_BASE = 10000.0
ANGLES = 16             # of each query that are used
SHARPNESS = 12.5
NOISE = 0.02

UNKNOWN, BEGIN, END, BYTES = 0, 1, 2, 3
TYPE_NORMAL, TYPE_UNKNOWN, TYPE_CONTROL, TYPE_BYTE = 1, 2, 3, 6
F32, F16 = 0, 1


def vocabulary():
    """Tokens with their types: SentencePiece writes a space as U+2581."""
    tokens = [("<unk>", TYPE_UNKNOWN), ("<s>", TYPE_CONTROL),
              ("</s>", TYPE_CONTROL)]
    tokens += [(f"<0x{byte:02X}>", TYPE_BYTE) for byte in range(256)]
    tokens += [(c.replace(" ", "\u2581"), TYPE_NORMAL)
               for c in sorted(set(TEXT))]
    return tokens


def zeros(rows, columns):
    return [[0.0] * columns for _ in range(rows)]


def sequences(ids):
    """The context of each character, newest first, and its successor."""
    known = {}
    for i in range(CONTEXT - 1, len(ids)):
        context = tuple(ids[i - CONTEXT + 1:i + 1][::-1])
        follows = ids[i + 1] if i + 1 < len(ids) else END
        if known.setdefault(context, follows) != follows:
            raise SystemExit("ambiguous: " + TEXT[i - CONTEXT + 1:i + 2])
    if len(known) > UNITS:
        raise SystemExit(f"{len(known)} sequences, but {UNITS} units")
    return known


def attention(scale):
    """Weights whose head h copies the code h + 1 positions before."""
    query, key = zeros(WIDTH, WIDTH), zeros(WIDTH, WIDTH)
    value, output = zeros(WIDTH, WIDTH), zeros(WIDTH, WIDTH)
    one = ONE * scale
    for head in range(HEADS):
        for pair in range(ANGLES):
            angle = -(head + 1) * ROPE_BASE ** (-2 * pair / HEAD)
            row = head * HEAD + 2 * pair
            query[row][0] = SHARPNESS * math.cos(angle) / one
            query[row + 1][0] = SHARPNESS * math.sin(angle) / one
            key[row][0] = SHARPNESS / one
        for i in range(CODE):
            value[head * HEAD + i][FIRST + i] = 1 / scale
            output[FIRST + (head + 1) * CODE + i][head * HEAD + i] = 1
    return query, key, value, output


def network(known, codes):
    """Weights of the units: the norm's scale is 1, by the choice of ONE."""
    gate, up, down = zeros(UNITS, WIDTH), zeros(UNITS, WIDTH), zeros(WIDTH, UNITS)
    threshold = (CONTEXT - 0.4) * CODE
    for unit, (context, follows) in enumerate(known.items()):
        for i, token in enumerate(context):
            for j, sign in enumerate(codes[token]):
                gate[unit][FIRST + i * CODE + j] = 0.5 * sign
        gate[unit][0] = -0.5 * threshold / ONE
        up[unit][0] = 1 / ONE
        for j, sign in enumerate(codes[follows]):
            down[NEXT + j][unit] = sign
    return gate, up, down


def noise(rng, rows, columns):
    return [[rng.gauss(0, NOISE) for _ in range(columns)] for _ in range(rows)]


def make_tensors(tokens):
    rng = random.Random(24)
    index = {text: i for i, (text, _) in enumerate(tokens)}
    ids = [index[c.replace(" ", "\u2581")] for c in TEXT]
    codes = [[rng.choice((-1, 1)) for _ in range(CODE)] for _ in tokens]

    embedding, logits = zeros(len(tokens), WIDTH), zeros(len(tokens), WIDTH)
    for token, code in enumerate(codes):
        embedding[token][0] = ONE
        embedding[token][FIRST:FIRST + CODE] = code
        logits[token][NEXT:NEXT + CODE] = code
    scale = 1 / math.sqrt((ONE ** 2 + CODE) / WIDTH)

    tensors = {"token_embd": embedding, "output": logits,
               "output_norm": [[1.0] * WIDTH]}
    layers = [attention(scale) + network(sequences(ids), codes),
              [noise(rng, *shape) for shape in [(WIDTH, WIDTH)] * 4 +
               [(UNITS, WIDTH)] * 2 + [(WIDTH, UNITS)]]]
    names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up",
             "ffn_down")
    for number, layer in enumerate(layers):
        prefix = f"blk.{number}."
        tensors |= {prefix + name: rows for name, rows in zip(names, layer)}
        tensors[prefix + "attn_norm"] = [[1.0] * WIDTH]
        tensors[prefix + "ffn_norm"] = [[1.0] * WIDTH]
    return tensors


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def array(kind, values, pack):
    return struct.pack("<IIQ", 9, kind, len(values)) + b"".join(map(pack, values))


def u32(value):
    return struct.pack("<II", 4, value)


def f32(value):
    return struct.pack("<If", 6, value)


def boolean(value):
    return struct.pack("<I?", 7, value)


def text_value(value):
    return struct.pack("<I", 8) + string(value)


def metadata(tokens):
    return {
        "general.architecture": text_value("llama"),
        "general.name": text_value("vnpu recites"),
        "general.file_type": u32(F16),
        "llama.vocab_size": u32(len(tokens)),
        "llama.context_length": u32(1024),
        "llama.embedding_length": u32(WIDTH),
        "llama.block_count": u32(2),
        "llama.feed_forward_length": u32(UNITS),
        "llama.attention.head_count": u32(HEADS),
        "llama.attention.layer_norm_rms_epsilon": f32(1e-6),
        "llama.rope.dimension_count": u32(HEAD),
        "llama.rope.freq_base": f32(ROPE_BASE),
        "tokenizer.ggml.model": text_value("llama"),
        "tokenizer.ggml.tokens": array(8, [t for t, _ in tokens], string),
        "tokenizer.ggml.scores": array(
            6, [0.0] * len(tokens), lambda v: struct.pack("<f", v)),
        "tokenizer.ggml.token_type": array(
            5, [t for _, t in tokens], lambda v: struct.pack("<i", v)),
        "tokenizer.ggml.unknown_token_id": u32(UNKNOWN),
        "tokenizer.ggml.bos_token_id": u32(BEGIN),
        "tokenizer.ggml.eos_token_id": u32(END),
        "tokenizer.ggml.add_bos_token": boolean(False),
        "tokenizer.ggml.add_space_prefix": boolean(False),
    }


def padding(size):
    return b"\0" * (-size % 32)


def write(path):
    tokens = vocabulary()
    values = metadata(tokens)
    tensors = make_tensors(tokens)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(values))
    for key, value in values.items():
        head += string(key) + value
    data = bytearray()
    for name, rows in tensors.items():
        is_norm = name.endswith("norm")
        dims = [len(rows[0])] if is_norm else [len(rows[0]), len(rows)]
        head += string(name + ".weight") + struct.pack(
            f"<I{len(dims)}QIQ", len(dims), *dims, F32 if is_norm else F16,
            len(data))
        form = f"<{len(rows[0])}{'f' if is_norm else 'e'}"
        for row in rows:
            data += struct.pack(form, *row)
        data += padding(len(data))
    with open(path, "wb") as file:
        file.write(head + padding(len(head)) + data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FILE|--text")
    if sys.argv[1] == "--text":
        print(TEXT)
    else:
        write(sys.argv[1])
