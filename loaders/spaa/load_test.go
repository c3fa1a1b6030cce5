package spaa

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// said is all that a profile says, but for places in the file.
func said(p *model.Profile) string {
	w := p.Weights
	var out strings.Builder
	fmt.Fprintln(&out, w.SourceTool, w.Command, w.FrameOrder, w.StackIDMode, w.Start, w.End, w.Counts, w.DSOs, w.Threads)
	for _, e := range w.Events {
		fmt.Fprintf(&out, "%+v\n", e)
	}
	for r := range w.Records.Len() {
		name, number := w.Records.Name(model.RecordID(r))
		fmt.Fprint(&out, name, number, w.Records.Event[r], w.Records.Thread[r], w.Records.CPU[r])
		for n := w.Records.Node[r]; n != 0; n = p.Stacks.Parent[n] {
			f := p.Stacks.Frame[n]
			fmt.Fprint(&out, " ", p.Stacks.At(f), w.Source(p.Stacks, f), w.DSOs[w.FrameDSO[f]].Name, w.FrameKind[f], w.FrameFlags[f])
		}
		for _, t := range []*model.WeightTable{&w.Records.Weights, &w.Records.Exclusive} {
			for m, n := range t.All(r) {
				fmt.Fprint(&out, " ", w.Metrics[m], n)
			}
		}
		fmt.Fprintln(&out)
	}
	for _, c := range w.Samples {
		for i := range c.Len() {
			fmt.Fprintln(&out, c.At(i))
		}
	}
	for _, x := range w.Windows {
		fmt.Fprintln(&out, x)
	}
	return out.String()
}

func TestLoad(t *testing.T) {
	p := loaded(t, []byte(good))
	if !p.Complete || len(p.Problems) > 0 {
		t.Error(p.Complete, p.Problems)
	}
	w := p.Weights
	if w.Counts != (model.ProfileCounts{DSOs: 2, Frames: 4, Threads: 2, Stacks: 3, Samples: 2, Windows: 1}) {
		t.Error(w.Counts)
	}
	var frames []string
	for _, f := range p.Stacks.Frames(nil, w.Records.Node[1], -1) {
		frames = append(frames, f.Function)
	}
	if got := strings.Join(frames, " "); got != "clear_page grow work main" {
		t.Error(got)
	}
	leaf := p.Stacks.Frame[p.Stacks.Parent[w.Records.Node[1]]]
	if w.FrameFlags[leaf] != model.FrameInlined || w.Source(p.Stacks, p.Stacks.Frame[w.Records.Node[0]]) != "work.c:50:7" {
		t.Error("flags or source")
	}
	if n, _ := w.Records.Weights.Get(2, w.Events[1].Primary); n != model.Float(4096.5) {
		t.Error(n)
	}
	if c := w.Samples[0]; c.Time(0) != 500_000 || c.Record(1) != 1 || c.At(1).Thread != w.Records.Thread[1] || c.Period(0) != 1000 {
		t.Errorf("%+v", c)
	}
	if w.Start != 0 || w.End != 4*model.Second || w.StartSeconds != 100 {
		t.Error(w.Start, w.End)
	}
	line, err := w.Lines.Line(w.Records.Offset[1])
	if err != nil || string(line) != lines()[10] {
		t.Error(string(line), err)
	}
}

// TestOrderOfMembers writes every record anew with its members in other orders and with other blanks.
func TestOrderOfMembers(t *testing.T) {
	for name, text := range map[string][]byte{"good": []byte(good), "server": sample(t, "server.spaa.zst")} {
		want := said(loaded(t, text))
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 7))
			var out bytes.Buffer
			for line := range bytes.Lines(text) {
				out.Write(shuffled(t, rng, line))
				out.WriteString([]string{"\n", "\r\n", "  \n\n"}[rng.IntN(3)])
			}
			if got := said(loaded(t, out.Bytes())); got != want {
				t.Errorf("%s, seed %d:\n%.500s\n%.500s", name, seed, got, want)
			}
		}
	}
}

func shuffled(t *testing.T, rng *rand.Rand, line []byte) []byte {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	space := []string{"", " ", "\t "}[rng.IntN(3)]
	var parts []string
	for _, k := range keys {
		if k == "type" && rng.IntN(4) == 0 {
			parts = append(parts, `"\u0074ype"`+space+":"+space+string(m[k]))
			continue
		}
		parts = append(parts, `"`+k+`"`+space+":"+space+string(m[k]))
	}
	return []byte("{" + space + strings.Join(parts, ","+space) + space + "}")
}

// TestTotals compares sums with those of a reader that decodes every line with the standard library.
func TestTotals(t *testing.T) {
	for _, name := range []string{"server.spaa.zst", "python.spaa.zst"} {
		text := sample(t, name)
		want := map[string]uint64{}
		for line := range bytes.Lines(text) {
			var r struct {
				Type    string
				Context struct{ Event string }
				Weights []struct {
					Metric string
					Value  uint64
				}
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			for _, w := range r.Weights {
				if r.Type == "stack" {
					want[r.Context.Event+" "+w.Metric] += w.Value
				}
			}
		}
		p := loaded(t, text).Weights
		got := map[string]uint64{}
		for r := range p.Records.Len() {
			for m, n := range p.Records.Weights.All(r) {
				got[p.Events[p.Records.Event[r]].Name+" "+p.Metrics[m].Name] += uint64(n.Float64())
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Error(name, got, want)
		}
	}
}

// TestDisorder puts records where they must not be: opening shows them all the same.
func TestDisorder(t *testing.T) {
	l := lines()
	back := slices.Clone(l[1:])
	slices.Reverse(back)
	p := loaded(t, []byte(strings.Join(append(l[:1], back...), "\n")))
	w := p.Weights
	if w.Counts.Stacks != 3 || len(p.Stacks.Frames(nil, w.Records.Node[1], -1)) != 4 || w.Samples[0].Record(0) != 1 || w.Windows[0].Record[0] != 2 {
		t.Error(w.Counts, w.Records.Node, w.Samples[0].At(0))
	}
	if p := loaded(t, []byte(strings.Join(l[1:], "\n"))); p.Weights.Counts.Stacks != 3 || p.Complete && len(p.Problems) == 0 {
		t.Error("without a header:", p.Problems)
	}
}

// TestSharedIDs holds that records of one id stay apart, and that samples find the one of their event.
func TestSharedIDs(t *testing.T) {
	text := strings.ReplaceAll(good, `"id":7,`, `"id":"s1",`) +
		`{"type":"sample","timestamp":102,"pid":42,"tid":42,"cpu":0,"event":"malloc","period":10,"stack_id":"s1"}` + "\n"
	p := loaded(t, []byte(text)).Weights
	if c := &p.Samples[0]; p.Counts.Stacks != 3 || c.Record(0) != 0 || c.Record(2) != 2 {
		t.Error(p.Counts, c.At(0), c.At(2))
	}
}

func TestBlocksOfAnySize(t *testing.T) {
	// Lines that are longer than a block, and that end where blocks do.
	var out bytes.Buffer
	out.WriteString(lines()[0] + "\n")
	for i := range 200 {
		fmt.Fprintf(&out, `{"type":"dso","id":%d,"name":"%s"}`+"\n", i, strings.Repeat("x", i*i*20))
	}
	p := loaded(t, out.Bytes()).Weights
	if len(p.DSOs) != 201 || len(p.DSOs[200].Name) != 199*199*20 {
		t.Error(len(p.DSOs))
	}
}

// TestPipe reads from a pipe that gives a few bytes at a time and then ends in the middle.
func TestPipe(t *testing.T) {
	text := good[:len(good)-30]
	src, err := loaders.OpenSource(t.Context(), "-", io.MultiReader(strings.NewReader(text[:100]), &slow{text[100:]}))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p := loadedFrom(t, src)
	if p.Complete || p.Lost == 0 || p.Weights.Counts.Samples != 2 || len(p.Problems) != 1 || p.Problems[0].Line != 15 {
		t.Error(p.Complete, p.Lost, p.Weights.Counts, p.Problems)
	}
}

type slow struct{ rest string }

func (s *slow) Read(p []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(7, len(p))], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var store model.Store
	if err := load(ctx, openText(t, []byte(good)), loaders.Options{}, &store); err == nil && store.Current() == nil {
		t.Error("neither an error nor a profile")
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"{", "{}\n", "\n\n", `{"format":"spaa"`, `["spaa"]`} {
		var store model.Store
		if err := load(t.Context(), openText(t, []byte(text)), loaders.Options{}, &store); err == nil {
			t.Errorf("%q: no error", text)
		}
		if _, err := info(t.Context(), openText(t, []byte(text)), loaders.Options{}); err == nil {
			t.Errorf("%q: no error of info", text)
		}
	}
}

func TestCopy(t *testing.T) {
	odd := `{"x_vendor": {"a" : [1, 2.50]}, "type":"annotation"}`
	text := "\n" + strings.ReplaceAll(good, "\n", "\r\n\n") + odd + "\n{broken\n[1]\n{\"type\":7}\n  "
	var out bytes.Buffer
	problems, err := copyRecords(t.Context(), openText(t, []byte(text)), &out)
	if err != nil || out.String() != good+odd+"\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
	count := int64(0)
	for _, p := range problems {
		count += p.Count
	}
	if count != 3 {
		t.Error(problems)
	}
}

// TestCopyTypes copies a record of every type with members that this program does nothing with: not a byte may change.
func TestCopyTypes(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.Replace(lines()[0], `"type":"header",`, `"x_a":{"b" : [1.50, null]},"type":"header",`, 1) + "\n")
	for _, line := range []string{
		`{"type":"dso","id":1,"name":"a","build_id":"ab","x_path":"\u00e9\/","is_kernel":false}`,
		`{"type":"frame","id":1,"func":"f","dso":1,"ip":"0x401234","symoff":"0x54","inline_depth":0,"kind":"user","x_line":1e3}`,
		`{"kind":"user", "type":"frame", "id":2, "func":"g", "dso":1}`,
		`{"type":"thread","pid":1,"tid":18446744073709551615,"comm":"a\tb","x_cpu":3}`,
		`{"type":"stack","id":"0xaaa","frames":[1,2],"related_stacks":["0xbbb"],"context":{"event":"cycles","mine":{"deep":[{}]},"probe":{"provider":"syscall"}},"weights":[{"metric":"period","value":18446744073709551615,"unit":"u"},{"metric":"x","value":-0.10}],"exclusive":{"frame":1,"weights":[]}}`,
		`{"type":"sample","timestamp":12345.678900,"event":"cycles","period":1.0,"stack_id":"0xaaa","context":{"x":1}}`,
		`{"type":"window","id":"w","start":1,"end":2,"unit":"seconds","by_stack":[],"x_why":"no reason"}`,
		`{"type":"x_vendor","anything":[1,2,3]}`,
	} {
		text.WriteString(line + "\n")
	}
	var out bytes.Buffer
	if problems, err := copyRecords(t.Context(), openText(t, []byte(text.String())), &out); err != nil || len(problems) > 0 || out.String() != text.String() {
		t.Errorf("%v %v\n%s", err, problems, out.String())
	}
}

func TestInfo(t *testing.T) {
	p, err := info(t.Context(), openText(t, []byte(good)), loaders.Options{})
	if err != nil || p.Meta.Format != "spaa" || len(p.Meta.Facts) < 8 {
		t.Error(p, err)
	}
}

func TestSniff(t *testing.T) {
	sorted := `{"events":[{"kind":"timer","name":"cpu","sampling":{"mode":"event","primary_metric":"samples"}}`
	for text, want := range map[string]loaders.Confidence{
		good: loaders.Sure, " \n" + good: loaders.Sure, sorted: loaders.Sure, `{"id":1,"type":"dso"}`: loaders.Maybe,
		`{"series":[]}`: loaders.No, "": loaders.No, `["spaa"]`: loaders.No,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%.40q: %d", text, got)
		}
	}
}
