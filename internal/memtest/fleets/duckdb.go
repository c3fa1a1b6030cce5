package fleets

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// script prints the rows of queries as texts.
const script = `
const { DuckDBInstance } = require(process.argv[2]);
(async () => {
  const db = await (await DuckDBInstance.create(':memory:')).connect();
  const out = [];
  for (const q of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
    try {
      const rows = await (await db.runAndReadAll(q)).getRows();
      out.push({ rows: rows.map(r => r.map(v => typeof v === 'number' ? v.toString() : String(v))) });
    } catch (e) { out.push({ error: String(e) }); }
  }
  process.stdout.write(JSON.stringify(out));
})();
`

// Result is what an engine answers to a query.
type Result struct {
	Rows  [][]string
	Error string
}

// DuckDB asks a DuckDB. It is the npm package @duckdb/node-api, in the folder of MEMTUI_DUCKDB or where Node.js finds it;
// without it the test is skipped.
func DuckDB(t testing.TB, queries []string) (all []Result) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node.js for DuckDB")
	}
	const name = "@duckdb/node-api"
	module := name
	if dir := os.Getenv("MEMTUI_DUCKDB"); dir != "" {
		module = filepath.Join(dir, "node_modules", name)
	}
	if exec.Command(node, "-e", "require(process.argv[1])", module).Run() != nil {
		t.Skip("no DuckDB: npm install " + name + " in a folder, and name it in MEMTUI_DUCKDB")
	}
	file := filepath.Join(t.TempDir(), "ask.js")
	in := filepath.Join(t.TempDir(), "queries.json")
	text, err := json.Marshal(queries)
	if err == nil {
		err = os.WriteFile(file, []byte(script), 0o600)
	}
	if err == nil {
		err = os.WriteFile(in, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	cmd := exec.Command(node, file, module)
	cmd.Stdin, cmd.Stderr = stdin, os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) != len(queries) {
		t.Fatalf("DuckDB: %v, %s", err, out)
	}
	return all
}
