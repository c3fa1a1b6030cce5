package mvmheap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// wideFrame is a zstd frame that makes its decoder remember 256 MiB.
const wideFrame = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"

// builder makes a file of one snapshot, of two rows, a root and an object of type 0, and no reference.
type builder struct {
	t       *testing.T
	meta    string
	width   map[kind]uint16
	columns map[kind][]byte // frames
}

func newBuilder(t *testing.T) *builder {
	b := &builder{t: t, meta: "{}", width: map[kind]uint16{}, columns: map[kind][]byte{}}
	b.column(colkind, 1, 9, 1)
	for k := colsize; k <= colusize; k++ {
		b.column(k, 1, 0, 0)
	}
	b.column(refdescr, 1)
	b.column(reftrget, 1)
	b.column(strings3, 0, 1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b')
	b.column(reprname, 1, 0)
	b.column(typename, 1, 1)
	return b
}

func (b *builder) column(k kind, width uint16, content ...byte) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	defer z.Close()
	b.width[k], b.columns[k] = width, z.EncodeAll(content, nil)
	if len(content) == 0 {
		b.columns[k] = []byte("\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00")
	}
}

func (b *builder) bytes() []byte {
	le := binary.LittleEndian
	out := []byte(magic)
	var entries []byte
	entry := func(k string, start, end int) []byte {
		return le.AppendUint64(le.AppendUint64([]byte(k+strings.Repeat("\x00", 8-len(k))), uint64(start)), uint64(end))
	}
	block := func(k string, head, content []byte) []byte {
		start := len(out)
		out = append(append(out, k+strings.Repeat("\x00", 8-len(k))...), head...)
		out = append(out, content...)
		return entry(k, start, len(out))
	}
	file := block("filemeta", le.AppendUint64(nil, 3), []byte("{}\x00"))
	entries = append(entries, block("snapmeta", le.AppendUint64(nil, uint64(len(b.meta)+1)), append([]byte(b.meta), 0))...)
	for k := colkind; k <= strings3; k++ {
		if c, ok := b.columns[k]; ok {
			head := make([]byte, 8)
			if k < integer {
				head = append(le.AppendUint16(nil, b.width[k]), head...)
			}
			entries = append(entries, block(k.String(), head, c)...)
		}
	}
	contents := func(entries []byte) []byte {
		start := len(out)
		own := le.AppendUint64(nil, uint64(start))
		block("toc", le.AppendUint64(nil, uint64(len(entries)/tocEntry)), append(bytes.Clone(entries), own...))
		return entry("toc", start, len(out)-tocFooter)
	}
	contents(append(file, contents(entries)...))
	return out
}

// open opens the file as one where n sizes and indexes may be large.
func (b *builder) open(n int) (report, checked []string) {
	b.t.Helper()
	src, err := loaders.OpenSource(b.t.Context(), "-", bytes.NewReader(b.bytes()))
	if err != nil {
		b.t.Fatal(err)
	}
	defer src.Close()
	f, _, err := open(b.t.Context(), src)
	if err != nil {
		b.t.Fatal(err)
	}
	f.large = n
	var store model.Store
	f.state.Publish(&store, &model.Profile{Problems: f.problems})
	if _, err := f.Open(b.t.Context(), 0, nil); err != nil {
		b.t.Fatal(err)
	}
	for _, p := range store.Current().Problems {
		report = append(report, p.Code+": "+p.Message)
	}
	v := &validator{ctx: b.t.Context(), f: f, problems: f.problems}
	if err := v.snapshot(0); err != nil {
		b.t.Fatal(err)
	}
	v.take(f.tables.problems)
	for _, p := range v.problems {
		checked = append(checked, p.Code+": "+p.Message)
	}
	return report, checked
}

// TestALimitIsOneProblem makes each thing larger than it may be: that is told once, as a limit, and nothing else.
func TestALimitIsOneProblem(t *testing.T) {
	if report, checked := newBuilder(t).open(maxLarge); len(report)+len(checked) > 0 {
		t.Fatal(report, checked)
	}
	many := func(b *builder, width uint16, x byte, kinds ...kind) {
		for _, k := range kinds {
			b.width[k], b.columns[k] = width, rle(160, x)
		}
	}
	for name, change := range map[string]func(b *builder){
		"rows": func(b *builder) {
			many(b, 1, 9, colkind)
			many(b, 1, 0, colsize, coltofi, colrfcnt, colrfstr, colusize)
		},
		"references": func(b *builder) {
			b.column(colrfcnt, 4, 0, 0, 0, 1, 0, 0, 0, 0)
			many(b, 1, 0, reftrget, refdescr)
		},
		"names":           func(b *builder) { many(b, 0, 0, strings3) },
		"window of kinds": func(b *builder) { b.columns[colkind] = []byte(wideFrame) },
		"window of counts": func(b *builder) {
			b.column(reftrget, 1, 0)
			b.column(refdescr, 1, 0)
			b.columns[colrfcnt] = []byte(wideFrame)
		},
		"window of names": func(b *builder) { b.columns[strings3] = []byte(wideFrame) },
		"metadata":        func(b *builder) { b.meta = `{"x": "` + strings.Repeat("x", maxJSON) + `"}` },
		"full sizes": func(b *builder) {
			rows := maxFull + 1
			b.column(colkind, 1, append([]byte{9}, bytes.Repeat([]byte{1}, rows-1)...)...)
			b.column(colsize, 2, bytes.Repeat([]byte{0xff}, 2*rows)...)
			for _, k := range []kind{coltofi, colrfcnt, colrfstr, colusize} {
				b.column(k, 1, make([]byte, rows)...)
			}
		},
		"large sizes": func(b *builder) { b.column(colusize, 8, bytes.Repeat([]byte{1}, 16)...) },
		"large indexes": func(b *builder) {
			b.column(colrfcnt, 1, 2, 0)
			b.column(reftrget, 1, 0, 1)
			b.column(refdescr, 8, bytes.Repeat([]byte{1}, 16)...)
		},
	} {
		b := newBuilder(t)
		change(b)
		report, checked := b.open(1)
		for what, told := range map[string][]string{"report": report, "validate": checked} {
			if len(told) != 1 || !strings.HasPrefix(told[0], "too-large: ") || !strings.Contains(told[0], "limit of ") || !strings.Contains(told[0], "cannot be raised") && !strings.Contains(told[0], "--max-memory ") {
				t.Errorf("%s, %s: %q", what, name, told)
			}
		}
	}
}

func TestTooManyScores(t *testing.T) {
	b := newBuilder(t)
	for _, k := range []kind{topIDs, topscore} {
		b.column(k, 1, make([]byte, maxScores+1)...)
	}
	_, checked := b.open(1)
	want := "[high-scores: snapshot 0: there are more high scores than the limit of 65,536 in one snapshot: the rest was not read; it cannot be raised]"
	if got := fmt.Sprint(checked); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
