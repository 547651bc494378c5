/* Several runs side by side, and two of them in detail. */
import { stackChart } from "./charts.js";
import { intervalOf, settingsOf } from "./data.js";
import { CAUSES, bytes, count, el, labelOf, legend, percent, three, time } from "./format.js";
import { sortableTable } from "./table.js";

function change(now, before, text) {
  if (!before && !now) return el("span", {}, "–");
  const d = before ? now / before - 1 : NaN;
  return el("span", { class: now < before ? "good" : now > before ? "bad" : "" }, text(now - before), Number.isFinite(d) ? ` (${d > 0 ? "+" : ""}${percent(d)})` : "");
}

/* What the packets did in two runs, of which one at least was of packets. */
function packetRows(a, b) {
  const x = a.packets[0], y = b.packets[0];
  const rows = [["data packets", "data", count], ["sent again", "retransmitted", count], ["dropped", "dropped", count], ["trimmed", "trimmed", count],
    ["ECN marks", "ecn_marks", count], ["PFC pauses", "pfc_pauses", count], ["links paused, together", "paused_ns", time], ["longest queue", "peak_queue_bytes", bytes]];
  const cell = (f, key, text) => (f ? text(f[key]) : "–");
  return rows.filter(([, key]) => (x && x[key]) || (y && y[key])).map(([label, key, text]) => el("tr", {}, el("td", { class: "text" }, label), el("td", {}, cell(x, key, text)),
    el("td", {}, cell(y, key, text)), el("td", {}, x && y ? change(y[key], x[key], text) : "–")));
}

/* What the memory tiers and their links did in two runs, of which one at least has some. */
function tierRows(a, b) {
  const find = (run, name) => run.tiers.find(t => t.name === name), names = [...new Set([...a.tiers, ...b.tiers].map(t => t.name))];
  const cell = (t, key, text) => (t && t[key] !== null ? text(t[key]) : "–");
  const parts = [["written", "in_bytes", bytes], ["read", "out_bytes", bytes], ["at its peak", "peak_bytes", bytes], ["lost to others", "lost_ns", time]];
  return names.flatMap(name => parts.map(([label, key, text]) => [name, label, key, text])).map(([name, label, key, text]) => {
    const x = find(a, name), y = find(b, name);
    return (x && x[key]) || (y && y[key]) ? el("tr", {}, el("td", { class: "text" }, `${name}: ${label}`), el("td", {}, cell(x, key, text)), el("td", {}, cell(y, key, text)),
      el("td", {}, x && y ? change(y[key], x[key], text) : "–")) : null;
  }).filter(Boolean);
}

function diffView(a, b) {
  const x = a.pathCauses, y = b.pathCauses, causes = CAUSES.map(c => c[0]).filter(c => x[c] || y[c]);
  const rows = [["end to end", a.end, b.end], ...causes.map(c => [labelOf(c), x[c] || 0, y[c] || 0])];
  const kinds = new Map();
  for (const [run, at] of [[a, 0], [b, 1]])
    for (const c of run.collectives) {
      const key = `${c.kind.toLowerCase().replaceAll("_", "-")} of ${bytes(c.bytes)} on ${c.participants} ranks`;
      if (!kinds.has(key)) kinds.set(key, [0, 0]);
      kinds.get(key)[at] += c.duration_ns * c.instances;
    }
  const p = settingsOf(a), q = settingsOf(b);
  const settings = [...new Set([...Object.keys(p), ...Object.keys(q)])].filter(k => p[k] !== q[k]).slice(0, 60);
  const whole = list => el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["", "first", "second", "difference"].map((t, i) =>
    el("th", { class: i ? "" : "text", scope: "col" }, t)))), el("tbody", {}, list)));
  const table = list => whole(list.map(([label, m, n]) => el("tr", {}, el("td", { class: "text" }, label),
    el("td", {}, time(m)), el("td", {}, time(n)), el("td", {}, change(n, m, time)))));
  const u = intervalOf(a), v = intervalOf(b), range = i => `${time(i.low_ns)} and ${time(i.high_ns)}`;
  return el("div", {}, u && v ? el("p", { class: "note" }, `95 % of the samples end between ${range(u)} in the first and ${range(v)} in the second run: the intervals ` +
    (u.low_ns <= v.high_ns && v.low_ns <= u.high_ns ? "overlap." : "lie apart.")) : null,
    el("h2", {}, "Critical path"), table(rows),
    a.packets.length || b.packets.length ? [el("h2", {}, "Packets"), whole(packetRows(a, b))] : null,
    a.tiers.length || b.tiers.length ? [el("h2", {}, "Memory tiers and their links"), whole(tierRows(a, b))] : null,
    kinds.size ? [el("h2", {}, "Collectives, their times added up"), table([...kinds].map(([k, v]) => [k, ...v]).sort((m, n) => Math.abs(n[2] - n[1]) - Math.abs(m[2] - m[1])).slice(0, 40))] : null,
    el("h2", {}, "Settings that differ"), settings.length ? el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, settings.map(k => el("tr", {},
      el("td", { class: "text" }, k), el("td", { class: "text" }, String(p[k] ?? "–")), el("td", { class: "text" }, String(q[k] ?? "–"))))))) : el("p", { class: "note" }, "None."));
}

export function compareView(runs) {
  const best = Math.min(...runs.map(r => r.end)), box = el("div");
  const pick = start => el("select", { on: { change: show } }, runs.map((r, i) => el("option", { value: i, selected: i === start }, r.name)));
  const first = pick(0), second = pick(runs.length > 1 ? 1 : 0);
  first.setAttribute("aria-label", "First run"); second.setAttribute("aria-label", "Second run");
  function show() { box.replaceChildren(diffView(runs[Number(first.value)], runs[Number(second.value)])); }
  show();
  const used = new Set(runs.flatMap(r => Object.keys(r.pathCauses)));
  return el("section", {}, el("h2", {}, "Critical paths side by side"), stackChart(runs.map(r => ({ label: r.name, sums: r.pathCauses, text: time(r.end) })), Math.max(...runs.map(r => r.end), 1), "Critical path of every run by cause"), legend(CAUSES.map(c => c[0]).filter(c => used.has(c))),
    sortableTable(runs.map(r => ({ name: r.name, end: r.end, factor: r.end / best, bound: r.info.lower_bound_ns, model: r.info.network_model, executor: r.info.executor,
      ranks: r.info.ranks, moved: r.info.moved_bytes, compute: r.causes.compute || 0, idle: (r.causes.idle || 0) + (r.causes.pipeline_bubble || 0) + (r.causes.straggler_wait || 0) })),
    [["name", "run", null, true], ["end", "end to end", time], ["factor", "times the best", three], ["bound", "bound", time], ["model", "network", null, true], ["executor", "executor", null, true],
      ["ranks", "ranks", count], ["moved", "moved", bytes], ["compute", "mean compute", time], ["idle", "mean waiting", time]], { sort: "end", down: false }),
    el("h2", {}, "Two in detail"), el("div", { class: "tools" }, first, " and ", second), box);
}
