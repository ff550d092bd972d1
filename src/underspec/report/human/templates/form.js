"use strict";
const form = document.getElementById("sheet");
const rows = [...form.querySelectorAll(".row")];
const columns = JSON.parse(form.dataset.columns);
const memory = `underspec-${form.dataset.study}-${form.dataset.annotator}`;

const fieldsOf = (row) => [...row.querySelectorAll("[data-column]")];
const valueOf = (row, column) => {
  const fields = fieldsOf(row).filter((field) => field.dataset.column === column);
  const chosen = fields.find((field) => field.type !== "radio" || field.checked);
  return chosen ? chosen.value : "";
};
const isFilled = (row) =>
  columns.every((column) => column === "note" || !row.querySelector(`[data-column="${column}"]`) || valueOf(row, column) !== "");

// A spreadsheet must run nothing that stands in a note; the reader of sheets takes the apostrophe off again.
const inert = (text) => (/^[ \u00a0\ufeff]*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20']/.test(text) ? "'" + text : text);
const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const values = () =>
  rows.map((row) => {
    const fixed = JSON.parse(row.dataset.fixed);
    return columns.map((column, place) =>
      place < fixed.length ? fixed[place] : column === "note" ? inert(valueOf(row, column)) : valueOf(row, column));
  });

const remember = () => {
  const kept = rows.map((row) => Object.fromEntries(columns.map((column) => [column, valueOf(row, column)])));
  try {
    localStorage.setItem(memory, JSON.stringify(kept));
  } catch {
    document.getElementById("progress").textContent = "This browser keeps nothing: save before you close the page.";
  }
};

const recall = () => {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(memory));
  } catch {
    return;
  }
  (Array.isArray(kept) ? kept : []).forEach((known, place) => {
    for (const field of rows[place] ? fieldsOf(rows[place]) : []) {
      const value = String(known[field.dataset.column] ?? "");
      if (field.type === "radio") field.checked = field.value === value;
      else field.value = value;
    }
  });
};

const count = () => {
  const filled = rows.filter(isFilled).length;
  document.getElementById("progress").textContent = `${filled} of ${rows.length} filled in`;
};

const save = () => {
  const wrong = form.querySelector(":invalid");
  if (wrong) {
    wrong.reportValidity();
    return;
  }
  const lines = [columns, ...values()].map((line) => line.map(cell).join(",") + "\r\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", ...lines], { type: "text/csv;charset=utf-8" }));
  link.download = `${form.dataset.annotator}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

recall();
count();
form.addEventListener("input", () => { count(); remember(); });
document.getElementById("save").addEventListener("click", save);
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
