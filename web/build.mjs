/* node build.mjs OUT: writes the pages of reports and sweeps to the folder OUT, which ./dev page and its test call it with.
 * page.html: web/page.html with the bundle of its styles and scripts and the licence of the library in them put in.
 * sweep.html: likewise of web/sweep.html.
 * SHA256SUMS: of the pages and of all that they were made from, for `sha256sum --check` in web/. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = name => fileURLToPath(new URL(name, import.meta.url)), out = process.argv[2];
const common = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "none", logLevel: "warning" };
const bundle = async options => (await build({ ...common, ...options })).outputFiles[0].text;

const made = async (name, style, script) => {
  const parts = {
    "/*style*/": await bundle({ entryPoints: [here(style)] }),
    "/*script*/": await bundle({ entryPoints: [here(script)], format: "iife", charset: "utf8" }),
    "<!--licence-->": readFileSync(here("node_modules/uplot/LICENSE"), "utf8"),
  };
  let page = readFileSync(here(name), "utf8");
  for (const [mark, text] of Object.entries(parts)) {
    if (!page.includes(mark)) throw new Error(`web/${name} has no ${mark}`);
    page = page.replace(mark, () => text);
  }
  return [name, page];
};
const pages = [await made("page.html", "style.css", "main.js"), await made("sweep.html", "sweep.css", "sweep.js")];

const sources = readdirSync(here(".")).filter(name => /\.(html|css|js|mjs)$/.test(name) || name === "package-lock.json").sort();
const sum = (bytes, name) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
const sums = sources.map(name => sum(readFileSync(here(name)), name)).join("");
mkdirSync(out, { recursive: true });
for (const [name, page] of pages) writeFileSync(`${out}/${name}`, page);
writeFileSync(`${out}/SHA256SUMS`, sums + pages.map(([name, page]) => sum(page, `dist/${name}`)).join(""));
