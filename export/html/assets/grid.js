// The page grid: one square per cell in the file's order, as dark as it is occupied.
const fills = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO";
const level = (f) => f === 0 ? 0 : f < 13 ? 1 : f < 38 ? 2 : f < 50 ? 3 : 4;

function gridSection(g) {
  const box = el("div.pages"), drawers = [];
  for (const t of g.types) {
    const canvas = el("canvas", {role: "img", "aria-label": t.name + ": " + group(t.pages) + " pages"});
    let side = 0, columns = 0;
    const draw = () => {
      const width = box.clientWidth, n = t.cells.length, colors = [0, 1, 2, 3, 4].map((i) => css("--p" + i));
      side = n > 20000 ? 3 : n > 4000 ? 5 : n > 800 ? 8 : 12;
      columns = Math.max(Math.floor(width / side), 1);
      const rows = Math.ceil(n / columns), ratio = devicePixelRatio || 1, c = canvas.getContext("2d"), gap = side > 3 ? 1 : 0;
      canvas.width = columns * side * ratio; canvas.height = rows * side * ratio;
      canvas.style.width = columns * side + "px"; canvas.style.height = rows * side + "px";
      c.scale(ratio, ratio);
      for (let i = 0; i < n; i++) {
        c.fillStyle = colors[level(fills.indexOf(t.cells[i]))];
        c.fillRect(i % columns * side, Math.floor(i / columns) * side, side - gap, side - gap);
      }
    };
    drawers.push(draw);
    canvas.addEventListener("mousemove", (e) => {
      const r = canvas.getBoundingClientRect(), i = Math.floor((e.clientY - r.top) / side) * columns + Math.floor((e.clientX - r.left) / side);
      if (!(i >= 0 && i < t.cells.length) || e.clientX - r.left >= columns * side) return tip(e, "");
      const f = fills.indexOf(t.cells[i]), first = i * t.per, last = Math.min(first + t.per, t.pages) - 1;
      const share = f === 0 ? "empty" : f === 50 ? "full" : "about " + 2 * f + " % occupied";
      tip(e, t.name + "\n" + (last > first ? "pages " + group(first) + " – " + group(last) : "page " + group(first)) + (t.size ? " of " + bytes(t.size) : "") + ": " + share);
    });
    canvas.addEventListener("mouseleave", (e) => tip(e, ""));
    box.append(el("h3", null, t.name, el("small", null, group(t.pages) + (t.pages === 1 ? " page" : " pages") + (t.size ? " of " + bytes(t.size) : ""))), canvas);
  }
  const legend = el("div.legend", null, ...["empty", "below 25 %", "25 – 75 %", "above 75 %", "full"].map((s, i) => el("span.ramp", null, el("i.r" + i), s)));
  const draw = () => drawers.forEach((f) => f());
  listen("look", draw);
  return el("section", {id: "s-pages"}, el("div.head", null, el("h2", null, g.title), el("span.answer", null, g.answer)), el("div.panel", null, box, legend));
}
