/* RoCE packets: what was marked, lost, sent again; pauses over time; queues, pauses and use of every port. */
import { barChart, lineChart } from "./charts.js";
import { settingsOf } from "./data.js";
import { bytes, card, count, el, percent, rate, three, time } from "./format.js";
import { completionsPart, depthPart } from "./messages.js";
import { sortableTable } from "./table.js";

const SHOWN = 12;

const named = name => (/^\d+$/.test(name) ? "rank " + name : name);
export const linkName = l => `${named(l.from_device)} to ${named(l.to_device)}`;

/* A row a port: a link, seen from the one who sends on it. */
function portsOf(run) {
  const ports = new Map(run.ports.map(p => [p.link, p]));
  return run.links.filter(l => ports.has(l.link)).map(l => ({ ...l, ...ports.get(l.link), name: linkName(l), pausedShare: ports.get(l.link).paused_ns / run.end }));
}

function bars(ports, key, title, format, text, hint) {
  const rows = ports.filter(p => p[key] > 0).sort((a, b) => b[key] - a[key] || a.link - b.link).slice(0, SHOWN);
  if (!rows.length) return null;
  return el("div", {}, el("h2", {}, title), barChart(rows.map(p => ({ label: p.name, value: p[key], text: text(p), hint: `${p.name}\n${hint(p)}` })), title, format));
}

/* Mean number of links that are paused, by time. */
function pausesChart(run) {
  const width = run.pauses[0].end_ns - run.pauses[0].start_ns, buckets = Math.ceil(run.end / width);
  const paused = new Array(buckets).fill(0), frames = new Array(buckets).fill(0);
  for (const b of run.pauses) {
    if (b.bucket >= buckets) continue;
    paused[b.bucket] = b.paused_ns / (Math.min(b.end_ns, run.end) - b.start_ns);
    frames[b.bucket] = b.pauses;
  }
  const most = frames.indexOf(Math.max(...frames));
  return [el("h2", {}, "Links paused at one time"),
    lineChart(paused.map((v, i) => i * width), [{ label: "links paused, mean", colour: "#be185d", values: paused }], "Links paused over time", 180, three),
    el("p", { class: "note" }, `Mean over spans of ${time(width)}; most pauses, ${count(frames[most])}, begin after ${time(most * width)}.`)];
}

function settingsNote(run) {
  const all = settingsOf(run), keys = ["congestion-control", "mode", "payload", "buffer", "pfc", "ecn", "recovery", "spreading"];
  const known = keys.map(k => [k, Object.entries(all).find(([name]) => name === "packet: " + k)]).filter(([, v]) => v);
  const text = v => String(v).replace(/^(\d+) B$/, (_, n) => bytes(Number(n)));
  return known.length ? el("p", { class: "note" }, known.map(([k, v]) => `${k} ${text(v[1])}`).join(", ") + ".") : null;
}

export function packetsView(run) {
  const f = run.packets[0], ports = portsOf(run), part = v => (f.data ? `${percent(v / f.data)} of the data packets` : "");
  const longest = ports.reduce((a, p) => (p.peak_queue_bytes > (a ? a.peak_queue_bytes : 0) ? p : a), null);
  const held = ports.reduce((a, p) => (p.paused_ns > (a ? a.paused_ns : 0) ? p : a), null);
  const busiest = ports.reduce((a, p) => (p.utilisation > (a ? a.utilisation : 0) ? p : a), null);
  return el("section", {},
    el("div", { class: "cards" },
      card("data packets", count(f.data), `${count(f.retransmitted)} sent again, ${count(f.timeouts)} timeouts`),
      card("ECN marks", count(f.ecn_marks), part(f.ecn_marks)),
      card("dropped", count(f.dropped), part(f.dropped)),
      card("trimmed", count(f.trimmed), part(f.trimmed)),
      card("PFC pauses", count(f.pfc_pauses), held ? `links paused for ${time(f.paused_ns)} in all` : "no link was paused"),
      card("paused longest", held ? time(held.paused_ns) : "–", held ? `${held.name}, ${percent(held.pausedShare)} of the run` : ""),
      card("longest queue", bytes(f.peak_queue_bytes), longest ? longest.name : "no switch queued"),
      card("busiest link", busiest ? percent(busiest.utilisation) : "–", busiest ? busiest.name : "")),
    settingsNote(run),
    f.abandoned ? el("p", { class: "bad" }, `${count(f.abandoned)} messages were given up after too many timeouts.`) : null,
    run.pauses.length ? pausesChart(run) : null,
    depthPart(run, linkName), completionsPart(run),
    el("div", { class: "pair" },
      bars(ports, "utilisation", "Busiest links", percent, p => percent(p.utilisation), p => `${bytes(p.bytes)} in ${count(p.messages)} packets at ${rate(p.link_gbps)}`),
      bars(ports, "peak_queue_bytes", "Longest queues", bytes, p => bytes(p.peak_queue_bytes), p => `${percent(p.utilisation)} busy, paused for ${time(p.paused_ns)}`),
      bars(ports, "paused_ns", "Links paused longest", time, p => `${time(p.paused_ns)}  ${percent(p.pausedShare)}`, p => `${count(p.pauses)} pauses, longest queue ${bytes(p.peak_queue_bytes)}`)),
    el("h2", {}, "Ports"),
    el("p", { class: "note" }, "A port is the sending end of a link. Its queue is what waited in it in one class, most at one time; it is paused when the switch at the other end has no room: the cause lies further on."),
    sortableTable(ports, [["from_device", "from", named, true], ["to_device", "to", named, true], ["link_gbps", "rate", rate], ["messages", "packets", count], ["bytes", "bytes", bytes],
      ["utilisation", "busy", percent], ["peak_queue_bytes", "longest queue", bytes], ["pauses", "pauses", count], ["paused_ns", "paused", time], ["pausedShare", "of the run", percent]], { sort: "paused_ns" }));
}
