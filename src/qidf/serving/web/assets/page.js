// The page: what is asked, how the keys work, and which answer is shown.

import { count, decimals, find, keyOf, make } from "./elements.js";
import { renderCorpus, unit } from "./corpus.js";
import { renderCurve } from "./curve.js";
import { highlight, renderRankings, reveal } from "./rankings.js";
import { renderTokens } from "./tokens.js";

// Between the end of a keystroke and asking; dragging q doesn't wait.
const TYPING_MS = 90;
// Labels nearer than this read as one.
const MARK_GAP = 4;
// A longer query fills its box whatever the width; measuring it would lay out every line of it.
const MEASURED = 4000;
// An address can't hold a whole file; such a query is simply not kept.
const KEPT = 4000;

const state = { query: "", q: "auto", weighting: "auto", k3: "auto", k: 10, id: null, side: "qlog", answer: null, autoQ: 1 };
// Parts of the weighting that are chosen from a list.
const CHOSEN = ["weighting", "k3"];
const query = find("query");
const slider = find("q");
let asking = false;
let again = false;
let typing = 0;

async function call(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server doesn’t answer; is qidf serve still running?");
  }
  const answer = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}

// Busy from the first keystroke until the answer to the last one is shown.
function settle() {
  document.body.setAttribute("aria-busy", String(asking || typing !== 0));
}

// One question at a time; while it is under way only the last wish counts.
async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  settle();
  do {
    again = false;
    const question = { query: state.query, q: state.q, weighting: state.weighting, k: state.k };
    if (state.k3 !== "auto") question.k3 = Number(state.k3);
    if (state.id !== null) question.id = state.id;
    try {
      show(await call("/api/compare", question));
    } catch (error) {
      fail(error.message);
    }
  } while (again);
  asking = false;
  settle();
}

function show(answer) {
  state.answer = answer;
  state.autoQ = answer.auto_q;
  const blank = state.query.trim() === "";
  find("welcome").hidden = !blank;
  find("rankings").hidden = blank || (answer.bm25.length === 0 && answer.qlog.length === 0);
  document.body.classList.toggle("blank", blank);
  document.body.classList.toggle("empty", !blank && find("rankings").hidden);
  document.body.classList.remove("stale");
  showQ(answer);
  say(remark(answer, blank));
  renderRankings(answer, selectedKey(), select);
  renderTokens(answer);
  renderCurve(answer);
  find("timing").textContent = blank ? "" : `${decimals(answer.milliseconds, answer.milliseconds < 10 ? 1 : 0)} ms`;
  find("timing").title = "both searches together";
}

function remark(answer, blank) {
  if (blank) return "";
  if (answer.terms.length === 0) return "Nothing of this query is a word to the analyzer; try another.";
  if (answer.bm25.length === 0 && answer.qlog.length === 0) return "No document has any of these words.";
  if (answer.qlog.length === 0) return "Below q = 1, words in half of the documents or more count for nothing, and no other word of this query is found. Press 1 for BM25.";
  const unknown = answer.terms.filter((term) => term.doc_freq === 0);
  if (unknown.length === 0 || answer.terms.length > 12) return "";
  return `In no document: ${unknown.map((term) => term.token).join(", ")}`;
}

function say(text, wrong = false) {
  const message = find("message");
  if (message.textContent !== text) message.textContent = text;
  message.classList.toggle("wrong", wrong);
}

function fail(text) {
  say(text, true);
  // What is still on the page answers an older question.
  document.body.classList.add("stale");
}

function showQ(answer) {
  const automatic = state.q === "auto";
  const bm25 = answer.weighting === "bm25";
  const untouched = automatic && state.weighting === "auto" && state.k3 === "auto";
  slider.value = String(answer.q);
  find("q-value").textContent = answer.q.toFixed(3);
  find("q-head").textContent = summary(answer);
  find("q-head").title = answer.reason;
  find("q-kind").textContent = automatic ? "auto" : bm25 ? "BM25" : "";
  find("use-auto").setAttribute("aria-pressed", String(untouched));
  find("use-one").setAttribute("aria-pressed", String(!untouched && bm25));
  for (const part of CHOSEN) find(part).value = state[part];
  slider.setAttribute("aria-valuetext", `${answer.q.toFixed(3)}${automatic ? ", predicted" : ""}`);
  placeMark("mark-auto", answer.auto_q);
  placeMark("mark-one", 1);
  separateMarks();
}

// What the ranking was weighed with; a k3 from the far end of its range counts repeats in full.
function summary(answer) {
  const repeats = answer.k3 === null || answer.k3 >= 1000 ? "" : `, k3\u00a0=\u00a0${answer.k3}`;
  return `q\u00a0=\u00a0${answer.q.toFixed(3)}${repeats}${answer.evidence ? ", evidence" : ""}`;
}

// Two labels at one place would print over each other; the line under the one that goes stays.
function separateMarks() {
  const auto = find("mark-auto");
  auto.classList.remove("crowded");
  const [mine, other] = [auto, find("mark-one")].map((mark) => mark.getBoundingClientRect());
  auto.classList.toggle("crowded", mine.right + MARK_GAP > other.left && mine.left < other.right + MARK_GAP);
}

function placeMark(id, q) {
  const share = (q - Number(slider.min)) / (Number(slider.max) - Number(slider.min));
  find(id).style.setProperty("--share", String(Math.max(0, Math.min(share, 1))));
}

function selectedKey() {
  const found = state.answer?.explanation;
  return found ? keyOf(found.id) : null;
}

function select(id, side = state.side) {
  state.side = side;
  state.id = id;
  if (state.answer) highlight(state.answer, keyOf(id));
  ask();
}

function step(by) {
  const places = state.answer?.[state.side] ?? [];
  if (!places.length) return;
  const key = selectedKey();
  const here = places.findIndex((place) => keyOf(place.id) === (state.id === null ? key : keyOf(state.id)));
  const next = here < 0 ? 0 : Math.max(0, Math.min(here + by, places.length - 1));
  select(places[next].id);
  reveal(state.side, keyOf(places[next].id));
}

function switchSide() {
  state.side = state.side === "qlog" ? "bm25" : "qlog";
  find(state.side).focus({ preventScroll: true });
  const places = state.answer?.[state.side] ?? [];
  const key = state.id === null ? selectedKey() : keyOf(state.id);
  if (places.length && !places.some((place) => keyOf(place.id) === key)) select(places[0].id);
}

function setQ(q) {
  state.q = q === "auto" ? q : Math.max(Number(slider.min), Math.min(Number(q), Number(slider.max)));
  remember();
  ask();
}

// All parts at once: what a corpus and a query decide, or plain BM25.
function setAll(q) {
  for (const part of CHOSEN) state[part] = "auto";
  setQ(q);
}

function nudgeQ(by) {
  const from = state.q === "auto" ? (state.answer?.q ?? 1) : state.q;
  setQ(Math.round((from + by) * 100) / 100);
}

function setQuery(text) {
  state.query = text;
  state.id = null;
  remember();
  ask();
}

function remember() {
  const parts = new URLSearchParams();
  if (state.query && state.query.length < KEPT) parts.set("query", state.query);
  if (state.q !== "auto") parts.set("q", String(state.q));
  for (const part of CHOSEN) if (state[part] !== "auto") parts.set(part, state[part]);
  const text = parts.toString();
  history.replaceState(null, "", text && text.length < KEPT ? `#${text}` : location.pathname);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  state.query = parts.get("query") ?? "";
  const q = Number(parts.get("q") ?? NaN);
  state.q = Number.isFinite(q) ? q : "auto";
  for (const part of CHOSEN) {
    const known = [...find(part).options].map((option) => option.value);
    state[part] = known.includes(parts.get(part)) ? parts.get(part) : "auto";
  }
  query.value = state.query;
  fitQuery();
}

function fitQuery() {
  if (query.value.length > MEASURED) {
    query.style.height = "var(--tallest)";
    return;
  }
  query.style.height = "auto";
  query.style.height = `${query.scrollHeight}px`;
}

const THEMES = ["auto", "light", "dark"];

function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

function nextTheme() {
  const chosen = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem("qidf-theme", chosen);
  } catch {
    // It lasts until the page is left, then.
  }
  nameTheme();
}

function nameTheme() {
  find("theme-name").textContent = theme();
  find("theme").setAttribute("aria-label", `Theme: ${theme()}`);
}

const shortcuts = find("shortcuts");
const KEYS = {
  "/": () => query.select() || query.focus(),
  "?": () => shortcuts.showModal(),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  j: () => step(1),
  k: () => step(-1),
  s: switchSide,
  ArrowLeft: (event) => nudgeQ(event.shiftKey ? -0.1 : -0.01),
  ArrowRight: (event) => nudgeQ(event.shiftKey ? 0.1 : 0.01),
  a: () => setAll("auto"),
  1: () => setAll(1),
  t: nextTheme,
  c: () => {
    find("corpus").scrollIntoView();
    find("corpus").focus({ preventScroll: true });
  },
  Enter: () => {
    find("why").scrollIntoView({ block: "nearest" });
    find("why").focus({ preventScroll: true });
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || shortcuts.open) return;
  const target = event.target;
  if (target === query) {
    if (event.key === "Escape") query.blur();
    else if (event.key === "ArrowDown" && query.selectionEnd === query.value.length) {
      query.blur();
      step(state.id === null ? 0 : 1);
    } else return;
    event.preventDefault();
    return;
  }
  const pressing = target.matches("button, a, select, summary");
  if (pressing && (event.key === "Enter" || event.key === " ")) return;
  // A list chooses by arrows and by what is typed.
  if (target.matches("select")) return;
  if (target === find("excerpt") && event.key.startsWith("Arrow")) return;
  const use = KEYS[event.key];
  if (use === undefined) return;
  event.preventDefault();
  use(event);
}

query.addEventListener("input", () => {
  fitQuery();
  clearTimeout(typing);
  typing = setTimeout(() => {
    typing = 0;
    setQuery(query.value);
  }, TYPING_MS);
  settle();
});
query.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  clearTimeout(typing);
  typing = 0;
  if (query.value !== state.query) setQuery(query.value);
  settle();
  query.blur();
  find(state.side).focus({ preventScroll: true });
});
find("search").addEventListener("submit", (event) => event.preventDefault());
slider.addEventListener("input", () => setQ(Number(slider.value)));
find("use-auto").onclick = () => setAll("auto");
find("use-one").onclick = () => setAll(1);
for (const part of CHOSEN) {
  find(part).onchange = (event) => {
    state[part] = event.target.value;
    remember();
    ask();
  };
}
find("theme").onclick = nextTheme;
find("help").onclick = () => shortcuts.showModal();
find("k").onchange = (event) => {
  state.k = Number(event.target.value);
  ask();
};
for (const side of ["bm25", "qlog"]) find(side).addEventListener("focus", () => (state.side = side));
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", () => {
  recall();
  ask();
});
let resizing = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => {
    if (!state.answer) return;
    highlight(state.answer, selectedKey());
    renderCurve(state.answer);
    separateMarks();
  });
});

async function start() {
  nameTheme();
  recall();
  if (!matchMedia("(pointer: coarse)").matches) query.focus();
  try {
    const status = await call("/api/status");
    document.title = `${status.name} · qidf`;
    renderCorpus(status);
    find("examples").replaceChildren(...status.examples.map((example) => {
      const button = make("button", { type: "button" }, example);
      button.onclick = () => {
        query.value = example;
        fitQuery();
        setQuery(example);
      };
      return make("li", {}, button);
    }));
    query.placeholder = `Search ${count(status.num_docs)} ${unit(status)}: a name, some words, a whole function`;
  } catch (error) {
    fail(error.message);
  }
  ask();
}

start();
