/* SPDX-License-Identifier: GPL-2.0-only */
(function () {
"use strict";
var box = document.getElementById("flame"), said = document.getElementById("said"),
    link = document.getElementById("page"), out = document.getElementById("out"),
    find = document.getElementById("find"), hits = document.getElementById("hits"),
    all = Array.prototype.slice.call(box.children);
all.forEach(function (e) {
  e.x = +e.dataset.x; e.w = +e.dataset.w; e.d = +e.dataset.d;
});
function zoom(f) {
  var x = f ? f.x : 0, w = f ? f.w : 1, d = f ? f.d : -1;
  all.forEach(function (e) {
    var l = Math.max(0, (e.x - x) / w), r = Math.min(1, (e.x + e.w - x) / w);
    e.hidden = r - l < 1e-6;
    if (e.hidden) return;
    e.style.left = 100 * l + "%";
    e.style.width = 100 * (r - l) + "%";
    e.classList.toggle("up", e.d < d);
  });
  said.textContent = f ? f.title : "";
  out.disabled = !f;
  link.hidden = !f || !f.dataset.f;
  if (!link.hidden) link.href = "f" + +f.dataset.f + ".html";
}
function search() {
  var text = find.value.toLowerCase(), n = 0;
  all.forEach(function (e) {
    var hit = text !== "" && e.textContent.toLowerCase().indexOf(text) >= 0;
    e.classList.toggle("hit", hit);
    n += hit;
  });
  hits.textContent = text === "" ? "" : n + (n === 1 ? " frame" : " frames");
}
box.addEventListener("click", function (e) {
  if (e.target !== box) zoom(e.target);
});
out.addEventListener("click", function () { zoom(null); });
find.addEventListener("input", search);
document.getElementById("tools").hidden = false;
zoom(null);
})();
