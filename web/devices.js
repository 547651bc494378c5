/* Devices that load and store: what each put on links, what it waited for, what computations lost to copies. */
import { barChart } from "./charts.js";
import { bytes, card, count, el, percent, time } from "./format.js";
import { sortableTable } from "./table.js";

const total = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);

function bars(devices, key, heading, shown, hint) {
  const rows = devices.filter(d => d[key] > 0);
  return rows.length ? [el("h2", {}, heading),
    barChart(rows.map(d => ({ label: `rank ${d.rank}`, value: d[key], text: shown(d[key]), hint: `rank ${d.rank}\n${hint(d)}` })), heading, shown)] : null;
}

export function devicesView(run) {
  const devices = run.devices, data = total(devices, "data_bytes"), wire = total(devices, "wire_bytes"), lines = total(devices, "lines");
  const messages = ["simple", "ll", "ll128"].map(p => [p, total(devices, p)]).filter(([, n]) => n > 0);
  return el("section", {}, el("h2", {}, "Devices that load and store"),
    el("div", { class: "cards" },
      card("lines", count(lines), `${bytes(data)} of data`),
      card("on links", bytes(wire), data ? `${percent(wire / data - 1)} more than the data: headers, requests, acknowledgements, flags` : ""),
      card("without a request", time(total(devices, "stalled_ns")), "of all SMs or engines together: lines left, but no request"),
      card("computations slowed", time(total(devices, "compute_slowed_ns")), "beyond their own times, because copy kernels held SMs"),
      card("messages", count(messages.reduce((sum, [, n]) => sum + n, 0)), messages.map(([p, n]) => `${count(n)} ${p}`).join(", "))),
    bars(devices, "stalled_ns", "Time without a free request", time, d => `${time(d.stalled_ns)} of all its SMs or engines together`),
    bars(devices, "compute_slowed_ns", "What computations lost", time, d => `${time(d.compute_slowed_ns)} more than alone`),
    sortableTable(devices, [["rank", "rank", null, true], ["lines", "lines", count], ["data_bytes", "data", bytes], ["wire_bytes", "on links", bytes], ["flags", "flags", count],
      ["stalled_ns", "without a request", time], ["simple", "simple", count], ["ll", "LL", count], ["ll128", "LL128", count], ["compute_slowed_ns", "slowed", time]], { sort: "wire_bytes" }));
}
