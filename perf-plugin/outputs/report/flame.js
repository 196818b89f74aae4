/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Zooms and searches a flame graph, or calls in time, which are a tree for the keyboard: arrows move, Enter zooms, Escape zooms
 * out.
 */
(function () {
"use strict";
function id(name) { return document.getElementById(name); }
var box = id("flame"), said = id("said"), link = id("page"), out = id("out"), find = id("find"), hits = id("hits"), next = id("next"),
    all = Array.prototype.slice.call(box.children), zoomed = null, at = all[0];
all.forEach(function (e, i) {
  /* as the page has it: e.style.left has six digits */
  var place = /left:([0-9.]+)%;width:([0-9.]+)%/.exec(e.getAttribute("style"));
  e.number = i;
  e.x = place[1] / 100;
  e.w = place[2] / 100;
  e.up = e.dataset.p ? all[e.dataset.p] : null;
  e.d = e.up ? e.up.d + 1 : 0;
  e.below = [];
  if (e.up) e.up.below.push(e);
  e.setAttribute("role", "treeitem");
  e.setAttribute("aria-level", e.d + 1);
  e.setAttribute("aria-label", e.title);
  e.tabIndex = -1;
});
box.setAttribute("role", "tree");
box.setAttribute("aria-label", document.querySelector("h1").textContent);
function frame(number) { return /^[0-9]+$/.test(number) && all[number] || null; }
/* What is told of a frame: the one that has the focus, else the one to which the graph is zoomed. */
function tell(f) {
  said.textContent = f ? f.title : "";
  link.hidden = !f || !f.dataset.f;
  if (!link.hidden) link.href = "f" + +f.dataset.f + ".html";
}
function focus(f, quiet) {
  at.tabIndex = -1;
  at = f;
  at.tabIndex = 0;
  if (!quiet) at.focus();
}
function zoom(f) {
  var x = f ? f.x : 0, w = f ? f.w : 1, focused = document.activeElement === at, up;
  zoomed = f;
  all.forEach(function (e) {
    var l = Math.max(0, (e.x - x) / w), r = Math.min(1, (e.x + e.w - x) / w);
    /* what rounding leaves of the frames beside it; a frame has 1/2000 at least */
    e.hidden = r - l < 1e-4;
    if (e.hidden) return;
    e.style.left = 100 * l + "%";
    e.style.width = 100 * (r - l) + "%";
    e.classList.remove("up");
  });
  for (up = f && f.up; up; up = up.up) up.classList.add("up");
  if (at.hidden) focus(f || all[0], !focused);
  out.disabled = !f;
}
/* Marks the frames that a search or a function has. The share is of what is shown; a frame in another one adds nothing. */
function search(text, number) {
  var n = 0, share = 0, shown = 0, name = "";
  text = text.toLowerCase();
  all.forEach(function (e) {
    var hit = number ? e.dataset.f === number : text !== "" && e.textContent.toLowerCase().indexOf(text) >= 0;
    e.inside = hit || (e.up && e.up.inside);
    e.classList.toggle("hit", hit);
    if (hit && number) name = " of " + e.lastChild.textContent.trim();
    n += hit;
    if (!e.up && !e.hidden) shown += parseFloat(e.style.width);
    if (hit && !e.hidden && !(e.up && e.up.inside)) share += parseFloat(e.style.width);
  });
  hits.textContent = text === "" && !number ? "" : n.toLocaleString("en") + (n === 1 ? " frame" : " frames") + name + ", " +
    (shown ? 100 * share / shown : 0).toFixed(2) + "\u202f% of what is shown";
  next.disabled = !n;
}
function show(state) {
  var text = state.find || "", number = text ? "" : state.f || "";
  if (!all.length) return;
  zoom(frame(state.zoom));
  search(text, number);
  if (find.value !== text) find.value = text;
  tell(document.activeElement === at ? at : zoomed);
  Array.prototype.forEach.call(document.querySelectorAll(".views a"), function (a) {
    var keep = Object.create(null);
    if (text) keep.find = text;
    if (number) keep.f = number;
    a.hash = text || number ? page.text(keep) : "";
  });
}
function go(f) { page.set({ zoom: f ? String(f.number) : "" }); }
/* The frames beside the one with the focus, from the left; of a thread the other threads. */
function row() {
  return all.filter(function (e) { return !e.hidden && (at.up ? e.style.top === at.style.top : !e.up); }).sort(function (a, b) { return a.x - b.x; });
}
function beside(step) {
  var frames = row();
  return frames[frames.indexOf(at) + step];
}
var keys = {
  ArrowUp: function () { return at.up; },
  ArrowDown: function () { return at.below.filter(function (e) { return !e.hidden; })[0]; },
  ArrowLeft: function () { return beside(-1); },
  ArrowRight: function () { return beside(1); },
  Home: function () { return row()[0]; },
  End: function () { return row().pop(); }
};
function press() { go(at); }
box.addEventListener("click", function (e) {
  if (e.target === box) return;
  focus(e.target);
  press();
});
box.addEventListener("keydown", function (e) {
  var to;
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === "Enter" || e.key === " ") press();
  else if (e.key === "Escape") go(null);
  else if (keys[e.key]) {
    to = keys[e.key]();
    if (to) focus(to);
  } else return;
  e.preventDefault();
});
box.addEventListener("focusin", function (e) {
  if (e.target === box) return;
  focus(e.target, true);
  tell(at);
});
out.addEventListener("click", function () { go(null); });
find.addEventListener("input", function () { page.set({ find: find.value, f: "" }, "find"); });
next.addEventListener("click", function () {
  var found = all.filter(function (e) { return e.classList.contains("hit"); }), i;
  for (i = 0; i < found.length && found[i].number <= at.number; i++)
    ;
  i = found[i] || found[0];
  if (i.hidden) go(null);
  /* a short call is shown by zooming to it alone */
  if (i.hidden) go(i);
  focus(i);
});
id("tools").hidden = false;
if (all.length) focus(all[0], true);
page.on(show);
})();
