// Flame graphs: a click zooms, the search box highlights, "Inverted" grows from the leaves. With the keyboard: arrows move, Enter
// zooms, Backspace goes up, 0 shows everything.
const rowHeight = 19;

// treeOf is the tree as written, with totals of one cost. Children stand heaviest first.
function treeOf(f, cost) {
  const n = f.parent.length, total = f.self[cost].slice(), children = f.parent.map(() => []);
  for (let i = n - 1; i > 0; i--) total[f.parent[i]] += total[i];
  for (let i = 1; i < n; i++) if (total[i] > 0) children[f.parent[i]].push(i);
  children.forEach((c) => c.sort((a, b) => total[b] - total[a] || a - b));
  const sides = f.sides ? [2, 1].map((k) => { const sum = f.self[k].slice(); for (let i = n - 1; i > 0; i--) sum[f.parent[i]] += sum[i]; return sum; }) : null;
  return {parent: f.parent, name: f.name, total, self: f.self[cost], children, sides};
}

// turned merges the ways from each leaf to the root: the leaves are its first row.
function turned(f, cost) {
  const t = {parent: [-1], name: [f.name[0]], total: [0], self: [0], children: [[]], sides: f.sides ? [[0], [0]] : null}, next = [new Map()];
  const bothAt = (n, i) => { if (f.sides) { t.sides[0][n] += f.self[2][i]; t.sides[1][n] += f.self[1][i]; } };
  for (let i = 0; i < f.parent.length; i++) {
    const w = f.self[cost][i];
    t.total[0] += w; bothAt(0, i);
    if (i === 0 || !w && !(f.sides && (f.self[1][i] || f.self[2][i]))) continue;
    let at = 0;
    for (let n = i; n > 0; n = f.parent[n]) {
      let c = next[at].get(f.name[n]);
      if (c === undefined) {
        c = t.parent.length;
        next[at].set(f.name[n], c);
        t.parent.push(at); t.name.push(f.name[n]); t.total.push(0); t.self.push(0); t.children.push([]); next.push(new Map());
        t.children[at].push(c);
        if (f.sides) { t.sides[0].push(0); t.sides[1].push(0); }
      }
      t.total[c] += w; bothAt(c, i);
      at = c;
    }
    t.self[at] += w;
  }
  t.children.forEach((c) => c.sort((a, b) => t.total[b] - t.total[a] || a - b));
  return t;
}

const hues = new Map();
function hueOf(name) {
  let h = hues.get(name);
  if (h !== undefined) return h;
  h = 0;
  for (let i = 0; i < name.length; i++) h = (h * 31 + name.charCodeAt(i)) | 0;
  hues.set(name, h = 14 + (h >>> 0) % 42);
  return h;
}

// changeColor is red for what grew and blue for what shrank, the more so the more of it changed.
function changeColor(before, after) {
  const part = (after - before) / (Math.max(before, after) || 1), dark = root.dataset.theme === "dark";
  if (Math.abs(part) < 0.001) return css("--fill");
  return "hsl(" + (part > 0 ? 8 : 212) + " " + Math.round(25 + 50 * Math.abs(part)) + "% " + Math.round(dark ? 24 + 16 * Math.abs(part) : 88 - 18 * Math.abs(part)) + "%)";
}
const changeOf = (unit, before, after) => (after >= before ? "+" : "−") + text(unit, Math.abs(after - before));
const changeWords = (unit, before, after) => before === after ? text(unit, after) + ", unchanged" : changeOf(unit, before, after) + " (" + text(unit, before) + " → " + text(unit, after) + ")";

// fitted returns as much of a text as fits a width in letters that are as wide as each other.
function fitted(words, width, letter) {
  const n = Math.floor(width / letter);
  return words.length <= n ? words : n < 2 ? "" : words.slice(0, n - 1) + "…";
}

function flameSection(f) {
  const state = {cost: Math.max(f.costs.findIndex((c) => c.id === view.cost), 0), turn: f.turn && view.turn === "1", zoom: 0, at: 0, match: null};
  const box = el("div.flame", {tabindex: 0, role: "application", "aria-label": f.title + ": arrows move, Enter zooms, Backspace goes up, 0 shows everything"});
  const path = el("p.path", {"aria-live": "polite"});
  const label = (n) => tree.name[n] < 0 ? f.rest : nameOf(tree.name[n]);
  const short = new Map(), shortName = (n) => { let s = short.get(tree.name[n]); if (s === undefined) short.set(tree.name[n], s = shorten(label(n))); return s; };
  let tree, rows = [], shownAt = new Map();
  const unit = () => f.costs[state.cost].unit;
  const rebuild = () => { tree = state.turn ? turned(f, state.cost) : treeOf(f, state.cost); state.zoom = state.at = 0; draw(); };
  const wayTo = (n) => { const way = []; for (; n > 0; n = tree.parent[n]) way.unshift(tree.name[n]); return way; };
  const follow = (way) => way.reduce((n, name) => { const c = n < 0 ? -1 : tree.children[n].find((x) => tree.name[x] === name); return c === undefined ? -1 : c; }, 0);
  const past = keptOf("flame-" + f.id, {zoom: [], at: []});
  const part = (n) => share(tree.total[n] / (tree.total[0] || 1));
  const amount = (n) => text(unit(), n / (f.costs[state.cost].scale || 1));
  const sentence = (n) => f.sides ? changeWords(unit(), tree.sides[0][n], tree.sides[1][n]) + (state.cost ? ", " + part(n) + " of all " + f.costs[state.cost].label : ", " + part(n) + " of all changes") : amount(tree.total[n]) + ", " + part(n) + (tree.self[n] > 0 && tree.self[n] < tree.total[n] ? ", itself " + amount(tree.self[n]) : "");

  // draw lays the graph out and draws it; over only outlines what is selected.
  const canvas = past.canvas = past.canvas || el("canvas"), layer = past.layer = past.layer || document.createElement("canvas");
  box.append(canvas);
  function add(n, x, width, depth, up) {
    (rows[depth] = rows[depth] || []).push(n);
    shownAt.set(n, {n, x, width, depth, up});
  }
  function layout(wide) {
    rows = []; shownAt = new Map();
    const above = [];
    for (let n = state.zoom; n >= 0; n = tree.parent[n]) above.unshift(n);
    above.forEach((n, depth) => add(n, 0, wide, depth, n !== state.zoom));
    const scale = wide / (tree.total[state.zoom] || 1), todo = [[state.zoom, 0, above.length]];
    while (todo.length) {
      const [n, x, depth] = todo.pop();
      let at = x;
      for (const c of tree.children[n]) {
        const width = tree.total[c] * scale;
        if (width < 1.2) break;
        add(c, at, width, depth, false);
        todo.push([c, at, depth + 1]);
        at += width;
      }
    }
  }
  function draw() {
    const wide = box.clientWidth, ratio = devicePixelRatio || 1, g = layer.getContext("2d");
    if (!wide) return;
    layout(wide);
    const high = Math.max(rows.length, 3) * rowHeight, searching = !!state.match;
    box.style.height = high + "px";
    box.classList.toggle("searching", searching);
    box.dataset.frames = String(shownAt.size);
    for (const c of [canvas, layer]) if (c.width !== Math.round(wide * ratio) || c.height !== Math.round(high * ratio)) { c.width = Math.round(wide * ratio); c.height = Math.round(high * ratio); }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, wide, high);
    g.font = "12px " + css("--mono"); g.textBaseline = "middle";
    const letter = g.measureText("0").width, saturation = css("--flame-s"), light = css("--flame-l"), ink = css("--flame-ink"), fill = css("--fill"), soft = css("--soft"), hit = css("--hit");
    const colorOf = f.sides ? (n) => changeColor(tree.sides[0][n], tree.sides[1][n]) : (n) => "hsl(" + hueOf(label(n)) + " " + saturation + " " + light + ")";
    for (const b of shownAt.values()) {
      const rest = tree.name[b.n] < 0, found = searching && !rest && state.match(label(b.n)), y = b.depth * rowHeight;
      g.globalAlpha = b.up || searching && !found ? 0.5 : 1;
      g.fillStyle = found ? hit : rest ? fill : colorOf(b.n);
      g.fillRect(b.x, y, Math.max(b.width - 1, 0.8), rowHeight - 1);
      if (b.width < 24) continue;
      g.fillStyle = found ? "#fff" : rest ? soft : ink;
      g.fillText(fitted(rest ? f.rest : shortName(b.n), b.width - 9, letter), b.x + 4, y + rowHeight / 2);
    }
    g.globalAlpha = 1;
    select(shownAt.has(state.at) ? state.at : state.zoom);
  }
  function over() {
    const g = canvas.getContext("2d"), ratio = devicePixelRatio || 1, b = shownAt.get(state.at);
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(layer, 0, 0);
    if (!b || state.at <= 0) return;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.strokeStyle = css("--ink"); g.lineWidth = 2;
    g.strokeRect(b.x + 1, b.depth * rowHeight + 1, Math.max(b.width - 3, 1), rowHeight - 3);
  }
  function matched() { // each stack once
    if (!state.match) return "";
    let sum = 0;
    const hit = tree.name.map((x) => x >= 0 && state.match(nameOf(x))), todo = [0];
    while (todo.length) {
      const n = todo.pop();
      if (n > 0 && hit[n]) sum += tree.total[n]; else todo.push(...tree.children[n]);
    }
    return " · found in " + share(sum / (tree.total[0] || 1)) + " of the whole";
  }
  function select(n) {
    state.at = n;
    box.dataset.at = String(n);
    over();
    if (n > 0 && shownAt.has(n) && box.contains(document.activeElement)) see(shownAt.get(n).depth * rowHeight);
    past.at = wayTo(n); past.zoom = wayTo(state.zoom);
    path.replaceChildren(el("b", null, label(n)), "  " + sentence(n) + matched());
    if (chosen && n > 0 && tree.name[n] >= 0) path.append(chosen.frame(label(n), ""));
  }
  // see scrolls to a row.
  function see(y) {
    const deep = box.parentElement;
    if (!deep) return;
    if (y < deep.scrollTop) deep.scrollTop = y; else if (y + rowHeight > deep.scrollTop + deep.clientHeight) deep.scrollTop = y + rowHeight - deep.clientHeight;
  }
  function zoom(n) { state.zoom = state.at = n; draw(); }
  const inside = (e) => { // the frame under the pointer, -1 for none
    const r = canvas.getBoundingClientRect(), x = e.clientX - r.left;
    const n = (rows[Math.floor((e.clientY - r.top) / rowHeight)] || []).find((n) => { const b = shownAt.get(n); return x >= b.x && x < b.x + b.width; });
    return n === undefined ? -1 : n;
  };
  box.addEventListener("click", (e) => { const n = inside(e); if (n >= 0) zoom(n === state.zoom && n > 0 ? tree.parent[n] : n); });
  box.addEventListener("mousemove", (e) => { const n = inside(e); tip(e, n >= 0 ? label(n) + "\n" + sentence(n) : ""); });
  box.addEventListener("mouseleave", (e) => tip(e, ""));
  const side = (by) => { const row = rows.find((r) => r.includes(state.at)) || [], k = row.indexOf(state.at) + by; if (row[k] !== undefined) select(row[k]); };
  box.addEventListener("keydown", (e) => {
    const child = tree.children[state.at].find((c) => shownAt.has(c));
    const act = {ArrowUp: () => tree.parent[state.at] >= 0 && select(tree.parent[state.at]), ArrowDown: () => child !== undefined && select(child),
      ArrowLeft: () => side(-1), ArrowRight: () => side(1), Enter: () => zoom(state.at), Backspace: () => zoom(Math.max(tree.parent[state.zoom], 0)), "0": () => zoom(0)}[e.key];
    if (act && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); act(); }
  });
  const tools = el("div.tools");
  if (f.costs.length > 1) {
    const list = el("select", {"aria-label": "What the width means", onchange: () => { state.cost = list.selectedIndex; remember("cost", state.cost ? f.costs[state.cost].id : ""); rebuild(); }},
      ...f.costs.map((c) => el("option", null, c.label)));
    list.selectedIndex = state.cost;
    tools.append(list);
  }
  if (f.turn) {
    const b = el("button", {type: "button", "aria-pressed": String(state.turn), title: "start with the functions that allocate, their callers below", onclick: () => {
      state.turn = !state.turn; b.setAttribute("aria-pressed", String(state.turn)); remember("turn", state.turn ? "1" : ""); rebuild();
    }}, "Inverted");
    tools.append(b);
  }
  tools.append(el("button", {type: "button", onclick: () => zoom(0)}, "All"));
  listen("search", (match) => { state.match = match; draw(); });
  listen("look", draw);
  tree = state.turn ? turned(f, state.cost) : treeOf(f, state.cost);
  state.zoom = Math.max(follow(past.zoom), 0);
  state.at = Math.max(follow(past.at), 0);
  return el("section", {id: sectionID(f.title)}, el("div.head", null, el("h2", null, f.title), el("span.answer", null, f.answer), tools), el("div.panel", null, path, el("div.deep", null, box)));
}
