/* A network of dimensions: ranks placed by their coordinates, lines between neighbours or along links. */
import { css } from "./canvas.js";
import { bytes, colourOf, percent } from "./format.js";
import { heat } from "./heat.js";

/* Of a network of many ranks the first places of each dimension are drawn. */
const DRAWN = 1024, DRAWN_OF_LARGE = 256;

function drawnPlaces(dims, n) {
  const most = dims.map(d => d.npus);
  if (n <= DRAWN) return most;
  while (most.reduce((a, v) => a * v, 1) > DRAWN_OF_LARGE) {
    const i = most.indexOf(Math.max(...most));
    most[i] = Math.max(1, Math.floor(most[i] / 2));
  }
  return most;
}

/* Each dimension goes to the right or down, so that the whole stays about twice as wide as high. */
function placeRanks(run) {
  const dims = run.dimensions.filter(d => d.npus > 0), n = run.info.ranks, places = new Map();
  const most = drawnPlaces(dims, n);
  let size = [1, 1];
  const steps = dims.map((d, i) => {
    const gap = i === 0 ? 0 : 0.7 * i, w = size[0] + gap, h = size[1] + gap;
    const npus = most[i];
    let columns = npus, rows = 1;
    const off = aspect => Math.abs(Math.log(aspect / 2));
    const across = i === 0 || off(w * npus / size[1]) <= off(size[0] / (h * npus)) ? 0 : 1;
    if (npus > 24 && across === 0) { columns = Math.ceil(Math.sqrt(npus * 2)); rows = Math.ceil(npus / columns); }
    if (across === 0) size = [columns * w, rows * h]; else size = [w, npus * h];
    return { columns, w, h, across };
  });
  const drawn = Math.min(n, most.reduce((a, v) => a * v, 1));
  for (let k = 0; k < drawn; k++) {
    let x = 0, y = 0, rest = k, rank = 0, stride = 1;
    dims.forEach((d, i) => {
      const c = rest % most[i], s = steps[i];
      rest = Math.floor(rest / most[i]);
      rank += c * stride; stride *= d.npus;
      if (s.across === 0) { x += (c % s.columns) * s.w; y += Math.floor(c / s.columns) * s.h; } else y += c * s.h;
    });
    places.set(String(rank), [x, y]);
  }
  return { places, size, part: drawn < n ? most : null };
}

/* Places next to each device that has none: Map of name to list. */
function neighboursOf(places, links) {
  const near = new Map();
  for (const l of links)
    for (const [a, b] of [[l.from_device, l.to_device], [l.to_device, l.from_device]])
      if (!places.has(a) && places.has(b)) { if (!near.has(a)) near.set(a, []); near.get(a).push(places.get(b)); }
  return near;
}

const isRank = name => /^\d+$/.test(name);

/* What the network's view draws; as in drawing.js. neighbours: lines join neighbours, not the ends of links. */
export function placePicture(run, links) {
  const { places, size, part } = placeRanks(run);
  /* of many ranks around switches: neighbours, as where there are no links; else one would see lines only */
  const neighbours = !links.length || (places.size > 80 && links.some(l => l.to_device.startsWith("switch")));
  const tall = list => (Math.max(...list.map(p => p[1])) - Math.min(...list.map(p => p[1])) > 0.5 ? 1 : 0);
  for (const [name, list] of neighboursOf(places, neighbours ? [] : links))
    places.set(name, [list.reduce((x, p) => x + p[0], 0) / list.length + 0.3 * tall(list), list.reduce((y, p) => y + p[1], 0) / list.length - 0.5 + 0.45 * tall(list)]);
  const [left, top, right, bottom] = [...places.values()].reduce((e, [x, y]) => [Math.min(e[0], x), Math.min(e[1], y), Math.max(e[2], x), Math.max(e[3], y)], [0, 0, 0, 0]);
  const wide = right - left, high = bottom - top;

  function project(view) {
    const k = Math.min((view.width - 50) / Math.max(wide + 0.5, 1), (view.height - 50) / Math.max(high + 0.5, 1), 70);
    const dx = (view.width - wide * k) / 2 - left * k, dy = (view.height - high * k) / 2 - top * k;
    return { k, at: p => [dx + p[0] * k, dy + p[1] * k] };
  }

  function useOfDimension(d, useOf) {
    const own = links.filter(l => l.dimension === d.dimension);
    return own.length ? own.reduce((s, l) => s + (useOf(l) || 0), 0) / own.length : d.utilisation;
  }

  /* Without links: each dimension's neighbours, coloured by the dimension. */
  function drawDimensions(ctx, at, k, useOf) {
    let stride = 1;
    ctx.globalAlpha = 0.7;
    run.dimensions.forEach(d => {
      if (!d.npus) return;
      ctx.strokeStyle = heat(useOfDimension(d, useOf));
      for (const [name, p] of places) {
        const rank = Number(name), c = Math.floor(rank / stride) % d.npus;
        const next = c + 1 < d.npus ? rank + stride : d.topology === "Ring" && d.npus > 2 ? rank - c * stride : -1;
        const q = next >= 0 && places.get(String(next));
        if (!q) continue;
        const [x0, y0] = at(p), [x1, y1] = at(q), far = Math.abs(x1 - x0) + Math.abs(y1 - y0) > 1.5 * k * Math.max(1, stride > 1 ? 1e9 : 1);
        ctx.beginPath(); ctx.moveTo(x0, y0);
        if (far) ctx.quadraticCurveTo((x0 + x1) / 2 + (y1 - y0) * 0.2, (y0 + y1) / 2 - (x1 - x0) * 0.2, x1, y1); else ctx.lineTo(x1, y1);
        ctx.stroke();
      }
      stride *= d.npus;
    });
    ctx.globalAlpha = 1;
  }

  function draw(view, { useOf, doing }) {
    const { ctx } = view, { k, at } = project(view), r = Math.max(1.5, Math.min(13, k * 0.3));
    ctx.lineWidth = links.length > 600 ? 0.6 : Math.max(1, Math.min(4, k * 0.06));
    for (const l of neighbours ? [] : links) {
      const a = places.get(l.from_device), b = places.get(l.to_device);
      if (!a || !b) continue;
      const [x0, y0] = at(a), [x1, y1] = at(b), bend = 0.12;
      ctx.strokeStyle = heat(useOf(l));
      ctx.beginPath(); ctx.moveTo(x0, y0);
      ctx.quadraticCurveTo((x0 + x1) / 2 + (y1 - y0) * bend, (y0 + y1) / 2 - (x1 - x0) * bend, x1, y1); ctx.stroke();
    }
    if (neighbours) drawDimensions(ctx, at, k, useOf);
    ctx.textAlign = "center"; ctx.textBaseline = "middle"; ctx.font = `${Math.round(r * 0.95)}px system-ui, sans-serif`;
    for (const [name, p] of places) {
      const [x, y] = at(p), rank = isRank(name), now = rank ? doing(Number(name)) : undefined;
      ctx.fillStyle = !rank ? css("--dim") : now === undefined ? css("--accent") : now ? colourOf(now.cause) : colourOf("idle");
      ctx.beginPath();
      if (rank) ctx.arc(x, y, r, 0, 7); else ctx.rect(x - r * 0.9, y - r * 0.7, 1.8 * r, 1.4 * r);
      ctx.fill();
      if (r > 8) { ctx.fillStyle = "#fff"; ctx.fillText(rank ? name : (/\d+/.exec(name) || [name.slice(0, 2)])[0], x, y + 0.5); }
    }
  }

  function describe(view, px, py, { useOf }) {
    const { k, at } = project(view);
    for (const [name, p] of places) {
      const [x, y] = at(p);
      if (Math.hypot(x - px, y - py) > Math.max(6, k * 0.35)) continue;
      const own = links.filter(l => l.from_device === name);
      return { rank: isRank(name) ? Number(name) : null, text: (isRank(name) ? "rank " + name : name) +
        (own.length ? `\nsends ${bytes(own.reduce((s, l) => s + l.bytes, 0))}, busiest link ${percent(Math.max(...own.map(useOf)))}` : "") };
    }
    return null;
  }

  return { height: Math.max(260, Math.min(560, innerHeight - 260, 90 + (high + 1) * 60)), draw, describe, neighbours, part };
}
