package mvmheap

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// TestCutEverywhere cuts small files at every byte: what is whole stays, and only cuts between snapshots go unnoticed.
func TestCutEverywhere(t *testing.T) {
	three := heap3(t, small())
	between := bytes.LastIndex(three[:bytes.Index(three, []byte("\"gc_seq_num\": 2"))], []byte("snapmeta"))
	// Behind the last snapshot come an empty table of contents and one of four entries, which nobody needs.
	ended := len(three) - (tocHeader + tocFooter) - (tocHeader + 4*tocEntry + tocFooter)
	for name, b := range map[string][]byte{"3": three, "2": memtest.Heap2(small())} {
		path := write(t, b)
		for n := len(b) - 1; n > 0; n-- {
			if err := os.Truncate(path, int64(n)); err != nil {
				t.Fatal(err)
			}
			r := openFile(t, path)
			if t.Failed() {
				t.Fatalf("version %s cut at %d", name, n)
			}
			if fine := name == "3" && (n == between || n == ended); r.valid() != fine {
				t.Errorf("version %s cut at %d of %d: valid is %v", name, n, len(b), r.valid())
			}
			if r.err == nil && (r.profile.Lost > int64(n) || !r.profile.Complete && len(r.profile.Problems) == 0) {
				t.Errorf("version %s cut at %d: lost %d, problems %v", name, n, r.profile.Lost, r.profile.Problems)
			}
		}
	}
}

// TestFlipEverywhere damages every byte of small files.
func TestFlipEverywhere(t *testing.T) {
	s := small()
	s.Snapshots = 1
	for name, b := range map[string][]byte{"3": heap3(t, s), "2": memtest.Heap2(s)} {
		file, err := os.OpenFile(write(t, b), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for i := len(magic); i < len(b); i++ {
			bad := b[i] ^ []byte{0x01, 0x80, 0xff}[i%3]
			if _, err := file.WriteAt([]byte{bad}, int64(i)); err != nil {
				t.Fatal(err)
			}
			openFile(t, file.Name())
			if _, err := file.WriteAt(b[i:i+1], int64(i)); err != nil {
				t.Fatal(err)
			}
			if t.Failed() {
				t.Fatalf("version %s with byte %d changed", name, i)
			}
		}
	}
}

// put changes the 8 bytes at an offset.
func put(b []byte, at int, x uint64) []byte {
	b = bytes.Clone(b)
	binary.LittleEndian.PutUint64(b[at:], x)
	return b
}

func TestLyingTables(t *testing.T) {
	b := heap3(t, small())
	outer := int(binary.LittleEndian.Uint64(b[len(b)-8:]))
	inner := int(binary.LittleEndian.Uint64(b[outer+16+24+8:]))
	for name, bad := range map[string][]byte{
		"pointer beyond the file":   put(b, len(b)-8, 1<<62),
		"pointer to no table":       put(b, len(b)-8, 16),
		"count":                     put(b, outer+8, 1<<60),
		"loop":                      put(b, outer+16+24+8, uint64(outer)),
		"inner loop":                put(b, inner+16+8, uint64(inner)),
		"inner end beyond the file": put(b, inner+16+16, 1<<63),
		"inner count":               put(b, inner+8, 1<<61+1),
		"own place":                 put(b, outer-8, 7),
	} {
		r := openBytes(t, bad)
		if r.err != nil || len(r.heaps) != 2 || r.heaps[1].Len() != 44 {
			t.Errorf("%s: %v, %d snapshots", name, r.err, len(r.heaps))
		}
		if v := r.violation("toc"); v == nil || r.valid() {
			t.Errorf("%s: %+v", name, r.violations)
		}
	}
	r := openBytes(t, append(bytes.Clone(b), "and something else"...))
	if v := r.violation("trailing"); v == nil || v.Offset != int64(len(b)) || len(r.heaps) != 2 {
		t.Errorf("trailing: %+v", r.violations)
	}
}

// rle is a zstd frame of n blocks that repeat one byte.
func rle(n int, x byte) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x60}
	for i := range n {
		h := uint32(maxBlock)<<3 | 1<<1
		if i == n-1 {
			h |= 1
		}
		b = append(b, byte(h), byte(h>>8), byte(h>>16), x)
	}
	return b
}

// TestBombs reads columns that decompress to gigabytes.
func TestBombs(t *testing.T) {
	modeltest.Plain(t)
	for _, kinds := range [][]kind{
		{colkind}, {colkind, colrfcnt, reftrget, refdescr, colrfstr, colusize, coltofi, colsize}, {strings3, topIDs, reprname},
	} {
		b := []byte(magic)
		b = append(b, "filemeta\x03\x00\x00\x00\x00\x00\x00\x00{}\x00snapmeta\x03\x00\x00\x00\x00\x00\x00\x00{}\x00"...)
		for _, k := range kinds {
			b = append(b, k.String()+strings.Repeat("\x00", 8-len(k.String()))...)
			if k < integer {
				b = append(b, 1, 0)
			}
			b = append(append(b, make([]byte, 8)...), rle(1<<15, 1)...) // 4 GiB
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := openBytes(t, b)
		runtime.ReadMemStats(&after)
		if r.err != nil || r.valid() {
			t.Errorf("%v: %v, %+v", kinds, r.err, r.violations)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > poolLeak*600<<20 {
			t.Errorf("%v: %d MiB allocated for %d bytes", kinds, used>>20, len(b))
		}
	}
}

// TestRules breaks one rule at a time.
func TestRules(t *testing.T) {
	s := small()
	s.Snapshots = 1
	two := memtest.Heap2(s)
	row := func(r, at int) int { return 16 + 20 + 28*r + at }
	refs := bytes.Index(two, []byte("refs")) + 20
	set := func(at int, x byte) []byte {
		b := bytes.Clone(two)
		b[at] = x
		return b
	}
	named := refs // a reference described by a string
	for two[named+1] != 2 {
		named += int(refWidth(two[named]))
	}
	for _, c := range []struct {
		rule string
		file []byte
		at   int64
	}{
		{"kind", set(row(12, 0), 99), 16},
		{"root-row", set(row(0, 0), 1), 16},
		{"type-index", set(row(11, 3), 9), 16},
		{"reference-slice", set(row(12, 26), 9), 16},
		{"target", set(refs+3, 250), int64(refs - 20)},
		{"label", set(refs+1, 3), int64(refs - 20)},
		{"string-index", set(named+2, 250), int64(refs - 20)},
		{"row-count", set(refs, 'x'), int64(refs - 20)},
		{"block", set(16, 'x'), 16},
		{"truncated", two[:len(two)-1], 0},
		{"strings-utf8", bytes.Replace(two, []byte("Number7"), []byte("Number\xff"), 1), 0},
	} {
		r := openBytes(t, c.file)
		v := r.violation(c.rule)
		if v == nil && c.rule == "truncated" {
			v = r.violation("block") // an index that is cut looks like anything
		}
		if v == nil && r.err == nil || v != nil && c.at > 0 && v.Offset > c.at+100 {
			t.Errorf("%s: %+v", c.rule, r.violations)
		}
	}
	three := heap3(t, s)
	wrong := bytes.Replace(three, []byte("\"total_refs\": 90"), []byte("\"total_refs\": 91"), 1)
	if v := openBytes(t, wrong).violation("totals"); v == nil || v.Offset != int64(bytes.Index(three, []byte("snapmeta"))) {
		t.Error("totals:", v)
	}
	wrong = bytes.Replace(three, []byte("{ \"subversion\""), []byte("[ \"subversion\""), 1)
	if v := openBytes(t, wrong).violation("filemeta"); v == nil || v.Offset != 16 {
		t.Error("filemeta:", v)
	}
	at := bytes.Index(three, []byte("colsize\x00"))
	wrong = bytes.Clone(three)
	wrong[at+8] = 3
	if v := openBytes(t, wrong).violation("entry-size"); v == nil || v.Offset != int64(at) {
		t.Error("entry-size:", v)
	}
}

// TestBadTargetsAreLeftOut damages one reference: the others of its row stay, in order.
func TestBadTargetsAreLeftOut(t *testing.T) {
	s := small()
	s.Snapshots = 1
	b := memtest.Heap2(s)
	refs := bytes.Index(b, []byte("refs")) + 20
	good := openBytes(t, b).heaps[0]
	b[refs+3] = 250 // the first in the file
	r := openBytes(t, b)
	bad := r.heaps[0]
	if bad.To.Len() != good.To.Len()-1 || r.profile.Complete {
		t.Fatalf("%d references of %d", bad.To.Len(), good.To.Len())
	}
	gone := 0
	for row := range good.Kinds {
		was, _ := good.Out(model.Row(row))
		is, _ := bad.Out(model.Row(row))
		if is.Len() == was.Len()-1 {
			was = was.Slice(1, was.Len())
			gone++
		}
		for j, to := range is.All() {
			if to != was.At(j) {
				t.Errorf("row %d: %v, was %v", row, is, was)
			}
		}
	}
	if gone != 1 {
		t.Errorf("%d rows lost a reference", gone)
	}
}
