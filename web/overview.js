/* The first part: the figures, the critical path by cause, where every rank's time goes; and the tables. */
import { breakdownView } from "./breakdown.js";
import { css } from "./canvas.js";
import { barChart, histogram } from "./charts.js";
import { intervalOf, wordsOf } from "./data.js";
import { bytes, card, colourOf, count, el, labelOf, percent, rate, three, time } from "./format.js";
import { sortableTable } from "./table.js";

function largest(sums) {
  return Object.entries(sums).sort((a, b) => b[1] - a[1]);
}

/* The end with the platform's fitted intervals carried through to it. */
function spreadOfEnd(run, interval) {
  if (!interval) return null;
  return el("div", {}, el("h2", {}, "How sure the end is"),
    el("p", { class: "note" }, `95 % of ${count(interval.samples)} runs with figures drawn from the platform's fitted intervals end between ${time(interval.low_ns)} and ` +
      `${time(interval.high_ns)}, half of them before ${time(interval.median_ns)}. All else on this page is of the run with the figures as fitted.`),
    run.samples.length > 1 ? histogram(run.samples, [{ at: interval.low_ns, label: "2.5 %" }, { at: run.end, label: "this run", colour: css("--hot") }, { at: interval.high_ns, label: "97.5 %" }],
      `Ends of ${count(interval.samples)} sampled runs`) : null);
}

function timesTheBound(i) {
  if (!i.lower_bound_ns) return "";
  return i.end_ns < 1.0005 * i.lower_bound_ns ? "and this is as fast" : `this takes ${three(i.end_ns / i.lower_bound_ns)} times as long`;
}

export function overviewView(run) {
  const i = run.info, sums = run.pathCauses, top = largest(sums);
  const slow = run.ranks.reduce((a, b) => (b.finish_ns > a.finish_ns ? b : a), run.ranks[0] || { rank: 0, finish_ns: 0 });
  const waits = run.causes, interval = intervalOf(run), finished = i.outcome === "done" ? `${count(i.ranks)} ranks finished` : `not finished: ${i.outcome}`;
  return el("section", {},
    el("div", { class: "words" }, wordsOf(run).map(w => el("p", {}, w))),
    el("div", { class: "cards" },
      card("end to end", time(i.end_ns), interval ? `95 % between ${time(interval.low_ns)} and ${time(interval.high_ns)}; ${finished}` : finished),
      card("no schedule is faster than", time(i.lower_bound_ns || null), timesTheBound(i)),
      card("most of the critical path", top.length ? labelOf(top[0][0]) : "–", top.length ? percent(top[0][1] / i.end_ns) : i.no_path_because || ""),
      card("last rank", "rank " + slow.rank, time(slow.finish_ns)),
      card("moved", bytes(i.moved_bytes), `${count(i.messages)} messages, ${bytes(i.offered_bytes)} asked for`),
      card("nodes", count(i.nodes), `${i.network_model} network, ${i.executor} executor`),
      card("mean wait for stragglers", time(waits.straggler_wait || 0), percent((waits.straggler_wait || 0) / i.end_ns)),
      card("mean wait for messages", time(waits.pipeline_bubble || 0), percent((waits.pipeline_bubble || 0) / i.end_ns))),
    spreadOfEnd(run, interval),
    el("h2", {}, "The critical path, by cause"),
    run.path.length ? barChart(top.map(([c, ns]) => ({ label: labelOf(c), value: ns, text: `${time(ns)}  ${percent(ns / run.end)}`, colour: colourOf(c) })), "Critical path by cause", time)
      : el("p", { class: "note" }, `There is none: ${i.no_path_because || "nothing was recorded"}.`),
    el("p", { class: "note" }, "From the end of the run backwards through what each node waited for, across ranks; the parts add up to the end exactly."),
    breakdownView(run));
}

export function pathView(run) {
  const groups = new Map(), links = new Map(run.links.map(l => [l.link, l]));
  const end = name => (/^\d+$/.test(name) ? "rank " + name : name);
  const linkName = l => (links.has(l) ? `${end(links.get(l).from_device)} to ${end(links.get(l).to_device)}` : null);
  for (const p of run.path) {
    const key = [p.cause, p.group_name ?? "", p.dimension ?? "", p.algorithm ?? "", p.link ?? ""].join("|");
    if (!groups.has(key)) groups.set(key, { cause: labelOf(p.cause), link: linkName(p.link), group_name: p.group_name, dimension: p.dimension, algorithm: p.algorithm, ns: 0, steps: 0 });
    const g = groups.get(key);
    g.ns += p.end_ns - p.start_ns; g.steps++;
  }
  const ranks = new Map();
  for (const p of run.path) ranks.set(p.rank, (ranks.get(p.rank) || 0) + p.end_ns - p.start_ns);
  const share = v => `${time(v)}  ${percent(v / run.end)}`;
  return el("section", {}, el("h2", {}, "What it is made of"),
    /phase|fold/.test(run.info.executor) && run.path.some(p => p.algorithm && p.algorithm !== "library") ? el("p", { class: "note" }, `Collectives ran by ${run.info.executor === "fold" ? "classes of equal ranks" : "phases"}, without single messages: ` +
      "where the members of one start apart, the path goes to the one that started last. “--executor message” follows the messages.") : null,
    sortableTable([...groups.values()], [["cause", "cause", null, true], ["ns", "time", share], ["group_name", "group", v => (v === null ? "–" : v === "" ? "all ranks" : v), true], ["dimension", "dimension"],
      ["algorithm", "algorithm", null, true], ["steps", "steps", count], ["link", "at link", null, true]], { sort: "ns" }),
    el("h2", {}, "On which ranks"),
    barChart([...ranks].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([r, ns]) => ({ label: "rank " + r, value: ns, text: share(ns) })), "Critical path by rank", time),
    el("h2", {}, "Step by step"),
    run.pathSteps > run.path.length ? el("p", { class: "note" }, `The first ${count(run.path.length)} of ${count(run.pathSteps)} steps; run.db has all of them.`) : null,
    sortableTable(run.path.map(p => ({ ...p, ns: p.end_ns - p.start_ns, cause: labelOf(p.cause), link: linkName(p.link) })), [["start_ns", "start", time], ["ns", "time", time], ["rank", "rank"],
      ["name", "name", null, true], ["cause", "cause", null, true], ["bound_by", "bound by", null, true], ["group_name", "group", null, true],
      ["dimension", "dimension"], ["algorithm", "algorithm", null, true], ["link", "at link", null, true]], { sort: "start_ns", down: false }));
}

export function collectivesView(run) {
  return el("section", {}, el("h2", {}, "Collectives"),
    el("p", { class: "note" }, "Bus bandwidth as nccl-tests defines it. A row of folded ranks stands for as many equal collectives as its column instances says."),
    sortableTable(run.collectives, [["name", "name", null, true], ["kind", "kind", v => v.toLowerCase().replaceAll("_", "-"), true], ["group_name", "group", null, true],
      ["participants", "ranks", count], ["bytes", "bytes", bytes], ["duration_ns", "time", time], ["bus_gbps", "bus bandwidth", rate], ["start_ns", "start", time],
      ["instances", "instances", count], ["chunks", "chunks", count], ["algorithm_gbps", "algorithm bandwidth", rate]], { sort: "duration_ns" }));
}

export function layersView(run) {
  const columns = [["rank", "rank"], ["layer", "layer", null, true], ["pass", "pass", null, true], ["nodes", "nodes", count], ["start_ns", "start", time],
    ["compute_ns", "compute", time], ["communication_ns", "communication", time], ["exposed_ns", "exposed", time], ["all_reduce_ns", "all-reduce", time],
    ["all_gather_ns", "all-gather", time], ["reduce_scatter_ns", "reduce-scatter", time], ["all_to_all_ns", "all-to-all", time],
    ["other_collective_ns", "other collectives", time], ["message_ns", "messages", time], ["communication_bytes", "bytes", bytes], ["memory_ns", "memory", time], ["memory_bytes", "its bytes", bytes]];
  const always = new Set(["rank", "layer", "pass", "nodes", "start_ns", "compute_ns", "communication_ns", "exposed_ns"]);
  return el("section", {}, el("h2", {}, "Layers"),
    el("p", { class: "note" }, "Of one rank of each trace, by layer and pass; sums over its nodes. Exposed: communication beside no compute, of several at once of the one issued first, so that the column adds up to the rank's exposed communication."),
    sortableTable(run.layers, columns.filter(([key]) => always.has(key) || run.layers.some(r => r[key] > 0)), { sort: "start_ns", down: false }));
}
