/* The colours of links by how busy they are: of what the link can carry, the same in every run. */
import { el, isDark } from "./format.js";

const STOPS = { light: [[0, [196, 205, 213]], [0.25, [88, 150, 190]], [0.6, [230, 175, 50]], [1, [190, 30, 45]]],
  dark: [[0, [70, 80, 88]], [0.25, [76, 140, 185]], [0.6, [225, 175, 70]], [1, [245, 90, 90]]] };

export function heat(share) {
  const stops = isDark() ? STOPS.dark : STOPS.light, x = Math.max(0, Math.min(1, share || 0));
  let i = 1;
  while (i < stops.length - 1 && x > stops[i][0]) i++;
  const [a, b] = [stops[i - 1], stops[i]], f = (x - a[0]) / (b[0] - a[0]);
  return `rgb(${a[1].map((v, c) => Math.round(v + (b[1][c] - v) * f)).join(",")})`;
}

export function heatLegend() {
  return el("ul", { class: "legend", "aria-label": "How busy a link is" }, [["idle", 0], ["25 %", 0.25], ["50 %", 0.5], ["75 %", 0.75], ["100 % busy and more", 1]]
    .map(([label, v]) => el("li", {}, el("i", { style: "background:" + heat(v) }), label)));
}
