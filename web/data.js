/* The data of a run: base64, zlib, then JSON and variable-length integers (src/report/page_spans.h). */
export const TRACKS = ["compute", "communication", "receive", "memory", "processor"];

function fromBase64(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function makeReader(bytes, start) {
  let at = start;
  const number = () => {
    let value = 0, unit = 1;
    for (;;) {
      const b = bytes[at++];
      value += (b & 127) * unit;
      if (b < 128) return value;
      unit *= 128;
    }
  };
  const signed = () => {
    const v = number();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  };
  return { number, signed };
}

/* Rows of objects. */
function objects(table) {
  return table.rows.map(row => {
    const o = {};
    table.columns.forEach((c, i) => { o[c] = row[i]; });
    return o;
  });
}

function readTracks(run, read) {
  run.tracks = [];
  run.spanCount = 0;
  for (const rank of run.ranks)
    for (let k = 0; k < TRACKS.length; k++) {
      const n = read.number();
      if (!n) continue;
      const t = { rank: rank.rank, kind: k, count: n, start: new Float64Array(n), end: new Float64Array(n),
        op: new Uint32Array(n), slack: new Float64Array(n), longest: 0 };
      let op = 0, time = 0;
      for (let i = 0; i < n; i++) {
        op += read.signed();
        const start = time + read.signed();
        time = start + read.number();
        t.op[i] = op; t.start[i] = start; t.end[i] = time;
        t.slack[i] = read.number() - 1;
        if (time - start > t.longest) t.longest = time - start;
      }
      run.spanCount += n;
      run.tracks.push(t);
    }
}

function readMessages(run, read) {
  const n = read.number();
  const m = { count: n, from: new Uint32Array(n), to: new Uint32Array(n), sent: new Float64Array(n), arrived: new Float64Array(n) };
  let time = 0;
  for (let i = 0; i < n; i++) {
    m.from[i] = read.number(); m.to[i] = read.number();
    time += read.signed();
    m.sent[i] = time; m.arrived[i] = time + read.number();
  }
  run.messages = m;
}

/* Those of collectives. */
function readInner(run, read) {
  const n = read.number(), m = { count: n };
  for (const key of ["from", "to", "group", "sequence", "waited", "queued"]) m[key] = new Uint32Array(n);
  for (const key of ["sent", "arrived", "bytes"]) m[key] = new Float64Array(n);
  let time = 0;
  for (let i = 0; i < n; i++) {
    m.from[i] = read.number(); m.to[i] = read.number();
    time += read.signed();
    m.sent[i] = time; m.arrived[i] = time + read.number();
    for (const key of ["bytes", "group", "sequence", "waited", "queued"]) m[key][i] = read.number();
  }
  run.inner = m;
}

export async function readRun(element) {
  const bytes = await inflate(fromBase64(element.textContent));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const run = { name: json.name, info: objects(json.run)[0] };
  for (const key of ["ranks", "memberships", "dimensions", "boxes", "lines", "frames", "links", "completions", "phases", "packets", "ports", "stalls", "pauses", "collectives", "layers", "tiers", "devices", "path", "sensitivities", "bounds", "ops"])
    run[key] = objects(json[key]);
  run.tierRoles = objects(json.tier_roles); run.tierLevels = objects(json.tier_levels);
  run.usage = json.link_usage.rows; run.buckets = objects(json.usage_buckets);
  run.usageDepth = json.usage_depth.rows[0]?.[0] ?? null;
  run.inFlight = json.in_flight.rows; run.messageGroups = json.message_groups.rows.map(r => r[0]);
  run.notKnown = Object.fromEntries(json.not_known.rows);
  run.pathCauses = Object.fromEntries(json.path_causes.rows.map(r => [r[0], r[1]]));
  run.pathSteps = json.path_causes.rows.reduce((s, r) => s + r[2], 0);
  run.samples = json.samples.rows.map(r => r[0]);
  run.causes = {};
  for (const [cause, ns] of json.causes.rows) run.causes[cause] = ns;
  run.shares = new Map();
  for (const [rank, cause, ns] of json.shares.rows) {
    if (!run.shares.has(rank)) run.shares.set(rank, {});
    run.shares.get(rank)[cause] = ns;
  }
  for (const key of ["fidelity", "privacy"])
    run[key] = json[key] && Object.fromEntries(Object.entries(json[key]).map(([name, table]) => [name, objects(table)]));
  run.end = run.info.end_ns;
  const read = makeReader(bytes, 4 + length);
  readTracks(run, read);
  readMessages(run, read);
  readInner(run, read);
  element.textContent = "";
  return run;
}

/* Of the end, from the samples of a platform's intervals: { samples, low_ns, median_ns, high_ns }, or null. */
export function intervalOf(run) {
  try { return JSON.parse(run.info.summary).sanity.end_to_end_interval ?? null; } catch { return null; }
}

/* What the summary says of the network beyond its tables: "fabric", "energy", "hashing". */
export function networkOf(run) {
  try { return JSON.parse(run.info.summary).network ?? {}; } catch { return {}; }
}

/* What the summary says in a few sentences. */
export function wordsOf(run) {
  try { return JSON.parse(run.info.summary).in_words?.map(w => w.replace(/(\d) us\b/g, "$1 µs")) ?? []; } catch { return []; }
}

/* What the inputs of a run were set to: {"system: endpoint-delay": 10, ...}. */
export function settingsOf(run) {
  try {
    const summary = JSON.parse(run.info.summary), all = {};
    for (const s of summary.configuration) all[`${s.file}: ${s.key}`] = s.value;
    return all;
  } catch { return {}; }
}
