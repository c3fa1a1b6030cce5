package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/redact"
	"github.com/memtui/memtui/internal/cli/bundle"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/demo"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/state"
)

// sampleFile puts a built-in sample into a file.
func sampleFile(t *testing.T, name string) string {
	t.Helper()
	for _, s := range demo.Samples() {
		if s.Name != name {
			continue
		}
		path := filepath.Join(t.TempDir(), s.File())
		data, err := io.ReadAll(s.Open())
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("no sample %q", name)
	return ""
}

// folder is the files of a folder by name.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range list {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestEvidence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ticket")
	status, out, errs := run(t, Env{}, "evidence", "-o", dir, "--at", "peak", sample)
	if status != 0 || errs != "" || out != dir+"\n" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	files := folder(t, dir)
	var m struct {
		Schema   string
		Redacted bool
		Files    []struct {
			Name, SHA256 string
			Bytes        int
		}
		Cut []struct{ Name, What string }
	}
	if err := json.Unmarshal(files["MANIFEST.json"], &m); err != nil {
		t.Fatal(err)
	}
	if m.Schema != "memtui.evidence/1" || m.Redacted || len(m.Files) != len(files)-1 || len(m.Cut) == 0 {
		t.Errorf("the manifest says %+v", m)
	}
	for _, f := range m.Files {
		sum := sha256.Sum256(files[f.Name])
		if f.Bytes != len(files[f.Name]) || f.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not what the manifest says", f.Name)
		}
	}
	if got := string(files["COMMANDS.txt"]); !strings.Contains(got, "\nmemtui report -f csv --table leaks --limit 0 --at peak "+sample+"\n") {
		t.Errorf("the commands are\n%s", got)
	}
	if got := string(files["stacks-leaked.folded"]); !strings.Contains(got, ";main 400000\n") {
		t.Errorf("the stacks are\n%s", got)
	}
	if status, _, errs := run(t, Env{}, "evidence", "-o", dir, sample); status != fail.StatusUsage && status != fail.StatusInput || !strings.Contains(errs, "not empty") {
		t.Errorf("it writes over what is there: status %d, %q", status, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".evidence-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// Every command of the evidence works, and says what its table says.
func TestEvidenceCommandsWork(t *testing.T) {
	modeltest.Plain(t)
	for _, name := range []string{"kvleak", "stacks", "heap", "pages"} {
		path, dir := sampleFile(t, name), filepath.Join(t.TempDir(), "out")
		if status, _, errs := run(t, Env{}, "evidence", "-o", dir, path); status != 0 {
			t.Fatalf("%s: status %d, %q", name, status, errs)
		}
		files := folder(t, dir)
		for _, line := range strings.Split(string(files["COMMANDS.txt"]), "\n") {
			args := strings.Fields(line)
			if len(args) < 3 || args[0] != "memtui" || slices.Contains(args, "-o") {
				continue
			}
			if args[1] == "convert" {
				name := args[len(args)-1]
				args[len(args)-1] = "-"
				if _, out, errs := run(t, Env{}, args[1:]...); out != string(files[name]) {
					t.Errorf("%s: not what the evidence holds, %q", line, errs)
				}
				continue
			}
			if status, out, errs := run(t, Env{}, args[1:]...); status != 0 || out == "" && !strings.Contains(line, "NAME") {
				t.Errorf("%s: status %d, %q", line, status, errs)
			}
		}
	}
}

func TestEvidenceArchivesAreEqual(t *testing.T) {
	modeltest.Plain(t)
	dir := t.TempDir()
	for _, suffix := range []string{".tar", ".tar.gz", ".tgz"} {
		var first []byte
		for _, sub := range []string{"a", "b"} {
			path := filepath.Join(dir, sub, "x"+suffix)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if status, _, errs := run(t, Env{}, "evidence", "-o", path, sample); status != 0 {
				t.Fatalf("status %d, %q", status, errs)
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) == 0 || first != nil && !bytes.Equal(first, data) {
				t.Errorf("%s: %v, %d bytes, not those of before", path, err, len(data))
			}
			first = data
		}
	}
}

// namesIn are the values of members of a JSON report that hold names of the file.
func namesIn(v any, into map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			namesIn(x, into)
		}
	case map[string]any:
		for k, x := range v {
			s, isText := x.(string)
			if !isText {
				namesIn(x, into)
			} else if slices.Contains([]string{"function", "file", "name", "dso", "source", "type", "repr", "frame", "label", "comm", "command", "event", "group"}, k) {
				into[s] = true
			}
		}
	}
}

// No name of a file is in any file of redacted evidence, but for the words that are kept, and words that are also in
// the evidence of another file, which are ours.
func TestRedactedEvidenceHoldsNoName(t *testing.T) {
	modeltest.Plain(t)
	names, text := map[string]map[string]bool{}, map[string]string{}
	for _, name := range []string{"kvleak", "stacks", "perf", "heap", "pages"} {
		path, dir := sampleFile(t, name), t.TempDir()
		status, out, errs := run(t, Env{}, "report", "-f", "json", "--limit", "0", path)
		var v any
		if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 {
			t.Fatalf("%s: %v, %q", name, err, errs)
		}
		names[name] = map[string]bool{filepath.Base(path): true, path: true}
		namesIn(v, names[name])
		place, back := filepath.Join(dir, "out"), filepath.Join(dir, "names")
		if status, _, errs := run(t, Env{}, "evidence", "--redact", "--names", back, "-o", place, path); status != 0 {
			t.Fatalf("%s: status %d, %q", name, status, errs)
		}
		for file, data := range folder(t, place) {
			text[name] += "\n" + file + "\n" + string(data)
		}
		pairs, err := os.ReadFile(back)
		if err != nil || !strings.Contains(string(pairs), "\t"+filepath.Base(path)+"\n") {
			t.Errorf("%s: %v: the way back does not lead to the file", name, err)
		}
	}
	kept := append(redact.Kept(), "<anon>")
	for name, list := range names {
		other := text["kvleak"]
		if name == "kvleak" {
			other = text["heap"]
		}
		checked := 0
		for s := range list {
			if len(s) < 4 || slices.ContainsFunc(kept, func(word string) bool { return strings.Contains(word, s) }) || strings.Contains(other, s) {
				continue
			}
			checked++
			if i := strings.Index(text[name], s); i >= 0 {
				t.Errorf("%s: %q is left: …%s…", name, s, text[name][max(0, i-40):min(len(text[name]), i+len(s)+40)])
			}
		}
		if checked < 3 {
			t.Errorf("%s: only %d of %d names were looked for", name, checked, len(list))
		}
	}
}

func TestEvidenceUsage(t *testing.T) {
	for _, args := range [][]string{{"evidence"}, {"evidence", "--names", "x", sample}, {"evidence", "-f", "csv", sample}} {
		if status, _, _ := run(t, Env{}, args...); status != fail.StatusUsage {
			t.Errorf("%q: status %d", args, status)
		}
	}
}

// The key of the full screen writes the same as the command, about what is on screen.
func TestEvidenceOfTheScreen(t *testing.T) {
	dir := t.TempDir()
	shown := func(ctx context.Context, s screen.Screen) error {
		q := views.EvidenceQuery{Place: filepath.Join(dir, "screen"), Question: state.Question{At: model.MomentPeak(), Over: model.Period{From: model.MomentAt(0), To: model.MomentAt(70000)}}}
		if err := s.Evidence(ctx, q); err != nil {
			return err
		}
		if err := s.Evidence(ctx, q); err == nil {
			t.Error("it writes over what is there")
		}
		return s.Evidence(ctx, views.EvidenceQuery{Place: filepath.Join(dir, "none"), Redact: true})
	}
	if status, out, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, sample); status != 0 || out+errs != "" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	if status, _, errs := run(t, Env{}, "evidence", "-o", filepath.Join(dir, "command"), "--at", "peak", "--from", "0us", "--to", "70000us", sample); status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	command := folder(t, filepath.Join(dir, "command"))
	for name, data := range folder(t, filepath.Join(dir, "screen")) {
		if !bytes.Equal(data, command[name]) {
			t.Errorf("%s is not that of the command", name)
		}
	}
	if text := string(folder(t, filepath.Join(dir, "none"))["COMMANDS.txt"]); strings.Contains(text, "kvleak") {
		t.Errorf("a name is left in\n%s", text)
	}
	demo := func(ctx context.Context, s screen.Screen) error {
		return s.Evidence(ctx, views.EvidenceQuery{Place: filepath.Join(dir, "demo.tar"), Question: state.Question{Snapshot: new(int)}})
	}
	if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: demo}, "demo", "heap"); status != 0 {
		t.Errorf("status %d, %q", status, errs)
	}
}

// poorTrace is a trace whose sites need more memory than allowed.
type poorTrace struct {
	analysis.Trace
	budget *model.Budget
}

func (p poorTrace) Sites(context.Context, analysis.Query) ([]analysis.Site, error) {
	return nil, p.budget.Error("the list of sites")
}

// Stacks that there is no memory for are left out and named, and the other parts of evidence are written.
func TestEvidenceLeavesOutStacks(t *testing.T) {
	store, trace, err := opened.File(t, sampleFile(t, "kvleak"))
	if err != nil {
		t.Fatal(err)
	}
	budget := model.NewBudget(32 << 20)
	src := &html.Source{Profile: store.Current(), Trace: poorTrace{trace, budget}, At: analysis.End, Range: analysis.FullRange}
	var out bytes.Buffer
	for _, p := range bundle.StackParts(src) {
		cut, err := p.Write(model.WithBudget(t.Context(), budget), &out)
		if err != nil || out.Len() > 0 || len(cut) != 1 || !strings.Contains(cut[0], "needs more memory than allowed") {
			t.Errorf("%s: %q, %v, %d bytes", p.Name, cut, err, out.Len())
		}
	}
}

// Evidence and pages tell who owns the memory: sums, sites and verdicts by owner, and the curve divided by the largest.
func TestEvidenceHasOwners(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if status, _, errs := run(t, Env{}, "evidence", "-o", dir, sample); status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	files := folder(t, dir)
	var r struct {
		Trace struct {
			Findings []struct {
				Kind   string
				Owner  struct{ Function string }
				Stacks []uint64
			}
			Groups []struct {
				Group, Verdict string
				Sites          int
				LeakedBytes    uint64 `json:"leaked_bytes"`
			}
			CurveSites []struct{ Group string } `json:"curve_sites"`
			Leaks      struct{ Bytes uint64 }
		}
	}
	if err := json.Unmarshal(files["report.json"], &r); err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for _, g := range r.Trace.Groups {
		sum += g.LeakedBytes
		for _, f := range r.Trace.Findings {
			if f.Kind == "leak" && f.Owner.Function == g.Group && (g.Verdict != "leak" || g.Sites < len(f.Stacks)) {
				t.Errorf("%s: a leak of %d sites is %q of %d sites among the owners", g.Group, len(f.Stacks), g.Verdict, g.Sites)
			}
		}
	}
	if sum != r.Trace.Leaks.Bytes || len(r.Trace.Groups) < 3 {
		t.Errorf("%d owners leak %d of %d bytes", len(r.Trace.Groups), sum, r.Trace.Leaks.Bytes)
	}
	if len(r.Trace.CurveSites) != bundle.CurveParts || r.Trace.CurveSites[0].Group == "" {
		t.Errorf("the curve is divided by %v", r.Trace.CurveSites)
	}
	page := string(files["report.html"])
	for _, want := range []string{`"title":"By owner"`, `"head":"SITES"`, `"title":"Live bytes by owner"`, `"name":"others"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// The page of a comparison in evidence has the treemaps that the page of the command has.
func TestEvidenceOfADifferenceHasItsTreemaps(t *testing.T) {
	for name, ids := range map[string][]string{"heap": {"difference-treemap", "difference-dominators"}, "pages": {"difference-treemap"}, "kvleak": {"difference-treemap"}} {
		path := sampleFile(t, name)
		before, after := path+"#0", path+"#-1"
		if name == "kvleak" {
			before, after = path, path
		}
		words := []string{"memtui", "diff", before, after}
		if name == "kvleak" {
			words = []string{"memtui", "diff", "--a", "50%", "--b", "end", path, path}
		}
		out := filepath.Join(t.TempDir(), "out")
		shown := func(ctx context.Context, s screen.Screen) error {
			return s.Evidence(ctx, views.EvidenceQuery{Place: out, Difference: words})
		}
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, path); status != 0 {
			t.Fatalf("%s: status %d, %s", name, status, errs)
		}
		page, err := os.ReadFile(filepath.Join(out, "difference.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if !bytes.Contains(page, []byte(`"view":"`+id+`"`)) {
				t.Errorf("%s: the page has no %s", name, id)
			}
		}
	}
}
