/* Where the time of every rank goes: a stacked bar a class of equal ranks, or a rank. */
import { stackChart } from "./charts.js";
import { CAUSES, count, el, legend } from "./format.js";

/* Ranks whose shares are the same: [{ shares, ranks, weight }, ...]. */
function classesOf(run) {
  const classes = new Map(), folded = run.info.ranks > run.ranks.length;
  for (const r of run.ranks) {
    const shares = run.shares.get(r.rank) || {}, key = JSON.stringify(shares);
    if (!classes.has(key)) classes.set(key, { shares, ranks: [], weight: 0 });
    const c = classes.get(key);
    c.ranks.push(r.rank); c.weight += folded ? r.weight : 1;
  }
  return [...classes.values()];
}

export function breakdownView(run) {
  const list = classesOf(run), box = el("div"), used = new Set(list.flatMap(c => Object.keys(c.shares)));
  const names = c => (c.ranks.length > 3 ? `${c.ranks[0]}, ${c.ranks[1]}, … ${c.ranks[c.ranks.length - 1]}` : c.ranks.join(", "));
  function show(byClass) {
    const rows = byClass ? list.map(c => ({ label: `${count(c.weight)} × rank ${names(c)}`, sums: c.shares }))
      : run.ranks.map(r => ({ label: "rank " + r.rank, sums: run.shares.get(r.rank) || {} }));
    box.replaceChildren(stackChart(rows, run.end || 1, `Time of ${count(rows.length)} ${byClass ? "classes" : "ranks"} by cause`),
      rows.length > 40 ? el("p", { class: "note" }, "Drag over rows to zoom, twice click for all of them.") : "");
  }
  const choose = el("select", { "aria-label": "Rows", on: { change: () => show(choose.value === "class") } },
    el("option", { value: "class" }, "a class of equal ranks"), el("option", { value: "rank" }, "a rank"));
  if (list.length === run.ranks.length) choose.value = "rank";
  show(choose.value === "class");
  return el("section", {}, el("h2", {}, "Where the time of the ranks goes"), el("div", { class: "tools" }, el("label", {}, "a bar is ", choose)),
    box, legend(CAUSES.map(c => c[0]).filter(c => used.has(c))));
}
