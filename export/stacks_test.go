package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders/pprof"
	"github.com/memtui/memtui/loaders/spaa"
	"github.com/memtui/memtui/model"
)

// traceStacks are the stacks of the recording at half of its time, by what lives.
func traceStacks(t *testing.T, data []byte, by string) *Stacks {
	t.Helper()
	p, ix := loadTrace(t, data)
	s, err := TraceStacks(t.Context(), p, ix, TraceOptions{At: analysis.At(ix.Status().Duration / 2), Range: analysis.FullRange, By: by})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const inlinedProfile = `{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"time_range":{"start":100.0,"end":104.0,"unit":"seconds"},"stack_id_mode":"local"}
{"type":"dso","id":1,"name":"/usr/bin/app","build_id":"abcd1234","is_kernel":false}
{"type":"dso","id":2,"name":"[kernel.kallsyms]","is_kernel":true}
{"type":"frame","id":1,"func":"main","dso":1,"srcline":"main.c:5","kind":"user"}
{"type":"frame","id":2,"func":"outer; then","dso":1,"srcline":"main.c:9","kind":"user"}
{"type":"frame","id":3,"func":"inner","dso":1,"srcline":"main.c:12:3","kind":"user","inlined":true}
{"type":"frame","id":4,"func":"inmost","dso":1,"srcline":"in.h:2","kind":"user","inlined":true}
{"type":"frame","id":5,"func":"sys\u001b[31m_read","dso":2,"kind":"kernel"}
{"type":"thread","pid":7,"tid":8,"comm":"worker"}
{"type":"stack","id":"0x0000000000000001","frames":[4,3,2,1],"stack_type":"user","context":{"event":"cycles","pid":7,"tid":8},"weights":[{"metric":"period","value":1000},{"metric":"samples","value":3}]}
{"type":"stack","id":"0x0000000000000002","frames":[5,3,2,1],"stack_type":"user","context":{"event":"cycles"},"weights":[{"metric":"period","value":2.5}]}
{"type":"stack","id":"0x0000000000000003","frames":[2,1],"stack_type":"user","context":{"event":"cycles"},"weights":[{"metric":"period","value":-4},{"metric":"peak_bytes","value":9}]}
`

func profileStacks(t *testing.T) *Stacks {
	t.Helper()
	p := load(t, spaa.Format(), []byte(inlinedProfile))
	var selections []*weights.Selection
	for _, name := range []string{"period", "samples"} {
		m, ok := p.Weights.Metric(name)
		if !ok {
			t.Fatal(name)
		}
		selections = append(selections, weights.SelectProfile(p, 0, m))
	}
	s, err := ProfileStacks(t.Context(), p, selections, 0, 0, 4*model.Second)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func written(t *testing.T, s *Stacks, write func(context.Context, io.Writer, *Stacks) ([]Loss, error)) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := write(t.Context(), &out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// total sums one figure, and gives it by the functions of the stack, root first.
func total(t *testing.T, s *Stacks, metric int) (sum int64, byStack map[string]int64) {
	byStack = map[string]int64{}
	frames, err := newFrameTable(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Rows {
		v, _ := integer(s.Rows[i].Values[metric])
		var names []string
		for _, f := range slices.Backward(frames.of(&s.Rows[i])) {
			names = append(names, frames.list[f].function)
		}
		if v > 0 {
			sum += v
			byStack[strings.Join(names, ";")] += v
		}
	}
	if sum == 0 {
		t.Error("nothing to compare")
	}
	return sum, byStack
}

func TestFoldedStacksAddUp(t *testing.T) {
	for _, by := range TraceMetrics() {
		if by == "overwritten_bytes" {
			continue // this trace has none
		}
		s := traceStacks(t, kvleak(t), by)
		_, want := total(t, s, s.Main)
		got := map[string]int64{}
		for line := range strings.Lines(written(t, s, WriteFolded)) {
			space := strings.LastIndexByte(line, ' ')
			n, err := strconv.ParseInt(line[space+1:len(line)-1], 10, 64)
			if err != nil || got[line[:space]] != 0 {
				t.Fatalf("%q: %v", line, err)
			}
			got[line[:space]] = n
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d lines, want %d", by, len(got), len(want))
		}
		for stack, n := range want {
			if got[stack] != n {
				t.Errorf("%s: %s: %d, want %d", by, stack, got[stack], n)
			}
		}
	}
}

func TestFoldedNamesAreClean(t *testing.T) {
	const want = "main;outer: then;inner;inmost 1000\nmain;outer: then;inner;sys␛[31m_read 2.5\n"
	if got := written(t, profileStacks(t), WriteFolded); got != want {
		t.Errorf("got %q", got)
	}
	evil := traceStacks(t, memtest.Trace("a;b\nc\x1b[2J d 7", 3), "alloc_bytes")
	if got := written(t, evil, WriteFolded); got != "a:b␊c␛[2J d 7 3145728\n" {
		t.Errorf("got %q", got)
	}
	unknown := traceStacks(t, memtest.TraceOf([]byte("{}"), []memtest.TraceEvent{{Addr: 1, Size: 5, ID: 3}}), "alloc_bytes")
	if got := written(t, unknown, WriteFolded); got != "<stack 3?> 5\n" {
		t.Errorf("got %q", got)
	}
}

// scope is a file of speedscope, as far as its rules go.
type scope struct {
	Schema string `json:"$schema"`
	Shared struct {
		Frames []struct {
			Name, File *string
			Line, Col  *int
		}
	}
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue *float64
		Samples              [][]int
		Weights              []float64
	}
	ActiveProfileIndex int
	Name, Exporter     string
}

// readScope checks the rules of the schema that a reader relies on.
func readScope(t *testing.T, text string) (f scope) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || d.More() {
		t.Fatal(err)
	}
	units := []string{"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}
	if f.Schema != speedscopeSchema || f.ActiveProfileIndex >= len(f.Profiles) {
		t.Errorf("schema %q, profile %d of %d", f.Schema, f.ActiveProfileIndex, len(f.Profiles))
	}
	for i, frame := range f.Shared.Frames {
		if frame.Name == nil || *frame.Name == "" {
			t.Errorf("frame %d has no name", i)
		}
	}
	for _, p := range f.Profiles {
		sum := 0.0
		for i, stack := range p.Samples {
			for _, frame := range stack {
				if frame < 0 || frame >= len(f.Shared.Frames) {
					t.Fatalf("%s: stack %d has frame %d of %d", p.Name, i, frame, len(f.Shared.Frames))
				}
			}
			sum += p.Weights[i]
		}
		if p.Type != "sampled" || !slices.Contains(units, p.Unit) || len(p.Samples) != len(p.Weights) ||
			p.StartValue == nil || *p.StartValue != 0 || p.EndValue == nil || *p.EndValue != sum {
			t.Errorf("%s: %s in %s, %d stacks of %d weights, %v of %v", p.Name, p.Type, p.Unit, len(p.Samples), len(p.Weights), p.EndValue, sum)
		}
	}
	return f
}

func TestSpeedscopeReadsWhatIsWritten(t *testing.T) {
	s := traceStacks(t, kvleak(t), "live_bytes")
	f := readScope(t, written(t, s, WriteSpeedscope))
	if f.Profiles[f.ActiveProfileIndex].Name != "live_bytes" {
		t.Errorf("shows %s first", f.Profiles[f.ActiveProfileIndex].Name)
	}
	for _, p := range f.Profiles {
		m := slices.Index(TraceMetrics(), p.Name)
		want, byStack := total(t, s, m)
		if int64(*p.EndValue) != want || p.Unit == "bytes" != strings.HasSuffix(p.Name, "bytes") {
			t.Errorf("%s: %v %s, want %d", p.Name, *p.EndValue, p.Unit, want)
		}
		for i, stack := range p.Samples {
			var names []string
			for _, frame := range stack {
				names = append(names, *f.Shared.Frames[frame].Name)
			}
			byStack[strings.Join(names, ";")] -= int64(p.Weights[i])
		}
		for stack, rest := range byStack {
			if rest != 0 {
				t.Errorf("%s: %s: %d are missing", p.Name, stack, rest)
			}
		}
	}
	f = readScope(t, written(t, profileStacks(t), WriteSpeedscope))
	if n := len(f.Profiles[0].Samples); n != 2 || *f.Profiles[0].EndValue != 1002.5 || *f.Shared.Frames[1].Col != 3 {
		t.Errorf("%d stacks, %v", n, *f.Profiles[0].EndValue)
	}
}

func TestPprofReadsWhatIsWritten(t *testing.T) {
	s := traceStacks(t, kvleak(t), "live_bytes")
	data := written(t, s, WritePprof)
	p, err := profile.Parse(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	var types []string
	sums := make([]int64, len(p.SampleType))
	for i, v := range p.SampleType {
		types = append(types, v.Type+"/"+v.Unit)
		for _, sample := range p.Sample {
			sums[i] += sample.Value[i]
		}
	}
	if got := strings.Join(types, " "); got != "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes" || p.DefaultSampleType != "inuse_space" {
		t.Errorf("%s, %s", got, p.DefaultSampleType)
	}
	for i, m := range []int{1, 0, 3, 2} {
		if want, _ := total(t, s, m); sums[i] != want {
			t.Errorf("%s: %d, want %d", types[i], sums[i], want)
		}
	}
	if p.TimeNanos != int64(s.Profile.Meta.Start)*1000 || p.DurationNanos != int64(s.To)*1000 || len(p.Mapping) != 1 {
		t.Errorf("time %d, duration %d, %d mappings", p.TimeNanos, p.DurationNanos, len(p.Mapping))
	}
	pprofTop(t, data, s, sums[3])
}

func pprofTool(t *testing.T, path string) ([]byte, error) {
	cmd := exec.Command("go", "tool", "pprof", "-top", "-unit=B", "-nodecount=1000", "-nodefraction=0", path)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	return cmd.CombinedOutput()
}

// plainProfile is a file that the tool reads wherever it runs.
func plainProfile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain.pb.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fn := &profile.Function{ID: 1, Name: "f"}
	at := &profile.Location{ID: 1, Line: []profile.Line{{Function: fn}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "space", Unit: "bytes"}}, Sample: []*profile.Sample{{Location: []*profile.Location{at}, Value: []int64{1}}},
		Location: []*profile.Location{at}, Function: []*profile.Function{fn},
	}
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	return path
}

// pprofTop asks the real tool for the largest functions.
func pprofTop(t *testing.T, data string, s *Stacks, sum int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "heap.pb.gz")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := pprofTool(t, path)
	if err != nil {
		if _, never := pprofTool(t, plainProfile(t)); never == nil {
			t.Fatalf("go tool pprof does not read what was written: %v\n%s", err, out)
		}
		t.Skipf("go tool pprof does not run here: %v\n%s", err, out)
	}
	if want := fmt.Sprintf("100%% of %dB total", sum); !strings.Contains(string(out), want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	self := map[string]int64{}
	frames, err := newFrameTable(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Rows {
		v, _ := integer(s.Rows[i].Values[s.Main])
		self[frames.list[frames.of(&s.Rows[i])[0]].function] += v
	}
	for name, v := range self {
		if v > 0 && !strings.Contains(string(out), name) {
			t.Errorf("the tool does not know %s, %d B", name, v)
		}
	}
}

func TestPprofKeepsInlinedFramesTogether(t *testing.T) {
	p, err := profile.Parse(strings.NewReader(written(t, profileStacks(t), WritePprof)))
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, s := range p.Sample {
		line := fmt.Sprint(s.Value, s.Label["thread"])
		for _, l := range s.Location {
			line += " |" + filepath.Base(l.Mapping.File)
			for _, f := range l.Line {
				line += fmt.Sprintf(" %s:%d", f.Function.Name, f.Line)
			}
		}
		text = append(text, line)
	}
	const want = "[1000 3] [worker 7/8] |app inmost:2 inner:12 outer; then:9 |app main:5\n" +
		"[3 0] [] |[kernel.kallsyms] sys␛[31m_read:0 |app inner:12 outer; then:9 |app main:5\n" +
		"[-4 0] [] |app outer; then:9 |app main:5"
	if got := strings.Join(text, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p.Mapping[0].BuildID != "abcd1234" || p.DurationNanos != 4e9 || p.DefaultSampleType != "period" {
		t.Errorf("%+v", p.Mapping[0])
	}
}

func TestRowsReadBack(t *testing.T) {
	s := traceStacks(t, kvleak(t), "alloc_bytes")
	rows, err := csv.NewReader(strings.NewReader(written(t, s, WriteStacksCSV))).ReadAll()
	if err != nil || len(rows) != len(s.Rows)+1 {
		t.Fatal(err, len(rows))
	}
	if got := strings.Join(rows[0], ","); got != "stack,function,file,line,"+strings.Join(TraceMetrics(), ",")+",frames" {
		t.Error(got)
	}
	decoder := json.NewDecoder(strings.NewReader(written(t, s, WriteStacksNDJSON)))
	for i := range s.Rows {
		var o map[string]any
		decoder.UseNumber()
		if err := decoder.Decode(&o); err != nil {
			t.Fatal(err)
		}
		row := rows[i+1]
		for k, m := range TraceMetrics() {
			if want := decimal(amount(s.Rows[i].Values[k])); row[4+k] != want || fmt.Sprint(o[m]) != want {
				t.Errorf("%s of %s: %s and %v, want %s", m, row[0], row[4+k], o[m], want)
			}
		}
		depth := int(s.Profile.Stacks.Depth[s.Rows[i].Node])
		if list, _ := o["frames"].([]any); len(list) != depth || strings.Count(row[len(row)-1], ";")+1 != depth || fmt.Sprint(o["stack"]) != row[0] {
			t.Errorf("%v has %d frames of %d", o["stack"], len(list), depth)
		}
	}
	if decoder.More() {
		t.Error("there are more lines")
	}
	text := written(t, profileStacks(t), WriteStacksNDJSON)
	const first = `{"stack":"0x0000000000000001","thread":"worker 7/8","period":1000,"samples":3,"frames":[{"function":"inmost","file":"in.h","line":2,` +
		`"dso":"/usr/bin/app","kind":"user","inlined":true},`
	if !strings.HasPrefix(text, first) || strings.ContainsRune(text, '\x1b') {
		t.Errorf("got %s", text)
	}
}

func TestExportsStopAndFail(t *testing.T) {
	s := traceStacks(t, kvleak(t), "alloc_bytes")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, write := range map[string]func(context.Context, io.Writer, *Stacks) ([]Loss, error){
		"folded": WriteFolded, "speedscope": WriteSpeedscope, "pprof": WritePprof, "csv": WriteStacksCSV, "ndjson": WriteStacksNDJSON,
		"heapprofile": WriteHeapProfile,
	} {
		if _, err := write(ctx, io.Discard, s); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: canceled: %v", name, err)
		}
		if _, err := write(t.Context(), full{}, s); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk gives %v", name, err)
		}
		empty := *s
		empty.Rows = nil
		if _, err := write(t.Context(), io.Discard, &empty); err != nil {
			t.Errorf("%s: nothing gives %v", name, err)
		}
	}
	p, ix := loadTrace(t, kvleak(t))
	if _, err := WriteTrace(ctx, io.Discard, p, ix.Status().Duration, Everything()); !errors.Is(err, context.Canceled) {
		t.Errorf("a trace: canceled: %v", err)
	}
	if _, err := WriteTrace(t.Context(), full{}, p, ix.Status().Duration, Everything()); !errors.Is(err, errFull) {
		t.Errorf("a trace: a full disk gives %v", err)
	}
}

// labeledProfile has labels of every kind: texts, numbers with and without units, several of one key, a thread.
func labeledProfile(t *testing.T) []byte {
	t.Helper()
	f := &profile.Function{ID: 1, Name: "main", Filename: "main.go"}
	at := []*profile.Location{{ID: 1, Line: []profile.Line{{Function: f, Line: 3}}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}},
		Function:   []*profile.Function{f}, Location: at,
		Sample: []*profile.Sample{
			{Location: at, Value: []int64{1}},
			{Location: at, Value: []int64{20}, Label: map[string][]string{"tenant": {"a", "b, c"}, "thread": {"io"}}, NumLabel: map[string][]int64{"tid": {7}}},
			{Location: at, Value: []int64{300}, NumLabel: map[string][]int64{"bytes": {64}, "wait": {-5, 6}}, NumUnit: map[string][]string{"bytes": {"bytes"}, "wait": {"ms", "ms"}}},
		},
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLabelsAreWritten(t *testing.T) {
	p := load(t, pprof.Format(), labeledProfile(t))
	s, err := ProfileStacks(t.Context(), p, []*weights.Selection{weights.SelectProfile(p, 0, 0)}, 0, model.NoTime, model.NoTime)
	if err != nil {
		t.Fatal(err)
	}
	back, err := profile.ParseData([]byte(written(t, s, WritePprof)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := profile.ParseData(labeledProfile(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Sample) != len(want.Sample) {
		t.Fatal(back)
	}
	for i, x := range back.Sample {
		y := want.Sample[i]
		got, want := fmt.Sprint(x.Value, x.Label, x.NumLabel, x.NumUnit["wait"]), fmt.Sprint(y.Value, y.Label, y.NumLabel, y.NumUnit["wait"])
		if got != want {
			t.Errorf("pprof: %s, want %s", got, want)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(written(t, s, WriteStacksCSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "labels")
	for i, want := range []string{"", "tenant=a, tenant=b, c, thread=io, tid=7", "bytes=64 bytes, wait=-5 ms, wait=6 ms"} {
		if got := rows[i+1][column]; got != want {
			t.Errorf("csv: %q, want %q", got, want)
		}
	}
	lines := strings.Split(written(t, s, WriteStacksNDJSON), "\n")
	for i, want := range []string{
		``, `[{"key":"tenant","text":"a"},{"key":"tenant","text":"b, c"},{"key":"thread","text":"io"},{"key":"tid","number":7}]`,
		`[{"key":"bytes","number":64,"unit":"bytes"},{"key":"wait","number":-5,"unit":"ms"},{"key":"wait","number":6,"unit":"ms"}]`,
	} {
		var got struct{ Labels json.RawMessage }
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || string(got.Labels) != want {
			t.Errorf("ndjson: %s, %v, want %s", got.Labels, err, want)
		}
	}
}
