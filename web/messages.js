/* How long messages take, by size; queues of the busiest ports over time; flows that share a link though another was free. */
import { lineChart } from "./charts.js";
import { depthOf, usageByLink } from "./counters.js";
import { bytes, count, el, time } from "./format.js";
import { sortableTable } from "./table.js";

const COLOURS = ["#2f7ebc", "#e07b1a", "#5b8c2a", "#be185d", "#7c3aed", "#0f766e", "#a16207", "#636c74"];

const sizeName = c => (c.below_bytes === null ? `${bytes(c.least_bytes)} and more` : c.least_bytes ? `${bytes(c.least_bytes)} to ${bytes(c.below_bytes)}` : `below ${bytes(c.below_bytes)}`);

export function completionsPart(run) {
  const rows = run.completions.map(c => ({ ...c, name: sizeName(c) })), why = run.notKnown.messages;
  if (!rows.length) return why ? [el("h2", {}, "How long messages take"), el("p", { class: "note" }, `Not known: ${why}.`)] : [];
  return [el("h2", {}, "How long messages take"),
    el("p", { class: "note" }, "From when a message is sent to when its last byte arrives, with what it waits behind earlier ones of its pair. By size of the message."),
    sortableTable(rows, [["name", "size", null, true], ["messages", "messages", count], ["p50_ns", "median", time], ["p90_ns", "p90", time], ["p99_ns", "p99", time], ["max_ns", "longest", time]],
      { sort: "least_bytes", down: false })];
}

/* What waits at the ports where most does, over time. */
export function depthPart(run, name) {
  const depth = depthOf(run);
  if (!depth || run.buckets.length < 2) return [];
  const rows = usageByLink(run), most = new Map([...rows].map(([link, r]) => [link, r.deep.reduce((a, v) => Math.max(a, v), 0)]));
  const least = run.usageDepth === "most_flows" ? 1 : 0;
  const links = run.links.filter(l => most.get(l.link) > least).sort((a, b) => most.get(b.link) - most.get(a.link) || b.utilisation - a.utilisation || a.link - b.link).slice(0, COLOURS.length);
  const title = { most_queue_bytes: "Queues of the fullest ports over time", most_flows: "Flows that share the fullest links over time", most_waiting: "Messages that wait for the fullest links over time" }[run.usageDepth];
  if (!links.length) return [el("h2", {}, title), el("p", { class: "note" }, run.usageDepth === "most_flows" ? "No link carried more than one flow at a time." : "Nothing was found waiting.")];
  const lines = links.map((l, i) => ({ label: name(l), colour: COLOURS[i], values: run.buckets.map((b, k) => rows.get(l.link).deep[k]) }));
  return [el("h2", {}, title),
    run.usageDepth === "most_queue_bytes" ? el("p", { class: "note" }, "As long as a queue was when the model looked, about once a span; the longest at any time stands below, for each port.") : null,
    lineChart(run.buckets.map(b => b.start_ns), lines, title, 200, depth[1]),
    el("ul", { class: "legend" }, lines.map(l => el("li", {}, el("i", { style: "background:" + l.colour }), l.label)))].filter(Boolean);
}
