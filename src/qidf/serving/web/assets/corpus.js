// The corpus in numbers, and the decision chart with the way this corpus takes through it.

import { count, decimals, find, make } from "./elements.js";

// Where the gauge ends: beyond, the predicted q is on its floor.
const HTOK_END = 0.14;
const NAMES = {
  "change-analyzer": "change the analyzer",
  "keep-bm25": "keep BM25",
  "apply-qlog": "apply q-log",
};
const CODE_AWARE = ["identifier", "subtoken"];

// What is counted: a repository is served function by function.
export const unit = (status) => (status.kind === "repository" ? "spans" : "documents");

let rebuildable = false;
let known = null;

function end(action, q, taken) {
  const detail = action === "apply-qlog" ? (taken ? `q = ${decimals(q, 2)}` : "with q below 1") : action === "keep-bm25" ? "little to gain" : "and leave q at 1";
  return make("div", { class: `end ${action}${taken ? " taken" : ""}`, "aria-current": taken ? "true" : null }, make("b", {}, NAMES[action]), make("span", {}, detail));
}

function choice(text, pressed, use) {
  const button = make("button", { type: "button", "aria-pressed": String(pressed) }, text);
  button.onclick = use;
  return button;
}

function gauge(status) {
  const at = (htok) => `${(100 * Math.min(htok / HTOK_END, 1)).toFixed(2)}%`;
  const here = make("i", { class: "here" });
  const limit = make("i", { class: "limit" });
  here.style.left = at(status.htok);
  limit.style.left = at(status.htok_threshold);
  return make("div", { class: "gauge", role: "img", "aria-label": `htok ${status.htok.toFixed(4)}, threshold ${status.htok_threshold}` }, limit, here);
}

function chart(status, advice) {
  const name = status.analyzer.split("(")[0];
  const aware = CODE_AWARE.includes(name);
  const open = !aware && !rebuildable;
  const kept = advice.action === "keep-bm25";
  const step = (number, asked, title, answers, exit) => make("div", { class: `step${asked ? " asked" : ""}` }, make("span", { class: "number" }, String(number)), make("div", { class: "question" }, title, answers), make("div", { class: "exit" }, make("span", { class: "arrow" }, "→"), exit));
  return [
    step(1, true, make("p", {}, "Does the analyzer split identifiers?"), make("p", { class: "answer" }, make("code", {}, status.analyzer), aware ? " does" : " doesn’t"), end("keep-bm25", 1, aware)),
    step(2, !aware, make("p", {}, "Can you index again with one that does?"), make("p", { class: "answer choices" }, choice("no", !rebuildable, () => choose(false)), choice("yes", rebuildable, () => choose(true))), end("change-analyzer", 1, !aware && rebuildable)),
    step(3, open, make("p", {}, "Do more than 2% of tokens occur only once?"), make("div", { class: "answer" }, gauge(status), make("span", { class: "figure" }, `htok ${decimals(100 * status.htok, 2)}%`)), make("div", { class: "ends" }, end("keep-bm25", advice.q, open && kept), end("apply-qlog", advice.q, open && !kept))),
  ];
}

function choose(value) {
  rebuildable = value;
  renderCorpus(known);
  find("decision").querySelector(`[aria-pressed="true"]`)?.focus();
}

export function renderCorpus(status) {
  known = status;
  const advice = rebuildable ? status.advice_if_rebuilt : status.advice;
  find("name").textContent = status.name;
  find("size").textContent = `${count(status.num_docs)} ${unit(status)}`;
  find("version").textContent = `qidf ${status.version}`;
  find("decision").replaceChildren(...chart(status, advice));
  find("verdict").textContent = NAMES[advice.action];
  find("verdict").className = `verdict ${advice.action}`;
  find("reason").textContent = advice.reason;
  find("warnings").replaceChildren(...advice.warnings.map((sentence) => make("li", {}, sentence)));
  const percent = (value) => (value === null ? "–" : `${decimals(100 * value, 1)}%`);
  const figures = [
    [unit(status), count(status.num_docs)],
    ["tokens", count(status.num_tokens)],
    ["vocabulary", count(status.vocab_size)],
    ["htok", decimals(status.htok, 4)],
    ["types per token", status.type_token_ratio === null ? "–" : decimals(status.type_token_ratio, 3)],
    ["median df", status.median_df === null ? "–" : decimals(status.median_df, 0)],
    ["terms in ≤ 5 documents", percent(status.share_df_le_5)],
    ["q that auto stands for", decimals(status.q, 3)],
  ];
  find("statistics").replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}
