// Numbers and names for people, as the terminal program writes them.
addEventListener("error", (e) => { document.documentElement.dataset.error = String(e.message); });

// What is baked into the page; null if a server is to be asked.
const baked = JSON.parse(document.getElementById("data").textContent);
const live = baked === null;

const three = (f) => f < 9.995 ? f.toFixed(2) : f < 99.95 ? f.toFixed(1) : f.toFixed(0);
const group = (n) => Math.round(n).toLocaleString("en-US");

function bytes(n) {
  if (n < 0) return "-" + bytes(-n);
  if (n < 1024) return (Number.isInteger(n) ? n : three(n)) + " B";
  let unit = -1;
  while (unit < 5 && (n >= 1024 || (unit >= 0 && n >= 1023.5))) { n /= 1024; unit++; }
  return three(n) + " " + "KMGTPE"[unit] + "iB";
}

function time(us) {
  if (us < 0) return "-" + time(-us);
  if (us < 1000) return +us.toFixed(3) + " µs";
  if (us < 999500) return three(us / 1e3) + " ms";
  if (us < 100e6) return three(us / 1e6) + " s";
  const s = Math.floor(us / 1e6), two = (n) => String(n).padStart(2, "0");
  if (s < 3600) return Math.floor(s / 60) + " m " + two(s % 60) + " s";
  if (s < 48 * 3600) return Math.floor(s / 3600) + " h " + two(Math.floor(s / 60) % 60) + " m";
  if (s < 1000 * 86400) return Math.floor(s / 86400) + " d " + two(Math.floor(s / 3600) % 24) + " h";
  return group(s / 86400 / 365.25) + " years";
}

// share is a part of a whole in percent; it says 0 % and 100 % only for nothing and for everything.
function share(v) {
  if (v === 0) return "0 %";
  if (v === 1) return "100 %";
  const t = (Math.round(1000 * v) / 10).toFixed(1);
  return (t === "0.0" ? "<0.1" : t === "100.0" && v < 1 ? ">99.9" : t) + " %";
}

// certainty is a confidence in whole percent; nothing that was judged is all certain.
function certainty(v) {
  const percent = Math.round(100 * v);
  return percent < 100 ? Math.max(percent, 0) + " %" : ">99 %";
}

// text is a value in a unit; exact is the same without rounding. Units of estimates begin with "~".
function text(unit, v) {
  if (v === null || v === undefined) return "";
  if (unit[0] === "~") return (v ? "~" : "") + text(unit.slice(1), v);
  switch (unit) {
    case "bytes": return bytes(v);
    case "rate": return (v < 0 ? "-" : "") + bytes(Math.abs(v)) + "/s";
    case "us": return time(v);
    case "micros": return group(v) + " µs";
    case "ns": return time(v / 1000);
    case "count": return Number.isInteger(v) ? group(v) : String(+v.toPrecision(6));
    case "share": return share(v);
    case "percent": return (v > 0 ? "+" : "") + v.toFixed(1) + " %";
    case "sure": return certainty(v);
  }
  return String(v);
}

function exact(unit, v) {
  if (v === null || v === undefined) return "";
  if (unit[0] === "~") return (v ? "~" : "") + exact(unit.slice(1), v);
  switch (unit) {
    case "bytes": return group(v) + " B";
    case "rate": return group(v) + " B/s";
    case "us": return group(v) + " µs";
    case "ns": return group(v) + " ns";
  }
  return text(unit, v);
}

// shorten leaves out what stands between the outermost angle brackets of a name: std::map<…>::find.
function shorten(name) {
  const operator = name.indexOf("operator");
  let out = "", depth = 0, from = 0;
  for (let i = 1; i < name.length; i++) {
    const c = name[i];
    if ((c !== "<" && c !== ">") || (operator >= 0 && i >= operator && i <= operator + 11)) continue;
    if (c === "<") {
      if (depth++ === 0) { out += name.slice(from, i + 1); from = i + 1; }
    } else if (depth > 0 && name[i - 1] !== "-") {
      if (--depth === 0 && i - from > 4) { out += "…"; from = i; }
    }
  }
  return depth > 0 ? name : out + name.slice(from);
}

// Names and frames of all answers, each once: answers number theirs by themselves.
const names = [], nameIDs = new Map(), frames = [], frameIDs = new Map();

function intern(list, ids, key, value) {
  let i = ids.get(key);
  if (i === undefined) { ids.set(key, i = list.length); list.push(value); }
  return i;
}

// adopt renumbers the names and frames of an answer, and returns it.
function adopt(a) {
  const n = a.names.map((x) => intern(names, nameIDs, x, x)), of = (i) => i < 0 ? i : n[i];
  const f = a.frames.map(([name, file, line]) => [of(name), of(file), line]).map((x) => intern(frames, frameIDs, x.join(), x));
  for (const x of a.findings) x.name = of(x.name);
  for (const x of a.flames) x.name = x.name.map(of);
  for (const t of a.tables) {
    t.cols.forEach((c, k) => {
      const to = c.kind === "name" ? of : c.kind === "place" ? (i) => f[i] : null;
      if (to) for (const r of t.rows) if (typeof r[k] === "number") r[k] = to(r[k]);
    });
    if (t.stacks) t.stacks = t.stacks.map((s) => s.map((i) => i < 0 ? i : f[i]));
  }
  return a;
}

const nameOf = (i) => i < 0 ? "" : names[i];
const baseOf = (path) => path.slice(path.lastIndexOf("/") + 1);

// placeOf is a frame as [name, file:line].
function placeOf(i) {
  const [name, file, line] = frames[i];
  return [nameOf(name), file < 0 ? "" : nameOf(file) + (line < 0 ? "" : ":" + line)];
}

// The terminal program's screens and keys: the page has the same names, numbers and keys.
let terminal = {screens: [], keys: {}};
const browserKeys = {Left: "ArrowLeft", Right: "ArrowRight", Up: "ArrowUp", Down: "ArrowDown", Space: " ", Esc: "Escape", PgUp: "PageUp", PgDn: "PageDown"};
const inBrowser = (k) => browserKeys[k] || k;
// actionOf is what a key does in the terminal program, "" for nothing. Keys with Ctrl and Alt are the browser's.
const actionOf = (e) => e.ctrlKey || e.metaKey || e.altKey ? "" : Object.keys(terminal.keys).find((a) => terminal.keys[a].some((k) => inBrowser(k) === e.key)) || "";
const arrows = {Left: "←", Right: "→", Up: "↑", Down: "↓"};
const keysOf = (...actions) => actions.map((a) => (terminal.keys[a] || []).filter((k) => !/^(Ctrl|Alt|Shift|F1)/.test(k)).map((k) => arrows[k] || k).join(" ")).filter(Boolean).join("  ");

// match is what the search box looks for: a function from a name to whether it is found, with the text as q; null for nothing.
let match = null;
// marked is a text as nodes, with what is searched for marked.
function marked(words) {
  const at = match ? words.toLowerCase().indexOf(match.q) : -1;
  if (at < 0) return [words];
  return [words.slice(0, at), el("mark", null, words.slice(at, at + match.q.length)), words.slice(at + match.q.length)];
}

// nearNames are the names most like what is searched for, by the pairs of letters that they share.
function nearNames(q) {
  const pairsOf = (s) => { const out = new Map(); for (let i = 0; i + 1 < s.length; i++) out.set(s.slice(i, i + 2), (out.get(s.slice(i, i + 2)) || 0) + 1); return out; };
  const mine = pairsOf(q), found = [];
  for (const name of names.slice(0, 20000)) {
    for (const word of new Set(name.toLowerCase().slice(0, 300).split(/[^a-z0-9_$]+/))) {
      if (word.length < 2 || word.length > 3 * q.length + 3) continue;
      let shared = 0;
      for (const [pair, n] of pairsOf(word)) shared += Math.min(n, mine.get(pair) || 0);
      const like = 2 * shared / Math.max(q.length + word.length - 2, 1);
      if (like >= 0.4) found.push([like, word]);
    }
  }
  found.sort((a, b) => b[0] - a[0] || a[1].length - b[1].length);
  return [...new Set(found.map(([, word]) => word))].slice(0, 4);
}

// el makes an element: el("p.note", {title: "…"}, "text", child …). Text is only ever text.
function el(spec, attributes, ...children) {
  const [tag, ...classes] = spec.split("."), e = document.createElement(tag);
  if (classes.length) e.className = classes.join(" ");
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v); else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

// spark draws a small curve whose highest value is full.
function spark(values, width, height) {
  const ns = "http://www.w3.org/2000/svg", s = document.createElementNS(ns, "svg"), p = document.createElementNS(ns, "polygon");
  const top = Math.max(...values, 1), step = width / Math.max(values.length - 1, 1);
  const points = values.map((v, i) => (i * step).toFixed(1) + "," + (height - v / top * (height - 1)).toFixed(1));
  p.setAttribute("points", ["0," + height, ...points, width + "," + height].join(" "));
  p.setAttribute("fill", "currentColor");
  s.setAttribute("width", width); s.setAttribute("height", height); s.setAttribute("viewBox", "0 0 " + width + " " + height);
  s.setAttribute("role", "img"); s.setAttribute("aria-label", "over the run, highest " + bytes(top));
  s.style.color = "var(--accent)"; s.style.opacity = ".75";
  s.append(p);
  return s;
}

const tipBox = document.getElementById("tip");
function tip(e, message) {
  tipBox.hidden = !message;
  if (!message) return;
  tipBox.textContent = message;
  const x = Math.min(e.clientX + 14, innerWidth - tipBox.offsetWidth - 8), below = e.clientY + 18 + tipBox.offsetHeight < innerHeight;
  tipBox.style.left = Math.max(x, 8) + "px";
  tipBox.style.top = (below ? e.clientY + 16 : e.clientY - tipBox.offsetHeight - 10) + "px";
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What the address remembers after its #, so that a view can be sent on: view, q, theme, cost, turn, zoom, and what a server is
// asked about: at, from, to, focus … A name may have several values.
let view = {};
function recall() {
  view = {};
  for (const [k, v] of new URLSearchParams(location.hash.slice(1))) view[k] = k in many ? (view[k] || []).concat([v]) : v;
}
const many = {focus: 1, ignore: 1, "show-from": 1, hide: 1};
function hashOf() {
  const out = new URLSearchParams();
  for (const [k, v] of Object.entries(view)) for (const x of [].concat(v)) out.append(k, x);
  return "#" + out;
}
// remember keeps a value in the address. As a step, the browser's Back returns to what was before.
function remember(key, value, step) {
  keep(key, value);
  written.forget();
  try { if (step) history.pushState(null, "", hashOf()); else history.replaceState(null, "", hashOf()); } catch (e) { /* some browsers forbid it in files */ }
}
function keep(key, value) { if (value === "" || value === null || value === undefined || value.length === 0) delete view[key]; else view[key] = value; }
// rememberSoon does so at rest: what is dragged changes with every picture, and addresses are slow to write.
function rememberSoon(key, value) { keep(key, value); written.forget(); written.later = setTimeout(written.now, 150); }
const written = {later: 0, forget() { clearTimeout(written.later); written.later = 0; }, now() { if (written.later) { written.forget(); try { history.replaceState(null, "", hashOf()); } catch (e) { /* as above */ } } }};
recall();

// Those who draw listen here: "search" with a function from name to bool (null for none), "look" when colors or sizes change, "instant"
// when another instant is chosen.
// What is drawn inside listening(f) is of one panel: drop(list) forgets it.
const listeners = {search: [], look: [], instant: []};
let scope = null;
function listen(what, f) {
  listeners[what].push(f);
  if (scope) scope.push([what, f]);
}
function listening(f) {
  const before = scope, mine = scope = [];
  try { return [f(), mine]; } finally { scope = before; }
}
function drop(mine) { for (const [what, f] of mine) listeners[what] = listeners[what].filter((x) => x !== f); }
const tell = (what, value) => listeners[what].forEach((f) => f(value));

// What people did to a table or graph outlives a new answer about it.
const kept = {};
const keptOf = (id, first) => kept[id] = kept[id] || first;
