// The corpus in numbers, and the decision chart with the way this corpus takes through it.

import { count, decimals, find, make } from "./elements.js";

// Where the gauge ends: beyond, the predicted q is on its floor.
const HTOK_END = 0.14;
const NAMES = {
  "change-analyzer": "change the analyzer",
  "keep-bm25": "keep BM25",
  "saturate-repeats": "saturate repeats",
  "apply-qlog": "apply q-log",
};
const DETAILS = {
  "change-analyzer": "and leave q at 1",
  "keep-bm25": "for every query",
  "saturate-repeats": "of code, q stays 1",
  "apply-qlog": "with q below 1",
};

// What is counted: a repository is served function by function.
export const unit = (status) => (status.kind === "repository" ? "spans" : "documents");

let rebuildable = false;
let known = null;

function end(action, q, taken) {
  const detail = action === "apply-qlog" && taken ? `q = ${decimals(q, 2)}` : DETAILS[action];
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
  here.style.left = at(status.htok);
  return make("div", { class: "gauge", role: "img", "aria-label": `htok ${status.htok.toFixed(4)}` }, here);
}

function chart(status, advice) {
  const { action } = advice;
  const splits = status.advice_if_rebuilt.action !== "change-analyzer";
  const large = status.num_docs >= status.min_docs && status.num_tokens >= status.min_tokens;
  const open = splits || !rebuildable;
  const step = (number, asked, title, answers, exit) => make("div", { class: `step${asked ? " asked" : ""}` }, make("span", { class: "number" }, String(number)), make("div", { class: "question" }, title, answers), make("div", { class: "exit" }, make("span", { class: "arrow" }, "→"), exit));
  const taken = (name) => end(name, advice.q, action === name);
  const choices = splits ? make("p", { class: "answer" }, make("code", {}, status.analyzer), " does already") : make("p", { class: "answer choices" }, choice("no", !rebuildable, () => choose(false)), choice("yes", rebuildable, () => choose(true)));
  return [
    step(1, !splits, make("p", {}, "Can you index again with an analyzer that splits identifiers?"), choices, taken("change-analyzer")),
    step(2, open, make("p", {}, `Are there fewer than ${count(status.min_docs)} ${unit(status)} or ${count(status.min_tokens)} tokens?`), make("p", { class: "answer" }, `${count(status.num_docs)} and ${count(status.num_tokens)}`), taken("keep-bm25")),
    step(3, open && large, make("p", {}, "Does the analyzer split identifiers?"), make("p", { class: "answer" }, make("code", {}, status.analyzer), splits ? " does" : " doesn’t"), taken("saturate-repeats")),
    step(4, open && large && !splits, make("p", {}, "How many tokens occur only once?"), make("div", { class: "answer" }, gauge(status), make("span", { class: "figure" }, `htok ${decimals(100 * status.htok, 2)}%`)), taken("apply-qlog")),
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
