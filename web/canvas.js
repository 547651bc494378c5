/* Canvases that we draw on ourselves. */
import { el } from "./format.js";

const views = new Set();

/* Draws at once what is on the page, which printing does not wait for. */
export function paintAll() {
  for (const view of views) if (view.canvas.isConnected) view.paint(); else views.delete(view);
}

/* A canvas that is as sharp as the screen and redrawn when its size, the theme or its state changes. */
export function sharpCanvas(height, draw, label) {
  const canvas = el("canvas", { class: "drawn", tabindex: "0", role: "img", "aria-label": label, style: `height:${height}px` });
  let asked = false;
  const view = { canvas, ctx: canvas.getContext("2d", { alpha: false }), width: 0, height: 0, ratio: 1, frames: [] };
  view.redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; view.paint(); });
  };
  view.paint = () => {
    if (canvas.isConnected && canvas.clientWidth) {
      view.ratio = Math.min(devicePixelRatio || 1, 2);
      view.width = canvas.clientWidth; view.height = canvas.clientHeight;
      const w = Math.round(view.width * view.ratio), h = Math.round(view.height * view.ratio);
      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
      const begin = performance.now();
      draw(view);
      view.frames.push(performance.now() - begin);
      if (view.frames.length > 400) view.frames.shift();
    }
  };
  views.add(view);
  new ResizeObserver(view.redraw).observe(canvas);
  document.addEventListener("themechange", view.redraw);
  return view;
}

export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* "#rrggbb" as a pixel of an ImageData. */
export function pixelOf(hex) {
  const v = parseInt(hex.slice(1), 16);
  return (255 << 24 | (v & 255) << 16 | (v >> 8 & 255) << 8 | v >> 16) >>> 0;
}
