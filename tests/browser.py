"""Chromium without a window, driven through a pipe: what pages do once their scripts have run."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

WITHOUT_CHROMIUM = "no Chromium: scripts/setup.sh full installs it"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page. `messages` has what was written to its console, and the errors of its scripts."""

    def __init__(self, width=1280, height=900, dark=False):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()
        # The protocol uses the descriptors 3 and 4 of the browser.
        command = 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"'
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-prefers-reduced-motion",
                 "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", command, str(to_child), str(from_child), CHROMIUM, *flags],
                                        pass_fds=[to_child, from_child], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number = 0
        self.buffer = b""
        self.messages = []
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 16)
            assert part, "the browser has gone"
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method = message.get("method", "")
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(message["params"]))
        self.events.append(method)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.note(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())

    def run(self, script):
        """The value of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, *keys):
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def top(self, selector):
        """Where an element begins on the page."""
        return self.run(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().y + scrollY")

    def picture(self, path, selector=None, margin=0, **clip):
        """A picture of the page: of an element, of a clip (x, y, width, height), or of what is visible."""
        arguments = {}
        if selector:
            clip = self.run(f"(() => {{const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                            "return {x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height};})()")
            clip = {"x": clip["x"] - margin, "y": clip["y"] - margin, "width": clip["width"] + 2 * margin,
                    "height": clip["height"] + 2 * margin}
        if clip:
            arguments = {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True}
        data = self.call("Page.captureScreenshot", format="png", **arguments)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
