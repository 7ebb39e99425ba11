"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, ...children) => {
    const node = document.createElement(name);
    node.append(...children);
    return node;
  };
  const rowsOf = (within) => all("tr[data-group]", within);
  const target = (link) => document.getElementById(link.getAttribute("href").slice(1));

  // Sorting: within each block, what is equal keeps its order, and what is blank stays last.
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.matches(".none") ? "" : (cell.querySelector(".label") || cell).textContent;
  };
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : words.compare(a, b);
  };
  function sort(blocks, column, direction) {
    for (const [body, rows] of blocks) {
      const keyed = rows.map((row) => [key(row, column), row]);
      if (direction) keyed.sort(([a], [b]) => (a === "") - (b === "") || direction * compare(a, b));
      const end = body.querySelector(".notes");
      for (const [, row] of keyed) body.insertBefore(row, end);
    }
  }
  function makeSortable(table) {
    const blocks = [...table.tBodies].map((body) => [body, rowsOf(body)]);
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", ...head.childNodes);
      button.type = "button";
      head.append(button);
      const first = head.dataset.better === "higher" ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const next = now === null ? first : now === first ? second : null;
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        sort(blocks, column, { ascending: 1, descending: -1 }[next] || 0);
      });
    });
  }

  // Filters: a row is shown when its group is ticked and every word is in its label or its block.
  function makeFilters(tools) {
    const table = document.getElementById(tools.dataset.table);
    const boxes = all("[type=checkbox]", tools);
    const filter = () => {
      const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
      const wanted = tools.querySelector("[type=search]").value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const body of table.tBodies) {
        let left = 0;
        for (const row of rowsOf(body)) {
          const text = `${row.cells[0].textContent} ${body.dataset.title}`.toLowerCase();
          row.hidden = off.has(row.dataset.group) || !wanted.every((word) => text.includes(word));
          left += !row.hidden;
        }
        body.hidden = !left;
        shown += left;
      }
      const total = rowsOf(table).length;
      tools.querySelector("output").value = shown < total ? `${shown} of ${total} rows` : "";
      tabStop(table);
    };
    tools.addEventListener("input", filter);
    tools.hidden = false;
    filter();
  }

  // Numbers: one tab stop a table, arrow keys from there.
  const inSight = (link) => !link.closest("[hidden]");
  function tabStop(table, link) {
    const links = all("a.n", table);
    const stop = link || links.find((one) => one.tabIndex === 0 && inSight(one)) || links.find(inSight);
    for (const one of links) one.tabIndex = one === stop ? 0 : -1;
  }
  function step(link, name) {
    const row = link.closest("tr");
    const across = { ArrowLeft: -1, ArrowRight: 1 }[name];
    const down = { ArrowUp: -1, ArrowDown: 1 }[name];
    const links = across
      ? [...row.cells].map((cell) => cell.querySelector("a.n"))
      : rowsOf(row.closest("table")).map((one) => one.cells[link.closest("td").cellIndex].querySelector("a.n"));
    const there = links.filter((one) => one && inSight(one));
    return there[there.indexOf(link) + (across || down)];
  }
  function makeWalkable(table) {
    tabStop(table, all("a.n", table)[0]);
    table.addEventListener("focusin", (event) => {
      if (event.target.matches("a.n")) tabStop(table, event.target);
    });
    table.addEventListener("keydown", (event) => {
      if (!event.target.matches("a.n") || !/^Arrow/.test(event.key) || event.altKey) return;
      event.preventDefault();
      step(event.target, event.key)?.focus();
    });
  }

  // The panel: where a number comes from.
  const panel = document.getElementById("panel");
  const title = panel.querySelector("h2");
  const content = panel.querySelector(".panel-content");
  let asked = null;
  function heading(link) {
    const row = link.closest("tr");
    const column = link.closest("table").tHead.rows[0].cells[link.closest("td").cellIndex];
    const parts = [row.querySelector(".label"), column.querySelector(".name")];
    const words = [row.parentNode.dataset.title, ...parts.map((part) => part.textContent)];
    return `${words.filter(Boolean).join(", ")}: ${link.firstChild.textContent}`;
  }
  function facts(run, index, runs) {
    const list = target(run).querySelector(".facts").cloneNode(true);
    return runs.length === 1 ? list : make("details", make("summary", run.textContent), list);
  }
  function show(link) {
    close();
    asked = link;
    link.setAttribute("aria-expanded", "true");
    const source = target(link).cloneNode(true);
    const runs = all(".run-link", source);
    title.textContent = heading(link);
    content.replaceChildren(make("p", ...source.childNodes), ...runs.map(facts));
    panel.className = "";
    panel.show();
    const edge = (node) => node.getBoundingClientRect();
    if (edge(link).right > edge(panel).left) panel.className = "left";
    panel.scrollTop = 0;
    title.focus({ preventScroll: true });
    link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  function close(returning) {
    if (!asked) return;
    panel.close();
    asked.removeAttribute("aria-expanded");
    if (returning) asked.focus();
    asked = null;
  }
  panel.querySelector("button").addEventListener("click", () => close(true));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(true);
  });

  // Links: a number opens the panel; a run that is led to is opened.
  function reveal(node) {
    for (let part = node; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.matches("a.n")) {
      event.preventDefault();
      show(link);
    } else {
      close();
      reveal(target(link));
    }
  });
  const arrive = () => {
    const node = location.hash && document.getElementById(location.hash.slice(1));
    reveal(node);
    if (node) node.scrollIntoView();
  };
  addEventListener("hashchange", arrive);

  for (const table of all("table")) {
    makeSortable(table);
    makeWalkable(table);
  }
  all(".tools").forEach(makeFilters);
  arrive();
})();
