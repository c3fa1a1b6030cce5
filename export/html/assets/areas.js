// Treemaps: areas within areas, as large as what they weigh. Heat maps: rows over time, as dark as what they hold.

// nestOf makes a tree of rows that stand after what they belong to.
function nestOf(rows, total) {
  const root = {name: "all", kind: "all", value: total, parts: []}, way = [root];
  for (const r of rows) {
    way.length = r.depth;
    const n = {name: r.name || "(unknown)", kind: r.kind, value: r.value, parts: [], row: r.object, sides: r.sides, up: way[r.depth - 1]};
    way[r.depth - 1].parts.push(n);
    way[r.depth] = n;
  }
  return root;
}

// The page lays areas out by itself, as reports have no server and only browsers know their sizes. The rules are those of
// analysis/treemap for terminals, and a test compares both: rows whose pieces are as square as they can be, the heaviest first; the last
// arrangement is kept while its shapes are not much worse, so that areas stay where they are.
const keyOfPart = (p) => p.kind + "\0" + p.name, stretchOf = (w, h) => Math.floor(64 * Math.max(w, h) / Math.max(Math.min(w, h), 1e-9)) / 64;
const worse = 1.5, ugliest = 32;

// cutRow cuts a row with a share off an area: the row, and the rest.
const cutRow = (a, upright, part) => upright ? [{...a, w: a.w * part}, {...a, x: a.x + a.w * part, w: a.w * (1 - part)}] : [{...a, h: a.h * part}, {...a, y: a.y + a.h * part, h: a.h * (1 - part)}];
// pieceOf is the part of a row from one share to another.
const pieceOf = (row, upright, from, to) => upright ? {...row, y: row.y + row.h * from, h: row.h * (to - from)} : {...row, x: row.x + row.w * from, w: row.w * (to - from)};

// squarify makes rows of parts: [{upright, keys}].
function squarify(parts, w, h) {
  let list = parts.filter((p) => p.value > 0).sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.kind < b.kind ? -1 : 1)), left = list.reduce((sum, p) => sum + p.value, 0), free = {x: 0, y: 0, w, h};
  const rows = [];
  while (list.length) {
    const upright = free.w >= free.h;
    let best = Infinity, n = 0, sum = 0;
    for (let more = 0, k = 0; k < list.length; k++) {
      more += list[k].value;
      const [row] = cutRow(free, upright, more / left), first = pieceOf(row, upright, 0, list[0].value / more), last = pieceOf(row, upright, 0, list[k].value / more);
      const worst = Math.max(stretchOf(first.w, first.h), stretchOf(last.w, last.h));
      if (worst > best) break;
      best = worst; n = k + 1; sum = more;
    }
    rows.push({upright, keys: list.slice(0, n).map(keyOfPart)});
    free = cutRow(free, upright, sum / left)[1];
    list = list.slice(n); left -= sum;
  }
  return rows;
}

// rowsAfter are the rows of another arrangement, without parts that are gone, and with new ones in the last row.
function rowsAfter(rows, parts, w, h) {
  const there = new Set(parts.map(keyOfPart)), out = rows.map((r) => ({upright: r.upright, keys: r.keys.filter((k) => there.delete(k))}));
  if (there.size) { if (!out.length) out.push({upright: w >= h, keys: []}); out[out.length - 1].keys.push(...there); }
  return out;
}

// placed are the rectangles of parts in rows: [{p, x, y, w, h}].
function placed(rows, parts, x, y, w, h) {
  const of = new Map(parts.map((p) => [keyOfPart(p), p])), out = [];
  let free = {x, y, w, h}, left = parts.reduce((sum, p) => sum + p.value, 0);
  for (const r of rows) {
    const list = r.keys.map((k) => of.get(k)), sum = list.reduce((n, p) => n + p.value, 0);
    if (!sum) continue;
    let row, done = 0;
    [row, free] = cutRow(free, r.upright, sum / left);
    left -= sum;
    for (const p of list) { if (p.value > 0) out.push({p, ...pieceOf(row, r.upright, done / sum, (done + p.value) / sum)}); done += p.value; }
  }
  return out;
}

// costOf is how far from squares shapes are: half of that by weight, half alike for every part.
function costOf(boxes, count) {
  const total = boxes.reduce((sum, b) => sum + b.p.value, 0);
  return boxes.reduce((sum, b) => sum + (b.p.value / total + 1 / count) * Math.min(stretchOf(b.w, b.h), ugliest), 0);
}

// arranged divides a rectangle among parts; plans has the rows of earlier arrangements by key.
function arranged(parts, x, y, w, h, plans, key) {
  if (!(parts.reduce((sum, p) => sum + p.value, 0) > 0) || w < 1 || h < 1) return [];
  const made = squarify(parts, w, h), now = placed(made, parts, x, y, w, h), last = plans.get(key);
  if (last) {
    const rows = rowsAfter(last, parts, w, h), then = placed(rows, parts, x, y, w, h);
    if (costOf(then, parts.length) <= costOf(now, parts.length) * worse) { plans.set(key, rows); return then; }
  }
  plans.set(key, made);
  return now;
}

// labelOf is a name as far as it has room: without what it is called with, then without the beginning of where it is.
const labels = new Map(); // found before
function labelOf(g, name, room) {
  const key = Math.floor(room) + g.font + name, known = labels.get(key);
  if (known !== undefined) return known;
  const fits = (s) => g.measureText(s).width <= room, bare = name.replace(/(.)\(.*$/, "$1(…)");
  const last = (/^\S*\/([^/\s]+)$/.exec(name) || /::((?:(?!::).)+)$/.exec(bare) || /\.([A-Z][\w$]*(?:\[\])*)$/.exec(name) || [])[1];
  const forms = last ? [name, bare, "…" + last] : [name, bare], whole = forms.find(fits);
  let cut = forms.at(-1), low = 0, high = cut.length;
  while (whole === undefined && low < high) { const n = (low + high + 1) >> 1; if (fits(cut.slice(0, n) + "…")) low = n; else high = n - 1; }
  const out = whole !== undefined ? whole : low > 2 ? cut.slice(0, low) + "…" : "";
  if (labels.size > 20000) labels.clear();
  labels.set(key, out);
  return out;
}

// treemapSection draws the answer of a treemap; unit is that of its values. tools stand beside its title.
function treemapSection(id, title, map, unit, tools) {
  const root = nestOf(map.rows, map.all), past = keptOf("areas-" + id, {way: [], plans: new Map(), size: ""});
  if (root.parts.some((p) => p.sides)) root.sides = [0, 1].map((k) => root.parts.reduce((sum, p) => sum + p.sides[k], 0));
  const words = (n) => n.sides ? [changeWords(unit, ...n.sides), n.sides[0] === n.sides[1] ? text(unit, n.sides[1]) : changeOf(unit, ...n.sides), ""] : [text(unit, n.value) + ", " + part(n), text(unit, n.value), ""]; // ever shorter
  let top = root, at = null, boxes = [];
  for (const name of past.way) top = top.parts.find((p) => p.name === name && p.parts.length) || top;
  const canvas = el("canvas"), crumbs = el("p.path", {"aria-live": "polite"});
  const box = el("div.areas", {tabindex: 0, role: "application", "aria-label": title + ": arrows move, Enter opens an area, Backspace leaves it"}, canvas);
  const part = (n) => share(n.value / (map.all || 1)), amount = (n) => words(n)[0], wayOf = (n) => n.up ? wayOf(n.up).concat([n]) : [n];
  function draw() {
    const w = box.clientWidth, h = box.clientHeight, ratio = devicePixelRatio || 1, g = canvas.getContext("2d");
    if (!w) return;
    canvas.width = w * ratio; canvas.height = h * ratio; g.scale(ratio, ratio); g.font = "12px " + css("--sans"); g.textBaseline = "top";
    boxes = [];
    const light = css("--flame-l"), ink = css("--flame-ink"), panel = css("--panel");
    if (past.size !== w + "×" + h) { past.size = w + "×" + h; past.plans.clear(); } // rows are for an area
    const pathOf = (n) => n.up ? pathOf(n.up) + "\0" + keyOfPart(n) : "", put = (list, depth, hue) => {
      for (const b of list) {
        const mine = hue === null ? hueOf(b.p.name) * 7 % 360 : hue, inner = depth < 2 && b.p.parts.length && b.w > 40 && b.h > 34;
        boxes.push(b);
        g.fillStyle = b.p.sides ? changeColor(...b.p.sides) : b.p.kind === "others" ? css("--fill") : "hsl(" + mine + " 55% calc(" + light + " + " + (depth * 5 - 4) + "%))";
        g.fillRect(b.x, b.y, b.w, b.h); g.strokeStyle = panel; g.lineWidth = depth ? 1 : 2; g.strokeRect(b.x + 0.5, b.y + 0.5, b.w - 1, b.h - 1);
        if (b.w > 34 && b.h > 15) {
          g.fillStyle = b.p.kind === "others" ? css("--soft") : ink;
          g.fillText(labelOf(g, shorten(b.p.name), b.w - 7), b.x + 4, b.y + 3);
          if (!inner && b.h > 30) { g.globalAlpha = 0.75; g.fillText(words(b.p).find((s) => g.measureText(s).width <= b.w - 7), b.x + 4, b.y + 17); g.globalAlpha = 1; }
        }
        if (inner) put(arranged(b.p.parts, b.x + 2, b.y + 18, b.w - 4, b.h - 20, past.plans, pathOf(b.p)), depth + 1, mine);
      }
    };
    put(arranged(top.parts, 0, 0, w, h, past.plans, "top " + pathOf(top)), 0, null);
    const chosenBox = boxes.find((b) => b.p === at);
    if (chosenBox) { g.strokeStyle = css("--ink"); g.lineWidth = 2.5; g.strokeRect(chosenBox.x + 1.5, chosenBox.y + 1.5, chosenBox.w - 3, chosenBox.h - 3); }
    say();
  }
  function say() {
    const shown = at || top;
    crumbs.replaceChildren(...wayOf(top).flatMap((n, i) => [i ? " › " : "", n === top ? el("b", null, shorten(n.name)) : el("button.link", {type: "button", onclick: () => go(n)}, shorten(n.name))]),
      "  " + (shown === top ? "" : shorten(shown.name) + ": ") + amount(shown));
    if (chosen && shown.kind === "function") crumbs.append(chosen.frame(shown.name, ""));
    if (chosen && shown.row !== undefined) crumbs.append(" ", el("button.link", {type: "button", onclick: () => chosen.object(shown.row)}, "open object " + shown.row));
  }
  function go(n) { top = n; at = null; past.way = wayOf(n).slice(1).map((x) => x.name); draw(); }
  const inside = (e) => { const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top; return boxes.findLast((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h); };
  const open = (n) => { while (n && !n.parts.length) n = n.up === top ? null : n.up; if (n) go(n); };
  canvas.addEventListener("mousemove", (e) => { const b = inside(e); tip(e, b ? wayOf(b.p).slice(1).map((n) => n.name).join("\n› ") + "\n" + amount(b.p) : ""); });
  canvas.addEventListener("mouseleave", (e) => tip(e, ""));
  canvas.addEventListener("click", (e) => { const b = inside(e); if (!b) return; if (at === b.p) open(b.p); else { at = b.p; draw(); } });
  canvas.addEventListener("dblclick", (e) => { const b = inside(e); if (b) open(b.p); });
  box.addEventListener("keydown", (e) => {
    const b = boxes.find((x) => x.p === at), to = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (to && !e.ctrlKey && !e.metaKey) {
      e.preventDefault(); e.stopPropagation();
      if (!b) at = boxes.length ? boxes[0].p : null;
      else {
        const x = b.x + b.w / 2 + to[0] * (b.w / 2 + 3), y = Math.min(b.y + b.h / 2, b.y + 10) + to[1] * (to[1] > 0 ? b.h : 12);
        const next = boxes.findLast((c) => x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h);
        if (next) at = next.p;
      }
      draw();
    } else if (e.key === "Enter" && at) { e.preventDefault(); open(at); } else if (e.key === "Backspace" && top.up) { e.preventDefault(); const was = top; go(top.up); at = was; draw(); }
  });
  listen("look", draw);
  return el("section", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), el("span.answer", null, (root.sides ? changeWords(unit, ...root.sides) : text(unit, map.all)) + " " + map.metric.replaceAll("_", " ") + ", by " + map.by.join(" › ").replaceAll("_", " ")), tools || null),
    el("div.panel", null, crumbs, box, el("p.scope", null, "An area is as large as its part of the whole" + (map.rows.some((r) => r.sides) ? ", on the side where it is larger; red grew, blue shrank" : "") + ". A click selects, another one opens it; small parts are one area.")));
}

// heatSection draws the answer of a heat map: a click chooses the instant.
function heatSection(title, map, unit, tools, choose) {
  const top = Math.max(...map.rows.flatMap((r) => r.cells), 1), last = map.edges_us.length - 1, high = 20, left = 260;
  const canvas = el("canvas"), path = el("p.path", {"aria-live": "polite"}), box = el("div.heat", {tabindex: 0, role: "application", "aria-label": title + ": arrows move" + (choose ? ", Enter moves the instant there" : "")}, canvas);
  const level = (v) => v === 0 ? 0 : Math.max(1, Math.min(4, Math.ceil(4 * Math.sqrt(v / top))));
  const twins = map.rows.reduce((m, r) => m.set(r.name, (m.get(r.name) || 0) + 1), new Map()); // names of several rows
  const markOf = (r) => twins.get(r.name) > 1 && r.stack !== undefined ? " #" + r.stack : "";
  let wide = 1, at = null; // the cell that the keyboard selects
  function draw() {
    const w = box.clientWidth, h = (map.rows.length + 1) * high, ratio = devicePixelRatio || 1, g = canvas.getContext("2d"), room = w < 600 ? 110 : left;
    if (!w) return;
    canvas.width = w * ratio; canvas.height = h * ratio; canvas.style.height = h + "px"; canvas.style.width = w + "px";
    g.scale(ratio, ratio); g.font = "12px " + css("--mono"); g.textBaseline = "middle";
    wide = (w - room) / last;
    const colors = [0, 1, 2, 3, 4].map((i) => css("--p" + i));
    map.rows.forEach((r, i) => {
      g.fillStyle = css("--ink"); g.fillText(labelOf(g, shorten(r.name), room - 8 - g.measureText(markOf(r)).width) + markOf(r), 0, i * high + high / 2);
      r.cells.forEach((v, k) => { g.fillStyle = colors[level(v)]; g.fillRect(room + k * wide, i * high + 1, Math.max(wide - 1, 1), high - 2); });
    });
    g.fillStyle = css("--soft"); g.font = "12px " + css("--sans");
    for (const k of [0, Math.round(last / 2), last]) { g.textAlign = k === 0 ? "left" : k === last ? "right" : "center"; g.fillText(time(map.edges_us[k]), room + k * wide, h - high / 2); }
    box.dataset.left = String(room);
    if (at) { g.strokeStyle = css("--ink"); g.lineWidth = 2; g.strokeRect(room + at[1] * wide - 0.5, at[0] * high, wide + 1, high); }
    path.textContent = at ? words(map.rows[at[0]], at[1]).replace("\n", ": ") : "";
  }
  const words = (row, k) => k < 0 ? row.name : row.name + "\n" + text(unit, row.cells[k]) + " from " + time(map.edges_us[k]) + " to " + time(map.edges_us[k + 1]);
  box.addEventListener("keydown", (e) => {
    const to = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey || !map.rows.length || !to && !(e.key === "Enter" && at && choose)) return;
    e.preventDefault(); e.stopPropagation();
    if (!to) return choose(map.edges_us[at[1] + 1]);
    at = at ? [Math.min(Math.max(at[0] + to[0], 0), map.rows.length - 1), Math.min(Math.max(at[1] + to[1], 0), last - 1)] : [0, 0];
    draw();
  });
  const inside = (e) => { const r = canvas.getBoundingClientRect(), k = Math.floor((e.clientX - r.left - Number(box.dataset.left)) / wide), i = Math.floor((e.clientY - r.top) / high); return map.rows[i] && k < last ? [map.rows[i], k] : null; };
  canvas.addEventListener("mousemove", (e) => { const at = inside(e); tip(e, !at ? "" : words(...at)); });
  canvas.addEventListener("mouseleave", (e) => tip(e, ""));
  if (choose) canvas.addEventListener("click", (e) => { const at = inside(e); if (at && at[1] >= 0) choose(map.edges_us[at[1] + 1]); });
  listen("look", draw);
  const legend = el("div.legend", null, el("span", null, "none"), ...[1, 2, 3, 4].map((i) => el("span.ramp", null, el("i.r" + i), i === 4 ? text(unit, top) : "up to " + text(unit, top * i * i / 16))));
  return el("section", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), el("span.answer", null, map.metric.replaceAll("_", " ") + " over time" + (choose ? "; a click moves the instant" : "")), tools || null), el("div.panel", null, path, box, legend));
}

// What is drawn is chosen beside the title.
const figures = [["live_bytes", "live bytes"], ["alloc_bytes", "allocated bytes"], ["leaked_bytes", "never freed"], ["live_count", "live blocks"], ["alloc_count", "allocations"]];
function figureOf(list, chosen, choose) {
  const words = (v) => (figures.find(([name]) => name === v) || [v, v.replaceAll("_", " ")])[1];
  const box = el("select", {"aria-label": "What is drawn", onchange: () => choose(box.value)}, ...list.map((v) => el("option", {value: v, selected: v === chosen}, words(v))));
  return el("div.tools", null, box);
}
const unitOf = (metric, estimated) => /bytes|size/.test(metric) ? (estimated ? "~bytes" : "bytes") : "count";
function mapOf(id, title, a, tools) { const m = a.treemap || a.dominator_treemap; return treemapSection(id, title, m, (m.estimated && m.unit ? "~" : "") + (m.unit || "count"), tools); }
function heatOf(title, a, tools, choose) { const m = a.heatmap || a.lifetime_heatmap; return heatSection(title, m, unitOf(m.metric, m.estimated), tools, choose); }
