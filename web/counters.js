/* Counters below the timeline, on its time: what is on its way, how busy the busiest links are and what waits there. */
import { css } from "./canvas.js";
import { bytes, count, percent, three, time } from "./format.js";
import { levelsOf } from "./memory.js";

export const COUNTER = 34;

const DEPTHS = { most_waiting: ["messages waiting, at most", count], most_flows: ["flows that share it, at most", count], most_queue_bytes: ["queue", bytes] };

/* What the depth of a link is in this run: [label, format], or null. */
export const depthOf = run => DEPTHS[run.usageDepth] || null;

const named = name => (/^\d+$/.test(name) ? "rank " + name : name);

/* By link: what it carried and how deep its queue was, over the buckets: { moved, deep }. */
export function usageByLink(run) {
  const rows = new Map(), place = new Map(run.buckets.map((b, i) => [b.bucket, i]));
  for (const [link, bucket, moved, deep] of run.usage) {
    if (!rows.has(link)) rows.set(link, { moved: new Float64Array(run.buckets.length), deep: new Float64Array(run.buckets.length) });
    rows.get(link).moved[place.get(bucket)] = moved; rows.get(link).deep[place.get(bucket)] = deep ?? 0;
  }
  return rows;
}

/* [{ label, format, starts, values }, ...]: of each value the time from which on it holds. */
export function countersOf(run) {
  const lanes = [], n = run.inFlight.length;
  if (n) {
    const starts = run.inFlight.map((v, i) => i * run.end / n);
    lanes.push({ label: "bytes in flight, mean", format: bytes, starts, values: run.inFlight.map(r => r[0]) },
      { label: "messages in flight, mean", format: three, starts, values: run.inFlight.map(r => r[1]) });
  }
  const done = () => { for (const lane of lanes) lane.most = lane.values.reduce((a, v) => Math.max(a, v), 0); return lanes; };
  for (const { tier, times, values } of levelsOf(run)) lanes.push({ label: `lies in ${tier.name}`, format: bytes, starts: times, values });
  if (!run.buckets.length) return done();
  const starts = run.buckets.map(b => b.start_ns), rows = usageByLink(run), depth = depthOf(run);
  for (const l of run.links.filter(l => l.from_device !== null && rows.has(l.link)).sort((a, b) => b.utilisation - a.utilisation || a.link - b.link).slice(0, 3)) {
    const name = `${named(l.from_device)} to ${named(l.to_device)}`, row = rows.get(l.link);
    lanes.push({ label: name + ": busy", format: percent, starts, values: run.buckets.map((b, i) => row.moved[i] / (l.link_gbps * (Math.min(b.end_ns, run.end) - b.start_ns))) });
    if (depth) lanes.push({ label: `${name}: ${depth[0]}`, format: depth[1], starts, values: row.deep });
  }
  return done();
}

/* Draws the lanes for the time from t0 to t1, right of `left`. */
export function drawCounters(view, lanes, left, t0, t1, end) {
  const { ctx } = view, x = t => left + (t - t0) * (view.width - left) / (t1 - t0);
  ctx.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  ctx.fillStyle = css("--card"); ctx.fillRect(0, 0, view.width, view.height);
  ctx.font = "11px system-ui, sans-serif"; ctx.textBaseline = "middle";
  lanes.forEach((lane, k) => {
    const top = k * COUNTER + 4, bottom = (k + 1) * COUNTER - 4, most = lane.most || 1;
    ctx.save(); ctx.beginPath(); ctx.rect(left, top - 2, view.width, COUNTER); ctx.clip();
    ctx.fillStyle = css("--accent"); ctx.globalAlpha = 0.45;
    for (let i = 0; i < lane.values.length; i++) {
      const a = x(lane.starts[i]), b = x(Math.min(i + 1 < lane.starts.length ? lane.starts[i + 1] : end, end)), h = (bottom - top) * lane.values[i] / most;
      if (b >= left && a <= view.width) ctx.fillRect(a, bottom - h, Math.max(b - a, 0.5), h);
    }
    ctx.restore();
    ctx.strokeStyle = css("--grid"); ctx.beginPath(); ctx.moveTo(0, bottom + 3.5); ctx.lineTo(view.width, bottom + 3.5); ctx.stroke();
    ctx.fillStyle = css("--dim"); ctx.textAlign = "right"; ctx.fillText(lane.format(lane.most), left - 4, top + 7);
    ctx.fillStyle = css("--ink"); ctx.textAlign = "left"; ctx.fillText(lane.label, left + 4, top + 6);
  });
  ctx.setTransform(1, 0, 0, 1, 0, 0);
}

/* What a lane says at a time. */
export function describeCounter(lanes, y, t, end) {
  const lane = lanes[Math.floor(y / COUNTER)];
  if (!lane || t < 0 || t > end) return null;
  let i = lane.starts.length - 1;
  while (i > 0 && lane.starts[i] > t) i--;
  return `${lane.label}\n${lane.format(lane.values[i])} at ${time(t)}`;
}
