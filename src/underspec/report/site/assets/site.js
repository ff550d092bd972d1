// Filters. Pages are whole without this file; it only hides rows, and puts figures in place that the page came with.
"use strict";

(() => {
  const text = (value, low, high) => {
    // As the report writes rates: never 100.0 or 0.0 for what is not whole.
    if (value === null || value === undefined) return "–";
    const shown = value.toFixed(1);
    if (shown === "100.0" && value < 100) return "99.9";
    if (shown === "0.0" && value > 0) return "0.1";
    return shown;
  };

  const remembered = (form) => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const control of form.elements) {
      if (!control.name || !wanted.has(control.name)) continue;
      control.value = wanted.get(control.name);
      if (control.selectedIndex === -1) control.value = "";
    }
  };

  const remember = (form) => {
    const chosen = new URLSearchParams();
    for (const control of form.elements) if (control.name && control.value) chosen.set(control.name, control.value);
    const hash = chosen.toString();
    history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
  };

  const listen = (form, apply) => {
    remembered(form);
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { apply(); remember(form); });
    form.addEventListener("reset", () => setTimeout(() => { apply(); remember(form); }));
    window.addEventListener("hashchange", () => { remembered(form); apply(); });
    apply();
  };

  // Tables that narrow windows show as cards stay tables for those who listen.
  for (const table of document.querySelectorAll("table.cards")) {
    table.setAttribute("role", "table");
    for (const part of table.querySelectorAll("thead, tbody")) part.setAttribute("role", "rowgroup");
    for (const row of table.rows) row.setAttribute("role", "row");
    for (const cell of table.querySelectorAll("th, td")) {
      const role = cell.tagName === "TD" ? "cell" : cell.scope === "row" ? "rowheader" : "columnheader";
      cell.setAttribute("role", role);
    }
  }

  // Rows of one table, by what stands in their data attributes.
  for (const form of document.querySelectorAll("form[data-rows]")) {
    const rows = [...document.querySelectorAll(form.dataset.rows + " tbody tr")];
    const status = form.querySelector(".status");
    listen(form, () => {
      const language = form.elements.language?.value || "";
      const category = form.elements.category?.value || "";
      const words = (form.elements.text?.value || "").toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const name = row.dataset.text.toLowerCase();
        row.hidden = (language && row.dataset.language !== language) ||
          (category && row.dataset.category !== category) || words.some((word) => !name.includes(word));
        shown += !row.hidden;
      }
      status.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} shown`;
    });
  }

  // The leaderboard: lines are hidden by what varies; a language or category puts the figures of its tasks in place.
  const form = document.getElementById("filters");
  if (!form) return;
  const data = document.getElementById("slices");
  const slices = data ? JSON.parse(data.textContent) : {};
  const svg = "http://www.w3.org/2000/svg";
  const draw = (name, attributes) => {
    const node = document.createElementNS(svg, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };

  const whisker = (mean, low, high) => {
    const label = low === null ? text(mean) : `${text(mean)}, 95 % interval ${text(low)} to ${text(high)}`;
    const made = draw("svg", { class: "whisker", role: "img", "aria-label": label, width: "100%", height: 18 });
    made.append(draw("line", { class: "rail", x1: 0, x2: "100%", y1: 9, y2: 9 }));
    for (const tick of [0, 25, 50, 75, 100])
      made.append(draw("line", { class: "tick", x1: tick + "%", x2: tick + "%", y1: 5, y2: 13 }));
    if (low !== null) made.append(draw("line", { class: "span", x1: low + "%", x2: high + "%", y1: 9, y2: 9 }));
    if (mean !== null) made.append(draw("line", { class: "dot", x1: mean + "%", x2: mean + "%", y1: 2, y2: 16 }));
    return made;
  };

  const boards = [...document.querySelectorAll(".leaderboard tbody")].map((body) => {
    const rows = [...body.rows].map((row) => {
      const cells = Object.fromEntries([...row.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
      const whole = Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, [...cell.childNodes]]));
      const fields = [...row.attributes].filter((each) => each.name.startsWith("data-f-")).map((each) => each.value);
      return { row, cells, whole, fields: ["agent=" + row.dataset.agent, ...fields] };
    });
    return { body, rows };
  });

  const put = ({ cells, whole }, figures) => {
    if (!figures) {
      for (const [name, cell] of Object.entries(cells)) cell.replaceChildren(...whole[name]);
      return;
    }
    const [mean, low, high, tasks, unscored, rank, group] = figures;
    cells.score.replaceChildren(text(mean));
    cells.whisker.replaceChildren(whisker(mean, low, high));
    cells.between.replaceChildren(low !== null ? `${text(low)} to ${text(high)}` :
      tasks === 1 ? "one task: no interval" : "no score");
    cells.scored.replaceChildren(`${tasks} ${tasks === 1 ? "task" : "tasks"}`);
    if (unscored) {
      const note = document.createElement("span");
      note.className = "unscored-why";
      note.textContent = `${unscored} unscored`;
      cells.scored.append(note);
    }
    if (cells.rank) {
      cells.rank.replaceChildren(rank ? " " + rank : "–");
      if (group) {
        const letter = document.createElement("span");
        letter.className = "group";
        letter.textContent = group;
        cells.rank.prepend(letter);
      }
    }
  };

  listen(form, () => {
    const language = form.elements.language?.value || "";
    const category = form.elements.category?.value || "";
    const part = language || category ? slices[`${language}\t${category}`] || { tasks: 0, lines: {} } : null;
    const chosen = [...form.querySelectorAll("[data-field]")].filter((each) => each.value)
      .map((each) => `${each.name}=${each.value}`);
    let shown = 0, all = 0;
    for (const board of boards) {
      for (const each of board.rows) {
        each.row.hidden = chosen.some((field) => !each.fields.includes(field));
        shown += !each.row.hidden;
        all += 1;
        put(each, part && (part.lines[each.row.dataset.line] || [null, null, null, 0, 0, "", ""]));
      }
      board.body.closest("section").classList.toggle("partly", Boolean(part));
      const score = (each) => (part ? part.lines[each.row.dataset.line]?.[0] ?? -1 : 0);
      const order = part ? [...board.rows].sort((one, other) => score(other) - score(one)) : board.rows;
      board.body.append(...order.map((each) => each.row));
    }
    const words = [];
    if (part) words.push(`on ${part.tasks} ${part.tasks === 1 ? "task" : "tasks"}`);
    if (shown < all) words.push(`${shown} of ${all} lines shown; ranks are among all`);
    form.querySelector(".status").textContent = words.join("; ");
  });
})();
