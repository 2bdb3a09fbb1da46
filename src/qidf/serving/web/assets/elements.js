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

export const count = (value) => value.toLocaleString("en");

export function decimals(value, digits) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

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

// An id that looks like a path shows its folder quietly and its name clearly.
export function named(id, title = "") {
  const text = String(id);
  const slash = text.lastIndexOf("/");
  const folder = slash > 0 ? make("span", { class: "folder" }, text.slice(0, slash + 1)) : null;
  const name = make("span", { class: "name" }, slash > 0 ? text.slice(slash + 1) : text);
  const label = make("span", { class: "id", title: title ? `${title} (${text})` : text }, folder, name);
  return label;
}

export function runs(line) {
  return line.runs.map((run) => (run.matched ? make("mark", {}, run.text) : run.text));
}
