/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorts and filters tables. A table with more rows, as lines of text behind it, shows them in pages. */
(function () {
"use strict";
var PAGE = 500, FEW = 5;
function add(parent, tag, attributes, text) {
  var e = document.createElement(tag), k;
  for (k in attributes) e.setAttribute(k, attributes[k]);
  if (text) e.textContent = text;
  parent.appendChild(e);
  return e;
}
function button(parent, text, press) {
  var b = add(parent, "button", { type: "button" }, text);
  b.addEventListener("click", press);
  return b;
}
/* What a column is sorted by. null: nothing, which is last in either order. */
function key(text, kind) {
  var number;
  if (kind === "text") return text.trim().toLowerCase() || null;
  if (kind === "hex") return text ? text.replace("+", "").padStart(16, "0") : null;
  number = /[-+]?[0-9.]+/.exec(text.replace(/[,\s]/g, "").replace("\u2212", "-"));
  return number ? +number[0] : null;
}
function Table(box, number) {
  var table = box.querySelector("table"), head = table.rows[0], more = box.nextElementSibling, name = box.getAttribute("aria-label"),
      kinds = Array.prototype.map.call(head.cells, function (th) {
        return /\b(n|bar)\b/.test(th.className) ? "number" : /\bhex\b/.test(th.className) ? "hex" : "text";
      }),
      suffix = number ? number + 1 : "", rows = null, fixed = [], matching = [], keys = [], shown = "", count = table.rows.length - 1,
      body, tools, find, said, back, next;
  more = more && more.classList.contains("more") ? more : null;
  function own(name, value) {
    var change = {};
    change[name + suffix] = value;
    return change;
  }
  /*
   * The rows as objects, once they are needed; those that are lines of text become rows when they are shown. The head stays
   * where it is, as an element that is moved loses the focus.
   */
  function load() {
    if (rows) return;
    rows = [];
    body = add(table, "tbody", {});
    Array.prototype.slice.call(table.rows, 1).forEach(function (tr) {
      tr.remove();
      if (tr.classList.contains("sum")) fixed.push(tr);
      else rows.push({ tr: tr, wide: tr.cells.length < kinds.length });
    });
    if (!more) return;
    more.querySelector("pre").textContent.split("\n").forEach(function (line) {
      if (line) rows.push({ cells: line.split("\t") });
    });
    more.remove();
  }
  function cell(row, i) {
    return row.cells ? row.cells[i] : row.tr.cells[i] ? row.tr.cells[i].textContent : "";
  }
  function element(row) {
    if (row.tr) return row.tr;
    row.tr = document.createElement("tr");
    row.cells.forEach(function (text, i) {
      var td = add(row.tr, "td", { "class": head.cells[i].className }, text);
      if (!td.classList.contains("bar")) return;
      td.textContent = "";
      add(td, "i", {}).style.width = key(text, "number") + "%";
      add(td, "span", {}, text);
    });
    return row.tr;
  }
  function matches(row, words) {
    row.low = row.low || (row.cells ? row.cells.join(" ") : row.tr.textContent).toLowerCase();
    return words.every(function (w) { return row.low.indexOf(w) >= 0; });
  }
  /* sort: number of a column from 1, negative if the greatest is first; 0: as in the page */
  function arrange(filter, sort) {
    var words = filter.toLowerCase().split(/\s+/).filter(Boolean), column = Math.abs(sort) - 1;
    matching = rows.filter(function (row) { return !(sort && row.wide) && matches(row, words); });
    if (!sort) return;
    if (!keys[column]) {
      keys[column] = true;
      rows.forEach(function (row) {
        row.keys = row.keys || [];
        row.keys[column] = row.wide ? null : key(cell(row, column), kinds[column]);
      });
    }
    matching.sort(function (a, b) {
      var x = a.keys[column], y = b.keys[column];
      if (x === null || y === null) return (x === null) - (y === null);
      return x < y ? -Math.sign(sort) : x > y ? Math.sign(sort) : 0;
    });
  }
  function fill(from, to) {
    var part = document.createDocumentFragment();
    fixed.forEach(function (tr) { part.appendChild(tr); });
    matching.slice(from, to).forEach(function (row) { part.appendChild(element(row)); });
    body.replaceChildren(part);
  }
  function show(state) {
    var filter = state["filter" + suffix] || "", sort = +state["sort" + suffix] || 0, at = +state["page" + suffix] || 1, pages,
        now = [filter, sort, at].join("\n");
    if (Math.abs(sort) > kinds.length || sort !== Math.floor(sort)) sort = 0;
    if (now === shown || (!shown && !more && !filter && !sort)) return;
    shown = now;
    load();
    arrange(filter, sort);
    pages = back ? Math.max(1, Math.ceil(matching.length / PAGE)) : 1;
    at = Math.min(Math.max(1, Math.floor(at)), pages);
    fill((at - 1) * PAGE, back ? at * PAGE : matching.length);
    Array.prototype.forEach.call(head.cells, function (th, i) {
      if (Math.abs(sort) === i + 1) th.setAttribute("aria-sort", sort < 0 ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    if (!find) return;
    if (find.value !== filter) find.value = filter;
    said.textContent = !filter && !back ? "" : matching.length.toLocaleString("en") + " of " +
      rows.length.toLocaleString("en") + " rows" + (back ? ", page " + at + " of " + pages : "");
    if (!back) return;
    back.disabled = at < 2;
    next.disabled = at >= pages;
    back.value = at - 1;
    next.value = at + 1;
  }
  function turn(event) {
    var change = own("page", event.target.value > 1 ? event.target.value : "");
    page.set(change);
    if (event.target.disabled) (event.target === back ? next : back).focus();
  }
  if (count < 2 && !more) return;
  Array.prototype.forEach.call(head.cells, function (th, i) {
    var text = th.textContent, b;
    th.textContent = "";
    b = button(th, text, function () {
      var up = i + 1, down = -up, first = kinds[i] === "number" ? down : up,
          is = th.getAttribute("aria-sort"), now = !is ? 0 : is === "descending" ? down : up,
          change = own("sort", now === 0 ? first : now === first ? -first : "");
      change["page" + suffix] = "";
      page.set(change);
    });
    b.title = "Sort by " + text;
  });
  if (count > FEW || more) {
    tools = document.createElement("p");
    tools.className = "tools";
    find = add(tools, "input", { type: "search", placeholder: "Filter", "aria-label": "Filter: " + name });
    find.addEventListener("input", function () {
      var change = own("filter", find.value);
      change["page" + suffix] = "";
      page.set(change, "filter" + suffix);
    });
    if (more) {
      back = button(tools, "Previous", turn);
      next = button(tools, "Next", turn);
    }
    said = add(tools, "span", { role: "status" });
    box.parentNode.insertBefore(tools, box);
  }
  page.on(show);
}
Array.prototype.forEach.call(document.querySelectorAll(".box"), Table);
})();
