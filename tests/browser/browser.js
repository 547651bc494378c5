/* Debian's Chromium without a window, driven by playwright-core (installed by tools/web-packages).
 *
 *     const b = await open_browser(1280, 800);
 *     await b.open("/tmp/report.html");
 *     b.requests                          every request that a page made
 */
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync } = require("child_process");
const root = path.resolve(__dirname, "..", "..");

/* Why there can be no browser here, or null. */
function missing() {
  if (!chromium_path()) return "no Chromium (apt-get install chromium)";
  if (!fs.existsSync(path.join(root, "web/node_modules/playwright-core"))) return "no playwright-core (tools/web-packages)";
  return null;
}

function chromium_path() {
  for (const folder of (process.env.PATH || "").split(":"))
    for (const name of ["chromium", "chromium-browser", "google-chrome"])
      if (folder && fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  return null;
}

async function open_browser(width, height) {
  const { chromium } = require(path.join(root, "web/node_modules/playwright-core"));
  const own = await chromium.launch({ executablePath: chromium_path(), args: ["--no-sandbox", "--disable-gpu", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"] });
  const page = await own.newPage({ viewport: { width, height } });
  const requests = [], errors = [];
  page.on("request", r => requests.push(r.url()));
  page.on("pageerror", e => errors.push(String(e)));
  page.on("console", m => { if (m.type() === "error") errors.push(m.text()); });
  return {
    page, requests, errors,
    async open(file) {
      await page.goto("file://" + path.resolve(file));
      await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    },
    /* Waits until two frames have been drawn. */
    frame: () => page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 30))))),
    text: () => page.innerText("#main"),
    close: () => own.close(),
  };
}

function nadi(...words) {
  execFileSync("./nadi", words, { stdio: ["ignore", "ignore", "inherit"] });
}

/* Simulates what `nadi gen` wrote in `job`; the folder of the run. */
function make_run(work, job, name, ...more) {
  const out = path.join(work, name);
  nadi("run", "--quiet", "--workload", `${job}/workload.yml`, "--system", `${job}/system.json`, "--network", `${job}/network.yml`,
    "--out", out, "--timeline", "no", ...more);
  return out;
}

/* Calls `use` with a folder that is gone afterwards. */
async function with_folder(use) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "nadi-browser-"));
  try {
    return await use(work);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

module.exports = { missing, open_browser, nadi, make_run, with_folder };
