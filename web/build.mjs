/* node build.mjs OUT: the page's scripts and styles, with the library they use, as OUT/page.js and OUT/page.css. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = name => fileURLToPath(new URL(name, import.meta.url)), out = process.argv[2];
const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning" };

await build({ ...common, entryPoints: [here("main.js")], format: "iife", charset: "utf8", outfile: `${out}/page.js` });
await build({ ...common, entryPoints: [here("style.css")], outfile: `${out}/page.css` });
