/* A network of nodes and links as `nadi topo --svg` draws it: rows of switches above the ranks, a grid, a circle; lines
 * coloured by the busiest of their links. Boxes and lines come from the run (src/report/run_drawing.h). */
import { css } from "./canvas.js";
import { bytes, colourOf, count, percent, rate } from "./format.js";
import { heat } from "./heat.js";

/* As src/report/topo_svg.c has them. */
const ROLES = { npu: "#4c78a8", leaf: "#f2a93b", spine: "#59a14f", core: "#d1615d", nvswitch: "#57b0a9", nic: "#a874a6", pcie: "#8c6d56",
  router: "#f2a93b", switch: "#f2a93b", aggregation: "#b6992d" };
export const colourOfRole = role => ROLES[role] || "#7f8fa6";

function linesOf(run, links) {
  const byPair = new Map(), key = (a, b) => Math.min(a, b) + "," + Math.max(a, b);
  for (const l of run.lines) byPair.set(key(l.from_box, l.to_box), { a: run.boxes[l.from_box], b: run.boxes[l.to_box], cables: l.cables, links: [] });
  for (const l of links) byPair.get(key(l.from_box, l.to_box))?.links.push(l);
  return [...byPair.values()];
}

/* What the network's view draws: { height(width), draw(view, ...), describe(view, x, y, ...) }. */
export function boxPicture(run, links) {
  const lines = linesOf(run, links), { boxes } = run;
  const edge = (list, of) => of(...boxes.map(list));
  const left = Math.min(edge(b => b.x - b.w / 2, Math.min), ...run.frames.map(f => f.x)), right = Math.max(edge(b => b.x + b.w / 2, Math.max), ...run.frames.map(f => f.x + f.w));
  const top = Math.min(edge(b => b.y - b.h / 2, Math.min), ...run.frames.map(f => f.y)), bottom = Math.max(edge(b => b.y + b.h / 2, Math.max), ...run.frames.map(f => f.y + f.h));
  const rows = new Set(boxes.map(b => b.y)).size < boxes.length / 3;

  function project(view) {
    const kx = Math.min((view.width - 20) / (right - left), 1.15), ky = (view.height - 20) / (bottom - top), k = rows ? Math.min(ky, 1.15) : Math.min(kx, ky), sx = rows ? kx : k;
    const dx = (view.width - (right - left) * sx) / 2 - left * sx, dy = (view.height - (bottom - top) * k) / 2 - top * k;
    return { sx, sy: k, at: (x, y) => [dx + x * sx, dy + y * k] };
  }

  /* A point of the line's curve, 0 to 1: in a row it is bent down past what lies between. */
  function curve(l, at) {
    const [x0, y0] = at(l.a.x, l.a.y), [x1, y1] = at(l.b.x, l.b.y), level = Math.abs(y0 - y1) < 1;
    const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2 + (rows && level ? 2 * (34 + Math.abs(x1 - x0) / 9) : 0);
    return { x0, y0, x1, y1, cx, cy };
  }
  const busiest = (l, useOf) => l.links.reduce((m, x) => Math.max(m, useOf(x) || 0), 0);

  function draw(view, { useOf, doing }) {
    const { ctx } = view, { sx, sy, at } = project(view);
    for (const f of run.frames) {
      const [x, y] = at(f.x, f.y);
      ctx.fillStyle = css("--back"); ctx.fillRect(x, y, f.w * sx, f.h * sy);
      if (f.label && f.w * sx > 50) { ctx.fillStyle = css("--dim"); ctx.font = "11px system-ui, sans-serif"; ctx.textAlign = "center"; ctx.fillText(f.label, x + f.w * sx / 2, y + f.h * sy - 6); }
    }
    /* the busiest lie on top */
    for (const l of lines.map(x => [x, busiest(x, useOf)]).sort((p, q) => p[1] - q[1])) {
      const c = curve(l[0], at);
      ctx.strokeStyle = l[0].links.length ? heat(l[1]) : css("--line");
      ctx.globalAlpha = lines.length > 500 && l[1] < 0.05 ? 0.4 : 0.9;
      ctx.lineWidth = Math.min(6, (lines.length > 500 ? 0.6 : 1.2) + 0.45 * Math.log2(l[0].cables));
      ctx.beginPath(); ctx.moveTo(c.x0, c.y0); ctx.quadraticCurveTo(c.cx, c.cy, c.x1, c.y1); ctx.stroke();
    }
    ctx.globalAlpha = 1;
    ctx.textAlign = "center"; ctx.textBaseline = "middle";
    for (const b of boxes) {
      const [x, y] = at(b.x, b.y), w = Math.max(3, b.w * sx), h = Math.max(3, b.h * sy), now = b.rank === null ? undefined : doing(b.rank);
      ctx.fillStyle = now === undefined ? colourOfRole(b.role) : now ? colourOf(now.cause) : colourOf("idle");
      ctx.beginPath(); ctx.roundRect(x - w / 2, y - h / 2, w, h, Math.min(4, w / 3)); ctx.fill();
      const size = Math.min(12, (w - 3) / (Math.max(b.label.length, 1) * 0.58));
      if (size < 6.5) continue;
      ctx.fillStyle = "#fff"; ctx.font = `${size}px system-ui, sans-serif`; ctx.fillText(b.label, x, y + 0.5);
    }
  }

  function describe(view, px, py, { useOf }) {
    const { sx, sy, at } = project(view);
    for (const b of boxes) {
      const [x, y] = at(b.x, b.y);
      if (Math.abs(px - x) > Math.max(5, b.w * sx / 2) || Math.abs(py - y) > Math.max(6, b.h * sy / 2)) continue;
      const own = links.filter(l => l.from_box === b.box && l.to_box !== b.box);
      const text = (b.rank !== null ? "rank " + b.rank : b.devices > 1 ? b.label : `${b.role} ${b.label.startsWith(b.role) ? b.label.slice(b.role.length).trim() : b.label}`) +
        (own.length ? `\nsends ${bytes(own.reduce((s, l) => s + l.bytes, 0))} over ${count(own.length)} links, the busiest ${percent(Math.max(...own.map(useOf)))}` : "");
      return { rank: b.rank, text };
    }
    let best = null, near = 6;
    for (const l of lines) {
      const c = curve(l, at);
      for (let t = 0.05; t < 1; t += 0.05) {
        const u = 1 - t, d = Math.hypot(u * u * c.x0 + 2 * u * t * c.cx + t * t * c.x1 - px, u * u * c.y0 + 2 * u * t * c.cy + t * t * c.y1 - py);
        if (d < near) { near = d; best = l; }
      }
    }
    if (!best) return null;
    const most = best.links.reduce((m, l) => ((useOf(l) || 0) > (m ? useOf(m) || 0 : -1) ? l : m), null);
    return { rank: null, text: `${count(best.cables)} ${best.cables === 1 ? "cable" : "cables"} between ${best.a.role} ${best.a.label} and ${best.b.role} ${best.b.label}` +
      (most ? `\nthe busiest, ${most.from_device} to ${most.to_device}: ${percent(useOf(most))} of ${rate(most.link_gbps)}` : "") };
  }

  const tall = Math.max(0.35, (bottom - top) / (right - left));
  return { height: rows ? Math.max(240, Math.min(560, (bottom - top) * 1.0 + 20)) : Math.min(620, Math.max(300, innerWidth * 0.6 * tall)), draw, describe, roles: [...new Set(boxes.map(b => b.role))] };
}
