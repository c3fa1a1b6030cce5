// The page: what stands where, the search box, the colors. A report shows the answers that are baked into it; what a server shows
// is in live.js.
const root = document.documentElement, content = document.getElementById("content"), search = document.getElementById("search");
const nav = document.getElementById("nav"), strip = document.getElementById("strip");

const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = view.theme === "dark" || view.theme === "light" ? view.theme : "";
const button = document.getElementById("theme");
function paint() {
  root.dataset.theme = theme || (dark.matches ? "dark" : "light");
  button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
  tell("look");
}
button.addEventListener("click", () => { theme = root.dataset.theme === "dark" ? "light" : "dark"; remember("theme", theme); paint(); });
dark.addEventListener("change", paint);

function find(q) {
  q = q.trim().toLowerCase();
  remember("q", q);
  match = q ? Object.assign((name) => name.toLowerCase().includes(q), {q}) : null;
  tell("search", match);
  counted();
}
let typing = 0;
search.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => find(search.value), 120); });
const isTyping = (e) => /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
addEventListener("keydown", (e) => {
  if (e.key === "Enter" && e.target === search) { clearTimeout(typing); find(search.value); search.blur(); }
  if (e.key === "Escape" && e.target === search) { search.value = ""; find(""); search.blur(); }
  if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  const tab = tabs.find((t) => t.keys.includes(e.key)), at = tabs.findIndex((t) => t.id === viewNow()), beside = (by) => () => showView(tabs[(at + by + tabs.length) % tabs.length].id, true);
  const act = tab ? () => showView(tab.id, true) : {find: () => { search.focus(); search.select(); }, help: showKeys, theme: () => button.click(), "next-screen": beside(1), "previous-screen": beside(-1)}[actionOf(e)];
  if (act) { e.preventDefault(); act(); }
});

// Views are shown one at a time, below the chart. Each has a panel with what was drawn last.
let tabs = [], panels = new Map();
// The views that show what a screen of the terminal program does, by the action that opens it. Others are views of that name.
const actionsOf = {overview: ["overview", "profile"], series: ["measured-series"], "flame-graph": ["stacks"], "live-blocks": ["blocks"], blocks: ["lifetimes"], remarks: ["problems"], heat: ["heat-map"], threads: ["heap-threads"], windows: ["timeline"], changes: []};
// numbered gives views the names and keys of the screens, and puts them into their order; views without a screen follow.
function numbered(list) {
  const taken = new Set(); // a screen's name and key are those of the first view of it
  const known = list.map((t) => {
    const at = terminal.screens.findIndex((s) => (actionsOf[t.id] || [t.action || t.id, t.id]).includes(s.action)), s = terminal.screens[at];
    if (s && taken.has(s.action)) return {...t, title: t.title === s.name ? "List of " + t.title.toLowerCase() : t.title, keys: [], at};
    if (s) taken.add(s.action);
    return {...t, title: s ? s.name : t.title, keys: s ? (s.keys || []).map(inBrowser) : t.id === "changes" ? (terminal.keys.difference || []).map(inBrowser) : [], at: t.id === "overview" ? -1 : s ? at : {changes: -0.9, "difference-flame-graph": -0.8, "difference-treemap": -0.7, "difference-dominators": -0.6}[t.id] || 1000};
  });
  return known.sort((a, b) => a.at - b.at);
}
function setTabs(all) {
  const list = tabs = numbered(all);
  nav.replaceChildren(...list.map((t, i) => el("button", {type: "button", role: "tab", "data-view": t.id, title: t.keys.length ? "key " + t.keys[0] : null, onclick: () => showView(t.id, true), onkeydown: (e) => {
    const next = list[i + (e.key === "ArrowRight") - (e.key === "ArrowLeft")];
    if (next && next !== t) { e.preventDefault(); e.stopPropagation(); showView(next.id, true); nav.querySelector("[aria-selected=true]").focus(); }
  }}, t.keys.length ? el("kbd", null, t.keys[0]) : null, t.title, el("span.hits"))));
  for (const t of list) if (!panels.has(t.id)) {
    const p = {id: t.id, node: el("div.view", {role: "tabpanel", "data-view": t.id, "aria-label": t.title, hidden: true}), mine: [], tables: [], key: ""};
    panels.set(t.id, p);
    content.insertBefore(p.node, ending);
  }
}
const viewNow = () => panels.has(view.view) ? view.view : tabs.length ? tabs[0].id : "";

// showView shows a view; as a step, Back returns to the one before.
function showView(id, step) {
  if (!panels.has(id)) return;
  if (id !== viewNow() || step) remember("view", id === tabs[0].id ? "" : id, step && id !== viewNow());
  for (const p of panels.values()) p.node.hidden = p.id !== id;
  for (const b of nav.children) { const on = b.dataset.view === id; b.setAttribute("aria-selected", String(on)); b.tabIndex = on ? 0 : -1; if (on && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = b.offsetLeft - 40; }
  tell("look");
  if (live) refresh();
}

// fill draws a panel anew. What was drawn before listens no longer.
function fill(p, draw) {
  drop(p.mine);
  p.tables = [];
  const before = root.scrollTop;
  [, p.mine] = listening(() => p.node.replaceChildren(...draw(p)));
  root.scrollTop = before;
  for (const [what, f] of p.mine) if (what === "look") f(); // now that it has a width
  if (match) { for (const [what, f] of p.mine) if (what === "search") f(match); counted(); }
}

// counted says at each view how many rows the search box finds there.
function counted() {
  for (const b of nav.children) {
    const p = panels.get(b.dataset.view), n = match ? p.tables.reduce((sum, t) => sum + (t.hits || 0), 0) : 0;
    b.querySelector(".hits").textContent = n ? " " + group(n) : "";
  }
}

const line = (parts) => parts.map((p) => el("span", null, p));
function heading(data) {
  const out = [el("h1", null, data.title, " ", el("span.state." + (data.whole ? "good" : "bad"), null, data.whole ? "complete" : "incomplete")), el("p.facts", null, ...line(data.facts))];
  if (data.scope.length) out.push(el("p.scope", null, ...line(data.scope)));
  return out;
}

// summed reports whether a page says anything about all of its tables together. Without that it begins with the first of them.
const summed = (data) => data.findings.length + data.cards.length > 0 || !data.tables.length;

function overview(data) {
  const out = heading(data);
  if (data.findings.length) out.push(el("h2.first", null, "Look here first"), el("ul.findings", null, ...data.findings.map((f) => {
    const said = el("span");
    if (f.name >= 0) {
      const name = nameOf(f.name);
      said.append(el("button", {type: "button", title: "search for " + name, onclick: () => { search.value = name; find(name); const at = tabs.find((t) => /^(leaks|sites|types|classes|functions|changes)/.test(t.id)); if (at) showView(at.id, true); }}, el("b", null, shorten(name), ":")), " ");
    }
    said.append(f.text);
    if (live && f.row !== undefined) said.append(" ", el("button.open", {type: "button", onclick: () => openObject(f.row)}, "open the object"));
    return el("li", null, el("span.tag." + f.sign, null, f.label), said, f.spark && f.spark.length ? spark(f.spark, 120, 24) : el("span"));
  })));
  out.push(el("div.cards", null, ...data.cards.map((c) => el("div.card", {title: c.exact}, el("h3", null, c.label),
    el("p.value", null, c.value, c.unit ? el("small", null, c.unit) : null), c.note ? el("p.note", null, c.note) : null))));
  return out;
}

// sectionsOf returns the views that an answer has: [title, what draws it].
function sectionsOf(data) {
  const out = [], groups = new Map();
  for (const t of data.tables) groups.set(t.group, (groups.get(t.group) || []).concat([t]));
  for (const tables of groups.values()) {
    const title = tables.length > 1 || tables[0].group !== tables[0].id ? tables[0].group : tables[0].title;
    out.push([title, (p) => { p.tables.push(...tables); return [tableSection(title, tables)]; }, tables[0].id]);
  }
  const first = out.findIndex(([title]) => !/^(Sites|Leaks|Functions|Types|Classes)$/.test(title)), graphs = [];
  for (const f of data.flames) graphs.push([f.title, () => [flameSection(f)]]);
  if (data.grid) graphs.push(["Pages", () => [gridSection(data.grid)]]);
  if (data.charts.length > 1) graphs.push(["Timeline", () => [chartSection(data.charts.slice(1))]]);
  out.splice(first < 0 ? out.length : first, 0, ...graphs);
  return out;
}

function footer(data) {
  const out = [];
  if (data.cut.length) out.push(el("section", {id: "s-cut"}, el("div.head", null, el("h2", null, "Left out")), el("ul.cut", null, ...data.cut.map((c) => el("li", null, c)))));
  out.push(el("footer", null, "Written by " + data.program + ". " + (live ? "The page asks only this program, on this address." : "This page is one file and asks the network for nothing" + (summed(data) ? ": it shows one instant. memtui serve shows any." : ".")),
    data.command ? el("p", null, "Again: ", el("code", null, data.command)) : null));
  return out;
}

// The keys of this page, in the words of its list. What they are is the terminal program's.
const keyLines = () => [[tabs.flatMap((t) => t.keys.slice(0, 1)).join(" "), "views"], [keysOf("previous-screen", "next-screen"), "the view before, the next one"], [keysOf("find"), "search names in tables and graphs; Enter keeps, Esc clears"], [keysOf("down", "up"), "rows of a table, once one has the focus"],
  ["Enter", "open a row, zoom into a flame graph or a treemap"], ["Backspace", "zoom them out"], [keysOf("theme"), "light or dark"], [keysOf("help"), "this list"]];
let moreKeys = () => [];
function showKeys() { openDialog("Keys", "keys", el("dl", null, ...moreKeys().concat(keyLines()).filter(([k]) => k).flatMap(([k, what]) => [el("dt", null, k), el("dd", null, what)]))); }
// openDialog shows a box above the page; Esc and its button close it, and the focus goes back.
function openDialog(title, kind, ...parts) {
  const box = el("dialog." + kind, {"aria-label": title}, el("h2", null, title), ...parts, el("form", {method: "dialog"}, el("button.more", {value: "ok"}, "Close"))), before = document.activeElement;
  box.addEventListener("close", () => { box.remove(); if (before && before.focus) before.focus(); });
  box.querySelector("form").addEventListener("submit", (e) => { e.preventDefault(); box.close(); });
  document.body.append(box);
  box.showModal();
}
document.getElementById("keys").addEventListener("click", showKeys);

// drawStrip shows a chart above all views.
function drawStrip(c, pilot) {
  const zoomed = zoomOf(), d = chartPanel(c, pilot);
  if (zoomed && zoomed[0] >= d.span.low && zoomed[1] <= d.span.high) [d.span.from, d.span.to] = zoomed;
  strip.hidden = false;
  strip.replaceChildren(d.panel, el("div.head", null, el("b", null, c.title), el("span.answer", null, c.answer), el("span.chips"), d.tools));
  return d;
}

const ending = el("div.ending");
content.append(ending);
const naming = (title) => { document.getElementById("name").textContent = title; };
// bakedViews are the views that draw answers of commands, by their ids: each has a list of answers, of which one is chosen.
function bakedViews(list) {
  const out = new Map();
  for (const v of list || []) out.set(v.view, (out.get(v.view) || []).concat([v]));
  return out;
}
function drawBakedView(id, list) {
  const past = keptOf("baked-" + id, {choice: list[0].choice || ""}), now = list.find((v) => (v.choice || "") === past.choice) || list[0];
  const choose = (choice) => { past.choice = choice; fill(panels.get(id), () => drawBakedView(id, list)); const box = panels.get(id).node.querySelector(".tools select, .tools button, h3 button"); if (box) box.focus(); };
  const tools = list.length > 1 && id !== "source" ? figureOf(list.map((v) => v.choice), past.choice, choose) : null;
  if (id === "source") return sourceSection(now.body, past.choice, list.length > 1 ? (name) => list.some((v) => (v.choice || "") === name) && choose(name) : null, list.map((v) => v.choice));
  return [/heat/.test(id) ? heatOf(now.title, now.body, tools, null) : mapOf(id, now.title, now.body, tools)];
}
function showBaked() {
  const data = adopt(baked), sections = sectionsOf(data), own = bakedViews(data.views);
  if (data.terminal) terminal = data.terminal;
  naming(data.title);
  if (data.charts.length) drawStrip(data.charts[0], null);
  setTabs([...(summed(data) ? [{id: "overview", title: "Overview"}] : []), ...sections.map(([title, , action]) => ({id: idOf(title), title, action})), ...[...own].map(([id, list]) => ({id, title: list[0].title}))]);
  if (data.start && !view.view) view.view = data.start;
  if (summed(data)) fill(panels.get("overview"), () => overview(data));
  sections.forEach(([title, draw], i) => fill(panels.get(idOf(title)), (p) => i || summed(data) ? draw(p) : [...heading(data), ...draw(p)]));
  for (const [id, list] of own) fill(panels.get(id), () => drawBakedView(id, list));
  ending.append(...footer(data));
  showView(viewNow(), false);
}

// How much of the window stands above the views says how high areas can be.
let above = 0;
new ResizeObserver(([e]) => { const h = Math.ceil(e.target.offsetHeight); if (h !== above) { above = h; root.style.setProperty("--above", h + "px"); tell("look"); } }).observe(document.querySelector("header"));
let width = content.clientWidth;
matchMedia("print").addEventListener("change", () => tell("look"));
addEventListener("resize", () => { if (content.clientWidth !== width) { width = content.clientWidth; tell("look"); } });
if (live) begin(); else showBaked();
paint();
if (view.q) { search.value = view.q; find(view.q); }
addEventListener("hashchange", () => { recall(); if (!live) { showView(viewNow(), false); if ((view.q || "") !== search.value) { search.value = view.q || ""; find(search.value); } } else recalled(); });
if (!live) root.dataset.ready = "1";
