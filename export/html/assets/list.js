// Answers of commands, drawn as they are: what a key ends in says what its numbers are.
const kindOf = (key, rows) => /bytes$/.test(key) && rows.some((r) => r.estimated) ? "~bytes" : plainKindOf(key, rows);
const plainKindOf = (key, rows) => {
  if (/(^|_)bytes$|_size$|^size$|^growth$/.test(key)) return "bytes";
  if (/_us$/.test(key)) return "us";
  if (/count$|^count|objects$/.test(key)) return "count";
  if (/share|confidence|fraction/.test(key)) return "share";
  if (rows.every((r) => r[key] === undefined || typeof r[key] === "number")) return /^(row|id|stack|thread|line|index|number|pid|tid|series|snapshot|window|object|dominator)$|_(row|id)$/.test(key) ? "plain" : "count";
  return /message|evidence/.test(key) ? "message" : /function|label|^type$|^name$|frame$/.test(key) ? "name" : "text";
};
const wordsIn = (key) => ({out: "REFERENCES", in: "REFERRERS", out_count: "REFERENCES", in_count: "REFERRERS", label: "WHAT", top: "MOST WASTED BY", maybe_count: "OF THEM GUESSED"})[key] || key.replace(/_us$|_bytes$/, "").replaceAll("_", " ").toUpperCase();
const isRow = (x) => x !== null && typeof x === "object" && !Array.isArray(x);

// tableOf makes a table of rows that are objects. Frames become the stack that a row opens.
function tableOf(id, title, rows, more, fine) {
  const keys = [...new Set(rows.flatMap(Object.keys))].filter((k) => !rows.some((r) => r[k] !== null && typeof r[k] === "object") && !["function", "file", "line", "estimated"].includes(k));
  const placed = rows.some((r) => r.function !== undefined), kinds = keys.map((k) => kindOf(k, rows)).map((k) => fine && k === "us" ? "micros" : k);
  const frameOf = (f) => {
    const name = intern(names, nameIDs, f.function || "(no name)", f.function || "(no name)"), file = f.file ? intern(names, nameIDs, f.file, f.file) : -1, row = [name, file, f.line || -1];
    return intern(frames, frameIDs, row.join(), row);
  };
  const cols = keys.map((k, i) => ({head: /bytes$/.test(kinds[i]) && !(/bytes$/.test(k) && k !== "bytes") ? "BYTES" : wordsIn(k), kind: kinds[i]}));
  if (placed) cols.push({head: "WHERE", kind: "place"});
  const cellsOf = (r) => keys.map((k, i) => r[k] === undefined || r[k] === null ? null : kinds[i] === "name" ? intern(names, nameIDs, String(r[k]), String(r[k])) : typeof r[k] === "number" ? r[k] : String(r[k])).concat(placed ? [r.function === undefined ? null : frameOf(r)] : []);
  const stacks = rows.some((r) => Array.isArray(r.frames)) ? rows.map((r) => (r.frames || []).map(frameOf)) : placed ? rows.map((r) => r.function === undefined ? [] : [frameOf(r)]) : null;
  return {id, group: id, title, answer: group(rows.length) + (rows.length === 1 ? " row" : " rows"), cols, rows: rows.map(cellsOf), stacks, sort: -1, more};
}

// objectLinks lets people open the objects that rows name.
function objectLinks(t, rows) {
  if (rows.some((r) => typeof r.row === "number")) t.link = {open: (row) => openObject(row), rows: rows.map((r) => r.row)};
  return t;
}

// factsOf draws what is no list.
function factsOf(o) {
  const out = el("dl.facts-list");
  for (const [k, v] of Object.entries(o)) {
    if (v === null || v === "" || typeof v === "object" || k === "estimated") continue;
    out.append(el("dt", null, wordsIn(k).toLowerCase()), el("dd", {title: typeof v === "number" ? exact(kindOf(k, [o]), v) : null}, typeof v === "number" ? text(kindOf(k, [o]), v) : String(v)));
  }
  return out;
}

// commandSection draws the answer of a command.
function commandSection(title, answer, body) {
  const out = el("section.long", {id: sectionID(title)}, el("div.head", null, el("h2", null, title), el("span.answer", null, answer)));
  const visit = (name, value) => {
    if (Array.isArray(value) && value.length && isRow(value[0])) {
      const t = objectLinks(tableOf(idOf(title + " " + name), wordsIn(name).toLowerCase(), value, 0), value);
      keptOf("table-" + t.id, {sort: -1, down: true, all: value.length <= mostRows || value.length > firstRows, open: new Set()});
      out.append(el("div.panel", null, el("h3", null, t.title), drawTable(t)));
    } else if (isRow(value)) {
      const facts = factsOf(value);
      if (facts.childNodes.length) out.append(el("div.panel", null, name ? el("h3", null, wordsIn(name).toLowerCase()) : null, facts));
      for (const [k, v] of Object.entries(value)) visit(k, v);
    }
  };
  for (const [k, v] of Object.entries(body)) visit(k, v);
  if (out.childNodes.length === 1) out.append(el("div.panel", null, el("p.empty", null, "There is nothing to show here.")));
  return out;
}
