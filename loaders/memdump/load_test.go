package memdump

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

func small() memtest.DumpSpec {
	return memtest.DumpSpec{Series: 3, Points: 20, Layouts: 2, Pages: 8, Seed: 1}
}

// written returns what a writer of memtest writes.
func written(t testing.TB, write func(io.Writer, memtest.DumpSpec) error, s memtest.DumpSpec) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rawDump is a .mb whose body is not compressed.
func rawDump(t testing.TB, s memtest.DumpSpec) []byte {
	return append([]byte("MEMD\x02\x00\x00\x00"), written(t, memtest.WriteDumpBody, s)...)
}

func deflated(t testing.TB, level int, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// same compares two results but for what differs between the formats.
func same(t *testing.T, name string, got, want *result) {
	t.Helper()
	if got.err != nil || len(got.violations) > 0 {
		t.Fatalf("%s: %v %+v", name, got.err, got.violations)
	}
	if got, want := got.profile.Timeline, want.profile.Timeline; got.Start != want.Start || !reflect.DeepEqual(got.Series, want.Series) {
		t.Errorf("%s: other curves", name)
	}
	for i := range want.layouts {
		if a, b := got.profile.Pages.Info(i), want.profile.Pages.Info(i); a != b || a.Empty {
			t.Errorf("%s: layout %d is at %+v, want %+v", name, i, a, b)
		}
		for k, want := range want.layouts[i].Types {
			if got := got.layouts[i].Types[k]; !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: layout %d, type %d differs: %+v %+v", name, i, k, got, want)
			}
		}
	}
}

// TestFormsAgree reads the same contents in every form.
func TestFormsAgree(t *testing.T) {
	s := small()
	raw, text := rawDump(t, s), written(t, memtest.WriteDumpJSON, s)
	body := raw[headerSize:]
	want := openBytes(t, raw)
	if want.err != nil || len(want.profile.Timeline.Series) != 3 || len(want.layouts) != 6 || !want.profile.Complete || len(want.violations) > 0 {
		t.Fatalf("%v %+v", want.err, want.violations)
	}
	if p := want.profile; p.Timeline.Start != 1_763_613_840_000_000 || !p.Meta.HasStart || p.Timeline.Series[1].Times[7] != 70_000 {
		t.Errorf("start %d", p.Timeline.Start)
	}
	header := []byte(memtest.DumpHeader)
	members := append(deflated(t, 9, body[:100]), deflated(t, 0, body[100:])...)
	for name, b := range map[string][]byte{
		"gzip":          written(t, memtest.WriteDump, s),
		"stored":        append(bytes.Clone(header), deflated(t, 0, body)...),
		"two members":   append(bytes.Clone(header), members...),
		"flags 0, gzip": append([]byte("MEMD\x02\x00\x00\x00"), deflated(t, 1, body)...),
		"JSON":          text,
		"one line":      bytes.ReplaceAll(text, []byte("\n"), nil),
		"CRLF, BOM":     append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n\t"))...),
		"JSON in gzip":  deflated(t, 6, text),
		"escaped":       bytes.ReplaceAll(text, []byte("series"), []byte(`\u0073er\u0069es`)),
	} {
		same(t, name, openBytes(t, b), want)
		same(t, name+", piped", openPipe(t, b), want)
	}
	bare := openBytes(t, deflated(t, 6, body))
	if bare.err != nil || bare.violation("magic") == nil || len(bare.layouts) != 6 {
		t.Errorf("without a header: %v %+v", bare.err, bare.violations)
	}
}

// TestMarks reaches layouts in the middle of compressed bodies, in any order, from several goroutines.
func TestMarks(t *testing.T) {
	modeltest.Plain(t)
	s := memtest.DumpSpec{Series: 4, Points: 200, Layouts: 20, Pages: 1500, Runs: 20, Seed: 3}
	raw := rawDump(t, s)
	body := raw[headerSize:]
	want := openBytes(t, raw)
	half := len(body) / 2
	for name, packed := range map[string][]byte{
		"fast": deflated(t, 1, body), "best": deflated(t, 9, body), "stored": deflated(t, 0, body), "huffman": deflated(t, gzip.HuffmanOnly, body),
		"members": append(deflated(t, 6, body[:half]), deflated(t, 6, body[half:])...),
	} {
		r := openBytes(t, append([]byte(memtest.DumpHeader), packed...))
		if same(t, name, r, want); t.Failed() {
			return
		}
	}
	path := t.TempDir() + "/x.mb"
	src := sourceOf(t, path, append([]byte(memtest.DumpHeader), deflated(t, 6, body)...))
	var store model.Store
	if err := loadMB(context.Background(), src, &store); err != nil {
		t.Fatal(err)
	}
	p := store.Current().Pages.(*pages)
	if d := p.d.(*mbDecoder); len(d.marks.list) < 3 {
		t.Fatalf("%d marks", len(d.marks.list))
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for k := range 60 {
				i := (k*37 + g*11) % p.Len()
				l, err := p.d.decode(context.Background(), i, p.refs[i])
				if err != nil || !reflect.DeepEqual(l.Types, want.layouts[i].Types) {
					t.Errorf("layout %d: %v", i, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// TestMarksAreThinned keeps marks few and in order.
func TestMarksAreThinned(t *testing.T) {
	m := &marks{spacing: 10}
	for at := int64(0); at < 100_000; at += 5 {
		if m.wanted(at) {
			m.add(mark{body: at})
		}
	}
	if len(m.list) > maxMarks || m.list[0].body != 0 || m.spacing < 80 {
		t.Fatalf("%d marks, spacing %d", len(m.list), m.spacing)
	}
	for at := int64(0); at < 100_000; at += 1001 {
		if k := m.before(at); k.body > at || at-k.body > 2*m.spacing {
			t.Errorf("%d: mark at %d", at, k.body)
		}
	}
}

// TestKeptLayouts decodes once, and forgets when there is too much.
func TestKeptLayouts(t *testing.T) {
	d := &countingDecoder{}
	p := newPages(make([]layoutRef, 5), d, nil)
	for _, i := range []int{0, 0, 1, 2, 3, 0, 3, 4, 1} {
		if _, err := p.Open(context.Background(), i); err != nil {
			t.Fatal(err)
		}
	}
	if d.n != 7 { // a third of the room each
		t.Errorf("%d decoded", d.n)
	}
	if _, err := p.Open(context.Background(), 5); err == nil {
		t.Error("a layout that does not exist")
	}
}

type countingDecoder struct{ n int }

func (d *countingDecoder) decode(context.Context, int, layoutRef) (*model.Layout, error) {
	d.n++
	return &model.Layout{Types: []model.PageType{{Start: make([]uint32, 1), Runs: make([]byte, keptBytes/3-1000)}}}, nil
}

// TestChunks reads with the smallest buffers: no token and no record depends on where one ends.
func TestChunks(t *testing.T) {
	text := string(written(t, memtest.WriteDumpJSON, memtest.DumpSpec{Series: 1, Points: 3, Layouts: 1, Pages: 3}))
	text = strings.Replace(text, `"GC"`, `"a\ud83d\ude00\u00e9\\\"\n"`, 1) + " \n"
	src := sourceOf(t, t.TempDir()+"/x.json", []byte(text))
	var want *jsonFile
	for _, chunk := range []int{len(text), 1, 2, 3, 5, 7, 64} {
		for _, strict := range []bool{true, false} {
			f := &jsonFile{found: &findings{}, strict: strict}
			f.a = newAssembly(limits{src}, f.found)
			f.l = newReader(context.Background(), src, f.found, 0, -1, chunk)
			f.l.Loose = !strict
			f.root()
			if want == nil {
				want = f
			}
			if len(f.found.list) > 0 || !reflect.DeepEqual(f.a.series, want.a.series) || !reflect.DeepEqual(f.a.layouts, want.a.layouts) {
				t.Fatalf("chunks of %d: %+v", chunk, f.found.list)
			}
			if e := f.a.series[0].Events[0].Name; e != "a😀é\\\"\n" {
				t.Fatalf("event %q", e)
			}
		}
	}
	raw := rawDump(t, small())
	whole := openBytes(t, raw)
	for chunk := 1; chunk < 80; chunk += 3 {
		b := mbBody{ctx: t.Context(), s: newStream(&direct{r: bytes.NewReader(raw[headerSize:]), size: chunk}, headerSize), found: &findings{}}
		b.a = newAssembly(limits{src}, b.found)
		if err := b.read(); err != nil || len(b.found.list) > 0 || !reflect.DeepEqual(b.a.timeline().Series, whole.profile.Timeline.Series) {
			t.Fatalf("chunks of %d: %v %+v", chunk, err, b.found.list)
		}
	}
}

// Layouts of a process's address space are said to be that, by the curves that come with them.
func TestLayoutsOfProcessesAreExplained(t *testing.T) {
	doc := func(names ...string) []byte {
		var series []string
		for i, name := range names {
			meta := ""
			if i == 0 {
				meta = `,"meta":{"memory":{"pageTypes":[{"name":"Heap","uniformPageSize":65536,"pages":[{"size":65536,"bitmap":"8001"}]}]}}`
			}
			series = append(series, fmt.Sprintf(`{"id":"00000001-1111-4222-8333-00000000000%d","name":%q,"color":"#1a73e8","visible":true,"data":[{"timestamp":1763613840000000,"value":1,"pointId":"00000065-1111-4222-8333-00000000006%[1]d"%[3]s}]}`, i, name, meta))
		}
		return []byte("[" + strings.Join(series, ",") + "]")
	}
	for names, want := range map[string]bool{"RSS Anon File Swap PSS": true, "RSS Anon File": false, "python": false} {
		r := openBytes(t, doc(strings.Fields(names)...))
		if got := strings.Contains(fmt.Sprint(r.profile.Problems), "a hole is mapped and not resident"); got != want || !r.profile.Complete {
			t.Errorf("%s: %v", names, r.profile.Problems)
		}
	}
}
