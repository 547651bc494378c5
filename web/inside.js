/* Inside a collective of a rank: its phases by plan, and, where the network recorded them, the messages that the rank sent and
 * received in it. */
import { css, sharpCanvas } from "./canvas.js";
import { bytes, colourOf, count, el, percent, time, tip } from "./format.js";

const LEFT = 100, LANE = 18, AXIS = 20, MOST_LANES = 12;

/* Is the group with this label ("dp[3]", "world") the one that an operation names? */
const isGroup = (label, name) => (name ? label === name || label.startsWith(name + "[") : label === "world");

/* Indices of the messages that a rank sent or received in a collective: all of one sequence number. */
export function messagesOf(run, rank, op, start, end) {
  const m = run.inner, own = i => (m.from[i] === rank || m.to[i] === rank) && isGroup(run.messageGroups[m.group[i]], op.group_name);
  let sequence = null, list = [];
  for (let i = 0; i < m.count && m.sent[i] <= end; i++) {
    if (!own(i) || m.arrived[i] < start) continue;
    if (sequence === null && m.from[i] === rank && m.sent[i] >= start) sequence = m.sequence[i];
    list.push(i);
  }
  if (sequence === null && list.length) sequence = m.sequence[list[list.length - 1]];
  return list.filter(i => m.sequence[i] === sequence);
}

/* Puts spans that overlap below each other: [{ i, lane }, ...]. */
function pack(list, m) {
  const ends = [];
  return list.map(i => {
    let lane = ends.findIndex(e => e <= m.sent[i]);
    if (lane < 0) lane = ends.length;
    ends[lane] = m.arrived[i];
    return { i, lane };
  });
}

function phaseTable(phases) {
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, ["phase", "algorithm", "dimension", "messages a rank and chunk", "bytes of each", "of its time, about"].map((t, i) =>
      el("th", { class: i === 1 ? "text" : "", scope: "col" }, t)))),
    el("tbody", {}, phases.map((p, i) => el("tr", {}, el("td", {}, i + 1), el("td", { class: "text" }, p.algorithm),
      el("td", {}, p.dimension ?? "several"), el("td", {}, count(p.messages)), el("td", {}, bytes(p.message_bytes)), el("td", {}, percent(p.share)))))));
}

/* Phases, sent, received as lanes over the time of the collective. */
function picture(run, span, phases, sent, received) {
  const m = run.inner, lanes = [];
  const add = (title, marks, hidden) => lanes.push({ title, marks, hidden });
  let at = span.start;
  if (phases.length > 1)
    add("phases, about", phases.map((p, k) => {
      const a = at;
      at += p.share * (span.end - span.start);
      return { a, b: at, text: `${p.algorithm}${p.dimension === null ? "" : ", dimension " + p.dimension}`, tone: k % 2 };
    }), 0);
  const end = r => (r < run.info.ranks ? "rank " + r : "switch " + (r - run.info.ranks));
  for (const [title, list, peer] of [["sent", sent, i => "to " + end(m.to[i])], ["received", received, i => "from " + end(m.from[i])]]) {
    const packed = pack(list, m), deep = packed.reduce((a, p) => Math.max(a, p.lane + 1), 0);
    for (let k = 0; k < Math.min(deep, MOST_LANES); k++)
      add(k ? "" : title, packed.filter(p => p.lane === k).map((p, n) => ({ a: m.sent[p.i], b: m.arrived[p.i], text: peer(p.i), tone: n % 2,
        hint: `message ${peer(p.i)}\n${bytes(m.bytes[p.i])} in ${time(m.arrived[p.i] - m.sent[p.i])}\nsent ${time(m.sent[p.i] - span.start)} after the rank began` +
          (m.waited[p.i] ? `\nheld up by others for ${time(m.waited[p.i])}` : "") + (m.queued[p.i] ? `\nbehind earlier ones of its pair for ${time(m.queued[p.i])}` : "") })),
        k === MOST_LANES - 1 ? deep - MOST_LANES : 0);
  }
  const from = Math.min(span.start, ...sent.map(i => m.sent[i]), ...received.map(i => m.sent[i])), to = span.end;
  const x = (view, t) => LEFT + (t - from) * (view.width - LEFT) / Math.max(1, to - from);
  const view = sharpCanvas(AXIS + lanes.length * LANE + 4, v => {
    const { ctx } = v;
    ctx.setTransform(v.ratio, 0, 0, v.ratio, 0, 0);
    ctx.fillStyle = css("--card"); ctx.fillRect(0, 0, v.width, v.height);
    ctx.font = "11px system-ui, sans-serif"; ctx.textBaseline = "middle";
    ctx.fillStyle = css("--dim"); ctx.textAlign = "left"; ctx.fillText(time(from), LEFT + 2, AXIS / 2);
    ctx.textAlign = "right"; ctx.fillText("+ " + time(to - from), v.width - 4, AXIS / 2); ctx.textAlign = "left";
    lanes.forEach((lane, k) => {
      const y = AXIS + k * LANE;
      ctx.fillStyle = css("--dim"); ctx.fillText(lane.title || (lane.hidden ? `and ${lane.hidden} more` : ""), 6, y + LANE / 2);
      for (const s of lane.marks) {
        const a = x(v, s.a), b = Math.max(a + 1, x(v, s.b) - 0.5);
        ctx.fillStyle = colourOf(span.op.cause); ctx.globalAlpha = s.tone ? 0.7 : 1;
        ctx.fillRect(a, y + 1, b - a, LANE - 3); ctx.globalAlpha = 1;
        if (b - a < 60) continue;
        ctx.save(); ctx.beginPath(); ctx.rect(a, y, b - a - 3, LANE); ctx.clip();
        ctx.fillStyle = "#fff"; ctx.fillText(s.text, a + 4, y + LANE / 2); ctx.restore();
      }
    });
    ctx.setTransform(1, 0, 0, 1, 0, 0);
  }, "Phases and messages of the collective");
  view.canvas.style.touchAction = "pan-y";
  view.canvas.addEventListener("pointermove", e => {
    const lane = lanes[Math.floor((e.offsetY - AXIS) / LANE)], s = lane && lane.marks.find(k => e.offsetX >= x(view, k.a) - 1 && e.offsetX <= x(view, k.b) + 1);
    if (s) tip.show(s.hint || s.text, e.clientX, e.clientY); else tip.hide();
  });
  view.canvas.addEventListener("pointerleave", tip.hide);
  return view.canvas;
}

/* Why there are no messages, and how to get them. */
function missing(run, phases) {
  const why = run.notKnown.messages;
  if (why) return why[0].toUpperCase() + why.slice(1) + ".";
  return run.inner.count ? "Its messages are not among those in the files of this run: “--db” writes all of them." :
    phases.length ? "Its messages were not recorded." : "It took the time that its trace says.";
}

/* span: { rank, op, start, end, alike }. */
export function insideView(run, span) {
  const phases = span.op.plan === null ? [] : run.phases.filter(p => p.plan === span.op.plan), m = run.inner;
  const list = messagesOf(run, span.rank, span.op, span.start, span.end), sent = list.filter(i => m.from[i] === span.rank), received = list.filter(i => m.to[i] === span.rank);
  const facts = [span.op.collective.toLowerCase().replaceAll("_", "-"), bytes(span.op.bytes), span.op.group_name ? "group " + span.op.group_name : "all ranks",
    time(span.end - span.start) + " from " + time(span.start)];
  if (phases.length) facts.push(`${count(phases[0].chunks)} chunk${phases[0].chunks === 1 ? "" : "s"}`);
  if (list.length) facts.push(`${count(sent.length)} messages sent, ${count(received.length)} received`);
  return [el("h2", {}, `Inside ${span.op.name || "a collective"} of rank ${span.rank}`),
    el("p", { class: "note" }, facts.join(", ") + "."),
    phases.length ? phaseTable(phases) : null,
    list.length || phases.length > 1 ? picture(run, span, phases, sent, received) : null,
    list.length ? null : el("p", { class: "note" }, missing(run, phases))].filter(Boolean);
}
