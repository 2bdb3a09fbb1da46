// Why one document is where it is: its lines, and what each token of the query adds.

import { count, decimals, find, make, named, outdented, ratio, runs, weight } from "./elements.js";

const SHOWN = 12;
let all = false;
let last = null;

function standing(rank) {
  return rank === null ? "no hit" : `#${count(rank)}`;
}

function row(term, most) {
  // A span may owe a token's share to its file, without holding it.
  const added = term.tf > 0 || term.contribution > 0;
  const bars = make("span", { class: "bars" }, make("i", { class: "qlog" }), make("i", { class: "bm25" }));
  bars.children[0].style.width = `${(100 * Math.max(0, term.contribution / most.qlog)).toFixed(1)}%`;
  bars.children[1].style.width = `${(100 * Math.max(0, term.bm25_contribution / most.bm25)).toFixed(1)}%`;
  const where = term.tf > 0 ? `occurs ${count(term.tf)} times here` : "not here, but around it";
  const about = added ? `${where}; BM25 would add ${decimals(term.bm25_contribution, 3)}` : term.doc_freq ? "not in this document" : "in no document";
  return make("tr", { class: added ? "" : "absent", title: about },
    make("th", { scope: "row" }, make("span", { class: "token" }, term.token), term.count > 1 ? make("small", { title: `said ${term.count} times, counts ${decimals(term.factor, 2)}` }, ` ×${term.count}`) : null),
    make("td", {}, count(term.doc_freq)),
    make("td", { class: "bm25" }, term.doc_freq ? weight(term.bm25_idf) : "–"),
    make("td", { class: "qlog" }, term.doc_freq ? weight(term.idf) : "–"),
    make("td", {}, term.doc_freq ? ratio(term.ratio) : "–"),
    make("td", { class: "wide" }, make("span", { class: "value" }, added ? weight(term.contribution) : "–"), added ? bars : null));
}

export function renderTokens(answer) {
  last = answer;
  const found = answer.explanation;
  const terms = found ? found.terms : answer.terms.map((term) => ({ ...term, tf: 0, contribution: 0, bm25_contribution: 0 }));
  find("why").hidden = terms.length === 0;
  find("why-id").replaceChildren(...(found ? ["Why ", named(found.id, found.title), found.title ? make("span", { class: "symbol" }, found.title) : null].filter(Boolean) : ["Why nothing is found"]));
  find("why-ranks").replaceChildren(...(found
    ? [make("span", { class: "bm25" }, `BM25 ${standing(found.bm25_rank)}`), make("span", { class: "arrow" }, "→"), make("span", { class: "qlog" }, `q-log ${standing(found.rank)}`)]
    : []));
  const excerpt = find("excerpt");
  excerpt.hidden = !found?.excerpt.length;
  excerpt.classList.toggle("lines", (found?.excerpt.length ?? 0) > 1);
  excerpt.replaceChildren(...outdented(found?.excerpt ?? []).map((line) => make("span", { class: "code" }, line.number === null ? null : make("b", {}, String(line.number)), make("span", {}, ...runs(line)), "\n")));
  const ordered = [...terms].sort((a, b) => b.contribution - a.contribution || b.idf - a.idf || b.doc_freq - a.doc_freq);
  const most = {
    qlog: Math.max(...terms.map((term) => term.contribution), 1e-9),
    bm25: Math.max(...terms.map((term) => term.bm25_contribution), 1e-9),
  };
  const shown = all ? ordered : ordered.slice(0, SHOWN);
  find("tokens").tBodies[0].replaceChildren(...shown.map((term) => row(term, most)));
  const button = find("all-tokens");
  button.hidden = ordered.length <= SHOWN;
  button.textContent = all ? `Only the first ${SHOWN}` : `All ${ordered.length} tokens`;
}

find("all-tokens").onclick = () => {
  all = !all;
  if (last) renderTokens(last);
};
