#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report_browser.py CHROMIUM DIR: looks at the pages of a report in a browser without a window, 390 and 1280 pixels wide. None
scrolls sideways, each is there within 3 s, its style sheet is used, and the flame graph zooms and searches.

The checks are a script in a copy of a page without its Content-Security-Policy; that the policy lets the page's own script run is
seen in the page as it is."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
STYLE = "getComputedStyle(document.querySelector('nav')).display"
FLAME = """(function () {
  var all = Array.prototype.slice.call(document.getElementById("flame").children), f = all[all.length >> 1], x = f.textContent;
  f.click();
  var width = f.style.width, said = document.getElementById("said").textContent, find = document.getElementById("find");
  document.getElementById("out").click();
  find.value = x;
  find.dispatchEvent(new Event("input"));
  return width === "100%" && said.indexOf(x) === 0 && f.classList.contains("hit") && !all.some(function (e) { return e.hidden; });
})()"""
LIMIT = 3000


def dom(chromium, path, width):
    """The page after it was shown, as text."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + home,
                               "--window-size=%d,900" % width, "--timeout=20000", "--dump-dom", "file://" + path],
                              capture_output=True, text=True, timeout=120)
    return done.stdout


def probe(chromium, folder, name, width, values):
    """The values of expressions, after the page was laid out; the first one is the time that it took."""
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    script = ("<script>addEventListener('load', function () { document.body.offsetHeight; document.title = 'probe ' + "
              "JSON.stringify([Math.round(performance.now()), %s]); });</script></body>" % ", ".join(values))
    at = text.rindex("</body>")
    copy = os.path.join(folder, "probe.html")
    with open(copy, "w", encoding="utf-8") as f:
        f.write(text[:at] + script + text[at + len("</body>"):])
    found = re.search(r"<title>probe \[(.*?)\]</title>", dom(chromium, copy, width))
    os.unlink(copy)
    if not found:
        sys.exit("%s: its script did not run" % name)
    return found[1].split(",")


def main(chromium, given):
    with tempfile.TemporaryDirectory() as tmp:
        folder = os.path.join(tmp, "report")
        shutil.copytree(given, folder)
        largest = max((n for n in os.listdir(folder) if n.endswith(".html")), key=lambda n: os.path.getsize(os.path.join(folder, n)))
        pages = [n for n in ("index.html", "functions.html", "flame.html", "files.html", "f1.html", "s1.html")
                 if os.path.exists(os.path.join(folder, n))]
        for name in dict.fromkeys(pages + [largest]):
            for width in (390, 1280):
                values = [SIDEWAYS, STYLE] + ([FLAME] if name == "flame.html" else [])
                time, sideways, style, *rest = probe(chromium, folder, name, width, values)
                print("%s, %d pixels wide: %s ms" % (name, width, time))
                if int(time) > LIMIT or sideways != "0" or style != '"flex"' or rest not in ([], ["true"]):
                    sys.exit("%s ms, %s pixels too wide, nav is %s, flame graph %s" % (time, sideways, style, rest))
        if "flame.html" in pages and 'id="tools" hidden' in dom(chromium, os.path.join(folder, "flame.html"), 1280):
            sys.exit("flame.html: the policy does not let its script run")


if __name__ == "__main__":
    main(sys.argv[1], os.path.realpath(sys.argv[2]))
