// What a server shows: every view follows the instant, the range and the filters, which are in the address.
let status = {files: [], done: true, revision: 0}, pilotChart = null, seenRevision = null, peakAt = null, endAt = null, axis = "us", stripBase = null;

// ask asks the server. A question of the same slot that was not answered yet is given up.
const asking = {};
async function ask(slot, params) {
  if (asking[slot]) asking[slot].abort();
  const mine = asking[slot] = new AbortController();
  try {
    const r = await fetch("ask?" + params, {signal: mine.signal});
    if (r.status === 401) throw new Error("Open the address that memtui printed: this browser has no session any more.");
    const a = await r.json();
    if (a.error) throw new Error(a.error);
    return a;
  } finally { if (asking[slot] === mine) delete asking[slot]; }
}

// What goes along with every question.
const followed = ["at", "from", "to", "by", "group", "min-age", "cell", "event", "snapshot", "window", "edges", "focus", "ignore", "show-from", "hide"];
function question(what, leave) {
  const q = new URLSearchParams(what);
  for (const key of followed) if (view[key] !== undefined && !(leave || []).includes(key)) for (const v of [].concat(view[key])) q.append(key, v);
  return q;
}
// numberIn is an instant as people write it, as a position in the chart; null if only the server understands it.
const units = {"": 1, us: 1, "µs": 1, ms: 1e3, s: 1e6, min: 60e6, m: 60e6, h: 3600e6};
function numberIn(words) {
  if (words === undefined) return null;
  if (words === "peak") return peakAt;
  if (words === "end") return endAt;
  const m = /^([\d.]+)\s*(%|us|µs|ms|s|min|m|h)?$/.exec(words);
  return !m ? null : m[2] === "%" ? endAt === null ? null : m[1] / 100 * endAt : Number(m[1]) * units[m[2] || ""];
}
const wordsOfTime = (t) => Math.round(t) + (axis === "us" ? "us" : "");

// The chart above all views.
const pilot = {
  fine: null,
  at: () => status.kind === "heap" ? (view.snapshot === undefined ? heapAt : Number(view.snapshot)) : view.at === undefined ? (view.to !== undefined ? numberIn(view.to) : status.kind === "stacks" ? null : endAt) : numberIn(view.at),
  range: () => ({from: numberIn(view.from), to: numberIn(view.to)}),
  // setAt chooses an instant; while the mark moves, only what is cheap changes with it, and the rest follows with its answers.
  setAt(t, moving) {
    const put = moving ? rememberSoon : remember;
    if (status.kind === "heap") put("snapshot", String(Math.round(t)));
    else put("at", t >= endAt && status.kind !== "stacks" ? "" : wordsOfTime(Math.max(t, 0)));
    if (moving) moved(); else changed();
  },
  setRange(a, b) { remember("from", wordsOfTime(Math.max(a, 0))); remember("to", wordsOfTime(Math.min(b, endAt)), true); changed(); },
  zoomed(from, to, whole) {
    if (status.kind !== "trace") return;
    if (whole) { pilot.fine = null; return; }
    clearTimeout(pilot.waiting);
    pilot.waiting = setTimeout(() => finer(from, to), 80);
  },
};
let heapAt = null;

// finer asks for columns of what is zoomed to, so that a zoom reaches single events.
async function finer(from, to) {
  const q = question({do: "report", show: "timeline"}, ["from", "to", "at"]);
  q.set("from", wordsOfTime(Math.max(from, 0))); q.set("to", wordsOfTime(to));
  try {
    const a = adopt(await ask("fine", q));
    if (!a.charts.length || !zoomOf()) return;
    pilot.fine = Object.assign(a.charts[0], {id: stripBase.id});
    if (pilotChart) pilotChart.draw();
  } catch (e) { if (e.name !== "AbortError") say(e.message); }
}

function say(message) {
  const box = document.getElementById("said");
  box.textContent = message;
  box.hidden = !message;
  clearTimeout(say.later);
  if (message) say.later = setTimeout(() => { box.hidden = true; }, 6000);
}

function instantWords() {
  const t = pilot.at();
  return status.kind === "heap" ? "snapshot " + t : "at " + (t === endAt ? "the end" : t === null ? view.at : text(axis, t));
}

// Filters.
const steps = ["focus", "ignore", "show-from", "hide"];
function addStep(kind, name) {
  const list = (view[kind] || []).filter((n) => n !== name);
  remember(kind, list.concat([name]), true);
  changed();
}
function controls() {
  const out = el("span.chips"), chip = (words, off, why) => out.append(el("span.chip", {title: why}, words, el("button", {type: "button", "aria-label": "Remove: " + words, onclick: off}, "×")));
  if (endAt !== null && status.kind !== "heap" && (status.kind !== "stacks" || view.at !== undefined) || status.kind === "heap" && pilot.at() !== null) out.append(el("span.chip.quiet", null, instantWords()));
  if (view.from !== undefined || view.to !== undefined) {
    const {from, to} = pilot.range();
    chip("range " + text(axis, from === null ? 0 : from) + " … " + text(axis, to === null ? endAt : to), () => clearRange(), "sums, sites and leaks are of the range");
  }
  for (const kind of steps) for (const name of view[kind] || []) chip(kind + " " + shorten(name), () => { remember(kind, view[kind].filter((n) => n !== name), true); changed(); }, name);
  const go = el("input.go", {type: "text", size: 9, placeholder: status.kind === "heap" ? "snapshot" : "go to (t)", "aria-label": "Go to an instant: 12.5s, 50%, peak, end", spellcheck: "false", autocomplete: "off", onkeydown: (e) => {
    if (e.key === "Escape") go.blur();
    if (e.key !== "Enter" || !go.value.trim()) return;
    const value = go.value.trim();
    const span = value.split(/\s*(?:\.\.|…|-|–)\s*/).map(numberIn), known = span.every((t) => t !== null && !Number.isNaN(t));
    if (!known || span.length > 2) return say("Write an instant such as 12.5s, 350ms, 50%, peak or end, or a range: 100ms..200ms.");
    go.value = ""; go.blur();
    if (span.length === 2) pilot.setRange(Math.min(...span), Math.max(...span));
    else { remember(status.kind === "heap" ? "snapshot" : "at", value === "end" ? "" : value, true); changed(); }
  }});
  if (endAt !== null) out.append(go);
  if (peakAt !== null) out.append(el("button", {type: "button", title: "key p", onclick: () => { remember("at", "peak", true); changed(); }}, "Peak"));
  if (endAt !== null && status.kind !== "heap") out.append(el("button", {type: "button", title: "key e", onclick: () => { remember("at", "", true); changed(); }}, status.kind === "stacks" ? "No instant" : "End"));
  out.append(el("button.copy", {type: "button", title: "the address of this view, for this browser or for somebody else", onclick: shareView}, "Share"),
    el("button.copy", {type: "button", title: keysOf("copy-command") ? "key " + keysOf("copy-command") : null, onclick: () => copyCommand()}, "Copy command"));
  const old = strip.querySelector(".chips"), typed = old && old.querySelector("input") === document.activeElement;
  if (typed) return;
  if (old) old.replaceWith(out);
}
// commandOf is the command line of a question.
let commandNow = "";
function commandOf(q) {
  const word = (w) => /^[\w@%+=:,.\/-]+$/.test(w) ? w : "'" + w.replaceAll("'", "'\\''") + "'", flags = [], last = [];
  for (const [k, v] of q) if (k === "id" || k === "type" && q.get("do") !== "heap find") last.push(v); else if (k !== "do" && k !== "show") flags.push("--" + k, ...(v === "true" ? [] : [word(v)]));
  return ["memtui", q.get("do"), ...status.files.slice(0, q.get("do") === "diff" ? 2 : 1).map(word), ...last.map(word), ...flags].join(" ");
}
const copyCommand = () => copy(commandNow, "the command");
function copy(value, what) {
  if (!value) return say("There is nothing to copy yet.");
  const done = () => say("Copied " + what + ": " + value), failed = () => say("The browser does not allow copying. " + value);
  if (navigator.clipboard) navigator.clipboard.writeText(value).then(done, failed); else failed();
}
// The token of the address that was opened stays with this tab, so that people can give it to others.
const tokenKept = {get() { try { return sessionStorage.getItem("token") || ""; } catch (e) { return ""; } }, put(t) { try { sessionStorage.setItem("token", t); } catch (e) { /* it is then in the terminal only */ } }};
// shareView offers the address of the view, with and without the token.
function shareView() {
  written.now();
  const token = tokenKept.get(), here = location.href, whole = token ? location.origin + "/" + hashOf().replace(/^#/, "#token=" + token + (Object.keys(view).length ? "&" : "")) : "";
  const only = /^(127\.|localhost$|\[::1\]$)/.test(location.hostname);
  const row = (title, why, value) => el("section", null, el("h3", null, title), el("p.scope", null, why), value ? el("div.give", null, el("input", {type: "text", readonly: true, value, "aria-label": title, onfocus: (e) => e.target.select()}), el("button.more", {type: "button", onclick: () => copy(value, "the address")}, "Copy")) : null);
  openDialog("Share this view", "share",
    row("For somebody else", whole ? "It has the token: whoever has this address can ask everything about the files, until memtui ends." : "Put the address that memtui printed in front: its part from #token= on, then & and what follows # below.", whole),
    row("For this browser", "It opens the same view where the page was opened before.", here),
    only ? el("p.scope", null, "Only this machine reaches " + location.host + ". From another one: ssh -L " + location.port + ":127.0.0.1:" + location.port + " USER@THIS-MACHINE, then the first address. Without a connection, the file and the command (Copy command) show the same.") : null);
}
// openingBox asks for the token where a link came without it.
function openingBox(message) {
  const box = el("input", {type: "text", size: 40, autocomplete: "off", spellcheck: "false", "aria-label": "The address that memtui printed, or its token", placeholder: "http://…/#token=…"});
  const go = (e) => { e.preventDefault(); const t = (/token=([A-Z0-9]+)/i.exec(box.value) || [null, box.value.trim()])[1]; if (!t) return; view.token = t; history.replaceState(null, "", hashOf()); location.reload(); };
  return el("div.panel.opening", null, el("p.empty", null, message), el("form.give", {onsubmit: go}, box, el("button.more", null, "Open")));
}

function clearRange() { remember("from", ""); remember("to", "", true); changed(); }

// Actions on a frame or an object.
const livePick = {frame(name, where) {
  const out = el("span.acts"), add = (label, f, why) => out.append(el("button.link", {type: "button", title: why, onclick: (e) => { e.stopPropagation(); f(); }}, label));
  add("focus", () => addStep("focus", name), "only stacks with this function");
  add("ignore", () => addStep("ignore", name), "only stacks without it");
  add("hide", () => addStep("hide", name), "its weight goes to its callers");
  if (status.sources) add("source", () => openPart("source", {name: where || name}), "its source with figures at each line");
  return out;
}, object: (row) => openObject(row)};
function openPart(id, values) {
  for (const [k, v] of Object.entries(values)) remember(k, v);
  const p = panels.get(id);
  if (p) { p.key = ""; showView(id, true); }
}
const openObject = (row) => openPart("object", {row: String(row)});

// Views: what each asks, and how it is drawn.
const shown = (id, title) => ({id, title, ask: () => question({do: "report", show: id, limit: String(rowsWanted())}, id === "timeline" ? ["at"] : []), draw: (p, a) => drawShown(p, adopt(a), id)});
const listed = (id, title, words, names, about) => ({id, title, ask: () => question(Object.assign({limit: String(rowsWanted())}, words)), draw: (p, a) => {
  const from = names.map((n) => n.split(".").reduce((x, k) => x && x[k], a)).find(Array.isArray) || [], left = (about && about(a)) || 0;
  const t = objectLinks(tableOf(id, title, from, left, id === "events"), from);
  keptOf("table-" + t.id, {sort: -1, down: true, all: true, open: new Set()});
  t.answer = group(from.length) + (from.length === 1 ? " row" : " rows") + (left ? " of " + group(from.length + left) : "");
  p.tables.push(t);
  return [tableSection(title, [t])];
}});
// Events begin at the instant, unless there is a range.
function eventsView() {
  const v = listed("events", "Events", {do: "report", table: "events"}, ["events.rows"], (a) => (a.events || {}).left), ask = v.ask;
  v.ask = () => {
    const q = ask();
    if (!q.has("from") && q.has("at") && q.get("at") !== "end") q.set("from", wordsOfTime(pilot.at() === null ? 0 : pilot.at()));
    q.delete("at");
    return q;
  };
  return v;
}
const rowsWanted = () => kept.limit || 1000;
function more(n) { kept.limit = n > 50000 ? 0 : Math.max(n, 1000); const p = panels.get(viewNow()); p.key = ""; refresh(); }

// nothing says why a view is empty.
const emptyWords = {remarks: "No problems: nothing in the file is damaged, guessed or left out.", markers: "The recording has no markers.", threads: "The recording does not say which threads allocate.",
  leaks: "Everything was freed.", "difference-treemap": "Both sides are the same, or there is no memory on either.", "difference-flame-graph": "Both sides are the same: there is nothing to draw."};
const nothing = (id) => el("div.panel", null, el("p.empty", null, (emptyWords[id] || "There is nothing to show here.") + (view.from !== undefined || view.to !== undefined || steps.some((s) => view[s]) ? " The range and the filters above count." : "")));

function drawShown(p, a, id) {
  if (id === "overview") return overview(a);
  if (id === "leaks") a.scope = a.scope.filter((x) => !x.startsWith("live figures"));
  const sections = sectionsOf(a).filter(([title]) => idOf(title) === id);
  if (!sections.length) return [nothing(id)];
  const rest = id === "timeline" && a.charts.length > 1 ? [] : heading(a).slice(2);
  return [...rest, ...sections.flatMap(([, draw]) => draw(p))];
}
const wasteView = () => ({id: "waste", title: "Waste", ask: () => question({do: "heap waste", limit: "200"}, steps), draw: (p, a) => {
  const {wasted_bytes: wasted, row_counts: counts, ...body} = (a.heap || {}).waste || {};
  return [commandSection("Waste", (wasted === undefined ? "" : text("bytes", wasted) + " in all; ") + (a.problems || []).map((x) => x.message).slice(0, 2).join("; "), body)];
}});
const objectView = () => ({id: "object", title: "Object", ask: () => question({do: "heap object", limit: "500", id: view.row || "0"}, steps), draw: (p, a) => {
  const path = el("div.panel", null, el("h3", null, "a path from the root"));
  ask("path", question({do: "heap path", id: view.row || "0"}, steps)).then((b) => {
    path.append(el("ol.stack", null, ...(b.path || []).map((s) => el("li", null, s.edge ? el("small", null, s.edge + " → ") : null, el("button.link", {type: "button", onclick: () => openObject(s.row)}, s.label || s.kind), el("small", null, s.kind)))));
  }, (e) => { if (e.name !== "AbortError") path.append(el("p.empty", null, e.message)); });
  const {schema, file, complete, lost_bytes, problems, time: when, heap, ...body} = a;
  const out = commandSection("Object", "number " + (view.row || "0") + "; Open goes to another one", body);
  out.insertBefore(path, out.children[1]);
  return [out];
}});
// Threads have a table of what their frames hold next to that of their stacks.
const threadsView = () => { const v = listed("threads", "Threads", {do: "heap threads"}, ["heap.threads"]); v.ask = () => question({do: "heap threads", limit: String(rowsWanted())}, steps.concat(["by", "group"])); return {...v, draw: (p, a) => {
  const held = ((a.heap || {}).threads || []).flatMap((t) => (t.frames || []).flatMap((f) => (f.locals || []).map(({name, ...l}) => ({thread: t.name, frame: f.function, ...(name ? {variable: name} : {}), ...l}))));
  if (!held.length) return v.draw(p, a);
  const locals = objectLinks(tableOf("locals", "Held by frames", held, 0), held);
  keptOf("table-locals", {sort: -1, down: true, all: held.length <= mostRows, open: new Set()});
  const drawn = v.draw(p, a);
  p.tables.push(locals);
  return [...drawn, tableSection("Held by frames", [locals])];
}}; };
// Find lists objects that a filter chooses, the largest first, or counts them. What objects hold is shown once it is asked for.
function findView() {
  const box = (key, label, hint) => { const b = el("input", {type: "text", value: view[key] || "", placeholder: hint, "aria-label": label, "data-box": key, spellcheck: "false", autocomplete: "off", onkeydown: (e) => { if (e.key === "Escape") b.blur(); }, onchange: () => { remember(key, b.value.trim(), true); refresh(); }}); return b; };
  const form = () => {
    const had = document.activeElement && document.activeElement.dataset.box, texts = el("input", {type: "checkbox", checked: view.values === "true", onchange: () => { remember("values", texts.checked ? "true" : "", true); refresh(); }});
    const boxes = [box("objects", "Filter of objects", "type:Session retained>1M .user.name~^bob text~^abc"), box("per", "Count by", "count by: kind, .user.name")];
    setTimeout(() => boxes.filter((b) => b.dataset.box === had).forEach((b) => b.focus()), 0);
    return el("div.give.wrap", null, ...boxes, el("label", {title: "texts may be secrets"}, texts, " show what objects hold"));
  };
  return {id: "find-objects", title: "Find",
    ask: () => question({do: "heap find", filter: view.objects || "bytes>=0", limit: String(rowsWanted()), ...(view.per ? {per: view.per} : {by: "bytes"}), ...(view.values === "true" ? {values: "true"} : {})}, steps.concat(["by", "group"])),
    failed: (message) => [form(), el("div.panel", null, el("p.empty", null, message))],
    draw: (p, a) => {
      const rows = a.row_groups || a.rows || [], all = a.row_count || 0, t = objectLinks(tableOf("found", "Find", rows, view.per ? 0 : Math.max(all - rows.length, 0)), rows);
      keptOf("table-found", {sort: -1, down: true, all: true, open: new Set()});
      t.answer = group(all) + (all === 1 ? " object" : " objects") + (view.per ? ", counted by " + view.per : "");
      p.tables.push(t);
      return [form(), tableSection("Find", [t])];
    }};
}
// offers reports whether the file has a screen of the terminal program.
const offers = (action) => terminal.screens.some((s) => s.action === action);
const sourceView = () => ({id: "source", title: "Source", ask: () => question(view.name ? {do: "report", lines: view.name, limit: "0"} : {do: "report", table: "lines", limit: "500"}),
  draw: (p, a) => sourceSection(a, view.name || "", (name) => openPart("source", {name}))});

// Maps: the figure is chosen beside the title.
const chooseFigure = () => figureOf(figures.map(([v]) => v), view.figure || "live_bytes", (v) => { remember("figure", v === "live_bytes" ? "" : v, true); refresh(); });
const map = (id, title, table, by) => ({id, title, ask: () => question(Object.assign({do: "report", table, limit: "40", depth: "3"}, by ? {by: view.figure || "live_bytes"} : {}), ["by", "group"]),
  draw: (p, a) => [mapOf(id, title, a, by ? chooseFigure() : null)]});
const heat = (id, title, table) => ({id, title, ask: () => question({do: "report", table, limit: "30", by: view.figure || "live_bytes"}, ["by", "group", "at"]),
  draw: (p, a) => [heatOf(title, a, chooseFigure(), (t) => { remember("at", wordsOfTime(t), true); changed(); })]});

// viewsOf returns the views of a kind of file, before anything is known about it.
function viewsOf() {
  const drawn = (id, title, draw) => ({id, title, ask: () => question({do: "diff", show: id, limit: "1"}), draw: (p, a) => { adopt(a); return draw(a) || [nothing(id)]; }});
  const areas = (id, title) => drawn(id, title, (a) => a.views && a.views.length ? [mapOf(id, title, a.views[0].body, null)] : null);
  const both = status.files.length > 1 ? [{id: "changes", title: "Compare", ask: () => question({do: "diff", show: "changes", limit: String(rowsWanted())}), draw: (p, a) => [...overview(adopt(a)), ...sectionsOf(a).flatMap(([, draw]) => draw(p))]}] : [];
  if (both.length && (status.kind === "trace" || status.kind === "stacks")) both.push(drawn("difference-flame-graph", "Difference flame graph", (a) => a.flames.length ? [flameSection(a.flames[0])] : null),
    areas("difference-treemap", "Difference treemap"));
  if (both.length && (status.kind === "heap" || status.kind === "dump")) both.push(areas("difference-treemap", "Difference treemap"));
  if (both.length && status.kind === "heap") both.push(areas("difference-dominators", "Dominators compared"));
  const source = status.sources ? [sourceView()] : [];
  if (status.kind === "trace") return [shown("overview", "Overview"), ...both, shown("sites", "Sites"), shown("leaks", "Leaks"), shown("flame-graph", "Flame graph"), map("treemap", "Treemap", "treemap", true), shown("timeline", "Timeline"), heat("heat", "Heat map", "heatmap"), heat("lifetimes-heat", "Lifetimes over time", "lifetime_heatmap"), shown("functions", "Functions"),
    listed("live-blocks", "Live blocks", {do: "report", table: "blocks"}, ["trace.blocks.rows", "trace.blocks", "blocks.rows", "blocks"], (a) => leftOf(a, "blocks")),
    eventsView(), shown("blocks", "Sizes and lifetimes"), shown("threads", "Threads"), shown("markers", "Markers"), shown("remarks", "Remarks"), ...source];
  const own = [shown("overview", "Overview"), ...both];
  if (status.kind !== "dump" || !both.length) own.push(map("treemap", "Treemap", "treemap", false));
  if (status.kind === "heap") own.push(map("dominator-areas", "Dominators as areas", "dominator_treemap", false), objectView(), wasteView(), ...(offers("find-objects") ? [findView()] : []), ...(offers("heap-threads") ? [threadsView()] : []));
  return [...own, ...source];
}
const leftOf = (a, name) => { const all = ((a.trace || {}).row_counts || {})[name]; return all ? Math.max(all - rowsWanted(), 0) : 0; };

// oneSide says of which of two files a view is that does not compare them.
const compares = (id) => id === "changes" || id.startsWith("difference-");
const oneSide = (id) => status.files.length < 2 || compares(id) ? [] : [el("p.scope.side", null, "Only of " + status.files[0].split("/").pop() + ", the side before: ",
  el("button.link", {type: "button", onclick: () => openPart("changes", {})}, "Compare"), " has both.")];

// refresh asks for the view that is shown, unless what it shows is current. One question is asked at a time: the latest one follows.
let running = null, again = false;
async function refresh() {
  const tab = tabs.find((t) => t.id === viewNow());
  if (!tab || !tab.ask) return;
  if (running) { again = true; if (performance.now() - running > 400 && asking.view) asking.view.abort(); return; }
  const p = panels.get(tab.id), q = String(tab.ask()), key = q + " " + status.revision;
  if (p.key === key) { commandNow = p.command || commandNow; return; }
  running = performance.now();
  const late = setTimeout(() => { p.node.classList.add("waiting"); if (!p.node.childNodes.length) p.node.append(el("p.empty", null, "Asking …")); }, 200);
  try {
    const a = await ask("view", q);
    if (!document.hidden) await new Promise(requestAnimationFrame); // answers and marks are drawn into one picture
    const top = p.node.querySelector(".tall"), scrolled = top ? top.scrollTop : 0, had = document.activeElement && p.node.contains(document.activeElement) && document.activeElement.dataset.row;
    fill(p, () => [...oneSide(tab.id), ...tab.draw(p, a)]);
    p.key = key; p.command = a.command || commandOf(tab.ask());
    if (tab.id === viewNow()) commandNow = p.command;
    const now = p.node.querySelector(".tall");
    if (now && scrolled) now.scrollTop = scrolled;
    if (had !== undefined && had) { const row = p.node.querySelector('[data-row="' + had + '"]'); if (row) row.focus({preventScroll: true}); }
    root.dataset.ready = "1";
    if (a.charts) knows(a);
  } catch (e) {
    if (e.name !== "AbortError") { fill(p, () => tab.failed ? tab.failed(e.message) : [el("div.panel", null, el("p.empty", null, e.message))]); p.key = key; root.dataset.ready = "1"; }
  } finally {
    clearTimeout(late);
    p.node.classList.remove("waiting");
    running = null;
    if (again) { again = false; refresh(); }
  }
}

// knows takes from an answer what is shown above all views.
function knows(a) {
  if (a.title) { document.title = a.title + " · memtui"; naming(a.title); }
  const c = a.charts[0];
  if (!c && !stripBase && strip.hidden) { strip.hidden = false; strip.replaceChildren(el("div.head", null, el("span.chips"))); controls(); }
  if (!c || stripBase && (view.from !== undefined || view.to !== undefined)) return;
  const key = JSON.stringify([c.from, c.to, status.revision, steps.map((s) => view[s])]);
  if (stripBase && stripBase.key === key) return;
  const span = stripBase && pilotChart ? [pilotChart.span.from, pilotChart.span.to, pilotChart.span.high] : null;
  stripBase = Object.assign(c, {key, id: "strip"});
  axis = c.axis;
  endAt = c.to;
  const peak = c.marks.find((m) => m.kind === "peak"), at = c.marks.find((m) => m.kind === "at");
  if (peak) peakAt = peak.x;
  if (at && status.kind === "heap" && view.snapshot === undefined) heapAt = at.x;
  for (const k of Object.keys(spans)) delete spans[k];
  pilotChart = drawStrip(c, pilot);
  if (span && span[2] !== c.to && span[0] > 0) { pilotChart.span.from = span[0]; pilotChart.span.to = Math.min(span[1], c.to); }
  controls();
  pilotChart.draw();
  if (zoomOf()) pilot.zoomed(...zoomOf(), false);
}

function changed() {
  if (pilotChart) { pilotChart.over(); controls(); }
  tell("instant");
  refresh();
}
// moved follows the mark while it is dragged.
function moved() {
  pilotChart.over();
  const chip = strip.querySelector(".chip.quiet");
  if (chip) chip.textContent = instantWords();
  tell("instant");
  refresh();
}
// recalled follows an address that changed: Back, or a link that was put in.
function recalled() {
  if (view.token) return location.reload();
  const zoomed = zoomOf();
  if (pilotChart) { if (zoomed) [pilotChart.span.from, pilotChart.span.to] = zoomed; else { pilotChart.span.from = pilotChart.span.low; pilotChart.span.to = pilotChart.span.high; pilot.fine = null; } }
  if ((view.q || "") !== search.value) { search.value = view.q || ""; find(search.value); }
  showView(viewNow(), false);
  changed();
}
addEventListener("popstate", () => { recall(); if (live) recalled(); else showView(viewNow(), false); });

// Keys of the terminal program that a browser leaves to the page.
function move(columns) {
  const at = pilot.at() === null && status.kind === "stacks" ? endAt : pilot.at();
  if (at === null || !pilotChart) return;
  const step = axis === "plain" ? Math.sign(columns) * (Math.abs(columns) > 1 ? 10 : 1) : columns * pilotChart.column();
  pilot.setAt(Math.min(Math.max(at + step, pilotChart.span.low), pilotChart.span.high));
}
let rangeFrom = null;
const acts = {
  "step-back": () => move(-1), "step-forward": () => move(1), "leap-back": () => move(-40), "leap-forward": () => move(40),
  peak: () => { if (peakAt !== null) { remember("at", "peak"); changed(); } }, end: () => { remember("at", ""); changed(); },
  range: () => {
    const at = pilot.at();
    if (rangeFrom === null) { rangeFrom = at; say("The range begins here: move the instant, then " + keysOf("range") + " ends it."); } else { pilot.setRange(Math.min(rangeFrom, at), Math.max(rangeFrom, at)); rangeFrom = null; say(""); }
  },
  "clear-range": () => { rangeFrom = null; clearRange(); },
  "zoom-in": () => pilotChart && pilotChart.scale(0.5), "zoom-out": () => pilotChart && pilotChart.scale(2), "zoom-reset": () => pilotChart && pilotChart.zoom(pilotChart.span.low, pilotChart.span.high),
  "pan-left": () => pilotChart && pilotChart.pan(-0.25), "pan-right": () => pilotChart && pilotChart.pan(0.25),
  time: () => { const go = strip.querySelector(".go"); if (go) go.focus(); }, "copy-command": () => copyCommand(),
};
const liveKeys = () => [[keysOf("step-back", "step-forward"), "move the instant"], [keysOf("leap-back", "leap-forward"), "move it further"], [keysOf("peak", "end", "time"), "peak, end, type an instant"], [keysOf("range", "clear-range"), "begin and end a range, clear it"],
  [keysOf("zoom-in", "zoom-out", "zoom-reset", "pan-left", "pan-right"), "zoom and shift the chart"], [keysOf("copy-command"), "copy the command of this view"]];
function onKey(e) {
  if (isTyping(e) || document.querySelector("dialog[open]")) return;
  if (/^Arrow/.test(e.key) && e.target.closest && e.target.closest(".flame, nav, .tools")) return;
  const act = acts[actionOf(e)];
  if (!act || act === acts["zoom-reset"] && e.target.closest && e.target.closest(".flame")) return;
  e.preventDefault(); act();
}

async function begin() {
  chosen = livePick; follows = pilot;
  moreKeys = liveKeys;
  addEventListener("keydown", onKey);
  try {
    if (view.token) {
      const token = view.token, r = await fetch("session", {headers: {Authorization: "Bearer " + token}});
      delete view.token;
      history.replaceState(null, "", hashOf());
      if (!r.ok) throw new Error("The address has an old token: open the one that memtui printed last, or put it in here. The view that this address names stays.");
      tokenKept.put(token);
    }
    await new Promise((resolve, reject) => {
      const events = new EventSource("events");
      events.onmessage = (e) => { told(JSON.parse(e.data)); resolve(); };
      events.onerror = () => { reject(new Error("Open the address that memtui printed, or put it in here: this browser has no session. The view that this address names stays.")); if (seenRevision !== null) doing("memtui has ended: what is shown stays, but nothing new can be asked."); };
    });
  } catch (e) {
    content.insertBefore(openingBox(e.message), ending);
    root.dataset.ready = "1";
  }
}
function doing(message) {
  const box = document.getElementById("doing");
  box.textContent = message; box.hidden = !message;
}
// told follows what the server says about reading the files.
async function told(s) {
  const first = seenRevision === null, anew = !first && s.revision !== seenRevision;
  status = s; seenRevision = s.revision; terminal = s.terminal || terminal;
  doing(s.done ? "" : s.doing + " – figures are of what was read so far");
  if (first) {
    document.title = s.files.join(" and ") + " · memtui";
    setTabs(viewsOf());
    if (s.kind !== "trace") await learn();
    showView(viewNow(), false);
    if (viewNow() !== "overview") ask("strip", question({do: "report", show: "overview", limit: "5"}, ["from", "to"])).then((a) => knows(adopt(a)), () => {});
  } else if (anew) refresh();
}
// learn asks once for everything, to know which views a file has.
async function learn() {
  try {
    const a = adopt(await ask("all", question({do: "report", show: "all", limit: "1"}))), fixed = viewsOf();
    const list = sectionsOf(a).map(([title, , action]) => ({...shown(idOf(title), title), action})).filter((t) => !fixed.some((f) => f.id === t.id));
    const first = status.files.length > 1 ? 2 : 1, remarks = list.filter((t) => t.id === "remarks"); // which come and go
    setTabs([...fixed.slice(0, first), ...list.filter((t) => t.id !== "remarks"), ...fixed.slice(first), ...remarks]);
    knows(a);
  } catch (e) { if (e.name !== "AbortError") say(e.message); }
}
