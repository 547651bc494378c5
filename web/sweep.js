/* The page of a sweep: parallel coordinates, the Pareto front, main effects, a table with filters. Its data:
 * {title, summary, columns: [{name, unit, kind: "variable"|"figure", better}], objectives: [column], rows: [[...]], left_out}. */
import { time, bytes as size } from "./format.js";

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main"), tip = document.getElementById("tip");
const STATUS = data.columns.findIndex(c => c.name === "status");
const make = (tag, props = {}, ...inner) => { const e = Object.assign(document.createElement(tag), props); e.append(...inner); return e; };
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function show(value, unit) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (unit === "ns") return time(value);
  if (unit === "B") return size(value);
  if (unit === "B/s") return size(value) + "/s";
  return Math.abs(value) >= 1e6 ? value.toExponential(3) : String(+value.toPrecision(6));
}

/* What stands on the axes: variables that vary, objectives; each with the places of its values. */
const axes = [];
for (const [i, c] of data.columns.entries()) {
  if (c.kind !== "variable" && !data.objectives.includes(i)) continue;
  const values = [...new Set(data.rows.map(r => r[i]).filter(v => v !== null))];
  if (values.length < 2 && c.kind === "variable") continue;
  const words = values.some(v => typeof v !== "number");
  values.sort((a, b) => words ? String(a).localeCompare(String(b)) : a - b);
  const low = values[0], high = values[values.length - 1];
  const log = !words && low > 0 && high / low > 20;
  const at = words || (c.kind === "variable" && values.length <= 12)
    ? (m => v => m.get(v))(new Map(values.map((v, k) => [v, values.length > 1 ? k / (values.length - 1) : .5])))
    : log ? v => Math.log(v / low) / Math.log(high / low) : v => high > low ? (v - low) / (high - low) : .5;
  const ticks = words || (c.kind === "variable" && values.length <= 12) ? values : [low, high];
  axes.push({ column: i, ...c, at, ticks, brush: null });
}
const first = axes.find(a => a.column === data.objectives[0]);
const text_filters = new Map();

function kept() {
  return data.rows.filter(r => axes.every(a => !a.brush || (r[a.column] !== null && a.at(r[a.column]) >= a.brush[0] - 1e-9 &&
    a.at(r[a.column]) <= a.brush[1] + 1e-9)) && [...text_filters].every(([i, f]) => f(r[i])));
}

/* Blue to orange, good to bad, of the first objective. */
function shade(row, alpha) {
  const v = first && row[first.column];
  if (v === null || v === undefined || row[STATUS] !== "done") return `rgba(140,140,140,${alpha * .5})`;
  const t = first.better > 0 ? 1 - first.at(v) : first.at(v);
  return `rgba(${Math.round(20 + 215 * t)},${Math.round(110 + 10 * t)},${Math.round(190 - 160 * t)},${alpha})`;
}

function canvas(height, label) {
  const c = make("canvas", { className: "drawn", ariaLabel: label });
  c.setAttribute("role", "img");
  c.style.height = height + "px";
  return c;
}

function start(c, height) {
  const width = c.clientWidth || 800, scale = window.devicePixelRatio || 1;
  c.width = width * scale;
  c.height = height * scale;
  const g = c.getContext("2d");
  g.scale(scale, scale);
  g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  return [g, width];
}

/* ---- parallel coordinates ---- */
const TOP = 42, BOTTOM = 18, HIGH = 380;
const plane = canvas(HIGH, "Parallel coordinates of all points");
const x_of = (k, width) => axes.length > 1 ? 60 + k * (width - 130) / (axes.length - 1) : width / 2;
const y_of = t => HIGH - BOTTOM - t * (HIGH - TOP - BOTTOM);

function draw_plane(rows) {
  const [g, width] = start(plane, HIGH);
  const alpha = Math.max(.06, Math.min(.7, 60 / Math.max(1, rows.length)));
  for (const row of rows) {
    g.strokeStyle = shade(row, alpha);
    g.beginPath();
    let down = false;
    axes.forEach((a, k) => {
      const v = row[a.column];
      if (v === null) { down = false; return; }
      if (down) g.lineTo(x_of(k, width), y_of(a.at(v))); else g.moveTo(x_of(k, width), y_of(a.at(v)));
      down = true;
    });
    g.stroke();
  }
  axes.forEach((a, k) => {
    const x = x_of(k, width);
    g.strokeStyle = colour("--dim");
    g.beginPath(); g.moveTo(x, y_of(0)); g.lineTo(x, y_of(1)); g.stroke();
    g.fillStyle = colour("--ink");
    const label = a.label || a.name, half = g.measureText(label).width / 2;
    g.textAlign = "center";
    g.fillText(label, Math.max(half + 2, Math.min(x, width - half - 2)), k % 2 ? 14 : 28);
    g.fillStyle = colour("--dim");
    const every = Math.ceil(a.ticks.length / 8);
    for (const [i, t] of a.ticks.entries()) if (i % every === 0) {
      const text = show(t, a.unit), turned = x + 5 + g.measureText(text).width > width;
      g.textAlign = turned ? "right" : "left";
      g.fillText(text, x + (turned ? -5 : 5), y_of(a.at(t)) + 4);
    }
    if (a.brush) {
      g.fillStyle = colour("--accent") + "44";
      g.fillRect(x - 9, y_of(a.brush[1]), 18, Math.max(3, y_of(a.brush[0]) - y_of(a.brush[1])));
    }
  });
}

let dragged = null;
plane.addEventListener("pointerdown", e => {
  const width = plane.clientWidth;
  let best = 0;
  axes.forEach((a, k) => { if (Math.abs(x_of(k, width) - e.offsetX) < Math.abs(x_of(best, width) - e.offsetX)) best = k; });
  dragged = { axis: axes[best], from: (HIGH - BOTTOM - e.offsetY) / (HIGH - TOP - BOTTOM) };
  plane.setPointerCapture(e.pointerId);
});
plane.addEventListener("pointermove", e => {
  if (!dragged) return;
  const to = (HIGH - BOTTOM - e.offsetY) / (HIGH - TOP - BOTTOM);
  dragged.axis.brush = Math.abs(to - dragged.from) > .015 ? [Math.min(to, dragged.from), Math.max(to, dragged.from)] : null;
  draw();
});
plane.addEventListener("pointerup", e => {
  if (dragged && Math.abs((HIGH - BOTTOM - e.offsetY) / (HIGH - TOP - BOTTOM) - dragged.from) <= .015) dragged.axis.brush = null;
  dragged = null;
  draw();
});

/* ---- Pareto front of two objectives ---- */
const FRONT = 340, front = canvas(FRONT, "Pareto front");
let front_places = [];

function pareto(rows, a, b) {
  const order = rows.filter(r => r[STATUS] === "done" && r[a.column] !== null && r[b.column] !== null)
    .sort((p, q) => a.better * (q[a.column] - p[a.column]) || b.better * (q[b.column] - p[b.column]));
  const best = [];
  for (const r of order)
    if (!best.length || b.better * (r[b.column] - best[best.length - 1][b.column]) > 0) best.push(r);
  return best;
}

function draw_front(rows) {
  const [a, b] = [axes.find(x => x.column === data.objectives[0]), axes.find(x => x.column === data.objectives[1])];
  if (!a || !b) return;
  const [g, width] = start(front, FRONT), left = 90, low = 34;
  const px = v => left + a.at(v) * (width - left - 30), py = v => FRONT - low - b.at(v) * (FRONT - low - 20);
  front_places = [];
  g.strokeStyle = colour("--line");
  g.strokeRect(left, 12, width - left - 30, FRONT - low - 12);
  for (const r of rows) {
    if (r[STATUS] !== "done" || r[a.column] === null || r[b.column] === null) continue;
    g.fillStyle = shade(r, .35);
    g.beginPath(); g.arc(px(r[a.column]), py(r[b.column]), 3, 0, 7); g.fill();
    front_places.push([px(r[a.column]), py(r[b.column]), r]);
  }
  const best = pareto(rows, a, b);
  g.strokeStyle = g.fillStyle = colour("--hot");
  g.beginPath();
  best.forEach((r, i) => {
    if (i) { g.lineTo(px(r[a.column]), py(best[i - 1][b.column])); g.lineTo(px(r[a.column]), py(r[b.column])); }
    else g.moveTo(px(r[a.column]), py(r[b.column]));
  });
  g.stroke();
  for (const r of best) { g.beginPath(); g.arc(px(r[a.column]), py(r[b.column]), 4, 0, 7); g.fill(); }
  g.fillStyle = colour("--dim");
  g.textAlign = "right";
  for (const t of [b.ticks[0], b.ticks[b.ticks.length - 1]]) g.fillText(show(t, b.unit), left - 6, py(t) + 4);
  g.textAlign = "center";
  for (const t of [a.ticks[0], a.ticks[a.ticks.length - 1]]) g.fillText(show(t, a.unit), px(t), FRONT - 18);
  g.fillStyle = colour("--ink");
  g.fillText(a.label || a.name, (left + width) / 2, FRONT - 4);
  g.save(); g.translate(14, FRONT / 2); g.rotate(-Math.PI / 2); g.fillText(b.label || b.name, 0, 0); g.restore();
}

front.addEventListener("pointermove", e => {
  let best = null, near = 12 * 12;
  for (const [x, y, r] of front_places) {
    const d = (x - e.offsetX) ** 2 + (y - e.offsetY) ** 2;
    if (d < near) { near = d; best = r; }
  }
  tip.hidden = !best;
  if (!best) return;
  tip.textContent = axes.map(a => `${a.label || a.name}: ${show(best[a.column], a.unit)}`).join("\n");
  tip.style.left = Math.min(e.clientX + 14, innerWidth - 260) + "px";
  tip.style.top = e.clientY + 14 + "px";
});
front.addEventListener("pointerleave", () => { tip.hidden = true; });

/* ---- main effects: the mean of the first objective by each value of a variable ---- */
const effects = make("div", { className: "effects" });
const effect_charts = axes.filter(a => a.kind === "variable" && a.ticks.length > 1 && a.ticks.length <= 24).map(a => {
  const c = canvas(150, "Main effect of " + a.name);
  effects.append(make("figure", {}, c, make("figcaption", { textContent: a.name })));
  return [a, c];
});

function draw_effects(rows) {
  if (!first) return;
  const means = effect_charts.map(([a]) => a.ticks.map(t => {
    const of = rows.filter(r => r[a.column] === t && r[STATUS] === "done" && r[first.column] !== null).map(r => r[first.column]);
    return of.length ? [of.reduce((s, v) => s + v, 0) / of.length, Math.min(...of), Math.max(...of)] : null;
  }));
  const all = means.flat().filter(m => m).map(m => m[0]);
  const low = Math.min(...all), high = Math.max(...all), y = v => 118 - (high > low ? (v - low) / (high - low) : .5) * 95;
  effect_charts.forEach(([a, c], k) => {
    const [g, width] = start(c, 150), x = i => 26 + i * (width - 52) / Math.max(1, a.ticks.length - 1);
    g.strokeStyle = g.fillStyle = colour("--accent");
    g.beginPath();
    let down = false;
    means[k].forEach((m, i) => { if (!m) return; if (down) g.lineTo(x(i), y(m[0])); else g.moveTo(x(i), y(m[0])); down = true; });
    g.stroke();
    means[k].forEach((m, i) => { if (m) { g.beginPath(); g.arc(x(i), y(m[0]), 3, 0, 7); g.fill(); } });
    g.fillStyle = colour("--dim");
    g.textAlign = "center";
    const every = Math.ceil(a.ticks.length / 4), last = a.ticks.length - 1;
    a.ticks.forEach((t, i) => {
      g.textAlign = i === 0 ? "left" : i === last ? "right" : "center";
      if (i === last || (i % every === 0 && (i === 0 || i + every <= last))) g.fillText(show(t, a.unit), i === 0 ? 4 : i === last ? width - 4 : x(i), 140);
    });
    if (all.length) { g.textAlign = "left"; g.fillText(show(high, first.unit), 2, 11); }
  });
}

/* ---- the table ---- */
const SHOWN = 200, count = make("span", { className: "count" }), body = make("tbody"), filters = make("div", { className: "tools filters" });
let sorted = { column: first ? first.column : 0, up: !first || first.better < 0 };

/* ">= 2", "< 1e9", "full": a comparison of numbers, or a part of the text. */
function filter_of(text) {
  const m = /^\s*(<=|>=|<|>|=)?\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*$/i.exec(text);
  if (!text.trim()) return null;
  if (!m) return v => String(v).includes(text.trim());
  const n = +m[2];
  return { "<": v => v < n, ">": v => v > n, "<=": v => v <= n, ">=": v => v >= n }[m[1]] || (v => v === n || String(v).includes(m[2]));
}
data.columns.forEach((c, i) => {
  const input = make("input", { placeholder: c.label || c.name, title: `filter ${c.name}: 2, >= 2, or a part of a text`, ariaLabel: `filter ${c.name}` });
  input.addEventListener("input", () => {
    const f = filter_of(input.value);
    if (f) text_filters.set(i, f); else text_filters.delete(i);
    draw();
  });
  filters.append(input);
});

const head = make("tr");
data.columns.forEach((c, i) => {
  const button = make("button", { type: "button", textContent: c.label || c.name });
  button.addEventListener("click", () => { sorted = { column: i, up: sorted.column === i ? !sorted.up : true }; draw(); });
  head.append(make("th", {}, button));
});

function draw_table(rows) {
  const { column, up } = sorted;
  const order = [...rows].sort((a, b) => a[column] === b[column] ? 0 : a[column] === null ? 1 : b[column] === null ? -1
    : (a[column] < b[column] ? -1 : 1) * (up ? 1 : -1));
  count.textContent = `${rows.length} of ${data.rows.length} points` + (rows.length > SHOWN ? `, the first ${SHOWN} in the table` : "");
  body.replaceChildren(...order.slice(0, SHOWN).map(r => make("tr", {}, ...r.map((v, i) => make("td", { textContent: show(v, data.columns[i].unit) })))));
}

/* ---- the whole ---- */
function draw() {
  const rows = kept();
  draw_plane(rows);
  draw_front(rows);
  draw_effects(rows);
  draw_table(rows);
}

document.getElementById("title").textContent = data.title;
document.getElementById("theme").addEventListener("click", () => { document.documentElement.classList.toggle("dark"); draw(); });
document.addEventListener("keydown", e => { if (e.key === "t" && e.target.tagName !== "INPUT") document.getElementById("theme").click(); });
if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
main.append(make("div", { className: "words" }, make("p", { textContent: data.summary })));
if (data.left_out) main.append(make("p", { className: "note", textContent: `${data.left_out} more points are in the store; they are not on this page.` }));
main.append(make("h2", { textContent: "Every point a line" }), plane);
if (axes.filter(a => data.objectives.includes(a.column)).length > 1) main.append(make("h2", { textContent: "Pareto front" }), front);
if (effect_charts.length) main.append(make("h2", { textContent: `Mean ${first ? first.label || first.name : ""} by value` }), effects);
main.append(make("h2", { textContent: "Points" }), filters, count,
  make("div", { className: "scroll" }, make("table", {}, make("thead", {}, head), body)));
addEventListener("resize", draw);
draw();
document.documentElement.dataset.ready = "yes";
