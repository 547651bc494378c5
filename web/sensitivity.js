/* What more of each parameter would gain, and the bounds. */
import { css } from "./canvas.js";
import { barChart } from "./charts.js";
import { el, labelOf, percent, three, time } from "./format.js";
import { sortableTable } from "./table.js";

export function sensitivityView(run) {
  const end = run.end || 1;
  if (!run.sensitivities.length)
    return el("section", {}, el("p", { class: "note" }, "Not computed: say --sensitivity to nadi run."));
  const whole = s => s.unit === "chunks";
  const better = s => (s.unit === "ns" ? "−10 %" : "+10 %");
  const items = run.sensitivities.filter(s => !whole(s)).map(s => {
    const gain = s.gain_large_ns ?? (s.path_gain_ns === null ? 0 : s.path_gain_ns * 100);
    return { label: `${better(s)} ${s.parameter}`, value: gain, text: gain < 0 ? `costs ${percent(-gain / end)}` : `buys ${percent(gain / end)}`, colour: gain < 0 ? css("--hot") : "",
      dot: s.gain_large_ns !== null && s.derivative_by === "path" ? s.path_gain_ns * 100 : null,
      hint: `${s.parameter} is ${three(s.value)} ${s.unit}\n${better(s)}: ${time(gain)} less` + (s.gain_large_ns === null ? " (from the path)" : "") +
      (s.ns_per_unit === null ? "" : `\nd(end)/d(it): ${time(s.ns_per_unit)} per ${s.unit}, by ${s.derivative_by}`) +
      (s.next_cause ? `\nthen most of the path is ${labelOf(s.next_cause)}` : "") };
  });
  const chunks = run.sensitivities.filter(whole).flatMap(s => [[`twice the ${s.parameter}`, s.gain_small_ns], [`half the ${s.parameter}`, s.gain_large_ns]])
    .filter(c => c[1] !== null).map(([label, gain]) => ({ label, value: gain, text: `${gain < 0 ? "costs" : "buys"} ${percent(Math.abs(gain) / end)}`, colour: gain < 0 ? css("--hot") : "" }));
  return el("section", {}, el("h2", {}, "What 10 % more would buy"), barChart(items, "What 10 % more would buy", time),
    items.some(i => i.dot !== null) ? el("p", { class: "note" }, "A ring is what the derivative along the critical path says; the bar, what the whole run simulated again says. Where the ring lies beyond the bar, something else becomes critical on the way.") : null,
    chunks.length ? [el("h2", {}, "Chunks"), barChart(chunks, "What other chunks would buy", time)] : null,
    el("h2", {}, "Bounds"), el("p", { class: "note" }, `The run takes ${time(run.end)}; none like it takes less than these. “Alone” is what is left of the run when everything else takes no time.`),
    barChart(run.bounds.map(b => ({ label: b.bound, value: b.ns, text: `${time(b.ns)}  ${percent(b.ns / end)}` })), "Bounds", time),
    el("h2", {}, "Figures"),
    sortableTable(run.sensitivities, [["parameter", "parameter", null, true], ["value", "value", (v, r) => `${three(v)} ${r.unit}`],
      ["ns_per_unit", "d(end)/d(it), ns per unit", v => (v === null ? "–" : three(v))], ["derivative_by", "by", null, true], ["path_gain_ns", "+0.1 % by the path", time],
      ["gain_small_ns", "+0.1 % again", time], ["gain_large_ns", "+10 % again", time], ["next_cause", "then", v => (v ? labelOf(v) : "–"), true]], { sort: "gain_large_ns" }),
    el("p", { class: "note" }, "By the path: from the critical path alone. Again: the whole run simulated with the other value. Of latencies and delays less is better; of chunks, twice and half as many are tried. The derivative is that of the path where it is exact; where members of its collectives start apart or messages wait for others, that of the run simulated again (10 % where whole nanoseconds would be much of 0.1 %). What costs though it is faster lets messages meet that passed each other before."));
}
