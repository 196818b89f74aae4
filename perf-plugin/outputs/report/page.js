/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a page, as its sort order and its zoom, is the fragment of its address: Back and links keep it. */
var page = (function () {
"use strict";
var shows = [], typed = "";
function read() {
  var state = Object.create(null);
  location.hash.slice(1).split("&").forEach(function (part) {
    var at = part.indexOf("=");
    if (at < 1) return;
    try { state[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch (e) { /* damaged: as if it were absent */ }
  });
  return state;
}
function text(state) {
  return "#" + Object.keys(state).map(function (k) { return k + "=" + encodeURIComponent(state[k]); }).join("&");
}
function show() {
  var state = read();
  shows.forEach(function (f) { f(state); });
}
/* Changes parts of the state; "": removed. Letters typed one after the other into a field are one step for Back. */
function set(changes, field) {
  var state = read(), k;
  for (k in changes) {
    if (changes[k] === "") delete state[k];
    else state[k] = changes[k];
  }
  if (text(state) !== (location.hash || "#"))
    history[field && field === typed ? "replaceState" : "pushState"](null, "", text(state));
  typed = field || "";
  show();
}
addEventListener("popstate", function () {
  typed = "";
  show();
  /* a row that the state before had hidden */
  var to = document.getElementById(location.hash.slice(1));
  if (to) to.scrollIntoView();
});
return {
  set: set,
  text: text,
  on: function (f) { shows.push(f); f(read()); }
};
})();
