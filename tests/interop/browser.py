#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""browser.py [--axe AXE.JS] [--few] DIR: uses the pages of a report in Chromium, by mouse and by keyboard.

Each page has no error and no violation of its policy, takes 3 s of a processor at most, and is no wider than a screen of 390 or 1280 pixels. All
that can be clicked is reached by the keyboard. Tables sort and filter, flame graphs zoom and search, and Back undoes it. With
--axe the rules of axe-core find nothing serious, in light and in dark. --few: pages that are large, so not every column and frame."""
import argparse
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

LIMIT = 3000
CELL = "\x1f"
# What reacts to a click.
CLICKABLE = "a[href], button:not(:disabled), input, summary, select"
VISIBLE = """return Array.prototype.slice.call(document.querySelectorAll(arguments[0])).filter(function (e) {
  return e.getClientRects().length && getComputedStyle(e).visibility === "visible"; })"""
TABLE = """return Array.prototype.slice.call(document.querySelectorAll(".box")[arguments[0]].querySelectorAll("tr"), 1).map(
  function (tr) { return tr.className + "\\u001f" + Array.prototype.map.call(tr.cells, function (c) { return c.textContent; }).join("\\u001f"); })"""
FRAMES = """return Array.prototype.map.call(document.querySelectorAll("#flame > b"), function (e) {
  return [e.textContent, e.hidden, e.classList.contains("hit"), e.hidden ? 0 : +parseFloat(e.style.left).toFixed(3), e.hidden ? 0 : +parseFloat(e.style.width).toFixed(3), e.title, e.dataset.p]; })"""
# Of those that are shown, in percent: hundreds of them add up.
WIDTHS = """return Array.prototype.map.call(document.querySelectorAll("#flame > b"), function (e) { return e.hidden ? 0 : parseFloat(e.style.width); })"""
FOCUSED = "return Array.prototype.indexOf.call(document.getElementById('flame').children, document.activeElement)"


def fail(what):
    sys.exit("%s" % what)


def same(what, have, want):
    if have != want:
        if isinstance(have, list) and isinstance(want, list):
            first = [i for i, (x, y) in enumerate(zip(have, want)) if x != y]
            fail("%s: %d of them, expected %d; the first that differ are %s" %
                 (what, len(have), len(want), (have[first[0]], want[first[0]]) if first else None))
        fail("%s: %r, expected %r" % (what, have, want))


class Browser:
    def __init__(self, folder, axe):
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("chromedriver"), options=options)
        self.driver.set_script_timeout(600)
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.folder, self.axe, self.name, self.serious = os.path.realpath(folder), axe, None, 0

    def js(self, text, *values):
        return self.driver.execute_script(text, *values)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def screen(self, width, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def busy(self):
        """Milliseconds of processor time of the thread that shows pages: a machine that has other things to do is none slower."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1000 * sum(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def open(self, name, fragment=""):
        """The time until the page was laid out."""
        self.name = name
        self.driver.get("about:blank")
        before = self.busy()
        self.driver.get("file://%s/%s%s" % (self.folder, name, fragment))
        self.js("document.body.offsetHeight")
        self.quiet()
        return self.busy() - before

    def quiet(self):
        said = [line["message"] for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        if said:
            fail("%s: %s" % (self.name, said[0]))

    def hash(self):
        return self.js("return location.hash")

    def judge(self, what):
        """The rules of axe-core: nothing serious."""
        if not self.axe:
            return
        if not self.js("return !!window.axe"):
            self.js(self.axe)
        found = self.driver.execute_async_script(
            "var done = arguments[0]; axe.run({ resultTypes: ['violations'], preload: false }).then(function (r) { done(r.violations.map(function (v) {"
            "return [v.impact, v.id, v.help, v.nodes.length, v.nodes[0].html.slice(0, 200), (v.nodes[0].any.concat(v.nodes[0].all)[0] || {})"
            ".message || '']; })); }, function (e) { done([['serious', 'axe', String(e), 0, '', '']]); })")
        for v in found:
            print("%s, %s: %s" % (self.name, what, v))
        self.serious += sum(v[0] in ("serious", "critical") for v in found)


# ---- all pages ---------------------------------------------------------------------------------------


def looks(b, name):
    times = []
    for width, dark in ((390, False), (1280, True), (1280, False)):
        b.screen(width, dark)
        took = b.open(name)
        sideways = b.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        shown = b.js("return getComputedStyle(document.querySelector('nav')).display")
        if took > LIMIT or sideways > 0 or shown != "flex":
            fail("%s, %d pixels wide: %d ms, %d pixels too wide, nav is %s" % (name, width, took, sideways, shown))
        b.judge("%d pixels, %s" % (width, "dark" if dark else "light"))
        times.append(took)
    return max(times)


def reached(b, name):
    """All that can be clicked gets the focus by Tab, from the first to the last; a summary opens by Enter."""
    b.open(name)
    for summary in b.all("details:not([open]) > summary"):
        summary.send_keys(Keys.ENTER)
    want = b.js(VISIBLE, CLICKABLE)
    for e in want:
        b.js("arguments[0].wanted = true", e)
    b.js("document.activeElement.blur(); window.scrollTo(0, 0)")
    left = len(want)
    for _ in range(2 * len(want) + 20):
        b.press(Keys.TAB)
        left -= b.js("var e = document.activeElement, w = !!e.wanted; e.wanted = false; return w")
        if not left:
            return len(want)
    fail("%s: %d of %d things to click are not reached by Tab" % (name, left, len(want)))


# ---- tables ------------------------------------------------------------------------------------------


def number(text):
    digits = "".join(c for c in text.replace("\u2212", "-") if c in "0123456789.-+/")
    try:
        return float(digits.split("/")[0])
    except ValueError:
        return None


def key(kind, text):
    if "n" in kind or "bar" in kind:
        return number(text)
    if "hex" in kind:
        return int(text.lstrip("+"), 16) if text else None
    return text.strip().lower() or None


def is_sorted(rows, column, kind, down):
    """Rows without anything in the column are last."""
    keys = [key(kind, r.split(CELL)[1 + column]) for r in rows]
    known = [k for k in keys if k is not None]
    return keys[:len(known)] == sorted(known, reverse=down)


def opened(b, i):
    """Table number i, which may be in a <details>."""
    box = b.all(".box")[i]
    b.js("for (var e = arguments[0]; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true", box)
    return box


def sorts(b, name, few):
    """Each column of each table by click, by Enter, and from the address; Back undoes it."""
    b.open(name)
    n = 0
    for i in range(len(b.all(".box"))):
        heads = opened(b, i).find_elements(By.CSS_SELECTOR, "th")
        before = b.js(TABLE, i)
        kinds = [h.get_attribute("class").split() for h in heads]
        if not heads[0].find_elements(By.CSS_SELECTOR, "button"):
            same("%s: table %d has no buttons" % (name, i), len(before) < 2, True)
            continue
        for column in range(len(heads)) if not few else (0, 2):
            sorts_column(b, name, i, heads[column], column, kinds[column], before)
            n += 1
        heads[0].find_element(By.CSS_SELECTOR, "button").click()
        state, by_mouse = b.hash(), b.js(TABLE, i)
        b.open(name, state)
        same("%s: the state from the address" % name, b.js(TABLE, i), by_mouse)
        b.open(name)
    b.quiet()
    return n


def sorts_column(b, name, i, head, column, kind, before):
    button = head.find_element(By.CSS_SELECTOR, "button")
    button.click()
    by_mouse, state = b.js(TABLE, i), b.hash()
    down = head.get_attribute("aria-sort") == "descending"
    plain = [r for r in by_mouse if not r.startswith("sum")]
    if not is_sorted(plain, column, kind, down):
        fail("%s: table %d is not sorted by column %d: %s" % (name, i, column, plain[:9]))
    b.driver.back()
    same("%s: Back after sorting" % name, b.js(TABLE, i), before)
    b.js("arguments[0].focus()", button)
    b.press(Keys.ENTER)
    same("%s: sorting by Enter" % name, (b.js(TABLE, i), b.hash()), (by_mouse, state))
    b.press(Keys.SPACE)
    turned = [r for r in b.js(TABLE, i) if not r.startswith("sum")]
    same("%s: the other way" % name, is_sorted(turned, column, kind, not down), True)
    b.press(Keys.ENTER)
    same("%s: the third time it is as it was" % name, b.js(TABLE, i), before)


def filters(b, name):
    """Typed words leave the rows that have all of them."""
    b.open(name)
    n = 0
    for find in range(len(b.all(".box"))):
        box = opened(b, find)
        before = b.js(TABLE, find)
        field = b.js("var e = arguments[0].previousElementSibling; return e && e.querySelector('input[type=search]')", box)
        if not field:
            same("%s: table %d has no filter" % (name, find), len(before) <= 5, True)
            continue
        words = [w for w in before[len(before) // 2].split(CELL)[1:] if w.strip()]
        word = max(words, key=len)[:12].strip().upper()
        field.send_keys(word)
        want = [r for r in before if r.startswith("sum") or all(w in r.partition(CELL)[2].replace(CELL, "").lower() for w in word.lower().split())]
        paged = b.js("return !!arguments[0].previousElementSibling.querySelector('button')", box)
        have = b.js(TABLE, find)
        same("%s: rows with %s" % (name, word), have if not paged else have[:len(want)], want)
        state = b.hash()
        b.driver.back()
        same("%s: Back after filtering by %d letters" % (name, len(word)), b.js(TABLE, find), before)
        b.driver.forward()
        same("%s: Forward" % name, b.js(TABLE, find), have)
        b.open(name, state)
        same("%s: the filter from the address" % name, b.js(TABLE, find), have)
        b.open(name)
        n += 1
    b.quiet()
    return n


def pages(b, name):
    """A list that is shown in pages: all rows are in it once, in the order of the sort."""
    b.open(name)
    tools = b.find(".tools")
    back, forward = tools.find_elements(By.CSS_SELECTOR, "button")
    total = int(tools.find_element(By.CSS_SELECTOR, "span").text.split(" of ")[1].split()[0].replace(",", ""))
    first = b.js(TABLE, 0)
    ranks = [number(r.split(CELL)[1]) for r in first]
    begin = b.busy()
    forward.click()
    second = b.js(TABLE, 0)
    same("ranks of two pages", ranks + [number(r.split(CELL)[1]) for r in second], [float(i + 1) for i in range(len(first) + len(second))])
    back.send_keys(Keys.ENTER)
    same("the first page again", b.js(TABLE, 0), first)
    b.js("return document.querySelectorAll('th')[0].firstChild").click()
    took = b.busy() - begin
    same("the greatest rank first", number(b.js(TABLE, 0)[0].split(CELL)[1]), float(total))
    b.js("return document.querySelectorAll('th')[2].firstChild").click()
    begin = b.busy()
    tools.find_element(By.CSS_SELECTOR, "input").send_keys("9")
    b.js(TABLE, 0)
    print("%d rows: two pages and a sort take %.0f ms, a letter of the filter %.0f ms" % (total, took, b.busy() - begin))
    same("the list is quick", took < LIMIT and b.busy() - begin < LIMIT, True)
    b.quiet()
    return total


# ---- flame graphs --------------------------------------------------------------------------------------


def zooms(b, name, few):
    b.open(name)
    frames = b.js(FRAMES)
    at = len(frames) // 2
    box = b.find("#flame")
    elements = box.find_elements(By.XPATH, "./b")
    b.js("arguments[0].click()", elements[at])
    by_mouse, state = b.js(FRAMES), b.hash()
    same("%s: the width of the frame that was clicked" % name, by_mouse[at][4], 100)
    for f, e in zip(by_mouse, frames):
        inside = e[3] < frames[at][3] + frames[at][4] - 2e-3 and e[3] + e[4] > frames[at][3] + 2e-3
        if f[1] == inside:
            fail("%s: %s is %s" % (name, e, "hidden" if f[1] else "shown"))
    same("%s: what it says" % name, b.find("#said").text, frames[at][5].strip())
    b.driver.back()
    same("%s: Back after zooming" % name, b.js(FRAMES), frames)
    # the same by keys: to the frame, and Enter
    path, f = [], at
    while frames[f][6] is not None:
        path.insert(0, f)
        f = int(frames[f][6])
    b.js("document.activeElement.blur()")
    for _ in range(200):
        b.press(Keys.TAB)
        if b.js(FOCUSED) >= 0:
            break
    same("%s: Tab comes to one frame" % name, b.js(FOCUSED) >= 0, True)
    while frames[b.js(FOCUSED)][6] is not None:
        b.press(Keys.ARROW_UP)
    b.press(Keys.HOME)
    along(b, name, [f])
    for step in path:
        b.press(Keys.ARROW_DOWN)
        along(b, name, [step])
    same("%s: the focus says it" % name, b.find("#said").text, frames[at][5].strip())
    b.press(Keys.ENTER)
    same("%s: zooming by Enter" % name, b.js(FRAMES), by_mouse)
    same("%s: the focus stays" % name, b.js(FOCUSED), at)
    b.press(Keys.ESCAPE)
    same("%s: Escape zooms out" % name, b.js(FRAMES), frames)
    b.press(Keys.ENTER)
    b.find("#out").send_keys(Keys.ENTER)
    same("%s: the button zooms out" % name, b.js(FRAMES), frames)
    b.open(name, state)
    same("%s: the zoom from the address" % name, b.js(FRAMES), by_mouse)
    for wrong in ("#zoom=99999999", "#zoom=x", "#zoom=-1", "#zoom=%", "#f=x&zoom=&&=", "#__proto__=1"):
        b.open(name, wrong)
        same("%s: %s" % (name, wrong), [f[1] for f in b.js(FRAMES)].count(True), 0)
    if not few:
        walks(b, name, frames)
    b.quiet()


def times(b, name):
    """Calls in time: zooming to one shows all threads at this time, and the arrows come to each thread."""
    b.open(name)
    frames = b.js(FRAMES)
    threads = [i for i, f in enumerate(frames) if f[6] is None]
    at = max((i for i, f in enumerate(frames) if f[6] is not None and not f[1] and f[4] < 30), key=lambda i: frames[i][4])
    elements = b.all("#flame > b")
    b.js("arguments[0].click()", elements[at])
    by_mouse = b.js(FRAMES)
    same("%s: the width of the call that was clicked" % name, by_mouse[at][4], 100)
    begin, end = frames[at][3], frames[at][3] + frames[at][4]
    for i in threads:
        runs = frames[i][3] < end - 2e-3 and frames[i][3] + frames[i][4] > begin + 2e-3
        same("%s: thread %s" % (name, frames[i][0]), by_mouse[i][1], not runs)
    b.driver.back()
    same("%s: Back after zooming" % name, b.js(FRAMES), frames)
    b.js("arguments[0].focus()", elements[threads[0]])
    b.press(Keys.HOME)
    seen = {b.js(FOCUSED)}
    for _ in threads:
        b.press(Keys.ARROW_RIGHT)
        seen.add(b.js(FOCUSED))
    same("%s: threads that the arrows come to" % name, seen, set(threads))
    b.js("arguments[0].focus()", elements[at])
    b.press(Keys.ENTER)
    same("%s: zooming by Enter" % name, b.js(FRAMES), by_mouse)
    b.press(Keys.ESCAPE)
    same("%s: Escape zooms out" % name, b.js(FRAMES), frames)
    b.quiet()


def along(b, name, wanted):
    """To one of the wanted frames, which is in this row and not left of the focus."""
    at = b.js(FOCUSED)
    while at not in wanted:
        b.press(Keys.ARROW_RIGHT)
        was, at = at, b.js(FOCUSED)
        if at == was:
            fail("%s: the arrows come to frame %d and not to %s" % (name, at, wanted))


def walks(b, name, frames):
    """The arrows come to every frame: down from each one that has callees, and along each row."""
    b.open(name)
    b.js("document.getElementById('flame').querySelector('[tabindex=\"0\"]').focus()")
    seen = set()
    while True:
        b.press(Keys.HOME)
        while b.js(FOCUSED) not in seen:
            seen.add(b.js(FOCUSED))
            b.press(Keys.ARROW_RIGHT)
        below = {int(f[6]) for f in frames if f[6] is not None}
        row = [i for i in seen if i in below]
        b.press(Keys.HOME)
        deeper = [i for i in row if not [j for j in seen if frames[j][6] == str(i)]]
        if not deeper:
            break
        along(b, name, deeper)
        b.press(Keys.ARROW_DOWN)
    same("%s: frames that the arrows come to" % name, len(seen), len(frames))
    at = b.js(FOCUSED)
    if frames[at][6] is not None:
        b.press(Keys.ARROW_UP)
        same("%s: up" % name, b.js(FOCUSED), int(frames[at][6]))


def searches(b, name):
    b.open(name)
    frames, widths = b.js(FRAMES), b.js(WIDTHS)
    word = frames[len(frames) // 2][0]
    b.find("#find").send_keys(word)
    hits = [i for i, f in enumerate(frames) if word.lower() in f[0].lower()]
    same("%s: frames that are found" % name, [i for i, f in enumerate(b.js(FRAMES)) if f[2]], hits)

    def inside(i):
        return i in hits or (frames[i][6] is not None and inside(int(frames[i][6])))
    share = sum(widths[i] for i in hits if frames[i][6] is None or not inside(int(frames[i][6])))
    share *= 100 / sum(w for w, f in zip(widths, frames) if f[6] is None)
    said = b.find("#hits").text
    same("%s: frames, in words" % name, said.split()[0].replace(",", ""), str(len(hits)))
    have = float(said.split(", ")[-1].split("\u202f")[0])
    if abs(have - share) > 0.02:
        fail("%s: a share of %s, expected %.2f" % (name, said, share))
    if word.isascii():
        same("%s: the search in the address" % name, b.js("return decodeURIComponent(location.hash)"), "#find=" + word)
    state = b.hash()
    b.driver.back()
    same("%s: Back after a search" % name, [f for f in b.js(FRAMES) if f[2]], [])
    b.driver.forward()
    b.find("#next").send_keys(Keys.ENTER)
    same("%s: the next match" % name, b.js(FOCUSED) in hits, True)
    b.open(name, state)
    same("%s: the search from the address" % name, [i for i, f in enumerate(b.js(FRAMES)) if f[2]], hits)
    b.judge("searched")
    b.all("#flame > b:not([hidden])")[-1].send_keys(Keys.ENTER)
    b.judge("zoomed")
    link = b.all(".views a")
    if link:
        same("%s: other views keep the search" % name, link[0].get_attribute("href").partition("#")[2], state[1:])
    b.quiet()


def leads(b, name):
    """From a function to its frames, from a frame to its function, and back; from a line of source to the code."""
    for i in range(len(b.all(".views a"))):
        b.open(name)
        b.all(".views a")[i].send_keys(Keys.ENTER)
        hits = b.js("return Array.prototype.map.call(document.querySelectorAll('.hit'), function (e) { return e.dataset.f; })")
        same("%s: frames that it leads to" % name, set(hits), {name[1:-5]})
        same("%s: in words" % name, b.find("#hits").text.startswith("%d frame" % len(hits)), True)
        # short calls are hidden until the button zooms to one
        (b.all(".hit:not([hidden])") or [b.find("#next")])[0].send_keys(Keys.ENTER)
        same("%s: the search stays" % name, "f=" + name[1:-5] in b.hash(), True)
        b.find("#page").send_keys(Keys.ENTER)
        same("%s: from the frame" % name, b.js("return location.pathname").rpartition("/")[2], name)
        b.driver.back()
        same("%s: Back to the zoom" % name, "zoom=" in b.hash(), True)
        b.quiet()
    code = b.all("td.n a[href^='f']") if name.startswith("s") else []
    if code:
        code[0].send_keys(Keys.ENTER)
        same("%s: the row of code" % name, b.js("return document.querySelector('tr:target') !== null"), True)
        b.quiet()


def chosen(folder):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".html"))
    largest = max(names, key=lambda n: os.path.getsize(os.path.join(folder, n)))
    first = [n for n in ("index.html", "functions.html", "files.html", "flame.html", "flame-up.html", "threads.html", "timeline.html", "t1.html", "t1-up.html",
                         "changes.html", "change-flame.html", "f1.html", "s1.html") if n in names]
    return list(dict.fromkeys(first + [largest]))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--axe")
    args.add_argument("--few", action="store_true")
    args.add_argument("--only", help="pages whose names begin so")
    args.add_argument("folder")
    o = args.parse_args()
    axe = open(o.axe, encoding="utf-8").read() if o.axe else None
    b = Browser(o.folder, axe)
    try:
        for name in [n for n in chosen(o.folder) if not o.only or n.startswith(o.only)]:
            took = looks(b, name)
            b.open(name)
            rows = b.js("return document.querySelectorAll('tr').length")
            paged = b.js("return Array.prototype.some.call(document.querySelectorAll('.tools button'), "
                         "function (e) { return e.textContent === 'Next'; })")
            said = ["%d things by Tab" % reached(b, name)] if not o.few and rows < 500 else []
            if name == "timeline.html":
                times(b, name)
                searches(b, name)
            elif b.all("#flame"):
                zooms(b, name, o.few or len(b.all("#flame > b")) > 60)
                searches(b, name)
            elif paged:
                said.append("%d rows in pages" % pages(b, name))
            else:
                said.append("%d columns sorted" % sorts(b, name, o.few))
                said.append("%d tables filtered" % filters(b, name))
            if name[0] in "fs" and name[1].isdigit():
                b.open(name)
                leads(b, name)
            print("%s: %.0f ms, %s" % (name, took, ", ".join(said)))
    finally:
        b.driver.quit()
    if b.serious:
        fail("axe-core finds %d serious things" % b.serious)


if __name__ == "__main__":
    main()
