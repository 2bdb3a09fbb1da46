// Making elements and writing numbers. Text only ever becomes text: there is no innerHTML anywhere.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const find = (id) => document.getElementById(id);

// A key for maps: the id 1 and the id "1" are two documents.
export const keyOf = (id) => `${typeof id}:${id}`;

// Made once: making one takes longer than writing a thousand numbers.
const whole = new Intl.NumberFormat("en");
const fractions = [0, 1, 2, 3, 4].map((digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));

export const count = (value) => whole.format(value);

export const decimals = (value, digits) => fractions[digits].format(value);

// Three significant digits for large weights, two decimals for small ones.
export function weight(value) {
  const size = Math.abs(value);
  if (size >= 100000) return value.toExponential(1).replace("e+", "e");
  return decimals(value, size >= 1000 ? 0 : size >= 100 ? 1 : 2);
}

export function ratio(value) {
  const size = Math.abs(value);
  return `${decimals(value, size >= 100 ? 0 : size >= 10 ? 1 : 2)}×`;
}

// An id that looks like a path shows its folder quietly and its name clearly; the line behind it is
// never cut off, since it tells the spans of a file apart.
export function named(id, title = "") {
  const text = String(id);
  const slash = text.lastIndexOf("/");
  const folder = slash > 0 ? make("span", { class: "folder" }, ...text.slice(0, slash).split("/").flatMap((part) => [`${part}/`, make("wbr", {})])) : null;
  const [, bare, line, until] = /^(.*?)(?:(:\d+)(-\d+)?)?$/s.exec(slash > 0 ? text.slice(slash + 1) : text);
  const name = make("span", { class: "name" }, bare);
  const range = line ? make("span", { class: "range" }, line, until ? make("span", { class: "until" }, until) : null) : null;
  const label = make("span", { class: "id", title: title ? `${title} (${text})` : text }, folder, name, range);
  return label;
}

// Lines without the indentation they share, so that a narrow panel shows code rather than space.
export function outdented(lines) {
  const texts = lines.map((line) => line.runs.map((run) => run.text).join("")).filter((text) => text.trim());
  const shared = Math.min(...texts.map((text) => text.search(/[^ ]/)));
  if (!texts.length || shared === 0) return lines;
  return lines.map((line) => {
    let left = shared;
    const runs = line.runs.map((run) => {
      const spaces = Math.min(left, run.text.length - run.text.trimStart().length);
      left -= spaces;
      return { ...run, text: run.text.slice(spaces) };
    });
    return { ...line, runs };
  });
}

export function runs(line) {
  return line.runs.map((run) => (run.matched ? make("mark", {}, run.text) : run.text));
}
