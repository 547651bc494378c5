/* The timeline: rows are tracks of ranks, time runs to the right. Spans narrower than a pixel share it, and
 * everything up to the next pixel is skipped by binary search: a frame costs pixels, not spans. */
import { css, pixelOf, sharpCanvas } from "./canvas.js";
import { COUNTER, countersOf, describeCounter, drawCounters } from "./counters.js";
import { TRACKS } from "./data.js";
import { CAUSES, bytes, colourOf, count, el, isDark, labelOf, legend, time, tip } from "./format.js";
import { insideView } from "./inside.js";
import { firstAtOrAfter } from "./search.js";

const GUTTER = 100, LANE = 26, AXIS = 22;

function parseRanks(text) {
  const ranges = text.split(/[\s,]+/).filter(Boolean).map(part => {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part);
    return m ? [Number(m[1]), Number(m[2] ?? m[1])] : null;
  });
  return ranges.length && !ranges.includes(null) ? ranges : null;
}

const TRACE = "\0trace", EMPTY = { rank: -1, kind: -1, count: 0, start: new Float64Array(0), end: new Float64Array(0), op: [], slack: [], longest: 0 };

/* Ranks as rows: [{ rank, all: those that it stands for, header: its group }, ...]. Equal ones have the same trace and figures. */
function orderRanks(run, group, fold) {
  const of = new Map(run.memberships.filter(m => m.group_name === group).map(m => [m.rank, m])), rows = new Map();
  const headerOf = r => {
    if (group === TRACE) return "trace " + r.trace;
    const m = of.get(r.rank);
    return group ? (m ? `${group} of rank ${m.first_rank}, ${count(m.ranks)} ranks` : `no ${group}`) : "";
  };
  const alike = r => [r.trace, r.finish_ns, r.compute_ns, r.communication_ns, r.true_exposed_comm_ns, r.memory_ns, r.cpu_ns, r.idle_ns].join();
  for (const r of run.ranks) {
    const header = headerOf(r), key = header + "|" + (fold ? alike(r) : r.rank);
    if (!rows.has(key)) rows.set(key, { rank: r.rank, all: [], header, order: group === TRACE ? r.trace : of.get(r.rank)?.first_rank ?? 0 });
    rows.get(key).all.push(r.rank);
  }
  return [...rows.values()].sort((a, b) => (group ? a.order - b.order : 0) || a.rank - b.rank);
}

export function timelineView(run) {
  const s = { t0: 0, t1: Math.max(run.end, 1), top: 0, row: 14, word: "", ranks: null, kinds: new Set([0, 1, 2, 3, 4]), rows: [], group: "", fold: false, select: null };
  let colours = [], marked = null;

  function prepare() {
    const shown = orderRanks(run, s.group, s.fold).filter(g => !s.ranks || g.all.some(k => s.ranks.some(r => k >= r[0] && k <= r[1])));
    const tracks = new Map();
    for (const t of run.tracks) if (s.kinds.has(t.kind)) { if (!tracks.has(t.rank)) tracks.set(t.rank, []); tracks.get(t.rank).push(t); }
    s.rows = [];
    shown.forEach((g, i) => {
      const own = g.all.map(k => tracks.get(k)).find(Boolean) || [];
      if (own.length && g.header && (i === 0 || shown[i - 1].header !== g.header)) s.rows.push({ ...EMPTY, header: g.header });
      for (const t of own) s.rows.push(g.all.length > 1 ? { ...t, alike: g.all } : t);
    });
    s.rowOf = new Map();
    s.rows.forEach((t, i) => {
      for (const rank of t.alike || [t.rank])
        if (!s.rowOf.has(rank + ":" + t.kind)) s.rowOf.set(rank + ":" + t.kind, i);
    });
    const words = s.word.toLowerCase();
    marked = words ? run.ops.map(o => o.name.toLowerCase().includes(words)) : null;
  }

  function colourTable() {
    if (colours.length && colours.for === marked && colours.dark === isDark()) return;
    const faded = pixelOf(isDark() ? "#343c42" : "#dfe2e5");
    colours = run.ops.map((o, i) => (marked && !marked[i] ? faded : pixelOf(colourOf(o.cause))));
    colours.for = marked; colours.dark = isDark();
  }

  /* One line of pixels of a track, from `x0` to the right end. */
  function paintLine(t, line, left, k, background) {
    const waiting = t.kind === 2 && !marked ? pixelOf(colourOf("pipeline_bubble")) : null; /* until the message is there */
    line.fill(background);
    const n = t.count, width = line.length;
    let i = firstAtOrAfter(t.start, s.t0 - t.longest, 0, n);
    while (i < n && t.start[i] < s.t1) {
      let a = Math.floor((t.start[i] - s.t0) * k), b = Math.floor((t.end[i] - s.t0) * k);
      if (b < 0) { i++; continue; }
      if (a < 0) a = 0;
      if (b <= a) b = a + 1;
      if (t.end[i] > t.start[i]) line.fill(waiting ?? colours[t.op[i]], a, Math.min(b, width));
      if (b - a > 2) { /* a gap between neighbours that both are wide */
        line[a] = background;
        i++;
      } else if (b - a === 2) i++;
      else i = Math.max(i + 1, firstAtOrAfter(t.start, s.t0 + (a + 1) / k, i + 1, Math.min(n, i + 1 + 65536)) - 1); /* the last one may be long */
    }
  }

  const pathStart = Float64Array.from(run.path, q => q.start_ns);

  function pathLine(line, k, background) {
    line.fill(background);
    const n = run.path.length;
    let i = Math.max(0, firstAtOrAfter(pathStart, s.t0, 0, n) - 1);
    while (i < n && pathStart[i] < s.t1) {
      const q = run.path[i], a = Math.max(0, Math.floor((q.start_ns - s.t0) * k)), b = Math.max(a + 1, Math.floor((q.end_ns - s.t0) * k));
      if (q.end_ns > s.t0) line.fill(pixelOf(colourOf(q.cause)), a, Math.min(b, line.length));
      i = b - a > 1 ? i + 1 : Math.max(i + 1, firstAtOrAfter(pathStart, s.t0 + (a + 1) / k, i + 1, n) - 1);
    }
  }

  function draw(view) {
    const { ctx, ratio } = view, W = view.canvas.width, H = view.canvas.height;
    const left = Math.round(GUTTER * ratio), k = (W - left) / (s.t1 - s.t0);
    const image = ctx.createImageData(W, H), buffer = new Uint32Array(image.data.buffer);
    const background = pixelOf(css("--card").length === 7 ? css("--card") : "#ffffff");
    colourTable();
    buffer.fill(background);
    const line = new Uint32Array(W - left);
    const put = (y0, y1) => { for (let y = Math.max(0, y0); y < Math.min(H, y1); y++) buffer.set(line, y * W + left); };
    pathLine(line, k, background);
    put(Math.round(AXIS * ratio), Math.round((AXIS + LANE - 6) * ratio));
    const top = (AXIS + LANE) * ratio, row = s.row * ratio;
    s.top = Math.max(0, Math.min(s.top, s.rows.length * s.row - (view.height - AXIS - LANE)));
    if (row >= 1.5) {
      const first = Math.floor(s.top / s.row), last = Math.min(s.rows.length, Math.ceil((s.top + view.height) / s.row));
      for (let i = first; i < last; i++) {
        const y = top + (i * s.row - s.top) * ratio;
        paintLine(s.rows[i], line, left, k, background);
        put(Math.max(Math.round(y), Math.ceil(top)), Math.round(y + row) - (row >= 4 ? Math.ceil(ratio) : 0));
      }
    } else
      for (let y = Math.ceil(top); y < H; y++) {
        const i = Math.floor(((y - top) / ratio + s.top) / s.row);
        if (i >= s.rows.length) break;
        paintLine(s.rows[i], line, left, k, background);
        put(y, y + 1);
      }
    ctx.putImageData(image, 0, 0);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawAxis(view);
    drawLabels(view);
    drawArrows(view, run.messages, [2, 1]);
    drawArrows(view, run.inner, [1]);
    drawSelection(view);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    if (below) below.redraw();
  }

  const xOf = (view, t) => GUTTER + (t - s.t0) * (view.width - GUTTER) / (s.t1 - s.t0);
  const timeAt = (view, x) => s.t0 + (x - GUTTER) * (s.t1 - s.t0) / (view.width - GUTTER);
  const yOf = i => AXIS + LANE + i * s.row - s.top;

  function drawAxis(view) {
    const { ctx } = view, span = s.t1 - s.t0, rough = span / Math.max(2, (view.width - GUTTER) / 110);
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(m => m * power).find(v => v >= rough);
    ctx.font = "11px system-ui, sans-serif"; ctx.textBaseline = "middle";
    ctx.fillStyle = css("--dim"); ctx.strokeStyle = css("--grid");
    for (let t = Math.ceil(s.t0 / step) * step; t <= s.t1; t += step) {
      const x = Math.round(xOf(view, t)) + 0.5;
      ctx.beginPath(); ctx.moveTo(x, AXIS - 4); ctx.lineTo(x, AXIS); ctx.stroke();
      ctx.textAlign = x < GUTTER + 25 ? "left" : x > view.width - 30 ? "right" : "center";
      ctx.fillText(time(t), x, AXIS / 2);
    }
    ctx.textAlign = "left";
    ctx.fillText("critical path", 6, AXIS + (LANE - 6) / 2);
  }

  function drawLabels(view) {
    const { ctx } = view;
    ctx.save();
    ctx.beginPath(); ctx.rect(0, AXIS + LANE, view.width, view.height); ctx.clip();
    ctx.font = "11px system-ui, sans-serif"; ctx.textBaseline = "middle";
    const first = Math.floor(s.top / s.row), last = Math.min(s.rows.length, Math.ceil((s.top + view.height) / s.row));
    const every = Math.max(1, Math.ceil(13 / s.row));
    for (let i = first; i < last; i++) {
      const t = s.rows[i], y = yOf(i) + s.row / 2, newRank = i === 0 || s.rows[i - 1].rank !== t.rank;
      if (t.header) {
        ctx.fillStyle = css("--grid"); ctx.fillRect(0, y - s.row / 2, view.width, s.row);
        if (s.row >= 9) { ctx.fillStyle = css("--ink"); ctx.fillText(t.header, 6, y); }
        continue;
      }
      ctx.fillStyle = css("--dim");
      if (s.row >= 9 ? newRank : i % every === 0) ctx.fillText((t.alike ? t.alike.length + " × " : "rank ") + t.rank, 6, y);
      if (s.row < 11) continue;
      ctx.textAlign = "right"; ctx.fillText(["comp", "comm", "recv", "mem", "cpu"][t.kind].slice(0, 4), GUTTER - 4, y); ctx.textAlign = "left";
      let n = firstAtOrAfter(t.start, s.t0 - t.longest, 0, t.count), tries = 0;
      for (; n < t.count && t.start[n] < s.t1 && tries < 400; n++, tries++) {
        const a = Math.max(GUTTER, xOf(view, t.start[n])), b = Math.min(view.width, xOf(view, t.end[n]));
        if (b - a < 42) continue;
        ctx.fillStyle = t.kind === 2 && !isDark() ? "#1d2327" : "#ffffff";
        ctx.save(); ctx.beginPath(); ctx.rect(a, y - s.row / 2, b - a - 3, s.row); ctx.clip();
        ctx.fillText(run.ops[t.op[n]].name || run.ops[t.op[n]].type, a + 4, y); ctx.restore();
      }
    }
    ctx.restore();
  }

  function drawArrows(view, m, ends) {
    const { ctx } = view;
    const a = firstAtOrAfter(m.sent, s.t0, 0, m.count), b = firstAtOrAfter(m.sent, s.t1, a, m.count);
    if (b - a > 500 || s.row < 5) return;
    ctx.save();
    ctx.beginPath(); ctx.rect(GUTTER, AXIS + LANE, view.width, view.height); ctx.clip();
    ctx.strokeStyle = css("--ink"); ctx.fillStyle = css("--ink"); ctx.globalAlpha = 0.55;
    for (let i = a; i < b; i++) {
      const from = s.rowOf.get(m.from[i] + ":1"), to = ends.map(k => s.rowOf.get(m.to[i] + ":" + k)).find(row => row !== undefined);
      if (from === undefined || to === undefined) continue;
      const x0 = xOf(view, m.sent[i]), y0 = yOf(from) + s.row / 2, x1 = xOf(view, m.arrived[i]), y1 = yOf(to) + s.row / 2;
      const angle = Math.atan2(y1 - y0, x1 - x0);
      ctx.beginPath(); ctx.moveTo(x0, y0); ctx.lineTo(x1, y1); ctx.stroke();
      ctx.beginPath(); ctx.moveTo(x1, y1);
      ctx.lineTo(x1 - 6 * Math.cos(angle - 0.4), y1 - 6 * Math.sin(angle - 0.4));
      ctx.lineTo(x1 - 6 * Math.cos(angle + 0.4), y1 - 6 * Math.sin(angle + 0.4)); ctx.fill();
    }
    ctx.restore();
  }

  /* What is under the pointer, as text. */
  function describe(x, y) {
    const t = timeAt(view, x);
    if (x < GUTTER) return null;
    if (y >= AXIS && y < AXIS + LANE) {
      const p = run.path[firstAtOrAfter(pathStart, t + 1e-9, 0, run.path.length) - 1];
      return p ? `critical path: ${labelOf(p.cause)}\n${p.name || ""} on rank ${p.rank}\n${time(p.end_ns - p.start_ns)} from ${time(p.start_ns)}` +
        (p.dimension === null ? "" : `\ndimension ${p.dimension}${p.algorithm ? ", " + p.algorithm : ""}`) : null;
    }
    const row = s.rows[Math.floor((y - AXIS - LANE + s.top) / s.row)];
    if (!row || row.header || y < AXIS + LANE) return null;
    let i = firstAtOrAfter(row.start, t + 1e-9, 0, row.count) - 1;
    const slack = 2 * (s.t1 - s.t0) / (view.width - GUTTER);
    for (let back = 0; back < 50 && i >= 0; back++, i--)
      if (row.end[i] >= t - slack) {
        const o = run.ops[row.op[i]];
        return `${o.name || o.type}\nrank ${row.rank}${row.alike ? ` and ${count(row.alike.length - 1)} like it` : ""}, ${TRACKS[row.kind]}: ${labelOf(o.cause)}\n` +
          `${time(row.end[i] - row.start[i])} from ${time(row.start[i])}` +
          (o.group_name ? `\ngroup ${o.group_name}` : "") + (o.bytes ? `\n${bytes(o.bytes)}` : "") +
          (row.slack[i] >= 0 ? `\nslack ${time(row.slack[i])}${run.info.slack_is_exact ? "" : " (estimate)"}` : "");
      }
    return null;
  }

  function zoom(factor, x) {
    const at = x === undefined ? (s.t0 + s.t1) / 2 : timeAt(view, Math.max(x, GUTTER));
    const least = Math.min(20, run.end);
    factor = Math.max(factor, least / (s.t1 - s.t0));
    s.t0 = at - (at - s.t0) * factor; s.t1 = at + (s.t1 - at) * factor;
    pan(0);
  }

  function pan(part) {
    const span = Math.min(s.t1 - s.t0, Math.max(run.end, 1) * 1.02), move = part * span;
    s.t0 = Math.max(-0.01 * run.end, Math.min(s.t0 + move, run.end * 1.01 - span));
    s.t1 = s.t0 + span;
    view.redraw();
  }

  /* From one moment to another: all of the canvas. */
  function zoomTo(from, to) {
    const least = Math.min(20, run.end), span = Math.max(to - from, least);
    s.t0 = from; s.t1 = from + span;
    pan(0);
  }

  /* The span under the pointer. */
  function spanAt(x, y) {
    const row = s.rows[Math.floor((y - AXIS - LANE + s.top) / s.row)], t = timeAt(view, x);
    if (!row || row.header || x < GUTTER) return null;
    const i = firstAtOrAfter(row.start, t + 1e-9, 0, row.count) - 1;
    return i >= 0 && row.end[i] >= t ? { rank: row.rank, op: run.ops[row.op[i]], start: row.start[i], end: row.end[i] } : null;
  }

  /* Shows what is inside a collective; nothing of other spans. */
  function openSpan(span) {
    if (!span || !span.op.collective) return;
    s.open = span;
    inside.replaceChildren(...insideView(run, span));
  }

  /* The longest collective in view of the first row with one. */
  function longestInView() {
    for (const row of s.rows.slice(Math.floor(s.top / s.row))) {
      let best = null;
      for (let i = firstAtOrAfter(row.start, s.t0 - row.longest, 0, row.count); i < row.count && row.start[i] < s.t1; i++)
        if (row.end[i] > s.t0 && run.ops[row.op[i]].collective && (!best || row.end[i] - row.start[i] > best.end - best.start))
          best = { rank: row.rank, op: run.ops[row.op[i]], start: row.start[i], end: row.end[i] };
      if (best) return best;
    }
    return null;
  }

  function drawSelection(view) {
    if (!s.select) return;
    const [a, b] = s.select, { ctx } = view;
    ctx.globalAlpha = 0.25; ctx.fillStyle = css("--accent");
    ctx.fillRect(Math.min(a, b), AXIS, Math.abs(b - a), view.height); ctx.globalAlpha = 1;
  }

  const inside = el("div", { class: "inside" }), lanes = countersOf(run);
  const below = lanes.length ? sharpCanvas(lanes.length * COUNTER, v => drawCounters(v, lanes, GUTTER, s.t0, s.t1, run.end), "Counters of the network over time") : null;
  if (below) {
    below.canvas.addEventListener("pointermove", e => {
      const text = e.offsetX < GUTTER ? null : describeCounter(lanes, e.offsetY, timeAt(view, e.offsetX), run.end);
      if (text) tip.show(text, e.clientX, e.clientY); else tip.hide();
    });
    below.canvas.addEventListener("pointerleave", tip.hide);
    below.canvas.style.touchAction = "pan-y";
  }
  /* As high as its rows, up to a screen. */
  const height = () => Math.max(120, Math.min(640, AXIS + LANE + s.rows.length * s.row + 6, innerHeight - 170));
  const view = sharpCanvas(height(), draw, "Timeline of ranks. Arrow keys move, plus and minus zoom, 0 shows all.");
  const pointers = new Map();
  view.canvas.addEventListener("wheel", e => {
    e.preventDefault();
    if (e.shiftKey) { s.top += e.deltaY + e.deltaX; view.redraw(); } else zoom(Math.exp(e.deltaY * 0.0015), e.offsetX);
  }, { passive: false });
  view.canvas.addEventListener("pointerdown", e => { pointers.set(e.pointerId, e); s.down = [e.clientX, e.clientY]; view.canvas.setPointerCapture(e.pointerId); tip.hide(); if (e.shiftKey || e.offsetY < AXIS) s.select = [e.offsetX, e.offsetX]; });
  view.canvas.addEventListener("pointermove", e => {
    const old = pointers.get(e.pointerId);
    if (!old) {
      const text = describe(e.offsetX, e.offsetY);
      if (text) tip.show(text, e.clientX, e.clientY); else tip.hide();
      return;
    }
    if (s.select) { s.select[1] = Math.max(GUTTER, e.offsetX); view.redraw(); return; }
    const others = [...pointers.values()].filter(p => p.pointerId !== e.pointerId);
    if (others.length === 1) {
      const before = Math.abs(old.clientX - others[0].clientX), after = Math.abs(e.clientX - others[0].clientX);
      if (before > 10 && after > 10) zoom(before / after, (e.offsetX + others[0].offsetX) / 2);
    } else {
      s.top -= e.clientY - old.clientY;
      pan((old.clientX - e.clientX) / (view.width - GUTTER));
    }
    pointers.set(e.pointerId, e);
  });
  for (const type of ["pointerup", "pointercancel"])
    view.canvas.addEventListener(type, e => {
      pointers.delete(e.pointerId);
      if (s.select) {
        const [a, b] = s.select.map(x => timeAt(view, Math.max(GUTTER, x))).sort((p, q) => p - q), wide = Math.abs(s.select[1] - s.select[0]) > 4;
        s.select = null;
        if (wide && type === "pointerup") zoomTo(a, b); else view.redraw();
      } else if (type === "pointerup" && Math.hypot(e.clientX - s.down[0], e.clientY - s.down[1]) < 4) openSpan(spanAt(e.offsetX, e.offsetY));
      if (e.pointerType === "touch") { const text = describe(e.offsetX, e.offsetY); if (text) tip.show(text, e.clientX, e.clientY); }
    });
  view.canvas.addEventListener("pointerleave", tip.hide);
  view.canvas.addEventListener("dblclick", e => {
    const span = spanAt(e.offsetX, e.offsetY);
    if (span) { const room = (span.end - span.start) * 0.1; zoomTo(span.start - room, span.end + room); }
  });
  view.canvas.addEventListener("keydown", e => {
    const acts = { ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), a: () => pan(-0.1), d: () => pan(0.1),
      "+": () => zoom(0.7), "=": () => zoom(0.7), w: () => zoom(0.7), "-": () => zoom(1.4), s: () => zoom(1.4),
      ArrowUp: () => { s.top -= 3 * s.row; view.redraw(); }, ArrowDown: () => { s.top += 3 * s.row; view.redraw(); },
      Enter: () => openSpan(longestInView()), "0": () => { s.t0 = 0; s.t1 = Math.max(run.end, 1); view.redraw(); } };
    if (!acts[e.key] || e.ctrlKey || e.metaKey) return;
    acts[e.key](); e.preventDefault();
  });

  const fit = () => { view.canvas.style.height = height() + "px"; view.redraw(); };
  const again = () => { prepare(); fit(); };
  const ranks = el("input", { size: "10", placeholder: "all", "aria-label": "Ranks to show, like 0-7,12",
    on: { input: () => { s.ranks = parseRanks(ranks.value); s.top = 0; again(); } } });
  const search = el("input", { type: "search", size: "14", placeholder: "name", "aria-label": "Mark nodes by name",
    on: { input: () => { s.word = search.value; again(); } } });
  const names = [...new Set(run.memberships.map(m => m.group_name))], stages = new Set(run.ranks.map(r => r.trace)).size;
  if (run.ranks.length > 16 && stages > 1 && stages < run.ranks.length) s.group = TRACE; /* the stages of a pipeline */
  const group = names.length || stages > 1 ? el("label", {}, "group by ", el("select", { on: { change: e => { s.group = e.target.value; s.top = 0; again(); } } },
    el("option", { value: "" }, "rank"), names.map(n => el("option", { value: n }, n)), stages > 1 && stages < run.ranks.length ? el("option", { value: TRACE, selected: s.group === TRACE }, "trace") : null)) : null;
  s.fold = run.ranks.length > 16 && orderRanks(run, "", true).length < run.ranks.length;
  const fold = orderRanks(run, "", true).length < run.ranks.length ? el("label", {}, el("input", { type: "checkbox", checked: s.fold, on: { change: e => { s.fold = e.target.checked; s.top = 0; again(); } } }), " equal ranks as one") : null;
  const size = el("input", { type: "range", min: "0", max: "100", value: "81", "aria-label": "Height of a row",
    on: { input: () => { s.row = 0.5 * Math.pow(60, size.value / 100); fit(); } } });
  const kinds = TRACKS.map((name, i) => run.tracks.some(t => t.kind === i)
    ? el("label", {}, el("input", { type: "checkbox", checked: true, on: { change: e => {
      if (e.target.checked) s.kinds.add(i); else s.kinds.delete(i);
      again();
    } } }), " " + name) : null);
  again();
  const used = new Set(run.ops.map(o => o.cause));
  Object.keys(run.pathCauses).forEach(c => used.add(c));
  if (run.tracks.some(t => t.kind === 2)) used.add("pipeline_bubble");
  const recorded = new Set(run.tracks.map(t => t.rank)).size || run.ranks.length;
  const section = el("section", {},
    el("div", { class: "tools" }, el("label", {}, "ranks ", ranks), el("label", {}, "mark ", search), el("label", {}, "rows ", size), group, fold, kinds),
    view.canvas, below ? below.canvas : null, legend(CAUSES.map(c => c[0]).filter(c => used.has(c))),
    run.tracks.length ? null : el("p", { class: "note" }, "The run had too many nodes for their times to be in its files unasked: “--db” writes them."),
    el("p", { class: "note" }, "Drag to move, wheel to zoom, shift and wheel for other ranks; shift and drag, or drag along the time, zooms to that time, a double click to a span; a click on a collective shows its phases and messages. Keys: ", el("kbd", {}, "←"), el("kbd", {}, "→"), " move, ",
      el("kbd", {}, "+"), el("kbd", {}, "−"), " zoom, ", el("kbd", {}, "↑"), el("kbd", {}, "↓"), " ranks, ", el("kbd", {}, "0"), " all, ", el("kbd", {}, "Enter"), " inside the longest collective in view. Arrows are messages; they show when few are in view. ",
      run.info.slack_is_exact ? "Slack is a promise: a node may end so much later and the run ends as before, if every rank keeps its order."
        : "Slack is an estimate here: a node that ends later also moves messages, which then meet others.",
      recorded < run.ranks.length ? ` The files of this run have the nodes of ${count(recorded)} ranks: “--db” writes all of them.` : "",
      run.info.ranks > run.ranks.length ? ` One rank of each of ${count(run.ranks.length)} classes of equal ranks is shown.` : ""));
  section.insertBefore(inside, below ? below.canvas.nextSibling : view.canvas.nextSibling);
  section.timeline = { state: s, view, zoom, pan };
  return section;
}
