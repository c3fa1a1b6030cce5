package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// events is a trace in memory.
type events []model.Event

func (e events) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	return yield(&model.EventBatch{Events: e})
}
func (e events) Extent() (begin, size int64) { return 0, 0 }
func (e events) MarkerName(id uint64) (string, bool) {
	if id == 1 {
		return "phase \x1b[31mtwo", true
	}
	return "", false
}

// A file that is read to its end is not called complete where its recorder left something out.
func TestRecordedInPart(t *testing.T) {
	for code, want := range map[string]string{
		model.CodeLostEvents: "sampled every 4.00 KiB, recorded in part, see below", model.CodeStoppedEarly: "sampled every 4.00 KiB, recorded in part, see below",
		"sampled": "sampled every 4.00 KiB: figures are estimates",
	} {
		w := &TextWriter{r: &Report{Header: Header{Complete: true, Problems: []Problem{{Code: code}}}}}
		w.r.File.Sampled = "sampled every 4.00 KiB"
		if got := w.completeness(); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

// hostile is a function name that tries everything: escapes, markup of ticket systems, tags, quotes.
const hostile = "evil\x1b]0;x\a|`[red]<b>\"\n,\u009b\u202e\xff"

// sample is a profile with two sites and a stack that the file does not define, and its index.
func sample(t *testing.T) (*model.Profile, *traceindex.KeptIndex) {
	t.Helper()
	s := model.NewStacks()
	s.Functions = append(s.Functions, "main", hostile, "")
	s.Files = append(s.Files, "/src/app/main.c")
	s.FrameFunc = append(s.FrameFunc, 1, 2, 3)
	s.FrameFile = append(s.FrameFile, 1, 1, 0)
	s.FrameLine = append(s.FrameLine, 10, 0, model.NoLine)
	s.Parent = append(s.Parent, 0, 1, 1)
	s.Frame = append(s.Frame, 1, 2, 3)
	s.Depth = append(s.Depth, 1, 2, 2)
	s.Leaf = map[model.StackID]model.NodeID{5: 2, 7: 3, 9: 0}
	trace := events{
		{Time: 0, Kind: model.Alloc, Addr: 1, Size: 1000, ID: 5, Thread: 1},
		{Time: 10, Kind: model.Alloc, Addr: 2, Size: 64, ID: 7, Thread: 2},
		{Time: 20, Kind: model.Free, Addr: 2},
		{Time: 30, Kind: model.Alloc, Addr: 3, Size: 500, ID: 77, Thread: 2},
		{Time: 35, Kind: model.GC, Size: 4096, ID: 12},
		{Time: 40, Kind: model.Marker, ID: 1},
		{Time: 50, Kind: model.Marker, ID: 8},
		{Time: 60, Kind: model.Free, Addr: 3},
		{Time: 70, Kind: model.Alloc, Addr: 4, Size: 1000, ID: 9, Thread: 1},
		{Time: 99, Kind: model.Free, Addr: 0xdead},
	}
	store, ix := opened.Profile(t, &model.Profile{
		Meta: model.Meta{
			Path: "dir/x.mlyze", Name: "x.mlyze", Format: "mlyze", Version: 1, Size: 1234, Start: 1763613840000000, HasStart: true,
		},
		Stacks: s, Allocations: trace,
		Problems: []model.Problem{{Severity: model.Warning, Code: "demo", Message: "seen " + hostile, Count: 2, Offset: 300}},
	})
	p := store.Current()
	for _, err := range modeltest.Check(p) {
		t.Error(err)
	}
	return p, ix
}

func build(t *testing.T, opt Options) *Report {
	t.Helper()
	p, ix := sample(t)
	r, err := Build(t.Context(), p, ix, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func whole() Options {
	return Options{At: analysis.End, AtTime: 99, Range: analysis.FullRange, From: model.NoTime, To: model.NoTime, Limit: 20, History: true}
}

func TestWriters(t *testing.T) {
	r := build(t, whole())
	grouped := whole()
	grouped.Group, grouped.Limit, grouped.From, grouped.To = analysis.ByThread, 1, 0, 60
	grouped.Range, grouped.At, grouped.AtTime = analysis.Range{From: model.NoTime, To: 60}, analysis.At(60), 60
	narrow := build(t, grouped)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"whole.txt":    func(b *bytes.Buffer) error { return WriteText(b, r, cells.Style{}) },
		"ascii.txt":    func(b *bytes.Buffer) error { return WriteText(b, r, cells.Style{ASCII: true, Width: 80, Exact: true}) },
		"narrow.txt":   func(b *bytes.Buffer) error { return WriteText(b, narrow, cells.Style{Width: 500}) },
		"whole.json":   func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		"narrow.json":  func(b *bytes.Buffer) error { return WriteJSON(b, narrow) },
		"whole.md":     func(b *bytes.Buffer) error { return WriteMarkdown(b, r, cells.Style{}) },
		"sites.csv":    func(b *bytes.Buffer) error { return WriteCSV(b, r, "sites") },
		"leaks.csv":    func(b *bytes.Buffer) error { return WriteCSV(b, r, "leaks") },
		"markers.csv":  func(b *bytes.Buffer) error { return WriteCSV(b, r, "markers") },
		"lifetime.csv": func(b *bytes.Buffer) error { return WriteCSV(b, r, "lifetimes") },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			for i, c := range out.String() {
				if c != '\n' && (c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == 0x202e) {
					t.Errorf("control character %U at %d", c, i)
				}
			}
			memtest.GoldenFile(t, filepath.Join("testdata", name), out.String())
		})
	}
}

func TestColorIsOnlyOurOwn(t *testing.T) {
	var out bytes.Buffer
	if err := WriteText(&out, build(t, whole()), cells.Style{Color: true}); err != nil {
		t.Fatal(err)
	}
	rest := out.String()
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m"} {
		rest = strings.ReplaceAll(rest, code, "")
	}
	if strings.ContainsRune(rest, 0x1b) {
		t.Error("an escape sequence of the file came through")
	}
}

func TestEveryCSVTableHasAHeader(t *testing.T) {
	r := build(t, whole())
	for _, name := range Tables() {
		var out bytes.Buffer
		if err := WriteCSV(&out, r, name); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) == 0 || len(rows[0]) < 2 {
			t.Errorf("%s: %q, %v", name, rows, err)
		}
	}
	if err := WriteCSV(&bytes.Buffer{}, r, "nonsense"); err == nil {
		t.Error("no error for an unknown table")
	}
}

func TestSortKeys(t *testing.T) {
	want := map[string][]uint64{
		"alloc_bytes":     {5, 9, 77, 7}, // 1,000 twice: lower stack first
		"live_bytes":      {5, 9, 7, 77},
		"peak_bytes":      {5, 9, 77, 7},
		"temporary_count": {7, 5, 9, 77},
		"freed_bytes":     {77, 7, 5, 9},
		"leaked_count":    {5, 9, 7, 77},
	}
	for key, order := range want {
		opt := whole()
		opt.By = key
		var got []uint64
		for _, s := range build(t, opt).Trace.Sites {
			got = append(got, s.Stack)
		}
		if diff := cmp.Diff(order, got); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestLimitCutsTablesButNotSums(t *testing.T) {
	opt := whole()
	all := build(t, opt).Trace
	opt.Limit = 1
	cut := build(t, opt).Trace
	if len(cut.Sites) != 1 || len(cut.Functions) != 1 || len(cut.Markers) != 1 || len(cut.Leaks.Sites) != 1 || len(cut.Threads) != 1 {
		t.Errorf("a table is longer than its limit: %+v", cut)
	}
	if cut.AllocBytes != all.AllocBytes || cut.Leaks.Bytes != all.Leaks.Bytes || cut.Rows != all.Rows {
		t.Error("the limit changes a sum")
	}
}

// The stupid twin of WriteJSON is encoding/json; both must mean the same.
func TestJSONMeansWhatEncodingJSONMeans(t *testing.T) {
	type row struct {
		A uint64   `json:"a"`
		B *string  `json:"b,omitzero"`
		C float64  `json:"c"`
		D []uint16 `json:"d"`
	}
	type object struct {
		Name  string `json:"name"`
		Rows  []row  `json:"rows"`
		Yes   bool   `json:"yes"`
		Empty *row   `json:"empty,omitzero"`
		In    row    `json:"in"`
	}
	text := hostile
	v := object{hostile, []row{{math.MaxUint64, &text, 0.1, []uint16{1, 2}}, {D: []uint16{}}}, true, nil, row{C: -1e300, D: []uint16{}}}
	var out bytes.Buffer
	if err := WriteJSON(&out, v); err != nil {
		t.Fatal(err)
	}
	var got, want any
	plain, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if err := json.Unmarshal(plain, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzJSONString(f *testing.F) {
	f.Add(hostile)
	f.Add("\U000e0041\U0001d173 é")
	f.Fuzz(func(t *testing.T, s string) {
		encoded := object.Quote(nil, s)
		for _, r := range string(encoded) {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q holds a raw control character", encoded)
			}
		}
		var got, want string
		plain, _ := json.Marshal(s)
		if err := json.Unmarshal(encoded, &got); err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q became %q, want %q", s, got, want)
		}
	})
}

func TestWidths(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		head string
		tail string
	}{
		{"abcdef", 6, "abcdef", "abcdef"},
		{"abcdef", 4, "abc…", "…def"},
		{"日本語", 5, "日本…", "…本語"},
		{"日本語", 4, "日…", "…語"},
		{"abc", 0, "", ""},
	} {
		if got := cells.Fit(c.s, c.n, "…"); got != c.head {
			t.Errorf("cells.Fit(%q, %d) = %q, want %q", c.s, c.n, got, c.head)
		}
		if got := cells.FitTail(c.s, c.n, "…"); got != c.tail {
			t.Errorf("cells.FitTail(%q, %d) = %q, want %q", c.s, c.n, got, c.tail)
		}
	}
}

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{
		"main":                           "main",
		"std::map<int, std::string>::at": "std::map<…>::at",
		"f<int>":                         "f<…>",
		"a<bbbbb<c>>::g(std::x<yyyyyy>)": "a<…>::g(std::x<…>)",
		"operator<":                      "operator<",
		"std::operator<< <char, traits>": "std::operator<< <char, traits>",
		"x<(a->b), ccc>::y":              "x<…>::y",
		"broken<<<<":                     "broken<<<<",
		"<stack 77?>":                    "<stack 77?>",
		"<no name>":                      "<no name>",
	} {
		if got := (cells.Style{}).Shorten(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := (cells.Style{ASCII: true}).Function("void a::f<std::string>(int) const"); got != "a::f<...>" {
		t.Errorf("as screens name it: %q", got)
	}
}

func TestEmptyTrace(t *testing.T) {
	store, ix := opened.Profile(t, &model.Profile{Meta: model.Meta{Name: "empty", Format: "mlyze"}, Allocations: events{}})
	opt := whole()
	opt.AtTime = 0
	r, err := Build(t.Context(), store.Current(), ix, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Trace.Peak != nil || r.Trace.Live.Bytes != 0 {
		t.Errorf("peak %+v, live %+v", r.Trace.Peak, r.Trace.Live)
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteText(b, r, cells.Style{}) },
		func(b *bytes.Buffer) error { return WriteMarkdown(b, r, cells.Style{}) },
		func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		func(b *bytes.Buffer) error { return WriteCSV(b, r, "") },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || out.Len() == 0 {
			t.Errorf("%v: %q", err, out.String())
		}
	}
}

// TestSitesEndAsTheTraceDoes adds up what became of blocks: freed and overwritten ones apart, in sites as in the trace.
func TestSitesEndAsTheTraceDoes(t *testing.T) {
	trace := events{
		{Time: 0, Kind: model.Alloc, Addr: 1, Size: 100, ID: 5},
		{Time: 10, Kind: model.Alloc, Addr: 1, Size: 30, ID: 5},
		{Time: 20, Kind: model.Free, Addr: 1},
		{Time: 30, Kind: model.Alloc, Addr: 2, Size: 7, ID: 9},
		{Time: 40, Kind: model.Alloc, Addr: 2, Size: 8, ID: 5},
	}
	store, ix := opened.Profile(t, &model.Profile{Meta: model.Meta{Name: "over", Format: "mlyze"}, Allocations: trace})
	r, err := Build(t.Context(), store.Current(), ix, whole())
	if err != nil {
		t.Fatal(err)
	}
	var freed, freedCount, over, overCount uint64
	for _, s := range r.Trace.Sites {
		freed, freedCount, over, overCount = freed+s.FreedBytes, freedCount+s.FreedCount, over+s.OverBytes, overCount+s.OverCount
	}
	v := r.Trace
	if freed != 30 || freed != v.FreedBytes || freedCount != v.FreedCount || over != 107 || over != v.OverwrittenBytes || overCount != v.OverwrittenCount {
		t.Errorf("freed %d in %d, overwritten %d in %d; the trace: %d in %d, %d in %d", freed, freedCount, over, overCount,
			v.FreedBytes, v.FreedCount, v.OverwrittenBytes, v.OverwrittenCount)
	}
}

// TestMeasuredSeries reports a curve that a trace has beside its events.
func TestMeasuredSeries(t *testing.T) {
	p, ix := sample(t)
	next := *p
	next.Timeline = &model.Timeline{Series: []model.Series{{Name: "resident", Times: []model.Time{10, 20, 40}, Values: []float64{4096, 12288, 8192}}}}
	r, err := Build(t.Context(), &next, ix, whole())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Series) != 1 || r.Series[0].Points != 3 || *r.Series[0].Max != 12288 || *r.Series[0].Last != 8192 || r.DumpCounts != nil {
		t.Errorf("%+v", r.Series)
	}
	var text, json bytes.Buffer
	if err := WriteText(&text, r, cells.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&json, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), " resident      8.00 KiB  at most 12.0 KiB\n") || !strings.Contains(json.String(), `"name": "resident"`) {
		t.Errorf("%s\n%s", &text, &json)
	}
}

// Text leaves out columns, the first of those that can be spared first, before names have no room.
func TestNamesHaveRoom(t *testing.T) {
	tab := table{
		cols:  []col{{"A", number}, {"B", number}, {"C", number}, {"NAME", name}},
		rows:  [][]string{{strings.Repeat("1", 20), strings.Repeat("2", 20), strings.Repeat("3", 20), strings.Repeat("n", 60)}},
		spare: []string{"B", "A"},
	}
	for width, want := range map[int]string{80: "A C NAME", 90: "A B C NAME"} {
		var heads []string
		for _, c := range tab.roomy(cells.Style{Width: width}).cols {
			heads = append(heads, c.head)
		}
		if got := strings.Join(heads, " "); got != want {
			t.Errorf("in %d cells: %s, not %s", width, got, want)
		}
	}
	if got := tab.roomy(cells.Style{Width: 80}).rows[0]; len(got) != 3 || got[1][0] != '3' || len(tab.rows[0]) != 4 {
		t.Errorf("%q", got)
	}
}

// Equal remarks are one with their number, at the place of the first, and errors come first.
func TestEqualRemarksAreOne(t *testing.T) {
	first, second := int64(7), int64(9)
	got := Listed([]Problem{
		{Severity: "note", Code: "a", Message: "told"}, {Severity: "warning", Code: "b", Message: "cut", Offset: &first}, {Severity: "warning", Code: "b", Message: "cut", Offset: &second, Count: 4},
		{Severity: "warning", Code: "b", Message: "other"}, {Severity: "error", Code: "c", Message: "lost"}, {Severity: "note", Code: "a", Message: "told"},
	})
	text := ""
	for _, p := range got {
		text += p.Severity + " " + p.Message + p.place() + "\n"
	}
	if want := "error lost\nwarning cut at byte 7, 5 times\nwarning other\nnote told, 2 times\n"; text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

func TestSampledTablesCountSamples(t *testing.T) {
	p, ix := sample(t)
	for sampled, want := range map[string]bool{"": false, "sampled every 512 KiB": true} {
		q := *p
		q.Meta.Sampled = sampled
		r, err := Build(t.Context(), &q, ix, whole())
		var text bytes.Buffer
		if err == nil {
			err = WriteText(&text, r, cells.Style{})
		}
		if has := strings.Contains(text.String(), "SAMPLES"); err != nil || has != want || strings.Contains(text.String(), "BLOCKS") == want ||
			strings.Contains(text.String(), " blocks at ") == want {
			t.Errorf("%q: %v\n%s", sampled, err, &text)
		}
	}
}

// Verdicts are about the complete run, whatever range, age or instant is asked for, and of however few blocks.
func TestVerdictsAreThoseOfTheRun(t *testing.T) {
	run := modeltest.NewPlanted(3, 2000)
	store, ix := opened.Profile(t, &model.Profile{Meta: model.Meta{Name: "planted", Format: "mlyze"}, Stacks: run.Stacks, Allocations: events(run.Events)})
	asked := func(change func(*Options)) map[uint64]LeakSite {
		o := whole()
		o.Limit = 0
		change(&o)
		r, err := Build(t.Context(), store.Current(), ix, o)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[uint64]LeakSite{}
		for _, s := range r.Trace.Leaks.Sites {
			rows[s.Stack] = s
		}
		return rows
	}
	end := run.Events[len(run.Events)-1].Time
	all, single := asked(func(*Options) {}), 0
	for name, change := range map[string]func(*Options){
		"a range":       func(o *Options) { o.From, o.To = end/2, end*3/4 },
		"a short range": func(o *Options) { o.From, o.To = end*700/1000, end*703/1000 },
		"an age":        func(o *Options) { o.MinAge = end / 3 },
		"an instant":    func(o *Options) { o.At, o.AtTime = analysis.At(end/2), end/2 },
	} {
		for stack, s := range asked(func(o *Options) {
			if change(o); o.From != model.NoTime {
				o.Range, o.At, o.AtTime = analysis.Range{From: o.From, To: o.To}, analysis.At(o.To), o.To
			}
		}) {
			if want, ok := all[stack]; ok && (s.Verdict != want.Verdict || fmt.Sprint(s.Sure) != fmt.Sprint(want.Sure)) {
				t.Errorf("%s: stack %d with %d blocks is %s, %v, not %s, %v", name, stack, s.Count, s.Verdict, s.Sure, want.Verdict, want.Sure)
			} else if ok && s.Count == 1 && want.Verdict == "leak" {
				single++
			}
		}
	}
	if single == 0 {
		t.Error("no leak has a single block in a range")
	}
}
