/* Numbers with units, colours, elements. */
export const CAUSES = [
  ["compute", "compute", "#2f7ebc", "#4c9ad6"], ["tensor_communication", "tensor communication", "#e07b1a", "#f09a45"],
  ["data_communication", "data communication", "#c2410c", "#e8703a"], ["pipeline_communication", "pipeline communication", "#a16207", "#cf9a2c"],
  ["point_to_point", "messages between ranks", "#4d7c0f", "#94c447"], ["expert_communication", "expert communication", "#be185d", "#e26a9c"], ["other_communication", "other communication", "#d9534a", "#e8837b"],
  ["link_queueing", "queueing at links", "#7f1d1d", "#b85450"], ["pair_queueing", "behind own earlier messages", "#92603a", "#c08a5e"], ["memory", "remote memory", "#5b8c2a", "#86b957"],
  ["memory_queueing", "queueing at memory", "#3f6212", "#6d9440"], ["processor", "processor", "#0f766e", "#3fb3a8"],
  ["straggler_wait", "waiting for a straggler", "#7c3aed", "#a985f2"], ["pipeline_bubble", "waiting for a message", "#b3a5d6", "#6f6293"],
  ["idle", "idle", "#c9ced3", "#4a535a"]];
const CAUSE = Object.fromEntries(CAUSES.map((c, i) => [c[0], { label: c[1], light: c[2], dark: c[3], order: i }]));

export const isDark = () => document.documentElement.classList.contains("dark");
export const colourOf = cause => { const c = CAUSE[cause] || CAUSE.idle; return isDark() ? c.dark : c.light; };
export const labelOf = cause => (CAUSE[cause] || { label: cause }).label;

export function three(v) {
  const a = Math.abs(v);
  return a >= 1000 ? Math.round(v).toLocaleString("en") : v.toPrecision(4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

export function time(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return "–";
  const a = Math.abs(ns);
  if (a < 1e3) return three(ns) + " ns";
  if (a < 1e6) return three(ns / 1e3) + " µs";
  if (a < 1e9) return three(ns / 1e6) + " ms";
  return three(ns / 1e9) + " s";
}

export function bytes(v) {
  if (v === null || v === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let i = 0;
  while (Math.abs(v) >= 1000 && i < 5) { v /= 1000; i++; }
  return three(v) + " " + units[i];
}

export function joules(v) {
  if (v === null || v === undefined) return "–";
  const units = ["pJ", "nJ", "µJ", "mJ", "J", "kJ", "MJ"];
  let i = 0;
  for (v *= 1e12; Math.abs(v) >= 1000 && i < 6; i++) v /= 1000;
  return three(v) + " " + units[i];
}

export const count = v => (v === null || v === undefined ? "–" : Number(v).toLocaleString("en"));
export const percent = v => (Number.isFinite(v) ? (100 * v).toFixed(1) + " %" : "–");
export const rate = v => (v === null || v === undefined ? "–" : three(v) + " GB/s");

export function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k === "on") for (const [type, fn] of Object.entries(v)) e.addEventListener(type, fn);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, v);
  }
  for (const c of children.flat()) if (c !== null && c !== undefined) e.append(c);
  return e;
}

export const tip = {
  show(text, x, y) {
    const t = document.getElementById("tip");
    t.textContent = text; t.hidden = false;
    const w = t.offsetWidth, h = t.offsetHeight;
    t.style.left = Math.max(4, Math.min(x + 14, innerWidth - w - 6)) + "px";
    t.style.top = Math.max(4, y + 18 + h > innerHeight ? y - h - 10 : y + 18) + "px";
  },
  hide() { document.getElementById("tip").hidden = true; },
};

export function card(label, value, note) {
  return el("div", { class: "card" }, el("span", {}, label), el("b", {}, value), note ? el("span", {}, note) : null);
}

export function legend(causes) {
  return el("ul", { class: "legend" }, causes.map(c =>
    el("li", {}, el("i", { style: "background:" + colourOf(c) }), labelOf(c))));
}
