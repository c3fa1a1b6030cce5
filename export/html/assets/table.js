// Tables: sorted by a click on a heading, filtered by the search box, a page of rows at a time; rows with a stack open.
const firstRows = 15;
const numeric = (kind) => !["text", "message", "name", "place"].includes(kind);

// wordsOf is what the search box looks at in a row.
function wordsOf(t, i) {
  const words = [];
  t.cols.forEach((c, k) => {
    const v = t.rows[i][k];
    if (v === null || v === undefined) return;
    if (c.kind === "name") words.push(nameOf(v));
    else if (c.kind === "place") words.push(...placeOf(v));
    else if (c.kind === "text" || c.kind === "message") words.push(v);
  });
  for (const f of (t.stacks && t.stacks[i]) || []) if (f >= 0) words.push(nameOf(data.frames[f][0]));
  return words;
}

function keyOf(c, v) {
  if (v === null || v === undefined) return null;
  switch (c.kind) {
    case "name": return nameOf(v);
    case "place": return placeOf(v)[0];
    case "spark": return v.length ? v[v.length - 1] : 0;
  }
  return v.least === undefined ? v : v.least;
}

function cell(t, c, v, top) {
  const td = el("td");
  if (v === null || v === undefined) return td;
  switch (c.kind) {
    case "name":
      td.className = "left"; td.title = nameOf(v);
      td.append(el("span.fn", null, shorten(nameOf(v))));
      break;
    case "place": {
      const [name, where] = placeOf(v);
      td.className = "left"; td.title = name + (where ? "\n" + where : "");
      td.append(el("span.fn", null, shorten(name)));
      if (where) td.append(el("span.at", null, baseOf(where)));
      break;
    }
    case "text": case "message":
      td.className = "left text" + (c.kind === "message" ? " message" : ""); td.textContent = v; td.title = v;
      break;
    case "share": {
      const fill = el("i");
      fill.style.width = Math.min(100 * v, 100) + "%";
      td.append(text("share", v), el("span.meter", null, fill));
      break;
    }
    case "bar": {
      const fill = el("i");
      fill.style.width = 100 * v / top + "%";
      td.append(el("span.bar", null, fill));
      break;
    }
    case "spark":
      if (v.length) td.append(spark(v, 96, 18));
      break;
    default: {
      const bound = v.least !== undefined, n = bound ? v.least : v, sign = bound ? (v.sign || "≥ ") : "";
      td.textContent = sign + text(c.kind, n); td.title = sign + exact(c.kind, n);
    }
  }
  return td;
}

function stackRow(t, i, span) {
  const list = el("ol.stack");
  for (const f of t.stacks[i]) {
    if (f < 0) { list.append(el("li", null, "… " + (f < -1 ? group(-f) + " more frames" : "more frames"))); continue; }
    const [name, where] = placeOf(f);
    list.append(el("li", null, name, where ? el("small", null, where) : null));
  }
  return el("tr", null, el("td", {colspan: span}, list));
}

function drawTable(t) {
  const state = {sort: t.sort, down: true, all: false, match: null, open: new Set()};
  const words = t.rows.map((_, i) => wordsOf(t, i)), searched = words.some((w) => w.length);
  const body = el("tbody"), foot = el("div.foot"), heads = [];
  const named = (k) => t.cols[k].kind === "name" || t.cols[k].kind === "place";
  const places = t.cols.map((_, k) => k).sort((a, b) => named(b) - named(a) || a - b); // names stand first
  const top = t.cols.map((c, k) => c.kind === "bar" ? Math.max(...t.rows.map((r) => r[k] || 0), 1) : 0);
  t.cols.forEach((c, k) => {
    const th = el("th" + (numeric(c.kind) ? "" : ".left"), {scope: "col", title: c.tip});
    if (c.head) th.append(el("button", {type: "button", onclick: () => {
      if (state.sort === k) state.down = !state.down; else { state.sort = k; state.down = numeric(c.kind); }
      draw();
    }}, c.head));
    heads.push(th);
  });
  function order() {
    let rows = t.rows.map((_, i) => i);
    if (state.match) rows = rows.filter((i) => words[i].some(state.match));
    const c = t.cols[state.sort];
    if (!c || (state.sort === t.sort && state.down)) return rows;
    const key = (i) => keyOf(c, t.rows[i][state.sort]), way = state.down ? -1 : 1;
    return rows.sort((x, y) => {
      const a = key(x), b = key(y);
      if (a === null || b === null) return (a === null) - (b === null) || x - y;
      return (typeof a === "string" ? a.localeCompare(b) : a - b) * way || x - y;
    });
  }
  function row(i) {
    const has = t.stacks && t.stacks[i] && t.stacks[i].length > 1, open = state.open.has(i);
    const flip = () => { if (open) state.open.delete(i); else state.open.add(i); draw(); };
    const tr = el("tr.row" + (open ? ".open" : ""), has ? {"aria-expanded": String(open), tabindex: 0, title: open ? undefined : "show the stack", "data-row": i,
      onclick: (e) => { if (!e.target.closest("a") && !String(getSelection())) flip(); },
      onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); flip(); body.querySelector('[data-row="' + i + '"]').focus(); } }} : null);
    places.forEach((k) => tr.append(cell(t, t.cols[k], t.rows[i][k], top[k])));
    return open ? [tr, stackRow(t, i, t.cols.length)] : [tr];
  }
  function draw() {
    const rows = order(), shown = state.all ? rows : rows.slice(0, firstRows);
    body.replaceChildren(...shown.flatMap(row));
    if (!rows.length) body.append(el("tr", null, el("td.left", {colspan: t.cols.length}, el("p.empty", null, "No row of this table has that name."))));
    heads.forEach((th, k) => { if (k === state.sort) th.setAttribute("aria-sort", state.down ? "descending" : "ascending"); else th.removeAttribute("aria-sort"); });
    foot.replaceChildren();
    if (rows.length > firstRows) foot.append(el("button.more", {type: "button", onclick: () => { state.all = !state.all; draw(); }}, state.all ? "Show fewer" : "Show all " + group(rows.length) + " rows"));
    if (state.match) foot.append(group(rows.length) + " of " + group(t.rows.length) + " rows match");
    if (t.more) foot.append(group(t.more) + " more " + (t.more === 1 ? "row is" : "rows are") + " in the file, not in this page");
    foot.hidden = !foot.childNodes.length;
  }
  if (searched) listeners.search.push((match) => { state.match = match; draw(); });
  draw();
  return el("div", {id: "table-" + t.id}, el("div.scroll", null, el("table", null, el("thead", null, el("tr", null, ...places.map((k) => heads[k]))), body)), foot);
}

// tableSection is a heading with one table, or with several behind tabs.
function tableSection(title, tables) {
  const answer = el("span.answer"), panel = el("div.panel"), tabs = el("div.tools", {role: "tablist"});
  const drawn = tables.map(drawTable);
  const show = (k) => {
    answer.textContent = tables[k].answer;
    panel.replaceChildren(drawn[k]);
    [...tabs.children].forEach((b, i) => { b.setAttribute("aria-selected", String(i === k)); b.tabIndex = i === k ? 0 : -1; });
  };
  if (tables.length > 1) tables.forEach((t, k) => tabs.append(el("button", {type: "button", role: "tab", onclick: () => show(k), onkeydown: (e) => {
    const next = k + (e.key === "ArrowRight") - (e.key === "ArrowLeft");
    if (next !== k && tabs.children[next]) { show(next); tabs.children[next].focus(); }
  }}, t.title)));
  show(0);
  return el("section.long", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), answer, tabs), panel);
}

const sectionID = (title) => "s-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
