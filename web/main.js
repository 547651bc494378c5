/* Tabs, theme, keys. Views are made when they are first shown; printing shows all of them. */
import { paintAll } from "./canvas.js";
import { makeAll } from "./charts.js";
import { compareView } from "./compare.js";
import { readRun } from "./data.js";
import { devicesView } from "./devices.js";
import { el, isDark, tip } from "./format.js";
import { fidelityView, privacyView } from "./learned.js";
import { memoryView } from "./memory.js";
import { networkView } from "./network.js";
import { collectivesView, layersView, overviewView, pathView } from "./overview.js";
import { packetsView } from "./packets.js";
import { sensitivityView } from "./sensitivity.js";
import { timelineView } from "./timeline.js";

const VIEWS = [["Overview", overviewView], ["Timeline", timelineView], ["Critical path", pathView], ["Collectives", collectivesView],
  ["Layers", layersView, run => run.layers.length > 0],
  ["Memory", memoryView, run => run.tiers.some(t => t.requests || t.peak_bytes)],
  ["Network", networkView], ["Packets", packetsView, run => run.packets.length > 0],
  ["Devices", devicesView, run => run.devices.length > 0], ["Sensitivity", sensitivityView],
  ["Fidelity", fidelityView, run => run.fidelity !== null], ["Privacy", privacyView, run => run.privacy !== null]];

const app = { runs: [], current: 0, tab: 0, made: new Map() };

/* Those that the run shown has something for. */
function shownViews() {
  const own = VIEWS.filter(([, , applies]) => !applies || applies(app.runs[app.current]));
  return app.runs.length > 1 ? [...own, ["Compare", () => compareView(app.runs)]] : own;
}

function viewOf(tab) {
  const [name, view] = shownViews()[tab], key = app.current + ":" + name;
  if (!app.made.has(key)) {
    const section = view(app.runs[app.current]);
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-label", name);
    app.made.set(key, section);
  }
  return app.made.get(key);
}

function showTab(tab, focus) {
  app.tab = tab;
  tip.hide();
  document.getElementById("main").replaceChildren(viewOf(tab));
  document.querySelectorAll("#tabs button").forEach((b, i) => {
    b.setAttribute("aria-selected", String(i === tab));
    b.tabIndex = i === tab ? 0 : -1;
    if (i === tab && focus) b.focus();
    if (i === tab) b.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  app.made.clear();
  if (app.runs.length) showTab(app.tab);
  document.dispatchEvent(new Event("themechange"));
}

function makeTabs() {
  document.getElementById("tabs").replaceChildren(...shownViews().map(([name], i) =>
    el("button", { type: "button", role: "tab", on: { click: () => showTab(i) } }, name)));
}

/* Another run: the same part of it, if it has that. */
function showRun(run) {
  const name = shownViews()[app.tab][0];
  app.current = run;
  makeTabs();
  showTab(Math.max(0, shownViews().findIndex(v => v[0] === name)));
}

function makeRunPicker() {
  const select = document.getElementById("run");
  document.getElementById("title").textContent = app.runs.length > 1 ? `${app.runs.length} runs` : app.runs[0].name;
  document.getElementById("run-label").hidden = app.runs.length < 2;
  select.replaceChildren(...app.runs.map((r, i) => el("option", { value: i }, r.name)));
  select.addEventListener("change", () => showRun(Number(select.value)));
}

async function begin() {
  const began = performance.now();
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  for (const element of document.querySelectorAll("script.run")) app.runs.push(await readRun(element));
  makeRunPicker();
  makeTabs();
  showTab(app.runs.length > 1 ? shownViews().length - 1 : 0);
  app.loadedIn = performance.now() - began;
  document.documentElement.dataset.ready = "yes";
}

document.getElementById("tabs").addEventListener("keydown", e => {
  const n = shownViews().length, to = { ArrowRight: app.tab + 1, ArrowLeft: app.tab - 1, Home: 0, End: n - 1 }[e.key];
  if (to === undefined) return;
  showTab((to + n) % n, true); e.preventDefault();
});
document.getElementById("theme").addEventListener("click", () => setTheme(!isDark()));
document.addEventListener("keydown", e => {
  if (/INPUT|SELECT/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "t") setTheme(!isDark());
  if (/^[1-9]$/.test(e.key) && Number(e.key) <= shownViews().length) showTab(Number(e.key) - 1, true);
});
/* On paper: all parts, light, as wide as a page. */
addEventListener("beforeprint", () => {
  const root = document.documentElement;
  app.darkOnScreen = isDark();
  root.classList.add("paper");
  if (app.darkOnScreen) { root.classList.remove("dark"); app.made.clear(); }
  document.getElementById("main").replaceChildren(...shownViews().map((v, i) => viewOf(i)));
  makeAll();
  paintAll();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  if (app.darkOnScreen) setTheme(true); else showTab(app.tab);
});
begin().catch(error => {
  document.getElementById("main").replaceChildren(el("p", { class: "bad" },
    `The data of this report cannot be read: ${error.message}. A browser of 2023 or later is needed.`));
});
Object.assign(window, { app, showTab }); /* for whoever looks at the data in the console, and for the tests */
