/* node build.mjs OUT: writes the report's page to the folder OUT, which ./dev page and its test call it with.
 * page.html: web/page.html with the bundle of its styles and scripts and the licence of the library in them put in.
 * SHA256SUMS: of the page and of all that it was made from, for `sha256sum --check` in web/. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = name => fileURLToPath(new URL(name, import.meta.url)), out = process.argv[2];
const common = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "none", logLevel: "warning" };
const bundle = async options => (await build({ ...common, ...options })).outputFiles[0].text;

const parts = {
  "/*style*/": await bundle({ entryPoints: [here("style.css")] }),
  "/*script*/": await bundle({ entryPoints: [here("main.js")], format: "iife", charset: "utf8" }),
  "<!--licence-->": readFileSync(here("node_modules/uplot/LICENSE"), "utf8"),
};
let page = readFileSync(here("page.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) {
  if (!page.includes(mark)) throw new Error(`web/page.html has no ${mark}`);
  page = page.replace(mark, () => text);
}

const sources = readdirSync(here(".")).filter(name => /\.(html|css|js|mjs)$/.test(name) || name === "package-lock.json").sort();
const sum = (bytes, name) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
const sums = sources.map(name => sum(readFileSync(here(name)), name)).join("");
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/page.html`, page);
writeFileSync(`${out}/SHA256SUMS`, sums + sum(page, "dist/page.html"));
