package spaa

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestHex compares eight digits at once with the standard library.
func TestHex(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 200_000 {
		s := []byte(fmt.Sprintf("%08x", rng.Uint32()))
		if i%2 == 0 {
			s[rng.IntN(8)] = byte(rng.IntN(256))
		}
		want, err := strconv.ParseUint(string(s), 16, 32)
		lower := bytes.Equal(bytes.ToLower(s), s)
		if got, ok := hex8(s); ok != (err == nil && lower) || ok && got != want {
			t.Fatalf("%q: %x, %v, want %x", s, got, ok, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, s := range []string{
		"0", "-1", "1.5", "1e3", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "1.7976931348623157e308",
	} {
		want, err := strconv.ParseFloat(s, 64)
		if n, ok := number([]byte(s)); err != nil || !ok || n.Float64() != want {
			t.Error(s, n, ok)
		}
	}
	for _, s := range []string{"", `"1"`, "1e400", "-1e400", "null", "1.2.3", "+1", "-", "NaN"} {
		if n, ok := number([]byte(s)); ok {
			t.Error(s, n)
		}
		if f, ok := float([]byte(s)); ok {
			t.Error(s, f)
		}
	}
}

// TestIndex compares an index of numbers, with few hashes, with a map.
func TestIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var x index
	var keys []uint64
	want := map[uint64]uint32{}
	hash := func(k uint64) uint64 { return mix(k%5000, 7) } // several of one hash
	for range 50_000 {
		k := rng.Uint64N(20_000)
		got, ok := uint32(0), false
		for s := x.seek(hash(k)); !ok; {
			n, more := s.next()
			if !more {
				break
			}
			got, ok = n, keys[n] == k
		}
		if n, there := want[k]; ok != there || ok && got != n {
			t.Fatal(k, got, ok, n)
		}
		if ok {
			continue
		}
		if x.full(1) {
			x.clear(2 * x.count)
			for n, k := range keys {
				x.put(hash(k), uint32(n))
			}
		}
		want[k] = uint32(len(keys))
		keys = append(keys, k)
		x.put(hash(k), want[k])
	}
}

// TestTree compares the tree of random stacks with one of maps, also when its index is given up in between.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var d dictionaries
	d.init()
	for id := range uint64(6) {
		d.define(id+1, model.FrameID(id+1))
	}
	var x tree
	x.init(model.NewStacks())
	want := map[string]model.NodeID{}
	for i := range 20_000 {
		ids := make([]uint64, rng.IntN(12))
		for i := range ids {
			ids[i] = 1 + rng.Uint64N(6)
		}
		x.reset()
		of, ok := x.resolve(&d, ids, false, nil)
		if !ok {
			t.Fatal("unknown")
		}
		leaf := x.insert(of)
		for at, n := leaf, len(ids); n > 0; at, n = x.s.Parent[at], n-1 {
			name := fmt.Sprint(ids[:n])
			if known, ok := want[name]; ok && known != at {
				t.Fatal(name, at, known)
			}
			want[name] = at
			if x.s.Frame[at] != model.FrameID(ids[n-1]) || int(x.s.Depth[at]) != n {
				t.Fatal(name, at)
			}
		}
		if i%5000 == 0 {
			for range idleBlocks {
				x.rest(0)
			}
		}
	}
	if len(x.s.Parent) != len(want)+1 {
		t.Error(len(x.s.Parent), "nodes of", len(want))
	}
}

func TestSource(t *testing.T) {
	for text, want := range map[string]struct {
		file   string
		line   int64
		column uint32
	}{
		"a.c:5": {"a.c", 5, 0}, "x://a.js:1:13": {"x://a.js", 1, 13}, "a.c": {"a.c", model.NoLine, 0}, "a:05": {"a:05", model.NoLine, 0},
		"": {"", model.NoLine, 0}, "a:5:0": {"a:5", 0, 0}, ":": {":", model.NoLine, 0}, "a:99999999999": {"a:99999999999", model.NoLine, 0},
	} {
		file, line, column := splitSource([]byte(text))
		if string(file) != want.file || line != want.line || column != want.column {
			t.Error(text, string(file), line, column)
		}
	}
}

// FuzzJSON compares the checker of JSON with the standard library's, and the scanner with both.
func FuzzJSON(f *testing.F) {
	for line := range bytes.Lines([]byte(good)) {
		f.Add(line)
	}
	for _, s := range []string{`{}`, `{"a":[]}`, `{"a":{"b":-0.5e+7}}`, `{"\u00e9\n":true}`, "{\"\\u0\x19e9\":0}", `{"type":"a","type":"b"}`, `{"a":1,}`, `{"a" 1}`, `{"a":"`, "{\"a\":\"\x01\"}", `{"a":00}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.TrimSpace(b)
		var c jsonChecker
		_, err := c.object(b)
		object := len(b) > 0 && b[0] == '{'
		if valid := json.Valid(b); (err == nil) != (valid && object) {
			t.Fatalf("%q: %v, json.Valid %v", b, err, valid)
		}
		var s lineScanner
		if err == nil && !s.scan(b) {
			t.Fatalf("%q: not taken apart", b)
		}
	})
}

// FuzzLoad holds every invariant of the model against any bytes, and that validation ends.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(good[300:]))
	for i := range lines() {
		l := lines()
		l[i] = l[i][:len(l[i])/2]
		f.Add([]byte(l[i] + "\n" + good))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		src, err := loaders.OpenStream(context.Background(), "a.spaa", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var store model.Store
		if load(context.Background(), src, loaders.Options{}, &store) == nil {
			for _, err := range modeltest.Check(store.Current()) {
				t.Error(err)
			}
		}
		if err := validate(context.Background(), src, func(loaders.Violation) {}); err != nil {
			t.Error(err)
		}
		if _, err := copyRecords(context.Background(), src, &bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	})
}

// TestTemplates parses lines and what becomes of them by small changes, with templates and without: there must be no
// difference.
func TestTemplates(t *testing.T) {
	extra := `{"type":"frame","id":14,"func":"f","func_resolved":false,"dso":1,"ip":"0x1","symoff":"0x5","srcline":"??:0","srcline_resolved":false,"inlined":true,"inline_depth":1,"kind":"user"}
{"type":"stack","id":"0x0123456789abcdef","frames":[11,10],"stack_type":"user","context":{"event":"cycles","pid":-1,"tid":42,"cpu":3,"comm":"x","probe":{"a":[1,"b",{}]}},"weights":[{"unit":"events","metric":"period","value":30}]}
{"exclusive":{"frame":11,"weights":[{"value":2,"metric":"period"},{"metric":"samples","value":12345678901}]},"weights":[{"metric":"period","value":18446744073709551615}],"x":null,"frames":[11,10],"id":12,"context":{"event":"cycles"},"type":"stack"}
{"context":{"a":1},"cpu":70000,"timestamp":7,"event":"cycles","period":12.5,"stack_id":"0x0123456789abcdef","type":"sample"}
`
	text := good + extra + strings.ReplaceAll(extra, "\n", "\r\n") + string(sample(t, "server.spaa.zst"))
	rng := rand.New(rand.NewPCG(8, 8))
	byTemplates := 0
	for round := range 300 {
		var b []byte
		for line := range bytes.Lines([]byte(text)) {
			if rng.IntN(4) > 0 {
				continue
			}
			b = append(b, line...)
			for range rng.IntN(6) {
				b = append(b, changed(rng, line)...)
			}
		}
		if round%3 == 0 {
			b = bytes.TrimRight(b, "\n")
		}
		for _, strict := range []bool{false, true} {
			seed := maphash.MakeSeed()
			want, slow := parsed(b[:len(b):len(b)], strict, seed)
			got, fast := parsed(append(b, make([]byte, pad)...)[:len(b)], strict, seed)
			if got != want {
				t.Fatalf("strict %v:\n%s", strict, firstDifference(got, want))
			}
			byTemplates += slow - fast
		}
	}
	if byTemplates < 10_000 {
		t.Error("only", byTemplates, "lines were read by templates")
	}
}

// changed is a line with a few bytes of its values replaced.
func changed(rng *rand.Rand, line []byte) []byte {
	out := bytes.Clone(line)
	digits := "0123456789"
	if rng.IntN(3) == 0 {
		digits = "0123456789abcdefABCDEF.,-+eE\"\\ {}[]:\xc3\xa9\x01"
	}
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(out))
		for i := range out[at:] {
			if c := out[at+i]; c >= '0' && c <= '9' {
				c = digits[rng.IntN(len(digits))]
				out[at+i] = c
				if rng.IntN(4) == 0 {
					out = slices.Insert(out, at+i, bytes.Repeat([]byte{c}, rng.IntN(20))...)
				}
				break
			}
		}
	}
	return out
}

// parsed is all that a parser says about a block, with templates where there is room after it; slow is how many lines
// they did not match.
func parsed(b []byte, strict bool, seed maphash.Seed) (said string, slow int) {
	p := &parser{ctx: context.Background(), strict: strict, seed: seed, units: map[string]string{}}
	var o batch
	p.block(b, &o)
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	weighed := func(s span) {
		for _, w := range o.weights[s.from:s.to] {
			say("  %s %v", p.names.list[w.metric], w.value)
		}
	}
	name := func(n uint32) string {
		if n == noName {
			return ""
		}
		return p.names.list[n]
	}
	say("%d lines, lost %d, bad %v, first %v %v, issues %+v", o.lines, o.lost, o.bad, o.first, o.kind, o.issues)
	for _, f := range o.frames {
		say("%+v", f)
	}
	for _, s := range o.stacks {
		say("%v %+v %v %d %d %d %s %s %v %v", s.place, s.id, o.ids[s.frames.from:s.frames.to], s.cpu, s.pid, s.tid, s.comm, name(s.event), s.hasLeaf, s.leaf)
		weighed(s.weights)
		weighed(s.exclusive)
	}
	for _, s := range o.samples {
		l := o.labels[s.label]
		say("%v %v %v %+v %d %d %d %s", s.place, s.time, s.period, o.idOf(&s), l.cpu, l.pid, l.tid, name(l.event))
	}
	for _, u := range o.units {
		say("%s %s", name(u.metric), u.unit)
	}
	say("%d headers, %d dsos, %d threads, %d windows", len(o.headers), len(o.dsos), len(o.threads), len(o.windows))
	return out.String(), p.templates.slow
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return fmt.Sprint(len(x), " and ", len(y), " lines")
}
