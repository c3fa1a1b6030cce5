// Sources: lines with what stacks weigh at each, file by file, or the costliest lines of all files.

// sourceLines returns a table of lines of one file; top is what the costliest line of all weighs.
function sourceLines(rows, unit, name, top) {
  const body = el("tbody");
  let last = null;
  for (const r of rows) {
    if (last !== null && r.line > last + 1) body.append(el("tr.gap", {"aria-hidden": "true"}, el("td.no", {colspan: 4}, "⋮")));
    last = r.line;
    const tr = el("tr" + (r.self || r.total ? ".costs" : ""), {title: r.function || null}, el("td", null, r.self ? text(unit, r.self) : ""), el("td", null, r.total ? text(unit, r.total) : ""), el("td.no", null, r.line > 0 ? String(r.line) : ""), el("td.code", null, r.text || ""));
    tr.style.setProperty("--heat", String(Math.sqrt((r.self || 0) / top)));
    body.append(tr);
  }
  return el("table.source", null, el("thead", null, el("tr", null, el("th", {scope: "col"}, "SELF"), el("th", {scope: "col"}, "TOTAL"), el("th", {scope: "col"}, "LINE"), el("th.left", {scope: "col"}, baseOf(name)))), body);
}

// byFile groups rows by their file, in the order of their first rows.
function byFile(rows) {
  const files = new Map();
  for (const r of rows) { const f = r.file || "(no file)"; files.set(f, (files.get(f) || []).concat([r])); }
  return files;
}

// sourceSection draws lines. open shows a file; null where none can be shown.
// known are the files that can be shown; undefined for all.
function sourceSection(a, name, open, known) {
  const l = a.lines || {}, rows = l.rows || [], unit = unitOf(l.metric || "", l.estimated), missing = new Map((l.files || []).filter((f) => f.missing).map((f) => [f.file, f.missing]));
  const top = Math.max(...rows.map((r) => r.self || 0), 1), figure = (l.metric || "").replaceAll("_", " "), left = (l.row_count || 0) - rows.filter((r) => r.self || r.total).length;
  const out = el("section.long", {id: "s-source"}, el("div.head", null, el("h2", null, "Source"), el("span.answer", null, name ? figure + " at each line of " + name : "the lines with most " + figure + ", file by file"),
    el("div.tools", null, name && open ? el("button", {type: "button", onclick: () => open("")}, "All files") : null)));
  if (!rows.length) out.append(el("div.panel", null, el("p.empty", null, "No line has a weight here.")));
  for (const [file, list] of byFile(rows)) {
    const why = missing.get(file), read = list.some((r) => r.text !== undefined), sum = list.reduce((n, r) => n + (r.self || 0), 0);
    if (!name) list.sort((x, y) => (x.line || 0) - (y.line || 0));
    const head = el("h3", {title: file}, name || !open || why || known && !known.includes(file) ? file : el("button.link", {type: "button", onclick: () => open(file), "aria-label": "Open " + file}, file), el("small", null, text(unit, sum) + " at " + group(list.filter((r) => r.self).length) + (list.length === 1 ? " line" : " lines")));
    const table = sourceLines(list, unit, file, top);
    out.append(el("div.panel", null, head, why ? el("p.scope", null, why) : null, el("div.scroll" + (name && read ? ".tall" : ""), null, table)));
    const costly = name && [...table.querySelectorAll(".costs")].sort((x, y) => Number(y.style.getPropertyValue("--heat")) - Number(x.style.getPropertyValue("--heat")))[0];
    if (costly && read) requestAnimationFrame(() => costly.scrollIntoView({block: "center"}));
  }
  if (left > 0) out.append(el("p.scope", null, group(left) + " more lines have a weight"));
  return [out];
}
