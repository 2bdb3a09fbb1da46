// Runs before the first paint, so that a chosen theme doesn't flash the other one.
"use strict";
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("qidf-theme");
  } catch {
    // Storage may be closed to pages; the system's theme will do.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
