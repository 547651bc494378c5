/* The network: ranks placed by their coordinates, links coloured by how busy they are, and what each rank does at a
 * moment of the run. */
import { css, sharpCanvas } from "./canvas.js";
import { lineChart } from "./charts.js";
import { settingsOf } from "./data.js";
import { bytes, colourOf, count, el, percent, rate, time, tip } from "./format.js";
import { firstAtOrAfter } from "./search.js";
import { sortableTable } from "./table.js";

function heat(share) {
  const stops = [[0, [70, 130, 180]], [0.5, [230, 180, 60]], [1, [190, 30, 45]]];
  const x = Math.max(0, Math.min(1, share));
  let i = 1;
  while (i < stops.length - 1 && x > stops[i][0]) i++;
  const [a, b] = [stops[i - 1], stops[i]], f = (x - a[0]) / (b[0] - a[0]);
  return `rgb(${a[1].map((v, c) => Math.round(v + (b[1][c] - v) * f)).join(",")})`;
}

/* Of a network of many ranks the first places of each dimension are drawn. */
const DRAWN = 1024, DRAWN_OF_LARGE = 256;

function drawnPlaces(dims, n) {
  const most = dims.map(d => d.npus);
  if (n <= DRAWN) return most;
  while (most.reduce((a, v) => a * v, 1) > DRAWN_OF_LARGE) {
    const i = most.indexOf(Math.max(...most));
    most[i] = Math.max(1, Math.floor(most[i] / 2));
  }
  return most;
}

/* Each dimension goes to the right or down, so that the whole stays about twice as wide as high. */
function placeRanks(run, isGraph) {
  const dims = isGraph ? [{ npus: run.info.ranks }] : run.dimensions.filter(d => d.npus > 0), n = run.info.ranks, places = new Map();
  const most = drawnPlaces(dims, n);
  let size = [1, 1];
  const steps = dims.map((d, i) => {
    const gap = i === 0 ? 0 : 0.7 * i, w = size[0] + gap, h = size[1] + gap;
    const npus = most[i];
    let columns = npus, rows = 1;
    const off = aspect => Math.abs(Math.log(aspect / 2));
    const across = i === 0 || off(w * npus / size[1]) <= off(size[0] / (h * npus)) ? 0 : 1;
    if (npus > 24 && across === 0) { columns = Math.ceil(Math.sqrt(npus * 2)); rows = Math.ceil(npus / columns); }
    if (isGraph) { columns = Math.min(npus, 32); rows = Math.ceil(npus / columns); }
    if (across === 0) size = [columns * w, rows * h]; else size = [w, npus * h];
    return { columns, w, h, across };
  });
  const drawn = Math.min(n, most.reduce((a, v) => a * v, 1));
  for (let k = 0; k < drawn; k++) {
    let x = 0, y = 0, rest = k, rank = 0, stride = 1;
    dims.forEach((d, i) => {
      const c = rest % most[i], s = steps[i];
      rest = Math.floor(rest / most[i]);
      rank += c * stride; stride *= d.npus;
      if (s.across === 0) { x += (c % s.columns) * s.w; y += Math.floor(c / s.columns) * s.h; } else y += c * s.h;
    });
    places.set(String(rank), [x, y]);
  }
  return { places, size, part: drawn < n ? most : null };
}

const LINES = ["#2f7ebc", "#e07b1a", "#5b8c2a", "#be185d", "#7c3aed", "#0f766e", "#a16207", "#636c74"];

/* How busy the links of every dimension are over time. */
function usageChart(run, links) {
  const rates = new Map(), byLink = new Map(links.map(l => [l.link, l]));
  for (const l of links) rates.set(l.dimension, (rates.get(l.dimension) || 0) + l.link_gbps);
  const dims = [...rates.keys()].sort((a, b) => a - b), moved = new Map(dims.map(d => [d, new Float64Array(run.buckets.length)]));
  const place = new Map(run.buckets.map((b, i) => [b.bucket, i]));
  for (const [link, bucket, amount] of run.usage) {
    const l = byLink.get(link);
    if (l) moved.get(l.dimension)[place.get(bucket)] += amount;
  }
  const lines = dims.map((d, i) => ({ label: d === null ? "links of no dimension" : "dimension " + d, colour: LINES[i % LINES.length],
    values: run.buckets.map((b, k) => moved.get(d)[k] / (rates.get(d) * (b.end_ns - b.start_ns))) }));
  return [el("h2", {}, "How busy the links are over time"),
    lineChart(run.buckets.map(b => b.start_ns), lines, "How busy the links of every dimension are over time", 200, percent),
    el("ul", { class: "legend" }, lines.map(l => el("li", {}, el("i", { style: "background:" + l.colour }), l.label)))];
}

const isRank = name => /^\d+$/.test(name);

/* Places next to each device that has none: Map of name to list. */
function neighboursOf(places, links) {
  const near = new Map();
  for (const l of links)
    for (const [a, b] of [[l.from_device, l.to_device], [l.to_device, l.from_device]])
      if (!places.has(a) && places.has(b)) { if (!near.has(a)) near.set(a, []); near.get(a).push(places.get(b)); }
  return near;
}

/* Nodes of a graph in layers above the ranks, by how far they are from one; each layer as wide as the ranks. */
function placeLevels(places, size, links) {
  const roleOf = name => name.replace(/[\d\s]+$/, ""), mean = list => list.reduce((x, p) => x + p[0], 0) / list.length;
  for (let level = 1; level < 24;) {
    const near = neighboursOf(places, links), roles = [...new Set([...near.keys()].map(roleOf))];
    if (!near.size) break;
    for (const role of roles) {
      const row = [...near].filter(([name]) => roleOf(name) === role).map(([name, list]) => [name, mean(list)])
        .sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0], "en", { numeric: true }));
      row.forEach(([name], i) => places.set(name, [(i + 0.5) * size[0] / row.length - 0.5, -2.2 * level, row.length]));
      size[2] = 2.2 * level++;
    }
  }
  return new Map();
}

export function networkView(run) {
  const isGraph = (settingsOf(run)["network: graph"] ?? "none") !== "none", { places, size, part } = placeRanks(run, isGraph);
  /* switches are numbered within their dimension, unless the network is a graph */
  const device = (name, l) => (name.startsWith("switch") && !isGraph ? `${name} of dimension ${l.dimension}` : name);
  const links = run.links.filter(l => l.from_device !== null)
    .map(l => ({ ...l, from_device: device(l.from_device, l), to_device: device(l.to_device, l) }));
  /* of many ranks around switches: neighbours, as where there are no links; else one would see lines only */
  const neighbours = !links.length || (!isGraph && places.size > 80 && links.some(l => l.to_device.startsWith("switch")));
  const tall = list => (Math.max(...list.map(p => p[1])) - Math.min(...list.map(p => p[1])) > 0.5 ? 1 : 0);
  const near = isGraph ? placeLevels(places, size, links) : neighboursOf(places, neighbours ? [] : links);
  for (const [name, list] of isGraph ? [] : near)
    places.set(name, [list.reduce((x, p) => x + p[0], 0) / list.length + 0.3 * tall(list), list.reduce((y, p) => y + p[1], 0) / list.length - 0.5 + 0.45 * tall(list)]);
  const bucketOf = new Map();
  for (const [link, bucket, moved] of run.usage) {
    if (!bucketOf.has(bucket)) bucketOf.set(bucket, new Map());
    bucketOf.get(bucket).set(link, moved);
  }
  const byLink = new Map(links.map(l => [l.link, l])), byBucket = new Map(run.buckets.map(b => [b.bucket, b]));
  const buckets = run.buckets, state = { at: 0.5, all: true };
  const shownRank = new Map();
  run.tracks.forEach(t => { if (!shownRank.has(t.rank)) shownRank.set(t.rank, []); shownRank.get(t.rank).push(t); });

  const mostOfAll = Math.max(...run.dimensions.map(d => d.utilisation || 0), ...links.map(l => l.utilisation || 0), 1e-12);
  let mostAtOnce = mostOfAll;
  for (const [link, bucket, moved] of run.usage) {
    const l = byLink.get(link), b = byBucket.get(bucket);
    if (l && b) mostAtOnce = Math.max(mostAtOnce, moved / (l.link_gbps * (b.end_ns - b.start_ns)));
  }
  const most = () => (state.all ? mostOfAll : mostAtOnce), shade = share => heat(share / most());

  function useOf(l) {
    if (state.all || !buckets.length) return l.utilisation;
    const t = state.at * run.end, b = buckets.find(x => x.start_ns <= t && t < x.end_ns);
    if (!b) return 0;
    return (bucketOf.get(b.bucket).get(l.link) || 0) / (l.link_gbps * (b.end_ns - b.start_ns));
  }

  function useOfDimension(d) {
    const own = links.filter(l => l.dimension === d.dimension);
    return own.length ? own.reduce((s, l) => s + (useOf(l) || 0), 0) / own.length : d.utilisation;
  }

  function doing(rank) {
    const t = state.at * run.end;
    for (const track of shownRank.get(rank) || []) {
      const i = firstAtOrAfter(track.start, t + 1e-9, 0, track.count) - 1;
      if (i >= 0 && track.end[i] > t) return run.ops[track.op[i]];
    }
    return null;
  }

  const [left, top, right, bottom] = [...places.values()].reduce((e, [x, y]) => [Math.min(e[0], x), Math.min(e[1], y), Math.max(e[2], x), Math.max(e[3], y)], [0, 0, 0, 0]);
  const wide = right - left, high = bottom - top;

  function project(view) {
    const k = Math.min((view.width - 50) / Math.max(wide + 0.5, 1), (view.height - 50) / Math.max(high + 0.5, 1), 70);
    const dx = (view.width - wide * k) / 2 - left * k, dy = (view.height - high * k) / 2 - top * k;
    return { k, at: p => [dx + p[0] * k, dy + p[1] * k] };
  }

  function draw(view) {
    const { ctx, ratio } = view;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = css("--card"); ctx.fillRect(0, 0, view.width, view.height);
    const { k, at } = project(view), r = Math.max(1.5, Math.min(13, k * 0.3));
    ctx.lineWidth = links.length > 600 ? 0.6 : Math.max(1, Math.min(4, k * 0.06));
    for (const l of neighbours ? [] : links) {
      const a = places.get(l.from_device), b = places.get(l.to_device);
      if (!a || !b) continue;
      const [x0, y0] = at(a), [x1, y1] = at(b), bend = 0.12;
      ctx.strokeStyle = shade(useOf(l));
      ctx.beginPath(); ctx.moveTo(x0, y0);
      ctx.quadraticCurveTo((x0 + x1) / 2 + (y1 - y0) * bend, (y0 + y1) / 2 - (x1 - x0) * bend, x1, y1); ctx.stroke();
    }
    if (neighbours) drawDimensions(ctx, at, k);
    ctx.textAlign = "center"; ctx.textBaseline = "middle"; ctx.font = `${Math.round(r * 0.95)}px system-ui, sans-serif`;
    for (const [name, p] of places) {
      const [x, y] = at(p), rank = isRank(name), op = rank && !state.all ? doing(Number(name)) : null;
      ctx.fillStyle = rank ? (state.all ? css("--accent") : op ? colourOf(op.cause) : colourOf("idle")) : css("--dim");
      ctx.beginPath();
      if (rank) ctx.arc(x, y, r, 0, 7); else {
        const half = Math.min(r * 0.9, (p[2] ? size[0] * k / p[2] : 99) * 0.4);
        ctx.rect(x - half, y - r * 0.7, 2 * half, r * 1.4);
      }
      ctx.fill();
      const room = p[2] ? size[0] * k / p[2] : 99;
      if (r > 8 && room > 2 * r) { ctx.fillStyle = "#fff"; ctx.fillText(rank ? name : (/\d+/.exec(name) || [name.slice(0, 2)])[0], x, y + 0.5); }
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
  }

  /* Without links: each dimension's neighbours, coloured by the dimension. */
  function drawDimensions(ctx, at, k) {
    let stride = 1;
    ctx.globalAlpha = 0.7;
    run.dimensions.forEach(d => {
      if (!d.npus) return;
      ctx.strokeStyle = shade(useOfDimension(d));
      for (const [name, p] of places) {
        const rank = Number(name), c = Math.floor(rank / stride) % d.npus;
        const next = c + 1 < d.npus ? rank + stride : d.topology === "Ring" && d.npus > 2 ? rank - c * stride : -1;
        const q = next >= 0 && places.get(String(next));
        if (!q) continue;
        const [x0, y0] = at(p), [x1, y1] = at(q), far = Math.abs(x1 - x0) + Math.abs(y1 - y0) > 1.5 * k * Math.max(1, stride > 1 ? 1e9 : 1);
        ctx.beginPath(); ctx.moveTo(x0, y0);
        if (far) ctx.quadraticCurveTo((x0 + x1) / 2 + (y1 - y0) * 0.2, (y0 + y1) / 2 - (x1 - x0) * 0.2, x1, y1); else ctx.lineTo(x1, y1);
        ctx.stroke();
      }
      stride *= d.npus;
    });
    ctx.globalAlpha = 1;
  }

  const view = sharpCanvas(Math.max(260, Math.min(560, innerHeight - 260, 90 + (high + 1) * 60)), draw, "Network: ranks and links");
  view.canvas.style.touchAction = "pan-y";
  view.canvas.addEventListener("pointermove", e => {
    const { k, at } = project(view);
    for (const [name, p] of places) {
      const [x, y] = at(p);
      if (Math.hypot(x - e.offsetX, y - e.offsetY) > Math.max(6, k * 0.35)) continue;
      const own = links.filter(l => l.from_device === name), op = doing(Number(name));
      tip.show((isRank(name) ? "rank " + name : name) +
        (own.length ? `\nsends ${bytes(own.reduce((s, l) => s + l.bytes, 0))}, busiest link ${percent(Math.max(...own.map(useOf)))}` : "") +
        (!state.all && isRank(name) ? `\nat ${time(state.at * run.end)}: ${op ? op.name || op.type : "nothing in flight"}` : ""), e.clientX, e.clientY);
      return;
    }
    tip.hide();
  });
  view.canvas.addEventListener("pointerleave", tip.hide);
  const label = el("span", {}, "whole run"), scale = el("ul", { class: "legend" });
  const showScale = () => scale.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map(v => el("li", {}, el("i", { style: "background:" + heat(v) }),
    percent(v * most()) + (v === 1 ? " busy, the most" : ""))));
  showScale();
  const slider = el("input", { type: "range", min: "0", max: "1000", value: "0", style: "flex:1 1 12rem", "aria-label": "Moment of the run",
    on: { input: () => { state.all = slider.value === "0"; state.at = slider.value / 1000; label.textContent = state.all ? "whole run" : time(state.at * run.end); showScale(); view.redraw(); } } });
  return el("section", {},
    el("div", { class: "tools" }, el("span", {}, "moment"), slider, label),
    view.canvas,
    scale,
    el("p", { class: "note" }, links.length
      ? (buckets.length ? "Links by what they carry at the moment of the slider." : "Links over the whole run; “--link-usage” records them over time.")
      : "In this network model messages pass each other and there are no links: lines join neighbours, coloured by how busy their dimension is.",
    neighbours && links.length ? " Lines join neighbours, coloured by how busy the links of their dimension are on average." : "",
    part ? ` Of each dimension the first ${part.join(", ")} places are drawn.` : "",
    " Move the slider to see what each rank does."),
    buckets.length > 1 && links.length ? usageChart(run, links) : null,
    el("h2", {}, "Dimensions"), sortableTable(run.dimensions, [["dimension", "dimension"], ["topology", "topology", null, true], ["npus", "NPUs", count],
      ["link_gbps", "link rate", rate], ["latency_ns", "latency", time], ["links", "links", count], ["messages", "messages", count],
      ["bytes", "bytes", bytes], ["utilisation", "busy", percent]], { sort: "dimension", down: false }),
    links.length ? [el("h2", {}, "Links"), sortableTable(links, [["from_device", "from", null, true], ["to_device", "to", null, true], ["dimension", "dimension"],
      ["bytes", "bytes", bytes], ["utilisation", "busy", percent], ["wait_ns", "waited for", time], ["most_waiting", "most waiting", count]], { sort: "wait_ns" })] : null);
}
