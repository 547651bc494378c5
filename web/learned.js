/* How alike a synthetic job is to a real one, and what of the jobs that it was learned from is in it. */
import { css } from "./canvas.js";
import { barChart, lineChart } from "./charts.js";
import { bytes, card, count, el, percent, time } from "./format.js";
import { sortableTable } from "./table.js";

const share = v => (Number.isFinite(v) ? v.toFixed(3) : "–");
const signed = v => (Number.isFinite(v) ? `${v > 0 ? "+" : ""}${(100 * v).toFixed(2)} %` : "–");
const within = deviates => (deviates === null ? "" : ` ±${share(1.96 * deviates)}`);
const said = (measures, key) => measures.find(m => m.key === key)?.value ?? "";
const worst = (rows, key) => rows.reduce((most, row) => (most === null || Math.abs(row[key]) > Math.abs(most[key]) ? row : most), null);

/* Real and synthetic values up to each share of the nodes. */
function distribution(quantiles, kind, figure, format) {
  const rows = quantiles.filter(q => q.kind === kind && q.figure === figure).sort((a, b) => a.share - b.share);
  if (!rows.some(q => q.real_value > 0 || q.synthetic_value > 0)) return [];
  const line = (key, label, colour) => ({ label, values: rows.map(q => q[key]), colour, bare: true });
  return [el("h2", {}, `${kind}: ${figure === "bytes" ? "sizes" : "durations"}`),
    lineChart(rows.map(q => q.share), [line("real_value", "real", css("--ink")), line("synthetic_value", "synthetic", css("--accent"))],
      `${figure} of ${kind} by share of the nodes, real and synthetic`, 140, format, v => `${(100 * v).toFixed(0)} %`)];
}

export function fidelityView(run) {
  const { measures, kinds, dependencies, networks, quantiles } = run.fidelity;
  const ran = networks.filter(n => n.not_simulated === null), step = worst(ran, "step_error");
  const both = kinds.filter(k => k.real_nodes && k.synthetic_nodes), ks = worst(both, "duration_ks"), size = worst(both, "size_ks");
  const lone = kinds.filter(k => !k.real_nodes || !k.synthetic_nodes);
  return el("section", {}, el("h2", {}, "How alike the synthetic job is"),
    el("p", { class: "note" }, `${said(measures, "synthetic")}, which is synthetic, against ${said(measures, "real")}, which is real; measured by nadi trace fidelity.`),
    el("div", { class: "cards" },
      step ? card("step", signed(step.step_error), `at most, of ${ran.length} networks: ${step.network}`) : null,
      ks ? card("durations", share(ks.duration_ks), `KS at most, of ${ks.kind}; ${share(ks.duration_ks_within_5_percent)} with 5 % apart as equal`) : null,
      size ? card("sizes", share(size.size_ks), `KS at most, of ${size.kind}`) : null,
      card("kinds of nodes", count(both.length), lone.length ? `only one of the two has ${lone.map(k => k.kind).join(", ")}` : "both have them")),
    ran.length ? [el("h2", {}, "Step on five networks"),
      barChart(ran.flatMap(n => [
        { label: `${n.network}, real`, value: n.real_end_ns, text: time(n.real_end_ns), colour: css("--dim"), hint: `${n.network}\nexposed ${time(n.real_exposed_ns)}, overlap ${percent(n.real_overlap)}` },
        { label: "synthetic", value: n.synthetic_end_ns, text: `${time(n.synthetic_end_ns)}  ${signed(n.step_error)}`, colour: "", hint: `${n.network}\nexposed ${time(n.synthetic_exposed_ns)}, overlap ${percent(n.synthetic_overlap)}` }]),
      "Step on five networks, real and synthetic", time)] : null,
    networks.filter(n => n.not_simulated !== null).map(n => el("p", { class: "note" }, `${n.network}: ${n.not_simulated}.`)),
    el("h2", {}, "Distances by kind of node"),
    el("p", { class: "note" }, "KS is the largest difference between the shares of nodes up to a value: 0 is equal, 1 is disjoint. W is the Wasserstein distance by the real job's mean."),
    sortableTable(kinds, [["kind", "kind", null, true], ["real_nodes", "real nodes", count], ["synthetic_nodes", "synthetic", count],
      ["duration_ks", "durations KS", share], ["duration_ks_within_0_1_percent", "within 0.1 %", share], ["duration_ks_within_5_percent", "within 5 %", share],
      ["duration_wasserstein_over_mean", "W", share], ["size_ks", "sizes KS", share], ["size_wasserstein_over_mean", "W of sizes", share]], { sort: "duration_ks" }),
    el("p", { class: "note" }, dependencies.map(d => `Dependencies ${d.direction}: KS ${share(d.ks)}`).join("; ") + "."),
    el("h2", {}, "Distributions"), el("p", { class: "note" }, "Value up to which a share of the nodes lies: black real, coloured synthetic."),
    kinds.flatMap(k => [...distribution(quantiles, k.kind, "duration_ns", time), ...distribution(quantiles, k.kind, "bytes", bytes)]));
}

export function privacyView(run) {
  const all = run.privacy.privacy[0], jobs = run.privacy.jobs;
  const attackers = [["longest runs", "auc_runs"], ["exact operators", "auc_exact"], ["operators within 2 %", "auc_within_2_percent"]].filter(([, key]) => all[key] !== null);
  return el("section", {}, el("h2", {}, "What of the training jobs is in the synthetic ones"),
    el("p", { class: "note" }, "Measured by nadi trace privacy. Names, and sizes that one training job alone has, should not be in the output."),
    el("div", { class: "cards" },
      card("longest run in common", count(all.longest_run), `operators; all training jobs share ${count(all.run_that_training_jobs_share)}`),
      card("nearest training job", all.nearest ?? "–", ""),
      card("sizes of one job alone", count(all.sizes_of_one_job_in_output), `of ${count(all.sizes_of_one_job)} in the output`),
      card("names", count(all.training_names_in_output), `of ${count(all.training_names)} in the output`)),
    attackers.length ? [el("h2", {}, "Membership attackers"),
      el("p", { class: "note" }, `AUC: how often a training job has more in common with the output than one held out. 0.5, the ring, is guessing,${within(all.auc_of_guessing_deviates)} with so few jobs; 1 is certainty.`),
      barChart(attackers.map(([label, key]) => ({ label, value: all[key], dot: 0.5, text: share(all[key]) + within(all[`${key}_deviates`]) })), "AUC of membership attackers", share)] :
      el("p", { class: "note" }, "No job was held out: attackers cannot be tried."),
    el("h2", {}, "Jobs"),
    sortableTable(jobs, [["job", "job", null, true], ["trained", "learned from", v => (v ? "yes" : "held out")], ["exact", "operators, exactly", percent],
      ["within_2_percent", "within 2 %", percent], ["runs", "longest runs", percent], ["longest_run", "operators in a row", count]], { sort: "exact" }));
}
