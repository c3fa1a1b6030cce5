package pprof

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// samples returns the files of testdata, decompressed, by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	names, err := filepath.Glob("testdata/*.pb.gz")
	if err != nil || len(names) == 0 {
		t.Fatal(err, len(names))
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// twin is what pprof's own library makes of a file: values by stack and labels in words.
func twin(t *testing.T, b []byte) (map[string][]int64, *profile.Profile) {
	t.Helper()
	p, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int64{}
	for _, s := range p.Sample {
		key := ""
		for _, l := range s.Location {
			if len(l.Line) == 0 {
				key += fmt.Sprintf("0x%x|", l.Address)
			}
			for _, x := range l.Line {
				name := x.Function.Name
				if name == "" {
					name = fmt.Sprintf("0x%x", l.Address)
				}
				key += fmt.Sprintf("%s %s:%d|", name, x.Function.Filename, x.Line)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(s.Label)) {
			key += fmt.Sprint(k, s.Label[k])
		}
		for _, k := range slices.Sorted(maps.Keys(s.NumLabel)) {
			key += fmt.Sprint(k, s.NumLabel[k])
		}
		if out[key] == nil {
			out[key] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			out[key][i] += v
		}
	}
	return out, p
}

func ours(p *model.Profile) map[string][]int64 {
	out := map[string][]int64{}
	for _, s := range hostile.Stacks(p) {
		key := ""
		for _, f := range slices.Backward(s.Frames) {
			switch {
			case f.File == "" && f.Line == model.NoLine && strings.HasPrefix(f.Function, "0x"):
				key += f.Function + "|"
			default:
				key += fmt.Sprintf("%s %s:%d|", f.Function, f.File, max(f.Line, 0))
			}
		}
		text, numbers := map[string][]string{}, map[string][]int64{}
		for _, l := range s.Labels {
			if l.Numeric {
				numbers[l.Key] = append(numbers[l.Key], l.Number)
			} else {
				text[l.Key] = append(text[l.Key], l.Text)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(text)) {
			key += fmt.Sprint(k, text[k])
		}
		for _, k := range slices.Sorted(maps.Keys(numbers)) {
			key += fmt.Sprint(k, numbers[k])
		}
		row := out[key]
		if row == nil {
			row = make([]int64, len(p.Weights.Metrics))
		}
		for i, m := range p.Weights.Metrics {
			a := s.Weights[m.Name]
			row[i] += int64(a.Float64())
		}
		out[key] = row
	}
	return out
}

// Every stack, value and label is what pprof's own library reads.
func TestAsTheLibraryReads(t *testing.T) {
	for name, b := range samples(t) {
		r := hostile.Open(t, Format(), b)
		if r.Err != nil || r.Sniffed != loaders.Sure || !r.Profile.Complete || !r.Valid() {
			t.Fatal(name, r.Err, r.Sniffed, r.Violations)
		}
		want, p := twin(t, b)
		// Locations whose lines have no function are addresses with a place in one of the two only.
		got := ours(r.Profile)
		if strings.Contains(name, "tcmalloc") {
			if a, b := weighed(got), weighed(want); a != b {
				t.Errorf("%s: %s, want %s", name, a, b)
			}
			continue
		}
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s:\n%v\nwant\n%v", name, got, want)
		}
		w := r.Profile.Weights
		primary := p.SampleType[len(p.SampleType)-1].Type
		if len(w.Metrics) != len(p.SampleType) || w.Events[0].PrimaryName != primary ||
			w.Events[0].Name != map[string]string{"space": "heap"}[p.PeriodType.Type] && w.Events[0].Name != p.PeriodType.Type {
			t.Errorf("%s: %+v %+v", name, w.Metrics, w.Events)
		}
		if w.DSOs[1].BuildID != p.Mapping[0].BuildID || w.DSOs[1].Name != p.Mapping[0].File {
			t.Errorf("%s: %+v", name, w.DSOs)
		}
		if r.Profile.Meta.Start != uint64(p.TimeNanos/1000) || p.DurationNanos > 0 && w.End != model.Time(p.DurationNanos/1000) {
			t.Errorf("%s: %d, %v", name, r.Profile.Meta.Start, w.End)
		}
	}
}

// weighed lists the values of stacks without their names.
func weighed(m map[string][]int64) string {
	var rows []string
	for _, v := range m {
		rows = append(rows, fmt.Sprint(v))
	}
	slices.Sort(rows)
	return strings.Join(rows, " ")
}

func TestDamage(t *testing.T) {
	for name, b := range samples(t) {
		tells := func(cut int) bool { // between two fields nothing shows that more would follow, but names that are missing
			m := message{b: b[:cut]}
			for m.next() {
			}
			return m.wrong != ""
		}
		hostile.Hurt(t, Format(), b, tells)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// made writes a profile that the library holds.
func made(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tiny() *profile.Profile {
	m := &profile.Mapping{ID: 1, File: "/bin/x", BuildID: "abc"}
	outer, inner := &profile.Function{ID: 1, Name: "outer", Filename: "a.go"}, &profile.Function{ID: 2, SystemName: "_inner", Filename: "a.go"}
	main := &profile.Function{ID: 3, Name: "main"}
	leaf := &profile.Location{ID: 1, Mapping: m, Address: 16, Line: []profile.Line{{Function: inner, Line: 3, Column: 7}, {Function: outer, Line: 9}}}
	root := &profile.Location{ID: 2, Mapping: m, Address: 32, Line: []profile.Line{{Function: main}}}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		Mapping:    []*profile.Mapping{m}, Function: []*profile.Function{outer, inner, main}, Location: []*profile.Location{leaf, root},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{leaf, root}, Value: []int64{-1, -100}, Label: map[string][]string{"thread": {"io"}, "tenant": {"a"}}, NumLabel: map[string][]int64{"thread_id": {7}}},
			{Location: []*profile.Location{leaf, root}, Value: []int64{3, 50}, Label: map[string][]string{"thread": {"io"}, "tenant": {"a"}}, NumLabel: map[string][]int64{"thread_id": {7}}},
			{Location: []*profile.Location{root}, Value: []int64{0, 0}, NumLabel: map[string][]int64{"bytes": {64}}},
		},
		DefaultSampleType: "inuse_objects", Comments: []string{"of a test"}, DropFrames: "x.*",
	}
}

// Equal stacks with equal labels are one record; inlined frames are marked; labels name the thread; values may be
// negative.
func TestTiny(t *testing.T) {
	r := hostile.Open(t, Format(), made(t, tiny()))
	if r.Err != nil || !r.Valid() {
		t.Fatal(r.Err, r.Violations)
	}
	p, w := r.Profile, r.Profile.Weights
	got := hostile.Stacks(p)
	if len(got) != 2 || len(got[0].Frames) != 3 || got[0].Frames[2].Function != "_inner" || got[0].Frames[0].Line != model.NoLine {
		t.Fatalf("%+v", got)
	}
	if space, blocks := got[0].Weights["inuse_space"], got[0].Weights["inuse_objects"]; space.String() != "-50" || blocks.String() != "2" {
		t.Errorf("%v %v", space, blocks)
	}
	leaf := p.Stacks.Frame[w.Records.Node[0]]
	if w.FrameFlags[leaf] != model.FrameInlined || w.FrameColumn[leaf] != 7 || w.FrameFlags[p.Stacks.Frame[p.Stacks.Parent[w.Records.Node[0]]]] != 0 {
		t.Error("inlined frames")
	}
	if th := w.Threads[w.Records.Thread[0]]; th.TID != 7 || th.Comm != "io" || w.Records.Thread[1] != 0 {
		t.Errorf("%+v", th)
	}
	if l := w.Labels[w.Records.Labels[1]]; len(l) != 1 || l[0].Number != 64 || l[0].Unit != "bytes" {
		t.Errorf("%+v", l)
	}
	if w.Events[0].PrimaryName != "inuse_objects" || !w.Events[0].TracksFrees || w.Events[0].Name != "standard input" {
		t.Errorf("%+v", w.Events[0])
	}
	facts := fmt.Sprint(p.Meta.Facts)
	for _, want := range []string{"of a test", "x.*", "inuse_space (bytes)"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%q is not in %s", want, facts)
		}
	}
}

// field appends one with a length.
// A location without a function is named by its place in the binary, or by its address outside of it.
func TestLocationsWithoutNames(t *testing.T) {
	p := tiny()
	m := p.Mapping[0]
	m.Start, m.Limit, m.Offset = 0x400000, 0x500000, 0x1000
	for i, l := range p.Location {
		l.Line, l.Address = nil, []uint64{0x400010, 0x700000}[i]
	}
	r := hostile.Open(t, Format(), made(t, p))
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	frames := hostile.Stacks(r.Profile)[0].Frames
	if len(frames) != 2 || frames[0].Function != "0x700000 in x" || frames[1].Function != "x+0x1010" {
		t.Errorf("%+v", frames)
	}
}

func field(b []byte, number uint64, body ...byte) []byte {
	b = binary.AppendUvarint(b, number<<3|wireBytes)
	b = binary.AppendUvarint(b, uint64(len(body)))
	return append(b, body...)
}

// TestRules breaks rules one by one.
func TestRules(t *testing.T) {
	good := made(t, tiny())
	for rule, b := range map[string][]byte{
		"field":        append(bytes.Clone(good), 0x0b),
		"string-index": append(bytes.Clone(good), 13<<3, 100),
		"reference":    field(bytes.Clone(good), 2, 8, 99, 16, 1, 16, 1),
		"values":       field(bytes.Clone(good), 2, 8, 1, 16, 1),
		"first-string": field(field(field(nil, 1, 8, 0, 16, 0), 6, 'x'), 2, 16, 1),
		"id":           field(bytes.Clone(good), 5, 8, 1),
		"sample-type":  append(bytes.Clone(good), 14<<3, 1, 14<<3, 6),
	} {
		r := hostile.Open(t, Format(), b)
		if !slices.ContainsFunc(r.Violations, func(v loaders.Violation) bool { return v.Rule == rule && v.Severity == model.Error }) || r.Valid() {
			t.Errorf("%s: %+v %v", rule, r.Violations, r.Err)
		}
		if rule != "first-string" && (r.Err != nil || len(hostile.Stacks(r.Profile)) < 2) {
			t.Errorf("%s: what can be read is not shown: %v", rule, r.Err)
		}
	}
}

// A few bytes that mean frames without end are a stack of so many frames as are kept, and say so.
func TestBombOfInlinedFrames(t *testing.T) {
	location := []byte{8, 9}
	for range 5000 {
		location = field(location, 4, 8, 1)
	}
	b := field(made(t, tiny()), 4, location...)
	sample := []byte{}
	for range 1000 {
		sample = append(sample, 9)
	}
	b = field(b, 2, field(nil, 1, sample...)...)
	r := hostile.Open(t, Format(), b)
	if r.Err != nil || !slices.ContainsFunc(r.Profile.Problems, func(p model.Problem) bool { return p.Code == "stack-depth" }) || slices.Max(r.Profile.Stacks.Depth) != 1<<16 {
		t.Errorf("%v %+v", r.Err, r.Violations)
	}
}

func TestSumsDoNotWrap(t *testing.T) {
	p := tiny()
	p.Sample[0].Value[1], p.Sample[1].Value[1] = math.MaxInt64, 5
	r := hostile.Open(t, Format(), made(t, p))
	if sum := hostile.Sums(r.Profile)["inuse_space"]; sum.String() != fmt.Sprint(math.MaxInt64) || r.Valid() {
		t.Errorf("%v %+v", sum, r.Violations)
	}
}

// Text and other binary files are not taken for profiles.
func TestSniff(t *testing.T) {
	for _, text := range []string{"", "\n", "\n\n# Title\n\nText of a page.\n", "\n\x00", "{\"a\":1}", "main;a 3\n", "\x08\x01", "\x12\x00", "\x7fELF\x02\x01\x01", "\n\tpackage x\n", "\nab", "\n\r\n\r"} {
		if c := sniff([]byte(text)); c != loaders.No {
			t.Errorf("%q: %v", text, c)
		}
	}
	for name, b := range samples(t) {
		if c := sniff(b[:min(len(b), loaders.SniffLength)]); c != loaders.Sure {
			t.Error(name, c)
		}
	}
}

// FuzzOpen opens any bytes, after a sample type and as they are.
func FuzzOpen(f *testing.F) {
	f.Add(made(f, tiny()))
	for _, b := range samples(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<14 {
			return
		}
		hostile.Open(t, Format(), b)
		hostile.Open(t, Format(), append([]byte{10, 4, 8, 1, 16, 2}, b...))
	})
}

// The period between two samples is told in words.
func TestPeriod(t *testing.T) {
	for n, want := range map[int64]string{1: "byte", 524288: "512 KiB"} {
		if got := periodOf(n, "bytes", ""); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := periodOf(1, "bytes", "1 "); got != "1 byte" {
		t.Error(got)
	}
}
