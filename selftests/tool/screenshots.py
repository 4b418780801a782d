#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Open the pictures of vnpu-smi in headless Chromium: they are shown without
the network and without errors, and the timeline can be operated. Make a
screenshot of each for the documentation:

    screenshots.py DIRECTORY OUTPUT

DIRECTORY has frag.svg and trace.html; OUTPUT gets frag.png and trace.png.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from harness import equal, run_tests, test

PLACE, OUTPUT = (pathlib.Path(p).absolute() for p in sys.argv[1:3])
# A size that fits a page of documentation.
MOST_BYTES = 100000

COLOURS = """(() => {
    const data = paint.getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4)
        seen.add(data.slice(i, i + 3).join());
    return seen.size;
})()"""


class Browser:
    """A Chromium that is controlled through a pair of pipes."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        from_us, self.out = os.pipe()
        self.into, to_us = os.pipe()
        # Chromium refuses root with its sandbox; it opens our own files only.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec chromium --headless --no-sandbox --disable-gpu '
             '--remote-debugging-pipe --hide-scrollbars '
             '--force-device-scale-factor=1 --user-data-dir="$2" about:blank '
             '3<&"$0" 4>&"$1"', str(from_us), str(to_us), self.profile.name],
            pass_fds=(from_us, to_us), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.rest, self.number, self.session = b"", 0, None
        self.messages = []

    def __enter__(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.session = None
        self.ask("Browser.close")
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 16)
            assert more, "Chromium has ended"
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.messages.append(answer)

    def of(self, method):
        return [m["params"] for m in self.messages if m.get("method") == method]

    def open(self, name, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=False)
        self.messages.clear()
        url = (PLACE / name).as_uri()
        self.ask("Page.navigate", url=url)
        while not self.of("Page.loadEventFired"):
            self.messages.append(self.read())
        # Drawing is complete once a frame came after it.
        self.value("new Promise(done => requestAnimationFrame(() => "
                   "requestAnimationFrame(() => done(true))))")
        equal([r["request"]["url"] for r in self.of("Network.requestWillBeSent")],
              [url])

    def value(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression,
                          awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def content(self):
        equal(self.of("Runtime.exceptionThrown"), [])
        equal([e for e in self.of("Log.entryAdded")
               if e["entry"]["level"] == "error"], [])

    def keep(self, name):
        data = base64.b64decode(self.ask("Page.captureScreenshot")["data"])
        assert len(data) < MOST_BYTES, len(data)
        (OUTPUT / name).write_bytes(data)


@test("the map of the memory")
def frag():
    with Browser() as browser:
        browser.open("frag.svg", 800, 600)
        width, height = browser.value(
            "[document.documentElement.width.baseVal.value,"
            " document.documentElement.height.baseVal.value]")
        browser.open("frag.svg", int(width), int(height))
        # All of it is on the page, and each cell has a description.
        assert browser.value("""[...document.querySelectorAll("rect")].every(r =>
            r.getBoundingClientRect().right <= innerWidth &&
            r.getBoundingClientRect().bottom <= innerHeight)""")
        assert browser.value(
            "document.querySelectorAll('#device0 rect > title').length") > 100
        browser.content()
        browser.keep("frag.png")


@test("the timeline")
def timeline():
    with Browser() as browser:
        browser.open("trace.html", 1000, 180)
        assert browser.value(COLOURS) > 10
        equal(browser.value("to - from === total"), True)
        # The wheel zooms around the pointer, which shows what is under it.
        browser.mouse("mouseWheel", 600, 100, deltaX=0, deltaY=-600)
        equal(browser.value("to - from < total"), True)
        said = browser.value("bar.textContent")
        spans = browser.value("""rows.flatMap(row => row.spans.map(e =>
            [(place(e.ts) + place(e.ts + e.dur)) / 2, row.top + 9]))
            .filter(([x]) => x > LABEL && x < canvas.width)""")
        top = browser.value("canvas.getBoundingClientRect().top")
        browser.mouse("mouseMoved", spans[0][0], spans[0][1] + top)
        assert browser.value("bar.textContent") != said
        browser.keep("trace.png")
        for count in (1, 2):
            for kind in ("mousePressed", "mouseReleased"):
                browser.mouse(kind, 600, 100, button="left", clickCount=count)
        equal(browser.value("to - from === total"), True)
        browser.content()


if __name__ == "__main__":
    run_tests()
