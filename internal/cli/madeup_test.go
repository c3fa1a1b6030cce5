package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/testdata/madeup"
)

// madeUp writes the sample of a format that only its folder and the list of formats know, and returns its path and the
// program that has it in its list.
func madeUp(t *testing.T) (path string, command func(status int, args ...string) (stdout, stderr string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.madeup")
	if err := os.WriteFile(path, madeup.Sample(), 0o600); err != nil {
		t.Fatal(err)
	}
	env := Env{Formats: append(all.Formats(), madeup.Format())}
	return path, func(want int, args ...string) (string, string) {
		t.Helper()
		status, out, errs := run(t, env, args...)
		if status != want {
			t.Errorf("%q: status %d, want %d: %s", args, status, want, errs)
		}
		for _, c := range out {
			if c < ' ' && c != '\n' {
				t.Errorf("%q prints control character %U", args, c)
			}
		}
		return out, errs
	}
}

func TestMadeUpFormatIsSound(t *testing.T) {
	path, _ := madeUp(t)
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := madeup.Format().Load(t.Context(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	errs := modeltest.Check(p)
	for i := range p.Heaps.Len() {
		h, err := p.Heaps.Open(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		errs = append(errs, modeltest.CheckHeap(h)...)
	}
	if len(errs) > 0 {
		t.Error(errs)
	}
}

// parseJSON parses what a command prints.
func parseJSON(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func TestMadeUpReport(t *testing.T) {
	path, command := madeUp(t)
	out, _ := command(0, "report", "-f", "json", path)
	var r struct {
		Heap struct {
			Snapshots  []map[string]any
			Edges      string
			Types      []map[string]any
			Dominators []struct {
				Label string
				Kind  string
				ID    string
				Bytes uint64 `json:"retained_bytes"`
			}
		}
	}
	parseJSON(t, out, &r)
	last := r.Heap.Snapshots[1]
	if last["things"] != 5.0 || last["classes"] != 1.0 || last["bytes"] != 6000170656.0 || last["objects"] != nil || last["managed_bytes"] != nil {
		t.Errorf("snapshot: %v", last)
	}
	if r.Heap.Edges != "strong" {
		t.Errorf("edges %q", r.Heap.Edges)
	}
	top := r.Heap.Types[0]
	if top["type"] != "Picture" || top["package"] != "shop.media" || top["count"] != 2.0 || top["bytes"] != 6000100000.0 || top["retained_bytes"] != 6000100000.0 ||
		top["repr"] != nil || top["unmanaged_bytes"] != nil {
		t.Errorf("types: %v", r.Heap.Types)
	}
	if d := r.Heap.Dominators[0]; d.Label != "Cache" || d.Kind != "cell" || d.ID != "0x1000" || d.Bytes != 6000100656 {
		t.Errorf("dominators: %+v", r.Heap.Dominators)
	}
	// Over weak references, the registry holds the picture, too: the cache alone holds less.
	out, _ = command(0, "report", "-f", "json", "--edges", "everything", path)
	parseJSON(t, out, &r)
	if d := r.Heap.Dominators[0]; r.Heap.Edges != "everything" || d.Label != "Picture" || d.Bytes != 6000000000 {
		t.Errorf("edges %q: %+v", r.Heap.Edges, r.Heap.Dominators)
	}
	for format, want := range map[string][]string{
		"text":     {"Classes", "4 classes of things", "CLASS", "Cache", "5.59 GiB", "THINGS", "LOADED CLASSES", "Picture"},
		"markdown": {"Classes", "things", "loaded classes", "Picture"},
		"html":     {"Classes", "PACKAGE", "LOADED CLASSES", "Picture"},
	} {
		out, _ := command(0, "report", "-f", format, path)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s has no %q:\n%s", format, w, out[:min(len(out), 3000)])
			}
		}
		for _, never := range []string{"REPR", "STable", "anaged", "type objects"} {
			if format != "html" && strings.Contains(out, never) {
				t.Errorf("%s has %q:\n%s", format, never, out)
			}
		}
	}
	for table, want := range map[string]string{
		"types":     "id,type,package,count,bytes,managed_bytes,unmanaged_bytes,retained_bytes,retained_at_least",
		"snapshots": "index,time_us,gc,rows,references,things,classes,type_count,bytes,managed_bytes,unmanaged_bytes,complete,file",
	} {
		out, _ := command(0, "report", "-f", "csv", "--table", table, path)
		if head, _, _ := strings.Cut(out, "\n"); head != want {
			t.Errorf("header of %s: %s", table, head)
		}
		if _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
			t.Errorf("%s: %v", table, err)
		}
	}
}

func TestMadeUpQuestions(t *testing.T) {
	modeltest.Plain(t)
	path, command := madeUp(t)
	var o struct {
		Object struct {
			Row             int
			Kind, ID, Text  string
			Package, Region string
			Whole           bool   `json:"text_whole"`
			Bytes           uint64 `json:"bytes"`
			In              []struct{ Edge, Kind, Label, ID string }
		}
		Path []struct{ Label, Edge, Kind, ID string }
		Rows []struct{ Label, ID string }
	}
	type edges struct {
		Object struct {
			In []struct {
				Edge string
				Kind string `json:"edge_kind"`
			}
		}
	}
	out, _ := command(0, "heap", "object", "-f", "json", "--values", path, "0x3000")
	parseJSON(t, out, &o)
	if x := o.Object; x.Row != 4 || x.Kind != "cell" || x.ID != "0x3000" || !strings.HasPrefix(x.Text, "hello\x1b[2J there") || !x.Whole ||
		x.Package != "shop.store" || x.Region != "young" || x.Bytes != 48 || len(x.In) != 2 || x.In[0].ID != "0x1000" || x.In[1].ID != "0x5000" {
		t.Errorf("%+v", x)
	}
	var in edges
	parseJSON(t, out, &in)
	if got := in.Object.In; len(got) != 2 || got[0].Edge != "[7]" || got[0].Kind != "strong" || got[1].Edge != "[5000000000]" || got[1].Kind != "weak" {
		t.Errorf("%+v", got)
	}
	for _, flags := range [][]string{{}, {"-f", "json"}, {"-f", "csv"}, {"-f", "markdown"}} { // what it says may be secret
		if out, _ := command(0, slices.Concat([]string{"heap", "object"}, flags, []string{path, "4"})...); strings.Contains(out, "hello") || !strings.Contains(out, "5000000000") {
			t.Error(out)
		}
	}
	if out, _ := command(0, "heap", "object", "--values", path, "4"); !strings.Contains(out, "hello␛[2J there") || !strings.Contains(out, "[5000000000] (weak)") || !strings.Contains(out, "0x3000") {
		t.Error(out)
	}
	out, _ = command(0, "heap", "path", "-f", "json", path, "3")
	parseJSON(t, out, &o)
	if len(o.Path) != 4 || o.Path[0].Label != "The Ground" || o.Path[0].ID != "" || o.Path[3].ID != "0x2000" || o.Path[3].Edge != "pictures" || o.Path[3].Label != "Picture" {
		t.Errorf("%+v", o.Path)
	}
	out, _ = command(0, "heap", "path", "-f", "csv", "--without", "0x1000", "--edges", "everything", path, "3")
	if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) != 5 || rows[4][3] != "referent" || rows[4][4] != "weak" {
		t.Errorf("%v, %v", rows, err)
	}
	for _, args := range [][]string{{"--where", "package=media", "--kind", "cell"}, {"--where", "region=old", "--type", "regis"}} {
		o.Rows = nil
		out, _ = command(0, append([]string{"heap", "find", "-f", "json", path}, args...)...)
		if parseJSON(t, out, &o); len(o.Rows) != 1 || o.Rows[0].Label != "Registry" || o.Rows[0].ID != "0x5000" {
			t.Errorf("%q: %+v", args, o.Rows)
		}
	}
	for _, verb := range []string{"snapshots", "types", "dominators", "frames"} {
		command(0, "heap", verb, path)
		command(0, "heap", verb, "-f", "csv", path)
	}
	for args, want := range map[string]string{
		"report --edges roots":                `no policy "roots"; available: strong, everything`,
		"heap find --kind frame --name x":     `unknown kind "frame"; available: cell, blob, class`,
		"heap find --repr x":                  "--repr: the types of this format have none; --where takes class, package, region",
		"heap find --where repr=x":            `unknown axis "repr"; available: class, package, region`,
		"heap find --kind cell":               "heap find: give --type, --name, --where, --text or --filter",
		"heap object %s Registry":             "Registry is not an object: name it by its number or id, such as 0x7f00; memtui heap find --type 'Registry'",
		"heap find %s Registry":               "unexpected argument Registry; for a type, give --type 'Registry'",
		"heap holders %s Registry":            "missing flag: --type=TYPE; for a type, give --type 'Registry'",
		"heap find --filter clas:Registry":    "--filter: unknown key clas; near: class",
		"heap object %s 0x77":                 "no object 0x77",
		"heap object %s 18446744073709551615": "no object #18446744073709551615",
		"heap types --edges nonsense":         "--edges",
	} {
		words := strings.Fields(args)
		if i := strings.Index(args, "%s"); i < 0 {
			words = append(words, path)
		}
		for i := range words {
			if words[i] == "%s" {
				words[i] = path
			}
		}
		if _, errs := command(2, words...); !strings.Contains(errs, want) {
			t.Errorf("%s: %s", args, errs)
		}
	}
}

func TestMadeUpDiff(t *testing.T) {
	path, command := madeUp(t)
	out, _ := command(0, "diff", "-f", "json", path+"#0", path+"#1")
	var d struct {
		Rows []struct {
			Key, Type, Status string
			Delta             int64 `json:"delta_bytes"`
		}
	}
	parseJSON(t, out, &d)
	if len(d.Rows) == 0 || d.Rows[0].Key != "Picture" || d.Rows[0].Type != "Picture" || d.Rows[0].Delta != 100000 || d.Rows[0].Status != "grown" {
		t.Errorf("%+v", d.Rows)
	}
	out, _ = command(0, "diff", "--by", "retained_bytes", path+"#0", path+"#1")
	if !strings.Contains(out, "what things retain") || !strings.Contains(out, "Picture") || strings.Contains(out, "REPR") {
		t.Error(out)
	}
	// Beside snapshots of another format, each side keeps its own words.
	command(0, "diff", path, "../demo/samples/records.mvmheap")
}

func TestMadeUpConverts(t *testing.T) {
	path, command := madeUp(t)
	for table, want := range map[string]string{
		"types":      "id,type,package,count,bytes\n",
		"dominators": "row,dominator,depth,kind,label,bytes,retained_bytes,retained_count\n",
	} {
		if out, _ := command(0, "convert", "--to", "csv", "--table", table, path, "-"); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %s", table, out)
		}
	}
	dir := t.TempDir()
	command(0, "evidence", "--redact", "-o", filepath.Join(dir, "e"), path)
	text, err := os.ReadFile(filepath.Join(dir, "e", "report.json"))
	if err != nil || bytes.Contains(text, []byte("shop.")) || bytes.Contains(text, []byte("Picture")) {
		t.Errorf("%v: names are left: %s", err, text)
	}
}
