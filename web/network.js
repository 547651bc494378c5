/* The network: its picture, links coloured by how busy they are, what each rank does at a moment of the run; links by use. */
import { css, sharpCanvas } from "./canvas.js";
import { lineChart } from "./charts.js";
import { networkOf } from "./data.js";
import { boxPicture, colourOfRole } from "./drawing.js";
import { CAUSES, bytes, card, count, el, joules, legend, percent, rate, three, time, tip } from "./format.js";
import { completionsPart, depthPart } from "./messages.js";
import { linkName } from "./packets.js";
import { heat, heatLegend } from "./heat.js";
import { placePicture } from "./places.js";
import { firstAtOrAfter } from "./search.js";
import { sortableTable } from "./table.js";

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

/* What each link carries at a moment: { useOf(link), doing(rank), set(moment or null) }. doing: an operation, null: nothing,
 * undefined: the whole run is shown. */
function momentOf(run) {
  const bucketOf = new Map(), tracks = new Map(), state = { at: null };
  for (const [link, bucket, moved] of run.usage) {
    if (!bucketOf.has(bucket)) bucketOf.set(bucket, new Map());
    bucketOf.get(bucket).set(link, moved);
  }
  for (const t of run.tracks) {
    if (!tracks.has(t.rank)) tracks.set(t.rank, []);
    tracks.get(t.rank).push(t);
  }
  return {
    set(at) { state.at = at; },
    useOf(l) {
      if (state.at === null || !run.buckets.length) return l.utilisation;
      const b = run.buckets.find(x => x.start_ns <= state.at && state.at < x.end_ns);
      return b ? (bucketOf.get(b.bucket).get(l.link) || 0) / (l.link_gbps * (b.end_ns - b.start_ns)) : 0;
    },
    doing(rank) {
      if (state.at === null) return undefined;
      for (const track of tracks.get(rank) || []) {
        const i = firstAtOrAfter(track.start, state.at + 1e-9, 0, track.count) - 1;
        if (i >= 0 && track.end[i] > state.at) return run.ops[track.op[i]];
      }
      return null;
    },
  };
}

function noteOf(run, links, picture) {
  return el("p", { class: "note" }, links.length
    ? (run.buckets.length ? "Links by what they carry at the moment of the slider." : "Links over the whole run; “--link-usage” records them over time.")
    : "In this network model messages pass each other and there are no links: " + (run.boxes.length ? "lines are its cables." : "lines join neighbours, coloured by how busy their dimension is."),
  picture.neighbours && links.length ? " Lines join neighbours, coloured by how busy the links of their dimension are on average." : "",
  picture.part ? ` Of each dimension the first ${picture.part.join(", ")} places are drawn.` : "",
  run.boxes.some(b => b.devices > 1) ? " A box with a number stands for so many devices; a line has the colour of the busiest link in it." : "",
  " Move the slider to see what each rank does.");
}

/* What packets waited for in routers, flit by flit: a sum of all links. */
const waits = [["no_vc_ns", "a virtual channel", "no channel"], ["no_credit_ns", "room at the other end", "no room"], ["lost_turn_ns", "their turn", "lost turn"]];

/* What switches could not do at once, what packets waited for; what the traffic draws. */
function totals(run) {
  const { fabric, energy, hashing } = networkOf(run);
  return el("div", { class: "cards" },
    hashing ? card("ECMP collisions", count(hashing.collisions), `of ${count(hashing.links)} links that hashes decide on: several flows while an equal link has none`) : null,
    fabric ? card("conflicts in switches", count(fabric.conflicts), fabric.on_conflict === "stop" ? "would end the run" : "messages wait for each other") : null,
    fabric ? card("pre-emptions", count(fabric.preemptions), "messages that gave way") : null,
    run.stalls.length ? waits.map(([key, what]) => card("packets waited for " + what, time(run.stalls.reduce((sum, s) => sum + s[key], 0)), "all packets in all routers together")) : null,
    energy ? card("energy of the traffic", (energy.is_illustrative ? "~" : "") + joules(energy.joules), `${joules(energy.routers_joules)} in routers, ${joules(energy.links_joules)} in links; ${energy.catalogue}`) : null);
}

function linkTables(run, links) {
  const drawn = run.dimensions.some(d => d.joules !== null && d.joules !== undefined) ? [["joules", "energy", joules]] : [];
  const hashed = links.some(l => l.even_flows !== null && l.even_flows !== undefined)
    ? [["hashed_flows", "flows by hash", v => (v === null ? "–" : count(v))], ["even_flows", "spread evenly", v => (v === null ? "–" : v.toFixed(1))], ["idle_equals", "equal, idle", v => (v === null ? "–" : count(v))]] : [];
  const waited = links.some(l => l.wait_ns || l.most_waiting) ? [["wait_ns", "waited for", time], ["most_waiting", "most waiting", count]] : [];
  const stalled = run.stalls.length ? [...waits.map(([key, , name]) => [key, name, time]), ["held_flits", "flits held", three]] : [];
  const busy = (v, l) => el("span", {}, el("i", { class: "swatch", style: "background:" + heat(v) }), percent(v));
  return [el("h2", {}, "Dimensions"), sortableTable(run.dimensions, [["dimension", "dimension"], ["topology", "topology", null, true], ["npus", "NPUs", count],
    ["link_gbps", "link rate", rate], ["latency_ns", "latency", time], ["links", "links", count], ["messages", "messages", count],
    ["bytes", "bytes", bytes], ["utilisation", "busy", busy], ...drawn], { sort: "dimension", down: false }),
  ...links.length ? [el("h2", {}, "Links, the busiest first"), sortableTable(links, [["from_device", "from", null, true], ["to_device", "to", null, true], ["dimension", "dimension"],
    ["utilisation", "busy", busy], ["bytes", "bytes", bytes], ["link_gbps", "link rate", rate], ...hashed, ...waited, ...stalled, ...drawn], { sort: "utilisation" })] : []];
}

const role = r => el("li", {}, el("i", { style: "background:" + colourOfRole(r) }), r === "npu" ? "NPU" : r);

/* What the colours of NPUs mean at a moment: what each of them does then. */
function doingLegend(run) {
  const causes = new Set();
  for (const t of run.tracks) for (let i = 0; i < t.count; i++) causes.add(run.ops[t.op[i]].cause);
  const list = legend(CAUSES.map(c => c[0]).filter(c => causes.has(c) || c === "idle"));
  list.prepend(el("li", {}, "NPUs at this moment:"));
  list.hidden = true;
  return list;
}

export function networkView(run) {
  const drawn = run.boxes.length > 0;
  /* switches are numbered within their dimension, unless the network is a graph */
  const device = (name, l) => (name.startsWith("switch") && !drawn ? `${name} of dimension ${l.dimension}` : name);
  const stalls = new Map(run.stalls.map(s => [s.link, s]));
  const links = run.links.filter(l => l.from_device !== null)
    .map(l => ({ ...l, ...stalls.get(l.link), from_device: device(l.from_device, l), to_device: device(l.to_device, l) }));
  const picture = drawn ? boxPicture(run, links) : placePicture(run, links), moment = momentOf(run);
  let at = null;
  const view = sharpCanvas(picture.height, v => {
    v.ctx.setTransform(v.ratio, 0, 0, v.ratio, 0, 0);
    v.ctx.fillStyle = css("--card"); v.ctx.fillRect(0, 0, v.width, v.height);
    picture.draw(v, moment);
    v.ctx.setTransform(1, 0, 0, 1, 0, 0);
  }, "Network: ranks and links");
  view.canvas.style.touchAction = "pan-y";
  view.canvas.addEventListener("pointermove", e => {
    const found = picture.describe(view, e.offsetX, e.offsetY, moment);
    if (!found) { tip.hide(); return; }
    const op = found.rank === null ? undefined : moment.doing(found.rank);
    tip.show(found.text + (op === undefined ? "" : `\nat ${time(at)}: ${op ? op.name || op.type : "nothing in flight"}`), e.clientX, e.clientY);
  });
  view.canvas.addEventListener("pointerleave", tip.hide);
  const label = el("span", {}, "whole run"), doing = doingLegend(run), npu = role("npu");
  const slider = el("input", { type: "range", min: "0", max: "1000", value: "0", style: "flex:1 1 12rem", "aria-label": "Moment of the run",
    on: { input: () => { at = slider.value === "0" ? null : slider.value / 1000 * run.end; moment.set(at); label.textContent = at === null ? "whole run" : time(at); doing.hidden = at === null; npu.hidden = at !== null; view.redraw(); } } });
  return el("section", {},
    el("div", { class: "tools" }, el("span", {}, "moment"), slider, label),
    view.canvas, heatLegend(),
    picture.roles ? el("ul", { class: "legend" }, picture.roles.map(r => (r === "npu" ? npu : role(r)))) : null, doing, noteOf(run, links, picture),
    run.buckets.length > 1 && links.length ? usageChart(run, links) : null,
    depthPart(run, linkName), completionsPart(run),
    totals(run), linkTables(run, links));
}
