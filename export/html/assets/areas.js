// Treemaps: areas within areas, as large as what they weigh. Heat maps: rows over time, as dark as what they hold.

// nestOf makes a tree of rows that stand after what they belong to.
function nestOf(rows, total) {
  const root = {name: "all", kind: "all", value: total, parts: []}, way = [root];
  for (const r of rows) {
    way.length = r.depth;
    const n = {name: r.name, kind: r.kind, value: r.value, parts: [], row: r.object, sides: r.sides, up: way[r.depth - 1]};
    way[r.depth - 1].parts.push(n);
    way[r.depth] = n;
  }
  return root;
}

// squares divides a rectangle among parts, the heaviest first, in rows whose pieces are as square as they can be.
function squares(parts, x, y, w, h) {
  const out = [], total = parts.reduce((sum, p) => sum + p.value, 0);
  if (!(total > 0) || w < 1 || h < 1) return out;
  let left = parts.filter((p) => p.value > 0).sort((a, b) => b.value - a.value), rest = total;
  while (left.length) {
    const side = Math.min(w, h), scale = w * h / rest;
    let n = 1, sum = left[0].value;
    const worst = (sum, least, most) => Math.max(side * side * most / (sum * sum * scale), sum * sum * scale / (side * side * least));
    while (n < left.length && worst(sum + left[n].value, left[n].value, left[0].value) <= worst(sum, left[n - 1].value, left[0].value)) sum += left[n++].value;
    const thick = sum * scale / side;
    let at = 0;
    for (const p of left.slice(0, n)) {
      const long = p.value * scale / thick;
      out.push(w >= h ? {p, x, y: y + at, w: thick, h: long} : {p, x: x + at, y, w: long, h: thick});
      at += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    left = left.slice(n); rest -= sum;
  }
  return out;
}

// treemapSection draws the answer of a treemap; unit is that of its values. tools stand beside its title.
function treemapSection(id, title, map, unit, tools) {
  const root = nestOf(map.rows, map.all), past = keptOf("areas-" + id, {way: []});
  let top = root, at = null, boxes = [];
  for (const name of past.way) top = top.parts.find((p) => p.name === name && p.parts.length) || top;
  const canvas = el("canvas"), crumbs = el("p.path", {"aria-live": "polite"});
  const box = el("div.areas", {tabindex: 0, role: "application", "aria-label": title + ": arrows move, Enter opens an area, Backspace leaves it"}, canvas);
  const part = (n) => share(n.value / (map.all || 1)), amount = (n) => n.sides ? changeWords(unit, ...n.sides) : text(unit, n.value) + ", " + part(n), wayOf = (n) => n.up ? wayOf(n.up).concat([n]) : [n];
  function draw() {
    const w = box.clientWidth, h = box.clientHeight, ratio = devicePixelRatio || 1, g = canvas.getContext("2d");
    if (!w) return;
    canvas.width = w * ratio; canvas.height = h * ratio; g.scale(ratio, ratio); g.font = "12px " + css("--sans"); g.textBaseline = "top";
    boxes = [];
    const light = css("--flame-l"), ink = css("--flame-ink"), panel = css("--panel");
    const put = (list, depth, hue) => {
      for (const b of list) {
        const mine = hue === null ? hueOf(b.p.name) * 7 % 360 : hue, inner = depth < 2 && b.p.parts.length && b.w > 40 && b.h > 34;
        boxes.push(b);
        g.fillStyle = b.p.sides ? changeColor(...b.p.sides) : b.p.kind === "others" ? css("--fill") : "hsl(" + mine + " 55% calc(" + light + " + " + (depth * 5 - 4) + "%))";
        g.fillRect(b.x, b.y, b.w, b.h); g.strokeStyle = panel; g.lineWidth = depth ? 1 : 2; g.strokeRect(b.x + 0.5, b.y + 0.5, b.w - 1, b.h - 1);
        if (b.w > 34 && b.h > 15) {
          g.save(); g.beginPath(); g.rect(b.x + 2, b.y, b.w - 4, b.h); g.clip(); g.fillStyle = b.p.kind === "others" ? css("--soft") : ink;
          g.fillText(shorten(b.p.name), b.x + 4, b.y + 3);
          if (!inner && b.h > 30) { g.globalAlpha = 0.75; g.fillText(amount(b.p), b.x + 4, b.y + 17); }
          g.restore();
        }
        if (inner) put(squares(b.p.parts, b.x + 2, b.y + 18, b.w - 4, b.h - 20), depth + 1, mine);
      }
    };
    put(squares(top.parts, 0, 0, w, h), 0, null);
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
  return el("section", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), el("span.answer", null, text(unit, map.all) + " " + map.metric.replaceAll("_", " ") + ", by " + map.by.join(" › ").replaceAll("_", " ")), tools || null),
    el("div.panel", null, crumbs, box, el("p.scope", null, "An area is as large as its part of the whole" + (map.rows.some((r) => r.sides) ? ", on the side where it is larger; red grew, blue shrank" : "") + ". A click selects, another one opens it; small parts are one area.")));
}

// heatSection draws the answer of a heat map: a click chooses the instant.
function heatSection(title, map, unit, tools, choose) {
  const top = Math.max(...map.rows.flatMap((r) => r.cells), 1), last = map.edges_us.length - 1, high = 20, left = 260;
  const canvas = el("canvas"), box = el("div.heat", {role: "img", "aria-label": title}, canvas);
  const level = (v) => v === 0 ? 0 : Math.max(1, Math.min(4, Math.ceil(4 * Math.sqrt(v / top))));
  let wide = 1;
  function draw() {
    const w = box.clientWidth, h = (map.rows.length + 1) * high, ratio = devicePixelRatio || 1, g = canvas.getContext("2d"), labels = w < 600 ? 110 : left;
    if (!w) return;
    canvas.width = w * ratio; canvas.height = h * ratio; canvas.style.height = h + "px"; canvas.style.width = w + "px";
    g.scale(ratio, ratio); g.font = "12px " + css("--mono"); g.textBaseline = "middle";
    wide = (w - labels) / last;
    const colors = [0, 1, 2, 3, 4].map((i) => css("--p" + i));
    map.rows.forEach((r, i) => {
      g.save(); g.beginPath(); g.rect(0, i * high, labels - 8, high); g.clip(); g.fillStyle = css("--ink"); g.fillText(shorten(r.name), 0, i * high + high / 2); g.restore();
      r.cells.forEach((v, k) => { g.fillStyle = colors[level(v)]; g.fillRect(labels + k * wide, i * high + 1, Math.max(wide - 1, 1), high - 2); });
    });
    g.fillStyle = css("--soft"); g.font = "12px " + css("--sans");
    for (const k of [0, Math.round(last / 2), last]) { g.textAlign = k === 0 ? "left" : k === last ? "right" : "center"; g.fillText(time(map.edges_us[k]), labels + k * wide, h - high / 2); }
    box.dataset.left = String(labels);
  }
  const inside = (e) => { const r = canvas.getBoundingClientRect(), k = Math.floor((e.clientX - r.left - Number(box.dataset.left)) / wide), i = Math.floor((e.clientY - r.top) / high); return map.rows[i] && k < last ? [map.rows[i], k] : null; };
  canvas.addEventListener("mousemove", (e) => { const at = inside(e); tip(e, !at ? "" : at[1] < 0 ? at[0].name : at[0].name + "\n" + text(unit, at[0].cells[at[1]]) + " from " + time(map.edges_us[at[1]]) + " to " + time(map.edges_us[at[1] + 1])); });
  canvas.addEventListener("mouseleave", (e) => tip(e, ""));
  if (choose) canvas.addEventListener("click", (e) => { const at = inside(e); if (at && at[1] >= 0) choose(map.edges_us[at[1] + 1]); });
  listen("look", draw);
  const legend = el("div.legend", null, el("span", null, "none"), ...[1, 2, 3, 4].map((i) => el("span.ramp", null, el("i.r" + i), i === 4 ? text(unit, top) : "up to " + text(unit, top * i * i / 16))));
  return el("section", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), el("span.answer", null, map.metric.replaceAll("_", " ") + " over time" + (choose ? "; a click moves the instant" : "")), tools || null), el("div.panel", null, box, legend));
}

// What is drawn is chosen beside the title.
const figures = [["live_bytes", "live bytes"], ["alloc_bytes", "allocated bytes"], ["leaked_bytes", "never freed"], ["live_count", "live blocks"], ["alloc_count", "allocations"]];
function figureOf(list, chosen, choose) {
  const words = (v) => (figures.find(([name]) => name === v) || [v, v.replaceAll("_", " ")])[1];
  const box = el("select", {"aria-label": "What is drawn", onchange: () => choose(box.value)}, ...list.map((v) => el("option", {value: v, selected: v === chosen}, words(v))));
  return el("div.tools", null, box);
}
const unitOf = (metric) => /bytes|size/.test(metric) ? "bytes" : "count";
function mapOf(id, title, a, tools) { const m = a.treemap || a.dominator_treemap; return treemapSection(id, title, m, unitOf(m.metric), tools); }
function heatOf(title, a, tools, choose) { const m = a.heatmap || a.lifetime_heatmap; return heatSection(title, m, unitOf(m.metric), tools, choose); }
