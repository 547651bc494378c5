/* Memory tiers: what they and their links carried, what lay in them over time, and what it was. */
import { css } from "./canvas.js";
import { barChart, lineChart } from "./charts.js";
import { bytes, count, el, percent, time } from "./format.js";
import { sortableTable } from "./table.js";

const words = role => role.toLowerCase().replaceAll("_", " ");

/* By tier, in the order of the memory file: { tier, times, values } of its fullest instance. */
export function levelsOf(run) {
  const byName = new Map();
  for (const l of run.tierLevels) {
    if (!byName.has(l.tier)) byName.set(l.tier, { times: [0], values: [0] });
    const lane = byName.get(l.tier), last = lane.times.length - 1;
    if (lane.times[last] === l.ns) lane.values[last] = l.bytes;
    else { lane.times.push(l.ns); lane.values.push(l.bytes); }
  }
  return run.tiers.filter(t => byName.has(t.name)).map(tier => {
    const { times, values } = byName.get(tier.name);
    if (times[times.length - 1] < run.end) { times.push(run.end); values.push(values[values.length - 1]); }
    return { tier, times, values };
  });
}

/* A tier that is never near its capacity has no line for it: the level would be flat. */
function levelChart({ tier, times, values }) {
  const near = tier.capacity_bytes !== null && tier.peak_bytes > 0.3 * tier.capacity_bytes;
  const lines = [{ label: "lies there", values, colour: css("--accent") }];
  if (near) lines.push({ label: "capacity", values: times.map(() => tier.capacity_bytes), colour: css("--hot"), bare: true });
  const of = tier.capacity_bytes === null ? "" : ` of ${bytes(tier.capacity_bytes)}, ${percent(tier.peak_bytes / tier.capacity_bytes)}`;
  return [el("h2", {}, `${tier.name} over time`),
    el("p", { class: "note" }, `At its peak ${bytes(tier.peak_bytes)}${of}, at ${time(tier.peak_ns)}${tier.instances > 1 ? `, in number ${tier.peak_instance} of ${count(tier.instances)}` : ""}.`),
    lineChart(times, lines, `What lies in ${tier.name} over time; at its peak ${bytes(tier.peak_bytes)}`, 150, bytes)];
}

function rolesView(run) {
  const rows = run.tierRoles.filter(r => r.peak_bytes > 0);
  return rows.length ? [el("h2", {}, "What lay there at the peak"),
    barChart(rows.slice(0, 40).map(r => ({ label: `${r.tier}: ${words(r.role)}`, value: r.peak_bytes, text: bytes(r.peak_bytes),
      hint: `${r.tier}: ${words(r.role)}\nat the tier's peak ${bytes(r.peak_bytes)}\nby itself at most ${bytes(r.most_bytes)}` })), "What lay in memory tiers at their peaks", bytes)] : null;
}

export function memoryView(run) {
  const levels = levelsOf(run), used = run.tiers.filter(t => t.requests || t.peak_bytes);
  return el("section", {}, el("h2", {}, "Memory tiers and their links"),
    sortableTable(used, [["name", "name", null, true], ["out_bytes", "read", bytes], ["in_bytes", "written", bytes], ["peak_bytes", "at its peak", v => (v ? bytes(v) : "–")],
      ["capacity_bytes", "capacity", v => (v === null ? "–" : bytes(v))], ["busy_share", "busy", v => (v === null ? "–" : percent(v))], ["utilisation", "busiest port", percent],
      ["requests", "requests", count], ["wait_ns", "waited", time], ["lost_ns", "lost", time], ["instances", "how many", count], ["scope", "one for each", v => v ?? "–", true],
      ["class", "class", v => v ?? "–", true], ["kind", "kind", null, true]], { sort: "out_bytes" }),
    el("p", { class: "note" }, "Peak and capacity are of one of them. Busy: with a request, of the mean one. Written to a link is away from the NPU. Waited and lost: of all requests together, until a tier let them in, and because others shared its ports."),
    rolesView(run),
    levels.length ? levels.flatMap(levelChart) : [el("h2", {}, "Over time"),
      el("p", { class: "note" }, "What lay there over time was not recorded: blocks without a name are traffic only, and spans must be recorded.")]);
}
