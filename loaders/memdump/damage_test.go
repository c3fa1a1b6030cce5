package memdump

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

func tiny() memtest.DumpSpec {
	return memtest.DumpSpec{Series: 2, Points: 3, Layouts: 1, Pages: 4, Seed: 1}
}

// TestCutEverywhere cuts small files at every byte: what is whole stays, and no cut goes unnoticed.
func TestCutEverywhere(t *testing.T) {
	text := bytes.TrimSpace(written(t, memtest.WriteDumpJSON, tiny()))
	for name, b := range map[string][]byte{"raw": rawDump(t, tiny()), "gzip": written(t, memtest.WriteDump, tiny()), "JSON": text} {
		whole := openBytes(t, b)
		for n := 1; n < len(b); n++ {
			r := openBytes(t, b[:n])
			if t.Failed() {
				t.Fatalf("%s cut at %d", name, n)
			}
			if between := name != "JSON" && n == headerSize || name == "raw" && n == headerSize+bytes.Index(b[headerSize:], []byte("\x02\x02\x00\x00\x00\x01")); r.err == nil && r.valid() && !between {
				t.Errorf("%s cut at %d of %d is valid", name, n, len(b))
			}
			if r.err != nil || len(r.profile.Timeline.Series) == 0 {
				continue
			}
			if r.profile.Complete || len(r.profile.Problems) == 0 {
				t.Errorf("%s cut at %d: complete", name, n)
			}
			s, want := r.profile.Timeline.Series[0], whole.profile.Timeline.Series[0]
			for i := range s.Times {
				if s.Times[i] != want.Times[i] || s.Values[i] != want.Values[i] {
					t.Errorf("%s cut at %d: point %d is another", name, n, i)
				}
			}
		}
	}
}

// TestFlipEverywhere damages every byte of small files.
func TestFlipEverywhere(t *testing.T) {
	s := tiny()
	s.Series = 1
	for name, b := range map[string][]byte{
		"raw": rawDump(t, s), "gzip": written(t, memtest.WriteDump, s), "JSON": written(t, memtest.WriteDumpJSON, s),
	} {
		for i := range b {
			bad := bytes.Clone(b)
			bad[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
			openBytes(t, bad)
			if t.Failed() {
				t.Fatalf("%s with byte %d changed", name, i)
			}
		}
	}
}

// body builds .mb bodies by hand.
type body []byte

func (b body) num(list ...uint64) body {
	for _, x := range list {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func (b body) strings(list ...string) body {
	b = append(b, sectionStrings).num(uint64(len(list)))
	for _, s := range list {
		b = append(b.num(uint64(len(s))), s...)
	}
	return b
}

// series begins a section with one series.
func (b body) series(name, color, points uint64) body {
	b = append(append(b, sectionSeries, 1), make([]byte, 16)...)
	return append(b.num(name, color), 1).num(points)
}

func (b body) point(at, value float64, flags byte) body {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(at))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(value))
	return append(b, flags)
}

func (b body) page(occupancy float32, runs ...byte) body {
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(occupancy))
	return append(b.num(uint64(len(runs))), runs...)
}

func (b body) file() []byte { return append([]byte("MEMD\x02\x00\x00\x00"), b...) }

// oneLayout is a file with one page of 4096 bytes.
func oneLayout(typeName uint64, occupancy float32, runs ...byte) []byte {
	return body{}.strings("", "s").series(1, 0, 1).point(1, 2, pointMeta).num(0, 1, 1, typeName, 4096, 1).page(occupancy, runs...).file()
}

// TestRules breaks one rule of .mb at a time.
func TestRules(t *testing.T) {
	start := slices.Clip(body{}.strings("", "s"))
	at := int64(headerSize + len(start))
	first := at + 1 + 1 + 16 + 4 // of points
	for _, c := range []struct {
		rule     string
		file     []byte
		at       int64
		severity model.Severity
	}{
		{"version", append([]byte("MEMD\x00\x00\x00\x00"), start...), 4, model.Error},
		{"version", append([]byte("MEMD\x63\x00\x00\x00"), start...), 4, model.Warning},
		{"flags", append([]byte("MEMD\x02\x00\x01\x00"), start...), 6, model.Error},
		{"flags", append([]byte("MEMD\x02\x00\x02\x00"), start...), 6, model.Warning},
		{"truncated", []byte("MEMD\x02"), 5, model.Error},
		{"section", body(append(start.series(1, 0, 0), 9)).file(), first, model.Error},
		{"string-index", start.series(7, 0, 0).file(), at + 2, model.Error},
		{"string-index", start.series(1, 7, 0).file(), at + 2, model.Error},
		{"string-index", body{}.series(1, 0, 0).strings("", "s").file(), headerSize + 2, model.Error},
		{"string-index", start.series(1, 0, 1).point(1, 2, pointName).num(9).file(), first, model.Error},
		{"string-index", oneLayout(9, -1), first + 20, model.Error},
		{"event-index", start.series(1, 0, 1).point(1, 2, pointMeta).num(9, 0).file(), first, model.Error},
		{"varint", body(append(start.series(1, 0, 0), "\x02\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)).file(), first + 2, model.Error},
		{"uuid", body(append(append(append(bytes.Clone(start), 2, 1), bytes.Repeat([]byte{0xee}, 16)...), 1, 0, 1, 0)).file(), at + 2, model.Error},
		{"color", start.series(1, 1, 0).file(), at + 2, model.Warning},
		{"series", start.file(), headerSize, model.Warning},
		{"point", start.series(1, 0, 1).point(1, 2, 0x80).file(), first, model.Warning},
		{"timestamp", start.series(1, 0, 1).point(math.NaN(), 2, 0).file(), first, model.Error},
		{"timestamp", start.series(1, 0, 1).point(-1, 2, 0).file(), first, model.Warning},
		{"value", start.series(1, 0, 1).point(1, math.Inf(1), 0).file(), first, model.Error},
		{"value", start.series(1, 0, 1).point(1, -2, 0).file(), first, model.Warning},
		{"order", start.series(1, 0, 2).point(2, 0, 0).point(1, 0, 0).file(), at + 2, model.Warning},
		{"occupancy", oneLayout(1, 7.5, 0x80, 4), first + 24, model.Error},
		{"rle-overrun", oneLayout(1, -1, 0x81, 4), first + 24, model.Error},
		{"rle-short", oneLayout(1, -1, 1, 1), first + 24, model.Warning},
		{"rle-zero", oneLayout(1, -1, 1, 0, 0xff, 3), first + 24, model.Warning},
		{"varint", oneLayout(1, -1, 0, 0x80), first + 24, model.Error},
		{"size", start.series(1, 0, 1).point(1, 2, pointMeta).num(0, 1, 1, 1, 1<<50, 0).file(), first + 20, model.Warning},
		{"name-encoding", body{}.strings("\xff").series(0, 0, 0).file(), headerSize + 2, model.Warning},
		{"gzip", append([]byte(memtest.DumpHeader), deflated(t, 6, start.series(1, 0, 0))[:30]...), -1, model.Error},
		{"trailing", append(append([]byte(memtest.DumpHeader), deflated(t, 6, start.series(1, 0, 0))...), "x"...), first, model.Warning},
	} {
		v := openBytes(t, c.file).violation(c.rule)
		if v == nil || v.Severity != c.severity || c.at >= 0 && v.Offset != c.at {
			t.Errorf("%s: %+v, want offset %d", c.rule, v, c.at)
		}
	}
}

// TestJSONRules breaks one rule of JSON at a time. The place is where the text after the bar begins.
func TestJSONRules(t *testing.T) {
	page := func(s string) string {
		return `[{"name":"a","data":[{"timestamp":1,"value":2,"meta":{"memory":{"pageTypes":[{"name":"h",` + "\n" + `"pages":[` + s + `]}]}}}]}]`
	}
	for _, c := range []struct{ rule, text string }{
		{"truncated", `[{"name":"a","data":[{"timestamp":1,|`},
		{"json", `[{"name":"a","data":[{"timestamp":1,"value":|NaN}]}]`},
		{"json", `[{"name":"a","data":[]|,}]`},
		{"json", `[{"name":"a","data":[] |"id":""}]`},
		{"json", `[{"name":"a|` + "\x01" + `","data":[]}]`},
		{"json", `[{"name":"a","data":[],"x":[1,|}]`},
		{"too-large", `[{"name":"a","data":[],"x":` + strings.Repeat("[", 1100)},
		{"json", `[{"name":"a","data":[],"x":|01}]`},
		{"trailing", `[{"name":"a","data":[]}] |1`},
		{"series", `[{"name":"a","data":[]},|7]`},
		{"series", `[{"name":|7,"data":[]}]`},
		{"series", `[|{"name":"a"}]`},
		{"uuid", `[{"id":|"x","name":"a","data":[]}]`},
		{"color", `[{"name":"a","color":|"red","data":[]}]`},
		{"point", `[{"name":"a","data":[|7]}]`},
		{"timestamp", `[{"name":"a","data":[|{"timestamp":"yesterday","value":2}]}]`},
		{"timestamp", `[{"name":"a","data":[{"timestamp":|"2025-11-20T04:44:00","value":2}]}]`},
		{"value", `[{"name":"a","data":[|{"timestamp":1,"value":null}]}]`},
		{"value", `[{"name":"a","data":[{"timestamp":1,"value":|"7"}]}]`},
		{"order", `[|{"name":"a","data":[{"timestamp":2,"value":1},{"timestamp":1,"value":1}]}]`},
		{"page-types", `[{"name":"a","data":[{"timestamp":1,"value":2,"meta":{"memory":|7}}]}]`},
		{"page-types", page(`|7`)},
		{"size", page(`{"size":|-1}`)},
		{"bitmap", page(`{"size":8,"bitmap":|7}`)},
		{"bitmap", page(`{"size":8,"bitmap":|"1"}`)},
		{"bitmap", page(`{"size":8,"bitmap":|"0x"}`)},
		{"freelist", page(`{"size":64,"freeList":[|[8,0]]}`)},
		{"freelist", page(`{"size":64,"freeList":|7}`)},
		{"occupancy", page(`{"size":8,"occupancy":|-3}`)},
		{"varint", page(`|{"size":8,"bitmap":"0080"}`)},
		{"rle-overrun", page(`|{"size":8,"bitmap":"02"}`)},
		{"rle-short", page(`|{"size":80,"bitmap":"02"}`)},
		{"name-encoding", "[{\"name\":|\"\xff\",\"data\":[]}]"},
	} {
		text := strings.Replace(c.text, "|", "", 1)
		at := int64(strings.Index(c.text, "|"))
		r := openBytes(t, []byte(text))
		v := r.violation(c.rule)
		if v == nil || at >= 0 && (v.Offset < at-2 || v.Offset > at+8) || v.Line != int64(1+strings.Count(text[:max(at, 0)], "\n")) {
			t.Errorf("%s: %s: %+v, want offset %d (%v)", text, c.rule, v, at, r.err)
		}
	}
}

// TestBombs opens small files that claim, or hold, very much.
func TestBombs(t *testing.T) {
	modeltest.Plain(t)
	head := slices.Clip(body{}.strings("", "s"))
	points := bytes.Repeat(body{}.point(1, 2, 0), 1<<20)
	pages := bytes.Repeat(body{}.page(-1), 1<<20)
	for name, b := range map[string]body{
		"points":          append(head.series(1, 0, 1<<40), bytes.Repeat(points, 5)...),
		"series":          append(body(append(bytes.Clone(head), sectionSeries)).num(1<<40), bytes.Repeat([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00"), 2<<20)...),
		"strings":         append(body{sectionStrings}.num(1<<40), make([]byte, 20<<20)...),
		"one string":      append(body{sectionStrings}.num(1, 1<<60), make([]byte, 20<<20)...),
		"string sections": bytes.Repeat(body{}.strings(strings.Repeat("x", 60<<10)), 600),
		"layouts":         append(head.series(1, 0, 1<<40), bytes.Repeat(body{}.point(1, 2, pointMeta).num(0, 1, 0), 2<<20)...),
		"pages":           append(head.series(1, 0, 1).point(1, 2, pointMeta).num(0, 1, 1, 1, 8, 1<<40), bytes.Repeat(pages, 6)...),
		"types":           append(head.series(1, 0, 1).point(1, 2, pointMeta).num(0, 1, 1<<40), make([]byte, 8<<20)...),
		"counts":          head.series(1, 0, 1<<63).point(1, 2, pointMeta).num(0, 1, 1, 1, 1<<40, 1<<62),
		"runs":            head.series(1, 0, 1).point(1, 2, pointMeta).num(0, 1, 1, 1, 8, 1).page(-1)[:60].num(1 << 62),
	} {
		packed := append([]byte(memtest.DumpHeader), deflated(t, 1, b)...)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := openBytes(t, packed)
		runtime.ReadMemStats(&after)
		if r.valid() && r.err == nil {
			t.Errorf("%s: valid", name)
		}
		// Load, info, validate and decoding every layout together, garbage included.
		if used := after.TotalAlloc - before.TotalAlloc; used > 1500<<20 {
			t.Errorf("%s: %d MiB allocated for %d KiB", name, used>>20, len(packed)>>10)
		}
	}
}

// bitsOf counts the bits of a page.
func bitsOf(p *model.PageType, page int) (occupied, free uint64) {
	p.EachRun(page, func(o bool, n uint64) bool {
		if o {
			occupied += n
		} else {
			free += n
		}
		return true
	})
	return occupied, free
}

// TestPageReadings reads pages as the format's page says.
func TestPageReadings(t *testing.T) {
	for _, c := range []struct {
		page     string
		occupied uint64
		free     uint64
		known    bool
		stated   float32
	}{
		{`{"size":4096,"bitmap":"800180028001"}`, 256, 256, true, -1},
		{`{"size":4096,"bitmap":"008004"}`, 0, 512, true, -1},
		{`{"size":4096,"bitmap":""}`, 512, 0, false, -1},
		{`{"size":4096,"bitmap":null,"freeList":null,"occupancy":null}`, 512, 0, false, -1},
		{`{"size":4096,"bitmap":"0080"}`, 512, 0, true, -1},
		{`{"size":4096,"bitmap":"0A0"}`, 512, 0, true, -1},
		{`{"size":16,"bitmap":"00FF7F"}`, 0, 2, true, -1},
		{`{"size":4096,"freeList":[]}`, 512, 0, true, -1},
		{`{"size":4096,"freeList":[[0,4096]]}`, 0, 512, true, -1},
		{`{"freeList":[[1024,3072]],"size":4096}`, 256, 256, true, -1},
		{`{"size":8192,"freeList":[[4096,8192],[0,192]]}`, 488, 536, true, -1},
		{`{"size":1000,"freeList":[[480,1000]]}`, 60, 65, true, -1},
		{`{"size":4096,"freeList":[[0,2048],[1024,3072]]}`, 128, 384, true, -1},
		{`{"size":4096,"freeList":[[3072,1024]]}`, 512, 0, true, -1},
		{`{"size":4096,"freeList":[[3,13],[20,21]]}`, 511, 1, true, -1},
		{`{"size":4096,"freeList":[[1],[1,2,3],"x",null,[[0],8]]}`, 512, 0, true, -1},
		{`{"size":4096,"freeList":[[0,1e300]]}`, 0, 512, true, -1},
		{`{"size":4096,"bitmap":"8004","freeList":[[0,4096]],"occupancy":0.25}`, 512, 0, true, 0.25},
		{`{"size":4096,"occupancy":0.25}`, 512, 0, false, 0.25},
		{`{"size":4096,"occupancy":7.5}`, 512, 0, false, 1},
		{`{"size":-4096}`, 0, 0, false, -1},
		{`{"size":1e300}`, 0, 0, false, -1},
		{`{}`, 0, 0, false, -1},
		{`{"size":9}`, 2, 0, false, -1},
	} {
		text := `[{"name":"a","data":[{"meta":{"memory":{"pageTypes":[{"pages":[` + c.page + `],"name":"h"}]}},"timestamp":1,"value":2}]}]`
		r := openBytes(t, []byte(text))
		if r.err != nil || len(r.layouts) != 1 || len(r.layouts[0].Types) != 1 {
			t.Errorf("%s: %v", c.page, r.err)
			continue
		}
		p := &r.layouts[0].Types[0]
		stated := float32(-1)
		if p.Occupancy != nil {
			stated = p.Occupancy[0]
		}
		occupied, free := bitsOf(p, 0)
		if occupied != c.occupied || free != c.free || (p.Known == nil || p.Known[0]) != c.known || stated != c.stated {
			t.Errorf("%s: %d and %d bits, known %v, occupancy %v", c.page, occupied, free, p.Known, stated)
		}
	}
}

// TestPointReadings reads points with odd times and values.
func TestPointReadings(t *testing.T) {
	day := `1763596800000000`
	for _, c := range []struct {
		point string
		at    int64 // microseconds after day, -1 for a point that is left out
		value float64
	}{
		{`"timestamp":` + day + `,"value":1.5`, 0, 1.5},
		{`"timestamp":1.763596800000001e15,"value":-7`, 1, -7},
		{`"timestamp":"2025-11-20","value":1e3`, 0, 1000},
		{`"timestamp":"2025-11-20T04:44:04.123456Z","value":0`, 17_044_123_456, 0},
		{`"timestamp":"2025-11-20T06:44:04.1234569+02:00","value":0`, 17_044_123_456, 0},
		{`"timestamp":"2025-11-20T04:44:04","value":"12"`, 17_044_000_000, 12},
		{`"timestamp":"2025-11-20 04:44:04","value":0`, 17_044_000_000, 0},
		{`"timestamp":"yesterday","value":0`, -1, 0},
		{`"value":0`, -1, 0},
		{`"timestamp":` + day + `,"value":"many"`, -1, 0},
		{`"timestamp":` + day + `,"value":{"a":[1,2]}`, -1, 0},
		{`"timestamp":` + day + `,"value":1e400`, -1, 0},
		{`"timestamp":1e300,"value":1`, -1, 0},
	} {
		text := `{"name":"a","data":[{"timestamp":` + day + `,"value":99},{` + c.point + `},{"timestamp":` + day + `000,"value":98}]}`
		text = strings.Replace(text, day+"000", "1763596900000000000", 1)
		r := openBytes(t, []byte(text))
		if r.err != nil {
			t.Errorf("%s: %v", c.point, r.err)
			continue
		}
		s := r.profile.Timeline.Series[0]
		if c.at < 0 {
			if len(s.Times) != 2 || s.Dropped != 1 || s.FilePoint(1) != 2 || s.Values[1] != 98 || r.profile.Complete {
				t.Errorf("%s: %+v", c.point, s)
			}
		} else if len(s.Times) != 3 || int64(s.Times[1]) != c.at || s.Values[1] != c.value || s.Dropped != 0 {
			t.Errorf("%s: %+v", c.point, s)
		}
	}
}

// TestSorting sorts points by time, those of one time as they stand, and keeps their numbers.
func TestSorting(t *testing.T) {
	var points []string
	for i, at := range []int{50, 10, 30, -1, 10, 20} {
		when := fmt.Sprint(at)
		if at < 0 {
			when = "null"
		}
		points = append(points, fmt.Sprintf(`{"timestamp":%s,"value":%d,"name":"e%d"}`, when, i, i))
	}
	r := openBytes(t, []byte(`[{"name":"a","data":[`+strings.Join(points, ",")+`]}]`))
	s := r.profile.Timeline.Series[0]
	got := ""
	for i := range s.Times {
		got += fmt.Sprintf("%d:%d@%d %s@%d ", s.FilePoint(i), int(s.Values[i]), s.Times[i], s.Events[i].Name, s.Events[i].At)
	}
	if got != "1:1@0 e1@0 4:4@0 e4@0 5:5@10 e5@10 2:2@20 e2@20 0:0@40 e0@40 " || r.profile.Timeline.Start != 10 {
		t.Error(got, r.profile.Timeline.Start)
	}
}

func TestWideTextIsRefused(t *testing.T) {
	for _, text := range []string{"\xff\xfe[\x00{\x00", "\xfe\xff\x00[\x00{", "[\x00{\x00\"\x00", "\x00[\x00{\x00\"", "\xff\xfe\x00\x00[\x00\x00\x00"} {
		if r := openBytes(t, []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), "UTF-16") || r.violation("json") == nil {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

// TestRunsAgree compares what is said of runs with what the model makes of them.
func TestRunsAgree(t *testing.T) {
	for n := range 1 << 16 {
		runs := []byte{byte(n), byte(n >> 8)}
		if n%3 == 0 {
			runs = append(runs, byte(n*7), byte(n*5)&0x7f)
		}
		p := model.PageType{Uniform: 8 * 200, Start: []uint32{0, uint32(len(runs))}, Runs: runs}
		occupied, free := bitsOf(&p, 0)
		sum, cut := uint64(0), false
		for left := runs; len(left) > 0; {
			x, k := binary.Uvarint(left)
			if k <= 0 {
				cut = true
				break
			}
			sum += x
			left = left[k:]
		}
		f := checkRuns(runs, 200)
		if occupied+free != 200 || cut != (f&runCut != 0) || !cut && (sum > 200) != (f&runOver != 0) || !cut && (sum < 200) != (f&runShort != 0) {
			t.Fatalf("%x: %d and %d, %d, %b", runs, occupied, free, sum, f)
		}
	}
}
