// Tables: sorted by a click on a heading, filtered by the search box, a page of rows at a time; rows with a stack open.
const firstRows = 15, mostRows = 150; // without scrolling; above that only rows in sight are in the document
const numeric = (kind) => !["text", "message", "name", "place"].includes(kind);

// wordsOf is what the search box looks at in a row: [text, where it stands, what of it is shown].
function wordsOf(t, i) {
  const words = [];
  t.cols.forEach((c, k) => {
    const v = t.rows[i][k];
    if (v === null || v === undefined) return;
    if (c.kind === "name") words.push([nameOf(v), "its full name", shorten(nameOf(v))]);
    else if (c.kind === "place") { const [name, where] = placeOf(v); words.push([name, "its full name", shorten(name)], [where, "its file", baseOf(where)]); }
    else if (c.kind === "text" || c.kind === "message") words.push([v, "its " + (c.head || "text").toLowerCase(), v]);
  });
  for (const f of (t.stacks && t.stacks[i]) || []) if (f >= 0) words.push([nameOf(frames[f][0]), "its stack", ""]);
  return words;
}
// whyOf says where a row has what is searched for, if that is not to be seen in it.
function whyOf(words) {
  if (!match || words.some((w) => match(w[2]))) return null;
  const w = words.find((w) => match(w[0]));
  return w ? el("span.why", null, "in " + w[1] + ": ", ...marked(w[0])) : null;
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

// chosen is called for a frame, or for an object's number, that people choose to see more of; null where nothing can be asked.
let chosen = null;

function cell(t, c, v, top) {
  const td = el("td");
  if (v === null || v === undefined) return td;
  switch (c.kind) {
    case "name":
      td.className = "left"; td.title = nameOf(v);
      td.append(el("span.fn", null, ...marked(shorten(nameOf(v)))));
      break;
    case "place": {
      const [name, where] = placeOf(v);
      td.className = "left"; td.title = name + (where ? "\n" + where : "");
      td.append(el("span.fn", null, ...marked(shorten(name))));
      if (where) td.append(el("span.at", null, ...marked(baseOf(where))));
      break;
    }
    case "text": case "message":
      td.className = "left text" + (c.kind === "message" ? " message" : ""); td.append(...marked(String(v))); td.title = v;
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
      const plus = /^Δ/.test(c.head) && n > 0 && !v.sign ? "+" : "";
      td.textContent = sign + plus + text(c.kind, n); td.title = sign + plus + exact(c.kind, n);
      if (chosen && c.head === "ROW") td.replaceChildren(el("button.link", {type: "button", title: "what it refers to and what refers to it", onclick: () => chosen.object(n)}, String(n)));
    }
  }
  return td;
}

function stackRow(t, i, span) {
  const list = el("ol.stack");
  for (const f of t.stacks[i]) {
    if (f < 0) { list.append(el("li", null, "… " + (f < -1 ? group(-f) + " more frames" : "more frames"))); continue; }
    const [name, where] = placeOf(f);
    list.append(el("li", null, ...marked(name), where ? el("small", null, ...marked(where)) : null, chosen ? chosen.frame(name, where) : null));
  }
  return el("tr", null, el("td", {colspan: span}, list));
}

function drawTable(t) {
  const state = keptOf("table-" + t.id, {sort: t.sort, down: true, all: false, open: new Set()}), keyed = t.rows.map((r, i) => t.stacks ? t.stacks[i].join() : String(i));
  if (state.sort >= t.cols.length) { state.sort = t.sort; state.down = true; }
  state.match = null;
  const rowAt = t.cols.findIndex((c) => c.head === "ROW");
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
    if (state.match) rows = rows.filter((i) => words[i].some((w) => state.match(w[0])));
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
    const object = chosen && rowAt >= 0 ? t.rows[i][rowAt] : null;
    const has = object !== null || t.stacks && t.stacks[i] && t.stacks[i].length > 0 && (chosen || t.stacks[i].length > 1), open = has && object === null && state.open.has(keyed[i]);
    const flip = () => { if (object !== null) return chosen.object(object); if (open) state.open.delete(keyed[i]); else state.open.add(keyed[i]); draw(); };
    const tr = el("tr.row" + (open ? ".open" : ""), has ? {"aria-expanded": String(open), tabindex: 0, title: open ? undefined : object !== null ? "open the object" : "show the stack", "data-row": i,
      onclick: (e) => { if (!e.target.closest("a, button") && !String(getSelection())) flip(); },
      onkeydown: (e) => {
        if (e.target !== e.currentTarget) return;
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); flip(); const again = body.querySelector('[data-row="' + i + '"]'); if (again) again.focus(); }
        const way = {down: 1, up: -1}[actionOf(e)], all = [...body.querySelectorAll("[data-row]")], next = way && all[all.indexOf(e.currentTarget) + way];
        if (next && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); next.focus(); }
      }} : null);
    if (t.link) tr.append(el("td", null, el("button.link", {type: "button", onclick: () => t.link.open(t.link.rows[i])}, "Open")));
    places.forEach((k) => tr.append(cell(t, t.cols[k], t.rows[i][k], top[k])));
    const why = whyOf(words[i]);
    if (why) (tr.querySelector("td.left") || tr.lastChild).append(why);
    return open ? [tr, stackRow(t, i, t.cols.length)] : [tr];
  }
  // place shows the rows of a long table that are in sight, and gaps for the others.
  function place(rows) {
    const first = body.querySelector("tr.row"), height = state.height = (first && first.offsetHeight) || state.height || 30, seen = scroll.clientHeight || 600;
    const from = Math.max(Math.floor(scroll.scrollTop / height) - 20, 0), to = Math.min(from + Math.ceil(seen / height) + 40, rows.length);
    const gap = (n) => { const tr = el("tr.gap", {"aria-hidden": "true"}, el("td", {colspan: t.cols.length})); tr.style.height = n * height + "px"; return tr; };
    body.replaceChildren(gap(from), ...rows.slice(from, to).flatMap(row), gap(rows.length - to));
    state.shown = [from, to];
  }
  function draw() {
    const rows = order();
    t.hits = state.match ? rows.length : 0;
    const long = state.all && rows.length > mostRows, shown = state.all ? rows : rows.slice(0, firstRows);
    scroll.classList.toggle("tall", long);
    scroll.onscroll = null;
    if (long) {
      place(rows);
      scroll.onscroll = () => { const first = Math.floor(scroll.scrollTop / state.height); if (first - 5 < state.shown[0] && state.shown[0] > 0 || first + scroll.clientHeight / state.height + 5 > state.shown[1]) place(rows); };
    } else body.replaceChildren(...shown.flatMap(row));
    if (!rows.length) body.append(el("tr", null, el("td.left", {colspan: t.cols.length}, state.match ? nothingFound() : el("p.empty", null, "There is nothing to show here."))));
    heads.forEach((th, k) => { if (k === state.sort) th.setAttribute("aria-sort", state.down ? "descending" : "ascending"); else th.removeAttribute("aria-sort"); });
    foot.replaceChildren();
    if (rows.length > firstRows) foot.append(el("button.more", {type: "button", onclick: () => { state.all = !state.all; scroll.scrollTop = 0; draw(); }}, state.all ? "Show fewer" : "Show all " + group(rows.length) + " rows"));
    if (state.match) foot.append(group(rows.length) + " of " + group(t.rows.length) + " rows match");
    if (t.more && live) foot.append(el("button.more", {type: "button", onclick: () => { state.all = true; more(t.rows.length + t.more); }}, "Load " + group(t.more) + " more " + (t.more === 1 ? "row" : "rows")));
    else if (t.more) foot.append(group(t.more) + " more " + (t.more === 1 ? "row is" : "rows are") + " in the file, not in this page");
    foot.hidden = !foot.childNodes.length;
  }
  if (searched) listen("search", (found) => { state.match = found; draw(); });
  const scroll = el("div.scroll", null, el("table", null, el("thead", null, el("tr", null, t.link ? el("th") : null, ...places.map((k) => heads[k]))), body));
  draw();
  return el("div", {id: "table-" + t.id}, scroll, foot);
}

// nothingFound says so, with the names that are like what is searched for.
function nothingFound() {
  const near = nearNames(match.q);
  return el("p.empty.none", {role: "status"}, "No row has “" + match.q + "” in a name, a file or a stack.", near.length ? " Near: " : "",
    ...near.flatMap((name, i) => [i ? ", " : "", el("button.link", {type: "button", onclick: () => { search.value = name; find(name); }}, name)]));
}

// tableSection is a heading with one table, or with several behind tabs.
function tableSection(title, tables) {
  const answer = el("span.answer"), panel = el("div.panel"), tabs = el("div.tools", {role: "tablist"});
  const drawn = tables.map(drawTable), state = keptOf("tabs-" + title, {id: tables[0].id});
  const show = (k) => {
    state.id = tables[k].id;
    answer.textContent = tables[k].answer;
    panel.replaceChildren(drawn[k]);
    [...tabs.children].forEach((b, i) => { b.setAttribute("aria-selected", String(i === k)); b.tabIndex = i === k ? 0 : -1; });
  };
  if (tables.length > 1) tables.forEach((t, k) => tabs.append(el("button", {type: "button", role: "tab", onclick: () => show(k), onkeydown: (e) => {
    const next = k + (e.key === "ArrowRight") - (e.key === "ArrowLeft");
    if (next !== k && tabs.children[next]) { show(next); tabs.children[next].focus(); }
  }}, t.title)));
  show(Math.max(tables.findIndex((t) => t.id === state.id), 0));
  return el("section.long", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), answer, tabs), panel);
}

const idOf = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""), sectionID = (title) => "s-" + idOf(title);
