// The page: what stands where, the search box, the colors.
const root = document.documentElement, content = document.getElementById("content"), search = document.getElementById("search");

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
  tell("search", q ? (name) => name.toLowerCase().includes(q) : null);
}
let waiting = 0;
search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => find(search.value), 120); });
addEventListener("keydown", (e) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) { e.preventDefault(); search.focus(); search.select(); }
  if (e.key === "Escape" && e.target === search) { search.value = ""; find(""); search.blur(); }
});

const line = (parts) => parts.map((p) => el("span", null, p));
function intro() {
  const out = [el("h1", null, data.title, " ", el("span.state." + (data.whole ? "good" : "bad"), null, data.whole ? "whole" : "incomplete")), el("p.facts", null, ...line(data.facts))];
  if (data.scope.length) out.push(el("p.scope", null, ...line(data.scope)));
  if (data.findings.length) out.push(el("ul.findings", null, ...data.findings.map((f) => {
    const said = el("span");
    if (f.name >= 0) {
      const name = nameOf(f.name);
      said.append(el("button", {type: "button", title: "search for " + name, onclick: () => { search.value = name; find(name); }}, el("b", null, shorten(name), ":")), " ");
    }
    said.append(f.text);
    return el("li", null, el("span.tag." + f.sign, null, f.label), said, f.spark && f.spark.length ? spark(f.spark, 120, 24) : el("span"));
  })));
  out.push(el("div.cards", null, ...data.cards.map((c) => el("div.card", {title: c.exact}, el("h3", null, c.label),
    el("p.value", null, c.value, c.unit ? el("small", null, c.unit) : null), c.note ? el("p.note", null, c.note) : null))));
  return out;
}

function sections() {
  const out = [], groups = new Map();
  if (data.charts.length) out.push(["Timeline", chartSection(data.charts)]);
  for (const f of data.flames) out.push([f.title, flameSection(f)]);
  if (data.grid) out.push(["Pages", gridSection(data.grid)]);
  for (const t of data.tables) groups.set(t.group, (groups.get(t.group) || []).concat([t]));
  for (const tables of groups.values()) {
    const title = tables.length > 1 || tables[0].group !== tables[0].id ? tables[0].group : tables[0].title;
    out.push([title, tableSection(title, tables)]);
  }
  return out;
}

function ending() {
  const out = [];
  if (data.cut.length) out.push(el("section", {id: "s-cut"}, el("div.head", null, el("h2", null, "Left out")), el("ul.cut", null, ...data.cut.map((c) => el("li", null, c)))));
  out.push(el("footer", null, "Written by " + data.program + ". This page is one file and asks the network for nothing.",
    data.command ? el("p", null, "Again: ", el("code", null, data.command)) : null));
  return out;
}

content.append(...intro());
const nav = document.getElementById("nav");
for (const [title, section] of sections()) {
  content.append(section);
  nav.append(el("a", {href: "#" + section.id, onclick: (e) => { e.preventDefault(); section.scrollIntoView(); const h = section.querySelector("h2"); h.tabIndex = -1; h.focus({preventScroll: true}); }}, title));
}
content.append(...ending());
paint();
if (view.q) { search.value = view.q; find(view.q); }
let width = content.clientWidth;
matchMedia("print").addEventListener("change", () => tell("look"));
addEventListener("resize", () => { if (content.clientWidth !== width) { width = content.clientWidth; tell("look"); } });
root.dataset.ready = "1";
