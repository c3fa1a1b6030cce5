// Flame graphs: a click zooms, the search box highlights, "Inverted" grows from the leaves. With the keyboard: arrows move, Enter
// zooms, Backspace goes up, 0 shows everything.
const rowHeight = 19;

// treeOf is the tree as written, with totals of one cost. Children stand heaviest first.
function treeOf(f, cost) {
  const n = f.parent.length, total = f.self[cost].slice(), children = f.parent.map(() => []);
  for (let i = n - 1; i > 0; i--) total[f.parent[i]] += total[i];
  for (let i = 1; i < n; i++) if (total[i] > 0) children[f.parent[i]].push(i);
  children.forEach((c) => c.sort((a, b) => total[b] - total[a] || a - b));
  return {parent: f.parent, name: f.name, total, self: f.self[cost], children};
}

// turned merges the ways from each leaf to the root: the leaves are its first row.
function turned(f, cost) {
  const t = {parent: [-1], name: [f.name[0]], total: [0], self: [0], children: [[]]}, next = [new Map()];
  for (let i = 0; i < f.parent.length; i++) {
    const w = f.self[cost][i];
    if (!w || i === 0) { t.total[0] += w; continue; }
    t.total[0] += w;
    let at = 0;
    for (let n = i; n > 0; n = f.parent[n]) {
      let c = next[at].get(f.name[n]);
      if (c === undefined) {
        c = t.parent.length;
        next[at].set(f.name[n], c);
        t.parent.push(at); t.name.push(f.name[n]); t.total.push(0); t.self.push(0); t.children.push([]); next.push(new Map());
        t.children[at].push(c);
      }
      t.total[c] += w;
      at = c;
    }
    t.self[at] += w;
  }
  t.children.forEach((c) => c.sort((a, b) => t.total[b] - t.total[a] || a - b));
  return t;
}

function hueOf(name) {
  let h = 0;
  for (let i = 0; i < name.length; i++) h = (h * 31 + name.charCodeAt(i)) | 0;
  return 14 + (h >>> 0) % 42;
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
  const sentence = (n) => amount(tree.total[n]) + ", " + part(n) + (tree.self[n] > 0 && tree.self[n] < tree.total[n] ? ", itself " + amount(tree.self[n]) : "");

  function add(n, x, width, depth, up) {
    const px = width * box.clientWidth;
    if (px < 1.2) return;
    const d = el("div" + (px < 24 ? ".thin" : "") + (up ? ".up" : "") + (tree.name[n] < 0 ? ".rest" : ""), {"data-n": n});
    d.style.left = (100 * x).toFixed(4) + "%"; d.style.width = (100 * width).toFixed(4) + "%"; d.style.top = depth * rowHeight + "px";
    if (tree.name[n] >= 0) d.style.background = "hsl(" + hueOf(label(n)) + " var(--flame-s) var(--flame-l))";
    if (px >= 24) d.textContent = shortName(n);
    if (state.match && tree.name[n] >= 0 && state.match(label(n))) d.classList.add("hit");
    (rows[depth] = rows[depth] || []).push(n);
    shownAt.set(n, d);
  }
  function draw() {
    rows = []; shownAt = new Map();
    const above = [];
    for (let n = state.zoom; n >= 0; n = tree.parent[n]) above.unshift(n);
    above.forEach((n, depth) => add(n, 0, 1, depth, n !== state.zoom));
    const least = 1.2 / Math.max(box.clientWidth, 1), whole = tree.total[state.zoom] || 1;
    const todo = [[state.zoom, 0, above.length]];
    while (todo.length) {
      const [n, x, depth] = todo.pop();
      let at = x;
      for (const c of tree.children[n]) {
        const width = tree.total[c] / whole;
        if (width < least) break;
        add(c, at, width, depth, false);
        todo.push([c, at, depth + 1]);
        at += width;
      }
    }
    box.style.height = Math.max(rows.length, 3) * rowHeight + "px";
    box.classList.toggle("searching", !!state.match);
    box.replaceChildren(...shownAt.values());
    select(shownAt.has(state.at) ? state.at : state.zoom);
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
    const before = shownAt.get(state.at);
    if (before) before.classList.remove("at");
    state.at = n;
    if (n > 0 && shownAt.has(n)) {
      shownAt.get(n).classList.add("at");
      if (box.contains(document.activeElement)) shownAt.get(n).scrollIntoView({block: "nearest"});
    }
    past.at = wayTo(n); past.zoom = wayTo(state.zoom);
    path.replaceChildren(el("b", null, label(n)), "  " + sentence(n) + matched());
    if (chosen && n > 0 && tree.name[n] >= 0) path.append(chosen.frame(label(n), ""));
  }
  function zoom(n) { state.zoom = state.at = n; draw(); }
  box.addEventListener("click", (e) => { const d = e.target.closest("[data-n]"); if (d) { const n = Number(d.dataset.n); zoom(n === state.zoom && n > 0 ? tree.parent[n] : n); } });
  box.addEventListener("mousemove", (e) => { const d = e.target.closest("[data-n]"); tip(e, d ? label(Number(d.dataset.n)) + "\n" + sentence(Number(d.dataset.n)) : ""); });
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
