package mvmheap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestVersionsAgree reads the same snapshots in both versions, which share nothing but the last step, and by a reader
// that is as simple as can be.
func TestVersionsAgree(t *testing.T) {
	for _, s := range []memtest.HeapSpec{
		small(), {Rows: 20, References: 0}, {Rows: 3000, References: 9000, Snapshots: 3, Seed: 7}, {Rows: 70_000, References: 200_000, Spread: 50},
	} {
		b3, b2 := heap3(t, s), memtest.Heap2(s)
		three, two := openBytes(t, b3), openBytes(t, b2)
		if three.err != nil || two.err != nil {
			t.Fatal(three.err, two.err)
		}
		if len(three.violations) > 0 || len(two.violations) > 0 || !three.profile.Complete || !two.profile.Complete {
			t.Errorf("%+v: violations %v and %v", s, three.violations, two.violations)
		}
		slow := slowTwin(b2)
		if len(three.heaps) != max(1, s.Snapshots) || len(two.heaps) != len(three.heaps) || len(slow) != len(three.heaps) {
			t.Fatalf("%d, %d, %d snapshots", len(three.heaps), len(two.heaps), len(slow))
		}
		for i, h := range three.heaps {
			if !reflect.DeepEqual(h, two.heaps[i]) {
				t.Errorf("%+v: snapshot %d differs between versions", s, i)
			}
			checkTwin(t, h, slow[i])
			a, b := three.profile.Heaps.Info(i), two.profile.Heaps.Info(i)
			b.Time, b.GC = a.Time, a.GC
			if !reflect.DeepEqual(a, b) || a.Time != model.Time(5000+70_000*i) || a.GC != int64(i+1) {
				t.Errorf("snapshot %d: %+v and %+v", i, a, b)
			}
		}
	}
}

// TestPipe reads a file as it comes through a pipe: it can only be opened when all of it is there.
func TestPipe(t *testing.T) {
	b := heap3(t, small())
	piped, file := openBytes(t, b), openFile(t, write(t, b))
	if piped.err != nil || !reflect.DeepEqual(piped.heaps, file.heaps) || len(piped.violations) > 0 {
		t.Error(piped.err, piped.violations)
	}
}

// slowRow is a row as the reader sees it that is as simple as can be.
type slowRow struct {
	kind   uint16
	entity uint32
	bytes  uint64
	refs   []slowRef
}

type slowRef struct {
	kind, value, target uint64
}

// slowTwin reads the rows of an undamaged file of version 2.
func slowTwin(b []byte) (snaps [][]slowRow) {
	le := binary.LittleEndian
	b = b[16:]
	for string(b[:4]) == "coll" {
		n := le.Uint64(b[4:])
		rows, starts, counts := make([]slowRow, n), make([]uint64, n), make([]uint32, n)
		b = b[20:]
		for r := range rows {
			rows[r] = slowRow{kind: le.Uint16(b), entity: le.Uint32(b[2:]), bytes: uint64(le.Uint16(b[6:])) + le.Uint64(b[8:])}
			starts[r], counts[r] = le.Uint64(b[16:]), le.Uint32(b[24:])
			b = b[28:]
		}
		refs := make([]slowRef, le.Uint64(b[4:]))
		b = b[20:]
		for e := range refs {
			switch kind := uint64(b[1]); b[0] {
			case '0':
				refs[e], b = slowRef{kind, uint64(b[2]), uint64(b[3])}, b[4:]
			case '1':
				refs[e], b = slowRef{kind, uint64(le.Uint16(b[2:])), uint64(le.Uint16(b[4:]))}, b[6:]
			case '3':
				refs[e], b = slowRef{kind, uint64(le.Uint32(b[2:])), uint64(le.Uint32(b[6:]))}, b[10:]
			default:
				refs[e], b = slowRef{kind, le.Uint64(b[2:]), le.Uint64(b[10:])}, b[18:]
			}
		}
		for r := range rows {
			rows[r].refs = refs[starts[r] : starts[r]+uint64(counts[r])]
		}
		snaps = append(snaps, rows)
		for b = b[12:]; string(b[:4]) != "type"; { // strings
			b = b[8+le.Uint64(b):]
		}
		b = b[20+16*le.Uint64(b[4:]):]
		b = b[20+32*le.Uint64(b[4:]):]
	}
	return snaps
}

func checkTwin(t *testing.T, h *model.Heap, slow []slowRow) {
	t.Helper()
	if h.Len() != len(slow) {
		t.Fatalf("%d rows, want %d", h.Len(), len(slow))
	}
	for r, s := range slow {
		row := model.Row(r)
		if uint16(h.Kinds[r]) != s.kind || h.Entity[r] != s.entity || h.Bytes(row) != s.bytes {
			t.Fatalf("row %d: kind %d, entity %d, %d bytes; want %+v", r, h.Kinds[r], h.Entity[r], h.Bytes(row), s)
		}
		to, first := h.Out(row)
		if to.Len() != len(s.refs) {
			t.Fatalf("row %d has %d references, want %d", r, to.Len(), len(s.refs))
		}
		for j, ref := range s.refs {
			l := h.Label[first+model.Ref(j)]
			kind, value := uint64(l.Form()), uint64(schema.LabelValue(l))
			if l.Form() == model.LabelLarge {
				kind, value = 1, h.LargeIndex[first+model.Ref(j)]
			}
			if uint64(to.At(j)) != ref.target || kind != ref.kind || value != ref.value {
				t.Fatalf("row %d, reference %d: to %d, %d %d; want %+v", r, j, to.At(j), kind, value, ref)
			}
		}
	}
}

func TestNamesAndTexts(t *testing.T) {
	r := openBytes(t, heap3(t, small()))
	h := r.heaps[1]
	if name, repr := h.Tables.Type(50), h.Tables.OnAxis(axisRepr, 50); name != "Type::Number50" || repr != "VMHash" {
		t.Errorf("type 50 is %q, %q", name, repr)
	}
	if name := r.heaps[0].Tables.Type(50); name != "<type 50?>" {
		t.Errorf("the first snapshot knows type 50: %q", name)
	}
	if name, file, line := h.Tables.Frame(3); name != "" || file != "lib/File3.rakumod" || line != 30 {
		t.Errorf("frame 3 is %q in %q:%d", name, file, line)
	}
	to, first := h.Out(model.RootRow)
	if to.Len() != 10 || h.EdgeText(first) != "Permanent Roots" || h.EdgeText(first+9) != "Thread Call Stack Roots" {
		t.Errorf("the root refers to %v, as %q", to, h.EdgeText(first))
	}
	if h.Unmanaged(11) != 5_000_000_000 {
		t.Errorf("a large size is %d", h.Unmanaged(11))
	}
}

func TestScores(t *testing.T) {
	r := openBytes(t, heap3(t, memtest.HeapSpec{Rows: 2000, References: 5000, Seed: 3}))
	h, s := r.heaps[0], r.scores[0]
	if len(s.TypesByCount) == 0 || len(s.FramesByCount) == 0 || len(s.FramesByCount) > 20 {
		t.Fatalf("%d types, %d frames", len(s.TypesByCount), len(s.FramesByCount))
	}
	count, size := map[uint32]uint64{}, map[uint32]uint64{}
	for row, k := range h.Kinds {
		if k == KindObject {
			count[h.Entity[row]]++
			size[h.Entity[row]] += h.Bytes(model.Row(row))
		}
	}
	for i, x := range s.TypesByCount {
		if x.Score != count[x.ID] || i > 0 && x.Score > s.TypesByCount[i-1].Score {
			t.Errorf("type %d has score %d, want %d", x.ID, x.Score, count[x.ID])
		}
	}
	for _, x := range s.TypesBySize {
		if x.Score != size[x.ID] {
			t.Errorf("type %d has size %d, want %d", x.ID, x.Score, size[x.ID])
		}
	}
}

func TestUseless(t *testing.T) {
	whole := heap3(t, small())
	for text, want := range map[string]string{
		"strings: [\"a\"]\ntypes: 0,0\n":    "version 1",
		"# comment\nstrings: [\"a\"]\n":     "version 1",
		"MoarHeapDumpv004 and what follows": "version \"004\"",
		"MoarHeapDumpv003":                  "crashed or was killed",
		"MoarHeapDumpv002":                  "crashed or was killed",
		"MoarHeap":                          "crashed or was killed",
		string(whole[:210]):                 "crashed or was killed",
	} {
		r := openBytes(t, []byte(text))
		var broken *loaders.FormatError
		if !errors.As(r.err, &broken) || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%.20q: %v", text, r.err)
		}
		if r.valid() {
			t.Errorf("%.20q is valid", text)
		}
		if len(text) > 4 && sniff([]byte(text)) != loaders.Sure {
			t.Errorf("%.20q is not recognized", text)
		}
	}
	for _, text := range []string{"", "M", "MTRC", "{}", "#", "# only\n"} {
		if sniff([]byte(text)) != loaders.No {
			t.Errorf("%q is recognized", text)
		}
	}
}

// TestRealCut reads the first bytes of a real file: what is there of its first snapshot can be used.
func TestRealCut(t *testing.T) {
	b, err := os.ReadFile("testdata/cut.mvmheap")
	if err != nil {
		t.Fatal(err)
	}
	r := openBytes(t, b)
	if r.err != nil || len(r.heaps) != 1 || r.heaps[0].Len() != 40759 || r.heaps[0].To.Len() != 0 || r.heaps[0].Complete || r.profile.Complete {
		t.Fatal(r.err, len(r.heaps))
	}
	v := r.violation("truncated")
	if v == nil || v.Offset+r.profile.Lost != int64(len(b)) || len(r.violations) != 1 {
		t.Errorf("%+v, lost %d", r.violations, r.profile.Lost)
	}
	info := r.profile.Heaps.Info(0)
	if info.References != 211855 || info.Complete || info.Rows != 40759 {
		t.Errorf("%+v", info)
	}
}

func TestInfo(t *testing.T) {
	src, err := loaders.OpenSource(context.Background(), write(t, heap3(t, small())), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p, err := info(context.Background(), src, loaders.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]int64{}
	for _, f := range p.Meta.Facts {
		facts[f.Key] = f.Int
	}
	if p.Meta.Version != 3 || p.Meta.HasStart || facts["snapshots"] != 2 || facts["types"] != 51 || facts["pid"] != 4711 || facts["last_snapshot_us"] != 75_000 {
		t.Errorf("%+v", p.Meta)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var store model.Store
	if err := load(ctx, src, loaders.Options{}, &store); !errors.Is(err, context.Canceled) {
		t.Error("a canceled load gave", err)
	}
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Current().Heaps.Open(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Error("a canceled snapshot gave", err)
	}
	if _, err := store.Current().Heaps.Open(context.Background(), 2, nil); err == nil {
		t.Error("a snapshot that is not there")
	}
	told := []float64{0} // not guarded: calls come one at a time, which the race detector checks
	if _, err := store.Current().Heaps.Open(context.Background(), 1, func(x float64) { told = append(told, x) }); err != nil {
		t.Error(err)
	}
	if !slices.IsSorted(told) || told[len(told)-1] != 1 {
		t.Error("told", told)
	}
}

// TestKilledBetween reads a file that ends after its first snapshot, as after a kill between two: nothing of it is
// missing.
func TestKilledBetween(t *testing.T) {
	two := heap3(t, small())
	n := bytes.LastIndex(two[:bytes.Index(two, []byte("\"gc_seq_num\": 2"))], []byte("snapmeta"))
	r := openBytes(t, two[:n])
	if r.err != nil || len(r.heaps) != 1 || !r.profile.Complete || !r.valid() {
		t.Errorf("%v, %d snapshots, %+v", r.err, len(r.heaps), r.violations)
	}
}
