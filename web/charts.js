/* Charts, drawn by uPlot: bars that lie, stacked bars, lines over time. Each is one element that takes the width it is
 * given, shows what is under the pointer, and with the focus goes from row to row by the arrow keys. */
import uPlot from "uplot";

import { css } from "./canvas.js";
import { CAUSES, colourOf, el, labelOf, percent, time, tip } from "./format.js";

const FONT = "12px system-ui, 'DejaVu Sans', sans-serif";
const ROW = 24;

let measure = null;

function widthOf(text) {
  measure = measure || document.createElement("canvas").getContext("2d");
  measure.font = FONT;
  return measure.measureText(text).width;
}

function shorten(text, width) {
  if (widthOf(text) <= width) return text;
  let n = text.length;
  while (n > 1 && widthOf(text.slice(0, n) + "…") > width) n--;
  return text.slice(0, n) + "…";
}

/* Makes the chart when its width is known, and again when that changes. */
function chartBox(label, height, options, data, describe) {
  const box = el("div", { class: "chart", tabindex: "0", role: "img", "aria-label": label, style: `min-height:${height}px` });
  let chart = null, at = -1;
  const hover = u => {
    const text = u.cursor.idx === null || u.cursor.left < 0 ? null : describe(u, u.cursor.idx);
    if (!text) { tip.hide(); return; }
    const r = u.over.getBoundingClientRect();
    tip.show(text, r.left + u.cursor.left, r.top + u.cursor.top);
  };
  const begin = width => {
    const all = options(width);
    all.hooks = { ...all.hooks, setCursor: [hover] };
    chart = new uPlot({ ...all, width, height, legend: { show: false }, padding: [8, 26, 4, 4] }, data, box);
    chart.over.addEventListener("mouseleave", tip.hide);
    box.chart = chart;
  };
  box.make = () => {
    const width = Math.floor(box.clientWidth);
    if (!width || (chart && chart.width === width)) return;
    if (chart) chart.destroy();
    begin(width);
  };
  new ResizeObserver(box.make).observe(box);
  box.addEventListener("keydown", e => {
    const rows = data[0].length, lying = chart && chart.scales.x.ori === 1;
    const by = { ArrowDown: lying ? 1 : 0, ArrowUp: lying ? -1 : 0, ArrowRight: lying ? 0 : 1, ArrowLeft: lying ? 0 : -1 }[e.key];
    if (!chart || !by || e.ctrlKey || e.metaKey) return;
    at = Math.max(0, Math.min(rows - 1, at + by));
    const place = chart.valToPos(data[0][at], "x"), middle = (lying ? chart.over.clientWidth : chart.over.clientHeight) / 2;
    chart.setCursor(lying ? { left: Math.min(40, middle), top: place } : { left: place, top: middle });
    e.preventDefault();
  });
  box.addEventListener("blur", tip.hide);
  return box;
}

/* Makes at once the charts that are on the page, which printing does not wait for. */
export function makeAll() {
  document.querySelectorAll(".chart").forEach(box => box.make());
}

/* Options of rows that lie below each other: labels to the left, the scale below. */
function lyingRows(labels, width, range, series, format, draw) {
  const widest = Math.min(Math.max(...labels.map(widthOf), 30) + 14, width * 0.42), n = labels.length;
  const axis = { stroke: () => css("--dim"), font: FONT, ticks: { show: false } };
  return {
    cursor: { x: false, y: n > 1, points: { show: false }, drag: { x: n > 40, y: false } },
    scales: {
      x: { time: false, ori: 1, dir: -1, range: (u, low, high) => (n > 40 && high > low ? [low - 0.5, high + 0.5] : [-0.5, n - 0.5]) },
      y: { ori: 0, range },
    },
    axes: [
      { ...axis, side: 3, size: widest, gap: 6, space: 1, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], grid: { show: false },
        splits: (u, i, low, high) => {
          const every = Math.max(1, Math.ceil((high - low) * 15 / (u.height - 36))), list = [];
          for (let k = Math.ceil(low / every) * every; k <= high; k += every) if (k >= 0 && k < n) list.push(k);
          return list;
        },
        values: (u, splits) => splits.map(k => shorten(labels[k] ?? "", widest - 12)) },
      { ...axis, side: 2, size: 26, gap: 4, grid: { stroke: () => css("--grid"), width: 1 }, space: 80, values: (u, splits) => splits.map(format) },
    ],
    series: [{}, ...series],
    hooks: { draw },
  };
}

const lyingBars = uPlot.paths.bars({ size: [0.78, 22], align: 0 });

/* One bar a row. rows: [{ label, value, text, hint, colour, dot }]; `text` stands beside the bar, `dot` is a second
 * figure of the row, drawn as a point, or null. */
export function barChart(rows, label, format) {
  const most = Math.max(...rows.map(r => Math.max(r.value, r.dot ?? 0)), 0), least = Math.min(...rows.map(r => r.value), 0);
  const span = most - least || 1;
  const draw = [u => {
    const { ctx } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.font = FONT.replace("12px", `${12 * ratio}px`); ctx.textBaseline = "middle"; ctx.textAlign = "left"; ctx.fillStyle = css("--ink");
    rows.forEach((r, i) => {
      const end = u.valToPos(Math.max(r.value, r.dot ?? 0, 0), "y", true);
      ctx.fillText(r.text, end + 8 * ratio, u.valToPos(i, "x", true));
    });
    ctx.restore();
  }];
  const options = width => {
    const room = Math.max(...rows.map(r => widthOf(r.text))) + 20;
    const labels = rows.map(r => r.label), left = Math.min(Math.max(...labels.map(widthOf), 30) + 14, width * 0.42);
    const free = Math.max(40, width - left - 30), right = free > room + 30 ? room : 0;
    const colours = [...new Set(rows.map(r => r.colour || ""))];
    const series = colours.map(c => ({ fill: () => (c ? c : css("--accent")), stroke: () => (c ? c : css("--accent")), width: 0, paths: lyingBars, points: { show: false } }));
    if (rows.some(r => r.dot !== undefined && r.dot !== null))
      series.push({ stroke: () => css("--ink"), paths: () => null, points: { show: true, size: 7, width: 1.5, fill: () => css("--card") } });
    return lyingRows(labels, width, [least, least + span * free / (free - right)], series, format, draw);
  };
  const colours = [...new Set(rows.map(r => r.colour || ""))];
  const data = [rows.map((r, i) => i), ...colours.map(c => rows.map(r => ((r.colour || "") === c ? r.value : null)))];
  if (rows.some(r => r.dot !== undefined && r.dot !== null)) data.push(rows.map(r => r.dot ?? null));
  return chartBox(`${label}: ${rows.slice(0, 40).map(r => `${r.label} ${r.text}`).join("; ")}`, rows.length * ROW + 36, options, data,
    (u, i) => rows[i].hint || `${rows[i].label}: ${rows[i].text}`);
}

/* One bar a row, of causes. rows: [{ label, sums: { cause: ns }, text }]. */
export function stackChart(rows, whole, label) {
  const causes = CAUSES.map(c => c[0]).filter(c => rows.some(r => r.sums[c]));
  const sofar = rows.map(() => 0);
  const tops = causes.map(c => rows.map((r, i) => (sofar[i] += r.sums[c] || 0)));
  const series = causes.map(c => ({ fill: () => colourOf(c), stroke: () => colourOf(c), width: 0, points: { show: false },
    paths: rows.length > 300 ? uPlot.paths.bars({ size: [1, Infinity], align: 0, gap: 0 }) : lyingBars }));
  /* the widest first, the next over it */
  const options = width => lyingRows(rows.map(r => (r.text && width > 500 ? `${r.label}  ${r.text}` : r.label)), width, [0, whole], series.slice().reverse(), time, []);
  const describe = (u, i) => {
    const at = u.posToVal(u.cursor.left, "y"), r = rows[i], k = tops.findIndex(t => at < t[i]);
    if (k < 0) return `${r.label}: ${time(tops.length ? tops[tops.length - 1][i] : 0)}`;
    return `${r.label}\n${labelOf(causes[k])}: ${time(r.sums[causes[k]] || 0)}, ${percent((r.sums[causes[k]] || 0) / whole)}`;
  };
  const height = Math.min(rows.length * ROW + 36, 560);
  return chartBox(label, height, options, [rows.map((r, i) => i), ...tops.slice().reverse()], describe);
}

/* How often which time came out. marks: [{ at, label, colour }], lines over it. */
export function histogram(values, marks, label) {
  const low = Math.min(...values), high = Math.max(...values), n = Math.max(1, Math.min(40, Math.ceil(2 * Math.cbrt(values.length))));
  const width = (high - low) / n || 1, counts = new Array(n).fill(0);
  for (const v of values) counts[Math.min(n - 1, Math.floor((v - low) / width))]++;
  const places = counts.map((c, i) => low + (i + 0.5) * width), axis = { stroke: () => css("--dim"), font: FONT, ticks: { show: false } };
  const ends = [Math.min(low, ...marks.map(m => m.at)) - width, Math.max(high, ...marks.map(m => m.at)) + width];
  const draw = [u => {
    const { ctx } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.font = FONT.replace("12px", `${12 * ratio}px`); ctx.textBaseline = "top";
    marks.forEach((m, i) => {
      const x = u.valToPos(m.at, "x", true), room = ctx.measureText(m.label).width + 8 * ratio, left = x + room > u.bbox.left + u.bbox.width;
      ctx.strokeStyle = ctx.fillStyle = m.colour || css("--ink"); ctx.lineWidth = 1.5 * ratio;
      ctx.beginPath(); ctx.moveTo(x, u.bbox.top); ctx.lineTo(x, u.bbox.top + u.bbox.height); ctx.stroke();
      ctx.textAlign = left ? "right" : "left";
      ctx.fillText(m.label, x + (left ? -4 : 4) * ratio, u.bbox.top + (2 + i * 14) * ratio);
    });
    ctx.restore();
  }];
  const options = () => ({
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false, range: () => ends }, y: { range: (u, a, b) => [0, Math.max(1, b) * 1.35] } },
    axes: [{ ...axis, size: 26, gap: 4, space: 90, grid: { show: false }, values: (u, s) => s.map(time) },
      { ...axis, size: 44, gap: 4, grid: { stroke: () => css("--grid"), width: 1 }, values: (u, s) => s.map(v => (Number.isInteger(v) ? String(v) : "")) }],
    series: [{}, { fill: () => css("--accent"), stroke: () => css("--card"), width: 1, paths: uPlot.paths.bars({ size: [1, Infinity] }), points: { show: false } }],
    hooks: { draw },
  });
  return chartBox(`${label}: ${marks.map(m => `${m.label} ${time(m.at)}`).join("; ")}`, 170, options, [places, counts],
    (u, i) => `${time(low + i * width)} to ${time(low + (i + 1) * width)}\n${counts[i]} of ${values.length}`);
}

/* Lines over time. lines: [{ label, values, colour, bare }], bare without a surface below; `format` of their values,
 * `across` of what they are over, where that is no time. */
export function lineChart(times, lines, label, height, format, across = time) {
  const axis = { stroke: () => css("--dim"), font: FONT, ticks: { show: false }, grid: { stroke: () => css("--grid"), width: 1 } };
  const options = () => ({
    cursor: { y: false, drag: { x: true, y: false } },
    scales: { x: { time: false }, y: { range: (u, low, high) => [0, Math.max(high, 1e-9) * 1.05] } },
    axes: [{ ...axis, size: 26, gap: 4, space: 80, values: (u, s) => s.map(across) }, { ...axis, size: 62, gap: 4, values: (u, s) => s.map(format) }],
    series: [{}, ...lines.map(l => ({ label: l.label, stroke: l.colour, fill: l.bare ? undefined : l.colour + "22", width: 1.5, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }))],
  });
  return chartBox(label, height, options, [times, ...lines.map(l => l.values)],
    (u, i) => `${across(times[i])}\n` + lines.map(l => `${l.label}: ${l.values[i] === null ? "–" : format(l.values[i])}`).join("\n"));
}
