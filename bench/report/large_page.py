#!/usr/bin/env python3
"""Does a page about ten thousand nodes stay smooth? Makes one, opens it in Chromium, and measures.

    bench/report/large_page.py CLADE

Prints milliseconds: until the page answers (tables, explorer and matrix are there), and medians for one step of zooming
in the map, for choosing a node, for a search, and for opening a node of the confusion matrix.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from browser import Browser  # noqa: E402

REPEATS = 5
STEPS = """(async () => {
  const map = document.querySelector('canvas.map');
  map.focus();
  const wait = () => new Promise((done) => requestAnimationFrame(done));
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
  const timed = async (count, step) => {
    const times = [];
    for (let k = 0; k < count; ++k) {
      await wait();
      const begin = performance.now();
      step(k);
      document.body.offsetHeight;
      times.push(performance.now() - begin);
    }
    return median(times);
  };
  const wheel = (k) => map.dispatchEvent(new WheelEvent('wheel', {deltaY: k % 40 < 20 ? -100 : 100, cancelable: true}));
  const frames = [];
  for (let k = 0; k < 80; ++k) {
    const begin = performance.now();
    wheel(k);
    await wait();
    frames.push(performance.now() - begin);
  }
  const field = document.getElementById('search');
  const search = (k) => { field.value = String(k); field.dispatchEvent(new Event('input')); };
  const open = () => document.querySelector('.confusion tbody button[aria-expanded=false]').click();
  return {
    'a frame of zooming': median(frames),
    'choosing a node': await timed(40, () => map.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}))),
    'a search': await timed(20, search),
    'opening a node of the matrix': await timed(5, open),
  };
})()"""


def main(clade):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        common = ["--text", "--levels", "100,900,9000", "--words", "5000", "--length", "20", "--quiet"]
        for arguments in (["synth", "-o", "train.jsonl", *common, "--documents", "12000", "--taxonomy-out", "tree.csv"],
                          ["synth", "-o", "test.jsonl", *common, "--documents", "6000", "--first", "12000"],
                          ["train", "train.jsonl", "--taxonomy", "tree.csv", "--classifier", "top-down-svm", "-o", "m.clade", "--quiet"],
                          ["report", "m.clade", "--data", "test.jsonl", "--taxonomy", "tree.csv", "-o", "page.html", "--quiet"]):
            subprocess.run([clade, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        print(f"page: {(folder / 'page.html').stat().st_size / 1e6:.1f} MB")
        runs = []
        for _ in range(REPEATS):
            with Browser() as browser:
                browser.open(folder / "page.html")
                ready = browser.run("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
                runs.append({"until the page answers": ready, **browser.run(STEPS)})
        for what in runs[0]:
            print(f"{what}: {statistics.median(run[what] for run in runs):.0f} ms")


main(str(Path(sys.argv[1]).resolve()))
