/* What more of each parameter would gain, and the bounds. */
function sensitivityView(run) {
  const end = run.end || 1;
  if (!run.sensitivities.length)
    return el("section", {}, el("p", { class: "note" }, "Not computed: say --sensitivity to nadi run."));
  const whole = s => s.unit === "chunks";
  const better = s => (s.unit === "ns" ? "−10 %" : "+10 %");
  const items = run.sensitivities.filter(s => !whole(s)).map(s => {
    const gain = s.gain_large_ns ?? (s.path_gain_ns === null ? 0 : s.path_gain_ns * 100);
    return [`${better(s)} ${s.parameter}`, gain, `buys ${percent(gain / end)}`,
      `${s.parameter} is ${three(s.value)} ${s.unit}\n${better(s)}: ${time(gain)} less` + (s.gain_large_ns === null ? " (from the path)" : "") +
      (s.path_ns_per_unit === null ? "" : `\nd(end)/d(it): ${time(s.path_ns_per_unit)} per ${s.unit}`) +
      (s.next_cause ? `\nthen most of the path is ${labelOf(s.next_cause)}` : "")];
  });
  const chunks = run.sensitivities.filter(whole).flatMap(s => [[`twice the ${s.parameter}`, s.gain_small_ns], [`half the ${s.parameter}`, s.gain_large_ns]])
    .filter(c => c[1] !== null).map(([label, gain]) => [label, gain, `${gain < 0 ? "costs" : "buys"} ${percent(Math.abs(gain) / end)}`, null, gain < 0 ? "var(--hot)" : "var(--accent)"]);
  return el("section", {}, el("h2", {}, "What 10 % more would buy"), barList(items, { signed: true }),
    chunks.length ? [el("h2", {}, "Chunks"), barList(chunks, { signed: true })] : null,
    el("h2", {}, "Bounds"), el("p", { class: "note" }, `The run takes ${time(run.end)}; none like it takes less than these. “Alone” is what is left of the run when everything else takes no time.`),
    barList(run.bounds.map(b => [b.bound, b.ns, `${time(b.ns)}  ${percent(b.ns / end)}`])),
    el("h2", {}, "Figures"),
    sortableTable(run.sensitivities, [["parameter", "parameter", null, true], ["value", "value", (v, r) => `${three(v)} ${r.unit}`],
      ["path_ns_per_unit", "d(end)/d(it), ns per unit", v => (v === null ? "–" : three(v))], ["path_gain_ns", "+0.1 % by the path", time],
      ["gain_small_ns", "+0.1 % again", time], ["gain_large_ns", "+10 % again", time], ["next_cause", "then", v => (v ? labelOf(v) : "–"), true]], { sort: "gain_large_ns" }),
    el("p", { class: "note" }, "By the path: from the critical path alone. Again: the whole run simulated with the other value. Of latencies and delays less is better; of chunks, twice and half as many are tried."));
}
