// Two columns of hits and the lines between them: where each document was, and where it went.

import { decimals, draw, find, keyOf, make, named, runs } from "./elements.js";

const columns = { bm25: find("bm25"), qlog: find("qlog") };
const moves = find("moves");
// Rows by column and document, kept from one answer to the next so that they can glide.
const rows = { bm25: new Map(), qlog: new Map() };
const lines = new Map();

function moveOf(place) {
  if (place.other_rank === null) return "far";
  if (place.other_rank === place.rank) return "same";
  return place.other_rank > place.rank ? "up" : "down";
}

function badge(side, place) {
  const kind = moveOf(place);
  if (side === "qlog") {
    const step = place.other_rank === null ? null : Math.abs(place.other_rank - place.rank);
    const texts = { up: `▲${step}`, down: `▼${step}`, same: "=", far: "▲ new" };
    const titles = {
      up: `BM25 has it at ${place.other_rank}`,
      down: `BM25 has it at ${place.other_rank}`,
      same: "the same place as in BM25",
      far: "not among BM25’s first 100",
    };
    return make("span", { class: `badge ${kind === "far" ? "up" : kind}`, title: titles[kind] }, texts[kind]);
  }
  if (kind !== "far") return null;
  return make("span", { class: "badge down", title: "not among the first 100 at this q" }, "gone");
}

function content(side, place, document, top) {
  const line = document?.excerpt[0];
  const title = document?.title;
  const share = top > 0 ? Math.max(0, place.score / top) : 0;
  const bar = make("span", { class: "bar" }, make("i"));
  bar.firstChild.style.width = `${(100 * share).toFixed(1)}%`;
  const under = line
    ? make("span", { class: "line" }, line.number === null ? null : make("b", {}, String(line.number)), ...runs(line))
    : make("span", { class: "line" });
  return [
    make("span", { class: "rank" }, String(place.rank)),
    make("span", { class: "body" }, make("span", { class: title ? "headline titled" : "headline" }, named(place.id, title), title ? make("span", { class: "title" }, title) : null), under),
    make("span", { class: "figures" }, badge(side, place), make("span", { class: "score" }, decimals(place.score, place.score >= 1000 ? 0 : 2)), bar),
  ];
}

function renderColumn(side, places, documents, selected, onSelect) {
  const list = columns[side];
  const known = rows[side];
  const present = new Set(places.map((place) => keyOf(place.id)));
  for (const [key, row] of known) {
    if (!present.has(key)) {
      row.remove();
      known.delete(key);
    }
  }
  const top = places.length ? places[0].score : 0;
  for (const place of places) {
    const key = keyOf(place.id);
    let row = known.get(key);
    const fresh = row === undefined;
    if (fresh) {
      row = make("li", { role: "option", id: `${side}-${known.size}-${Math.random().toString(36).slice(2, 8)}` });
      known.set(key, row);
    }
    row.onclick = () => onSelect(place.id, side);
    row.className = `row ${moveOf(place)}${fresh ? " fresh" : ""}`;
    row.setAttribute("aria-posinset", String(place.rank));
    row.replaceChildren(...content(side, place, documents.get(key), top));
    row.style.setProperty("--at", String(place.rank - 1));
    if (fresh) list.append(row);
  }
  list.style.setProperty("--rows", String(Math.max(places.length, 1)));
  markSelected(side, selected);
}

function markSelected(side, selected) {
  for (const [key, row] of rows[side]) {
    const chosen = key === selected;
    row.classList.toggle("selected", chosen);
    row.setAttribute("aria-selected", String(chosen));
    if (chosen) columns[side].setAttribute("aria-activedescendant", row.id);
  }
  if (!rows[side].has(selected)) columns[side].removeAttribute("aria-activedescendant");
}

// A document that is in one column only comes from, or goes, below the other.
function drawLines(answer, selected) {
  const box = moves.getBoundingClientRect();
  const rowHeight = parseFloat(getComputedStyle(columns.qlog).getPropertyValue("--row")) || 62;
  const most = Math.max(answer.bm25.length, answer.qlog.length, 1);
  const width = Math.max(box.width, 10);
  moves.setAttribute("viewBox", `0 0 ${width} ${most * rowHeight}`);
  const y = (rank) => (Math.min(rank, most + 0.6) - 0.5) * rowHeight;
  const wanted = new Map();
  for (const place of answer.bm25) wanted.set(keyOf(place.id), { from: place.rank, to: place.other_rank ?? Infinity });
  for (const place of answer.qlog) wanted.set(keyOf(place.id), { from: place.other_rank ?? Infinity, to: place.rank });
  for (const [key, line] of lines) {
    if (!wanted.has(key)) {
      line.remove();
      lines.delete(key);
    }
  }
  for (const [key, move] of wanted) {
    let line = lines.get(key);
    if (line === undefined) {
      line = draw("path");
      lines.set(key, line);
      moves.append(line);
    }
    const kind = move.from === move.to ? "same" : move.from > move.to ? "up" : "down";
    const leaves = move.from > most || move.to > most;
    line.setAttribute("class", `move ${kind}${leaves ? " beyond" : ""}${key === selected ? " selected" : ""}`);
    const [start, end] = [y(move.from), y(move.to)];
    const shape = `M0,${start} C${width * 0.45},${start} ${width * 0.55},${end} ${width},${end}`;
    line.setAttribute("d", shape);
    // As a property it glides where the browser can; the attribute stays for those that can't.
    line.style.setProperty("d", `path("${shape}")`);
    if (key === selected) moves.append(line);
  }
}

export function renderRankings(answer, selected, onSelect) {
  const documents = new Map(answer.documents.map((document) => [keyOf(document.id), document]));
  renderColumn("bm25", answer.bm25, documents, selected, onSelect);
  renderColumn("qlog", answer.qlog, documents, selected, onSelect);
  drawLines(answer, selected);
  const moved = answer.qlog.filter((place) => moveOf(place) !== "same").length;
  const entered = answer.qlog.filter((place) => (place.other_rank ?? Infinity) > answer.k).length;
  find("tally").textContent = answer.qlog.length
    ? `${moved} of ${answer.qlog.length} moved, ${entered} came in from below BM25’s ${answer.k}`
    : "";
}

export function highlight(answer, selected) {
  markSelected("bm25", selected);
  markSelected("qlog", selected);
  drawLines(answer, selected);
}

export function reveal(side, selected) {
  rows[side].get(selected)?.scrollIntoView({ block: "nearest" });
}
