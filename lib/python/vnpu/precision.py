# SPDX-License-Identifier: MIT
"""The precision of a model's weights: what it saves, and what it costs."""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import time
import typing

import numpy

from . import onnx
from .errors import Error
from .model import Model

SOC = "Ascend910B1"
METRICS = ("throughput", "latency", "accuracy")


def _atc():
    """Return the path of atc: that of the tree of this package, or of PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    tool = os.path.join(here, "../../../bin/atc")
    found = tool if os.path.exists(tool) else shutil.which("atc")
    if not found:
        raise FileNotFoundError("there is no atc: . set_env.sh sets PATH")
    return found


def with_precisions(data, groups, precision="fp32"):
    """Return an ONNX model with weights of other types.

    `groups` maps words to precisions. A weight has the precision of a word in its
    name, or in that of a user, in letters of any case; else it has `precision`.
    """
    def choose(weight, users):
        text = " ".join([weight.name, *users]).lower()
        return next((p for word, p in groups.items() if word.lower() in text),
                    precision)

    return onnx.convert(data, choose)


def compile_onnx(data):
    """Compile an ONNX model, and return the content of the .om file."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "model.onnx")
        with open(source, "wb") as file:
            file.write(data)
        done = subprocess.run(
            [_atc(), f"--model={source}", "--framework=5", f"--soc_version={SOC}",
             f"--output={folder}/model"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise ValueError(f"atc refuses the model:\n{done.stdout}")
        with open(f"{folder}/model.om", "rb") as file:
            return file.read()


class Config(typing.NamedTuple):
    """Precisions of groups of weights, with their measured effects."""

    precisions: dict
    throughput_improvement: float       # measured, as a factor of that of fp32
    accuracy_loss: float                # 0.01 is one percent
    size: int                           # bytes of the ONNX model

    @property
    def throughup_improvement(self):
        """Return throughput_improvement, which programs spell like this, too."""
        return self.throughput_improvement

    def __str__(self):
        return ", ".join(f"{group}={p}" for group, p in self.precisions.items())


def _loss_limit(text):
    """Return the limit that "<1% loss" names."""
    found = re.fullmatch(r"\s*<?=?\s*([0-9.]+)\s*%\s*(loss)?\s*", text)
    if not found:
        raise ValueError(f"an accuracy_constraint is as '<1% loss', not {text!r}")
    return float(found.group(1)) / 100


class AutoPrecisionSelector:
    """Find the precisions of a model's weights that lose little accuracy.

    It compiles the model for each choice, runs it on samples, and compares its
    outputs with those of fp32. `calibration_data` is the path of a .npy file with
    the samples, one behind the other, or the array. `target_metric` is the order of
    the choices that meet the constraint: the least size of the model, then the least
    loss for "throughput" and "latency", and the reverse for "accuracy".

    On hardware, smaller weights make runs faster. In vnpu, operators compute in f32
    in any case, so a lower precision makes ONNX models smaller, and no run faster.
    The measured times therefore differ by chance, and decide nothing.
    """

    def __init__(self, model_path, calibration_data, target_metric="throughput",
                 accuracy_constraint="<1% loss"):
        if target_metric not in METRICS:
            raise ValueError(f"target_metric is one of {METRICS}, not {target_metric!r}")
        with open(model_path, "rb") as file:
            self._data = file.read()
        self._samples = (numpy.load(calibration_data)
                         if isinstance(calibration_data, (str, os.PathLike))
                         else numpy.asarray(calibration_data))
        self._metric = target_metric
        self._limit = _loss_limit(accuracy_constraint)
        self.tried = []

    def _measure(self, groups):
        """Return the outputs, the seconds and the size of a choice."""
        data = with_precisions(self._data, groups)
        with Model(compile_onnx(data)) as model:
            shape = model.inputs[0].shape
            samples = self._samples.reshape(-1, *shape)
            model.run(samples[0])
            begin = time.perf_counter()
            outputs = [model.run(sample)[0].numpy() for sample in samples]
            return numpy.stack(outputs), time.perf_counter() - begin, len(data)

    def _try(self, groups, expected, seconds):
        outputs, taken, size = self._measure(groups)
        loss = float(numpy.linalg.norm(outputs - expected) /
                     max(float(numpy.linalg.norm(expected)), 1e-30))
        self.tried.append(Config(groups, seconds / taken, loss, size))

    def search(self, search_space, max_iterations=100):
        """Try the choices of a dict: precisions by words in the names of weights.

        Return the best Config; raise Error if none meets the constraint. At most
        `max_iterations` are tried; `tried` has all of them.
        """
        if max_iterations < 1:
            raise ValueError(f"max_iterations is 1 at least, not {max_iterations}")
        for word, choices in search_space.items():
            unknown = set(choices) - {"fp32", "fp16", "bf16", "int8"}
            if unknown or not choices:
                raise ValueError(f"the precisions of {word} are some of fp32, fp16, "
                                 f"bf16 and int8, not {list(choices)}")
        self.tried = []
        expected, seconds, _ = self._measure({})
        choices = itertools.product(*search_space.values())
        for choice in itertools.islice(choices, max_iterations):
            self._try(dict(zip(search_space, choice)), expected, seconds)
        good = [c for c in self.tried if c.accuracy_loss < self._limit]
        if not good:
            least = min(c.accuracy_loss for c in self.tried)
            raise Error(0, f"no choice loses less than {self._limit:.2%}; the best one "
                        f"loses {least:.2%}")
        if self._metric == "accuracy":
            return min(good, key=lambda c: (c.accuracy_loss, c.size))
        return min(good, key=lambda c: (c.size, c.accuracy_loss))
