// The idf curve: weights against document frequency, each curve relative to a term found once, since
// only the proportions of weights decide a ranking.

import { count, draw, find, ratio, weight } from "./elements.js";

const HEIGHT = 250;
const MARGIN = { top: 14, right: 16, bottom: 34, left: 44 };
const MAX_LABELS = 7;

function scales(answer, width) {
  const most = Math.max(answer.curve.at(-1).doc_freq, 2);
  const [low, high] = [answer.curve[0].bm25_idf, answer.curve[0].idf];
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const x = (docFreq) => MARGIN.left + (inner.width * Math.log(Math.max(docFreq, 1))) / Math.log(most);
  // What is negative, a word in most documents, lies on the floor.
  const y = (share) => MARGIN.top + inner.height * (1 - Math.max(0, Math.min(share, 1)));
  const share = (value, reference) => (reference > 0 ? value / reference : 0);
  return {
    most,
    x,
    bm25: (item) => y(share(item.bm25_idf, low)),
    qlog: (item) => y(share(item.idf, high)),
    y,
  };
}

function axes(scale, width) {
  const parts = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const at = scale.y(share);
    parts.push(draw("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }));
    parts.push(draw("text", { class: "tick", x: MARGIN.left - 7, y: at + 4, "text-anchor": "end" }, `${100 * share}%`));
  }
  const powers = Math.floor(Math.log10(scale.most));
  for (let power = 0; power <= powers; power++) {
    const value = 10 ** power;
    const at = scale.x(value);
    if (power > 0 && width - MARGIN.right - at < 84) continue;
    parts.push(draw("text", { class: "tick", x: at, y: HEIGHT - 18, "text-anchor": power ? "middle" : "start" }, count(value)));
  }
  parts.push(draw("text", { class: "tick", x: width - MARGIN.right, y: HEIGHT - 18, "text-anchor": "end" }, `N = ${count(scale.most)}`));
  parts.push(draw("text", { class: "axis", x: (MARGIN.left + width - MARGIN.right) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, "documents that have the term"));
  return parts;
}

function path(points) {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
}

// Labels of what the document at hand owes most to, then of the rarest, each where there is room.
function labels(answer, terms, scale, width) {
  const added = new Map((answer.explanation?.terms ?? []).map((term) => [term.token, term.contribution]));
  const wanted = [...terms].sort((a, b) => (added.get(b.token) ?? 0) - (added.get(a.token) ?? 0) || a.doc_freq - b.doc_freq);
  // No label covers a dot.
  const taken = terms.flatMap((term) => [scale.bm25(term), scale.qlog(term)].map((y) => ({ x: scale.x(term.doc_freq) - 3, y: y - 3, w: 6, h: 6 })));
  const parts = [];
  for (const term of wanted) {
    if (parts.length >= MAX_LABELS) break;
    const text = term.token.length > 24 ? `${term.token.slice(0, 23)}…` : term.token;
    const long = text.length * 6.7 + 6;
    const [x, y] = [scale.x(term.doc_freq), scale.qlog(term)];
    const left = x + long > width - 4;
    for (const drop of [-8, 16, 4, -22, 30, -36]) {
      const box = { x: left ? x - long : x + 4, y: y + drop - 11, w: long, h: 14 };
      const clash = taken.some((other) => box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h && other.y < box.y + box.h);
      if (clash || box.y < 0 || box.y + box.h > HEIGHT - MARGIN.bottom + 2 || box.x < MARGIN.left - 6) continue;
      taken.push(box);
      parts.push(draw("text", { class: "label", x: left ? x - 5 : x + 6, y: y + drop, "text-anchor": left ? "end" : "start" }, text));
      break;
    }
  }
  return parts;
}

export function renderCurve(answer) {
  const svg = find("curve");
  if (!answer.curve.length) {
    svg.replaceChildren();
    return;
  }
  const width = Math.max(svg.clientWidth || 480, 240);
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  const scale = scales(answer, width);
  const terms = answer.terms.filter((term) => term.doc_freq > 0).sort((a, b) => a.doc_freq - b.doc_freq);
  const dots = terms.map((term) => {
    const x = scale.x(term.doc_freq);
    const about = `${term.token}: in ${count(term.doc_freq)} of ${count(scale.most)}, BM25 ${weight(term.bm25_idf)}, q-log ${weight(term.idf)} (${ratio(term.ratio)})`;
    return draw("g", { class: "term" }, draw("title", {}, about),
      draw("line", { class: "drop", x1: x, x2: x, y1: scale.bm25(term), y2: scale.qlog(term) }),
      draw("circle", { class: "bm25", cx: x, cy: scale.bm25(term), r: 3.5 }),
      draw("circle", { class: "qlog", cx: x, cy: scale.qlog(term), r: 4.5 }));
  });
  svg.replaceChildren(
    ...axes(scale, width),
    draw("path", { class: "curve bm25", d: path(answer.curve.map((item) => [scale.x(item.doc_freq), scale.bm25(item)])) }),
    draw("path", { class: "curve qlog", d: path(answer.curve.map((item) => [scale.x(item.doc_freq), scale.qlog(item)])) }),
    ...labels(answer, terms, scale, width),
    ...dots,
  );
  find("curve-q").textContent = `q-log, q = ${answer.q.toFixed(3)}`;
}
