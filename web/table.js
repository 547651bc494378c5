/* Tables that sort by any column and filter by a word. columns: [key, title, format, isText]. */
import { count, el } from "./format.js";

const TABLE_ROWS = 500;

export function sortableTable(rows, columns, options) {
  const state = { key: options.sort, down: options.down !== false, word: "", shown: TABLE_ROWS };
  const body = el("tbody"), head = el("tr"), more = el("p", { class: "note" });
  const search = el("input", { type: "search", placeholder: "filter", "aria-label": "Filter rows",
    on: { input: () => { state.word = search.value.toLowerCase(); fill(); } } });
  const value = (row, key) => { const v = row[key]; return v === null || v === undefined ? -Infinity : v; };
  function matching() {
    const words = state.word.split(/\s+/).filter(Boolean);
    const kept = words.length ? rows.filter(r => {
      const text = columns.map(c => String(r[c[0]] ?? "")).join(" ").toLowerCase();
      return words.every(w => text.includes(w));
    }) : rows.slice();
    const way = state.down ? -1 : 1;
    return kept.sort((a, b) => {
      const x = value(a, state.key), y = value(b, state.key);
      if (typeof x === "string" || typeof y === "string") return way * String(x).localeCompare(String(y));
      return way * (x - y);
    });
  }
  function fill() {
    head.replaceChildren(...columns.map(c => el("th", { class: c[3] ? "text" : "", scope: "col",
      "aria-sort": state.key === c[0] ? (state.down ? "descending" : "ascending") : "none" },
      el("button", { type: "button", on: { click: () => {
        state.down = state.key === c[0] ? !state.down : !c[3];
        state.key = c[0]; fill();
        head.querySelectorAll("button")[columns.indexOf(c)].focus();
      } } }, c[1] + (state.key === c[0] ? (state.down ? " ▾" : " ▴") : "")))));
    const list = matching();
    body.replaceChildren(...list.slice(0, state.shown).map(r => el("tr", { class: options.mark && options.mark(r) ? "mark" : "" },
      columns.map(c => el("td", { class: c[3] ? "text" : "", title: c[3] ? String(r[c[0]] ?? "") : null },
        c[2] ? c[2](r[c[0]], r) : String(r[c[0]] ?? "–"))))));
    more.replaceChildren();
    if (list.length > state.shown)
      more.append(`${count(state.shown)} of ${count(list.length)} rows. `,
        el("button", { type: "button", on: { click: () => { state.shown *= 4; fill(); } } }, "more"));
  }
  fill();
  return el("div", {}, rows.length > 8 ? el("div", { class: "tools" }, search) : null,
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), body)), more);
}
