// Charts: columns with their extremes, or points. Drag selects a span, wheel and + − zoom, ← → move, 0 shows everything. Charts of
// one axis show the same span. The chart above all views may have a pilot, who is told what people choose in it: a click is an
// instant, a drag a range.
const palette = ["--curve", "--warn", "--good", "--info", "--hit", "--bad", "--soft"];
const colorOf = (c, k) => c.stack && k === c.curves.length - 1 ? "--soft" : palette[k % palette.length]; // of a stack, the last one is the others
const spans = {}; // by axis: {from, to, low, high, charts}

function ticks(from, to, count, binary, least) {
  const raw = Math.max((to - from) / count, least || 0);
  if (!(raw > 0)) return [from];
  const base = binary ? 2 ** Math.floor(Math.log2(raw)) : 10 ** Math.floor(Math.log10(raw));
  const step = (binary ? [1, 2] : [1, 2, 5, 10]).map((m) => m * base).find((s) => s >= raw);
  const out = [];
  for (let t = Math.ceil(from / step) * step; t <= to * (1 + 1e-9); t += step) out.push(t);
  return out;
}

// follows tells charts without a pilot of an instant and a range; null where there are none.
let follows = null;

function chartPanel(c, pilot) {
  const canvas = el("canvas"), readout = el("div.readout", {"aria-live": "off"}), on = c.curves.map(() => true);
  const box = el("div.chart" + (c.small ? ".small" : ""), {tabindex: 0, role: "img", "aria-label": c.title + ", " + c.answer + ". Plus and minus zoom, " + (pilot ? "arrows move the instant" : "arrows move") + ", 0 shows everything."}, canvas);
  const base = c; // of the complete run; c may be finer columns of what is zoomed to
  const key = c.axis + (c.x ? c.id : ""), span = spans[key] = spans[key] || {from: c.from, to: c.to, low: c.from, high: c.to, draw: []};
  const left = 84, right = 14, topGap = 10, bottom = c.small ? 20 : 24;
  let w = 0, h = 0, hover = null, drag = null;
  const xOf = (t) => left + (t - span.from) / (span.to - span.from || 1) * (w - left - right);
  const tOf = (x) => span.from + (x - left) / (w - left - right || 1) * (span.to - span.from);
  const count = (k) => c.curves[k].max.length;
  const timeOf = (k, i) => c.x ? c.x[i] : c.from + (i + 0.5) * (c.to - c.from) / count(k);
  const within = () => { c = pilot && pilot.fine && span.from >= pilot.fine.from - 1 && span.to <= pilot.fine.to + 1 && pilot.fine.curves.length === base.curves.length ? pilot.fine : base; };
  const indexAt = (k, t) => {
    if (!c.x) return Math.min(Math.max(Math.floor((t - c.from) / (c.to - c.from || 1) * count(k)), 0), count(k) - 1);
    let best = 0;
    c.x.forEach((x, i) => { if (Math.abs(x - t) < Math.abs(c.x[best] - t)) best = i; });
    return best;
  };
  const below = (k, i) => c.stack ? c.curves.reduce((sum, curve, j) => sum + (j < k && on[j] ? curve.max[i] : 0), 0) : 0;
  const limits = () => {
    let high = 0, low = 0;
    c.curves.forEach((curve, k) => {
      if (!on[k]) return;
      const a = indexAt(k, span.from), b = indexAt(k, span.to);
      for (let i = a; i <= b; i++) {
        if (curve.max[i] !== null) high = Math.max(high, below(k, i) + curve.max[i]);
        if (curve.min && curve.min[i] !== null) low = Math.min(low, curve.min[i]);
      }
    });
    return [low, high > low ? high * 1.04 : low + 1];
  };
  // draw draws everything anew; over only what moves: the instant, the range, where the pointer is.
  const layer = document.createElement("canvas");
  function draw() {
    const ratio = devicePixelRatio || 1, g = layer.getContext("2d");
    w = box.clientWidth; h = box.clientHeight;
    if (!w) return;
    within();
    layer.width = canvas.width = w * ratio; layer.height = canvas.height = h * ratio;
    g.scale(ratio, ratio);
    g.font = "12px " + css("--sans");
    const [low, high] = limits(), yOf = (v) => topGap + (1 - (v - low) / (high - low)) * (h - topGap - bottom);
    g.fillStyle = css("--soft"); g.strokeStyle = css("--line"); g.lineWidth = 1; g.textAlign = "right"; g.textBaseline = "middle";
    for (const v of ticks(low, high, c.small ? 2 : 5, /bytes|rate/.test(c.unit))) {
      const y = Math.round(yOf(v)) + 0.5;
      g.beginPath(); g.moveTo(left, y); g.lineTo(w - right, y); g.stroke();
      g.fillText(text(c.unit, v), left - 8, y);
    }
    g.textBaseline = "alphabetic";
    for (const t of ticks(span.from, span.to, Math.max(Math.floor(w / 130), 2), false, c.axis === "us" ? 0 : 1)) {
      const x = xOf(t);
      if (x < left - 1 || x > w - right + 1) continue;
      const label = text(c.axis, c.axis === "us" ? Math.round(t) : t), half = g.measureText(label).width / 2;
      g.textAlign = x + half > w - 2 ? "right" : "center";
      g.fillText(label, x, h - 5);
    }
    g.save(); g.beginPath(); g.rect(left, 0, w - left - right, h - bottom + 1); g.clip();
    c.curves.forEach((curve, k) => on[k] && drawCurve(g, curve, k, yOf));
    drawMarks(g);
    g.restore();
    over();
  }
  function over() {
    const ratio = devicePixelRatio || 1, g = canvas.getContext("2d");
    if (!w) return;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(layer, 0, 0);
    g.scale(ratio, ratio);
    g.save(); g.beginPath(); g.rect(left, 0, w - left - right, h - bottom + 1); g.clip();
    if (pilot || follows && c.axis === "us") { drawRange(g); drawInstant(g); }
    if (hover !== null) { g.strokeStyle = css("--soft"); g.setLineDash([3, 3]); g.beginPath(); g.moveTo(hover, 0); g.lineTo(hover, h); g.stroke(); g.setLineDash([]); }
    if (drag && hover !== null) { g.fillStyle = css("--curve-fill"); g.fillRect(Math.min(drag, hover), 0, Math.abs(hover - drag), h); }
    g.restore();
  }
  function drawCurve(g, curve, k, yOf) {
    const color = css(colorOf(c, k)), a = Math.max(indexAt(k, span.from) - 1, 0), b = Math.min(indexAt(k, span.to) + 1, count(k) - 1);
    const alone = c.curves.length === 1, zero = yOf(0);
    g.strokeStyle = g.fillStyle = color; g.lineWidth = 1.5; g.lineJoin = "round";
    if (c.x) {
      g.beginPath();
      for (let i = a; i <= b; i++) if (curve.max[i] !== null) g.lineTo(xOf(timeOf(k, i)), yOf(curve.max[i]));
      g.stroke();
      if (b - a < 80) for (let i = a; i <= b; i++) if (curve.max[i] !== null) { g.beginPath(); g.arc(xOf(timeOf(k, i)), yOf(curve.max[i]), 2.5, 0, 7); g.fill(); }
      return;
    }
    const width = (c.to - c.from) / count(k), steps = [];
    if (c.stack) {
      for (let i = a; i <= b; i++) {
        const x = xOf(c.from + i * width), y = yOf(below(k, i)), top = yOf(below(k, i) + curve.max[i]);
        g.fillRect(x, top, xOf(c.from + (i + 1) * width) - x + 0.3, y - top);
      }
      return;
    }
    for (let i = a; i <= b; i++) steps.push([xOf(c.from + i * width), xOf(c.from + (i + 1) * width), curve.max[i], curve.min ? curve.min[i] : curve.max[i]]);
    if (alone) {
      g.fillStyle = css("--curve-fill"); g.beginPath();
      for (const [x0, x1, hi] of steps) if (hi !== null) { g.rect(x0, yOf(hi), x1 - x0 + 0.3, zero - yOf(hi)); }
      g.fill();
    }
    g.beginPath();
    let known = false;
    for (const [x0, x1, hi, lo] of steps) {
      if (hi === null) { known = false; continue; }
      if (known) g.lineTo(x0, yOf(hi)); else g.moveTo(x0, yOf(hi));
      if (x1 - x0 > 3) g.lineTo(x1, yOf(hi));
      if (lo < hi) { g.lineTo(x1 - x0 > 3 ? x1 : x0, yOf(lo)); }
      known = true;
    }
    g.stroke();
    g.fillStyle = color;
    steps.forEach(([x0, x1, hi], i) => { // what stands alone has no line
      const lonely = c.to <= c.from || (i === 0 || steps[i - 1][2] === null) && (i + 1 === steps.length || steps[i + 1][2] === null);
      if (hi !== null && lonely && x1 - x0 <= 3) { g.beginPath(); g.arc(x0, yOf(hi), 3, 0, 7); g.fill(); }
    });
  }
  function drawRange(g) {
    const {from, to} = (pilot || follows).range();
    if (from === null && to === null) return;
    const a = from === null ? left : xOf(from), b = to === null ? w - right : xOf(to);
    g.fillStyle = css("--shade");
    g.fillRect(left, 0, Math.max(a - left, 0), h - bottom); g.fillRect(b, 0, Math.max(w - right - b, 0), h - bottom);
  }
  function drawInstant(g) {
    const t = (pilot || follows).at();
    if (t === null) return;
    const x = Math.round(xOf(t)) + 0.5;
    g.strokeStyle = g.fillStyle = css("--ink"); g.lineWidth = 1.5;
    g.beginPath(); g.moveTo(x, 0); g.lineTo(x, h - bottom); g.stroke();
    g.beginPath(); g.moveTo(x - 5, 0); g.lineTo(x + 5, 0); g.lineTo(x, 7); g.fill();
    g.lineWidth = 1;
  }
  function drawMarks(g) {
    const crowded = c.marks.filter((m) => m.kind === "marker" && m.x >= span.from && m.x <= span.to).length > 30;
    for (const m of base.marks) {
      if (pilot && m.kind === "at") continue;
      const x = Math.round(xOf(m.x)) + 0.5;
      if (x < left || x > w - right) continue;
      g.strokeStyle = css(m.kind === "peak" ? "--peak" : m.kind === "at" ? "--ink" : m.kind === "gc" ? "--good" : "--info");
      g.globalAlpha = m.kind === "gc" || m.kind === "marker" ? 0.5 : 1;
      g.setLineDash(m.kind === "at" ? [4, 3] : []);
      g.beginPath(); g.moveTo(x, m.kind === "gc" ? h - bottom - 8 : 0); g.lineTo(x, m.kind === "marker" && crowded ? 10 : h - bottom); g.stroke();
      g.setLineDash([]); g.globalAlpha = 1;
      if (m.kind === "peak" || m.kind === "at") {
        g.fillStyle = g.strokeStyle; g.textBaseline = "top";
        const far = x + g.measureText(m.text).width + 12 > w;
        g.textAlign = far ? "right" : "left";
        g.fillText(m.text, far ? x - 6 : x + 6, m.kind === "peak" ? 2 : 18);
        g.textBaseline = "alphabetic";
      }
    }
  }
  function read() {
    if (hover === null) { readout.textContent = ""; return; }
    const t = tOf(hover), parts = [], k0 = on.indexOf(true);
    if (k0 < 0) return;
    const at = timeOf(k0, indexAt(k0, t));
    parts.push(c.axis === "us" ? time(Math.round(at)) : c.axis === "count" ? group(at) + " " + c.per : "number " + at);
    c.curves.forEach((curve, k) => {
      if (!on[k]) return;
      const i = indexAt(k, t), hi = curve.max[i], lo = curve.min ? curve.min[i] : hi;
      if (hi === null) return;
      parts.push((c.curves.length > 1 ? curve.name + " " : "") + (lo < hi ? text(c.unit, lo) + " – " : "") + text(c.unit, hi));
    });
    const near = base.marks.filter((m) => Math.abs(xOf(m.x) - hover) < 4).map((m) => m.text);
    readout.textContent = parts.concat(near.slice(0, 3)).join("  ·  ");
  }
  const redraw = () => span.draw.forEach((f) => f());
  function zoom(from, to) {
    const least = (span.high - span.low) / 1e5 || 1, width = Math.max(to - from, least);
    from = Math.max(Math.min(from, span.high - width), span.low);
    span.from = from; span.to = Math.min(from + width, span.high);
    const whole = span.from <= span.low && span.to >= span.high;
    remember("zoom", whole ? "" : Math.round(span.from) + "-" + Math.round(span.to));
    redraw();
    if (pilot) pilot.zoomed(span.from, span.to, whole);
  }
  const scale = (factor, at) => zoom(at - (at - span.from) * factor, at + (span.to - at) * factor);
  const place = (e) => Math.min(Math.max(e.clientX - canvas.getBoundingClientRect().left, left), w - right);
  let frame = 0, scrub = false;
  const soon = () => { frame = frame || requestAnimationFrame(() => { frame = 0; if (scrub && hover !== null) pilot.setAt(tOf(hover), true); else over(); read(); }); }; // one picture for each frame of the screen
  box.addEventListener("pointermove", (e) => { hover = place(e); soon(); });
  box.addEventListener("pointerleave", () => { if (scrub) return; hover = null; drag = null; soon(); });
  box.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || (e.pointerType !== "mouse" && !pilot)) return;
    const x = place(e);
    scrub = pilot && (e.pointerType !== "mouse" || (pilot.at() !== null && Math.abs(xOf(pilot.at()) - x) < 7));
    if (scrub) { box.setPointerCapture(e.pointerId); hover = x; soon(); } else drag = x;
  });
  box.addEventListener("pointercancel", () => { scrub = false; drag = null; });
  box.addEventListener("pointerup", (e) => {
    if (scrub) { scrub = false; pilot.setAt(tOf(place(e))); soon(); return; }
    if (drag !== null) {
      const a = tOf(drag), b = tOf(place(e)), moved = Math.abs(place(e) - drag) > 4;
      drag = null;
      if (moved && pilot) pilot.setRange(Math.min(a, b), Math.max(a, b));
      else if (moved) zoom(Math.min(a, b), Math.max(a, b));
      else if (pilot) pilot.setAt(tOf(place(e)));
    }
    soon();
  });
  box.addEventListener("dblclick", () => zoom(span.low, span.high));
  box.addEventListener("wheel", (e) => { if (e.ctrlKey || e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); scale(e.deltaY + e.deltaX > 0 ? 1.25 : 0.8, tOf(place(e))); } }, {passive: false});
  box.addEventListener("keydown", (e) => {
    const wide = span.to - span.from, middle = hover === null ? (span.from + span.to) / 2 : tOf(hover);
    if (pilot) return; // keys work everywhere
    const act = {"zoom-in": () => scale(0.5, middle), "zoom-out": () => scale(2, middle), "zoom-reset": () => zoom(span.low, span.high),
      "step-back": () => zoom(span.from - wide / 8, span.to - wide / 8), "step-forward": () => zoom(span.from + wide / 8, span.to + wide / 8)}[actionOf(e)];
    if (act) { e.preventDefault(); act(); }
  });
  span.draw.push(draw);
  listen("look", draw);
  if (!pilot && c.axis === "us") listen("instant", () => { if (follows) over(); });
  const legend = el("div.legend");
  if (c.curves.length > 1) c.curves.forEach((curve, k) => {
    const line = el("i"), b = el("button", {type: "button", "aria-pressed": "true", onclick: () => { on[k] = !on[k]; b.setAttribute("aria-pressed", String(on[k])); draw(); }}, line, curve.name);
    line.style.background = "var(" + colorOf(c, k) + ")";
    legend.append(b);
  });
  const zoomTo = (f) => () => f((span.from + span.to) / 2);
  const tools = el("div.tools", null,
    el("button", {type: "button", "aria-label": "Zoom in", onclick: zoomTo((m) => scale(0.5, m))}, "+"), el("button", {type: "button", "aria-label": "Zoom out", onclick: zoomTo((m) => scale(2, m))}, "−"),
    el("button", {type: "button", onclick: () => zoom(span.low, span.high)}, "All"));
  const middleOf = () => pilot && pilot.at() !== null && pilot.at() >= span.from && pilot.at() <= span.to ? pilot.at() : (span.from + span.to) / 2;
  return {c, tools, span, draw, over, zoom, scale: (f) => scale(f, middleOf()), pan: (f) => zoom(span.from + f * (span.to - span.from), span.to + f * (span.to - span.from)),
    column: () => (span.to - span.from) / Math.max(Math.min(w - left - right, 400), 1), panel: el("div.panel", null, box, legend.childNodes.length ? legend : null, readout)};
}

// zoomOf returns the span that the address names, null for none.
function zoomOf() {
  const [from, to] = String(view.zoom || "").split("-").map(Number);
  return to > from ? [from, to] : null;
}

// chartSection shows charts that are not the one above all views.
function chartSection(charts) {
  const out = el("section", {id: "s-timeline"}), zoomed = zoomOf();
  const drawn = charts.map((c) => chartPanel(c));
  if (zoomed) for (const s of Object.values(spans)) if (zoomed[0] >= s.low && zoomed[1] <= s.high) [s.from, s.to] = zoomed;
  drawn.forEach((d, i) => {
    out.append(el("div.head", null, el("h2", null, d.c.title), el("span.answer", null, d.c.answer), i === 0 ? d.tools : null), d.panel);
  });
  return out;
}
