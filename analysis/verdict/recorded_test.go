package verdict

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
)

// recordings is where recordings of C++ programs lie whose parts have a known truth, with truth.json that tells it. Of
// each part one site is kept: truth.json leaves out parts that only several sites tell, see [Together].
var recordings = flag.String("recordings", "", "write testdata anew from the recordings in this folder")

// What is left out of recordings, so that they are small.
const (
	mostBlocks = 1000 // of a site: of more, every so-many-th is there
	grain      = 256  // events are told to so many: births are rounded down, deaths up
)

// allRecorded returns the recordings in testdata.
func allRecorded(t *testing.T) (runs []*run) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.run.zst")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no recordings", err)
	}
	for _, path := range files {
		packed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := zstd.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(path, err)
		}
		runs = append(runs, unpackRun(t, strings.TrimSuffix(filepath.Base(path), ".run.zst"), data))
	}
	return runs
}

// unpackRun reads what packRun wrote.
func unpackRun(t *testing.T, name string, data []byte) *run {
	t.Helper()
	r := bytes.NewReader(data)
	next := func() uint64 {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			t.Fatal(name, err)
		}
		return n
	}
	word := func() string {
		b := make([]byte, next())
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(name, err)
		}
		return string(b)
	}
	out := &run{name: name}
	for c := range out.edges {
		for w := range out.edges[c] {
			out.edges[c][w] = uint32(next())
		}
	}
	for site := range next() {
		out.parts = append(out.parts, planted{word(), word()})
		out.short = append(out.short, next())
		blocks, born := make([]Block, next()), uint32(0)
		for i := range blocks {
			born += uint32(next())
			blocks[i].Born = born * grain
		}
		for i := range blocks {
			b := &blocks[i]
			if n := uint32(next()); n > 0 {
				b.Died = b.Born + n*grain
			} else {
				b.Died = 1<<32 - 1
			}
			b.BornAt, b.DiedAt = model.Time(b.Born), model.Time(b.Died)
		}
		for i := range blocks {
			blocks[i].Size = next()
			out.blocks, out.sites = append(out.blocks, blocks[i]), append(out.sites, int(site))
		}
	}
	return out
}

// packRun writes a run: numbers of the same kind side by side, which compress better.
func packRun(r *run) []byte {
	var out []byte
	add := func(n uint64) { out = binary.AppendUvarint(out, n) }
	word := func(s string) { add(uint64(len(s))); out = append(out, s...) }
	for c := range r.edges {
		for _, e := range r.edges[c] {
			add(uint64(e))
		}
	}
	add(uint64(len(r.parts)))
	for site, p := range r.parts {
		word(p.function)
		word(p.truth)
		var blocks []Block
		for i, b := range r.blocks {
			if r.sites[i] == site {
				blocks = append(blocks, b)
			}
		}
		add(r.short[site])
		add(uint64(len(blocks)))
		was := uint32(0)
		for _, b := range blocks {
			add(uint64(b.Born/grain - was))
			was = b.Born / grain
		}
		for _, b := range blocks {
			n := uint32(0)
			if b.Died != 1<<32-1 {
				n = max(1, (b.Died+grain-1)/grain-b.Born/grain)
			}
			add(uint64(n))
		}
		for _, b := range blocks {
			add(b.Size)
		}
	}
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	return w.EncodeAll(out, nil)
}

// TestWriteRecordings makes testdata from recordings.
func TestWriteRecordings(t *testing.T) {
	if *recordings == "" {
		t.Skip("no -recordings")
	}
	text, err := os.ReadFile(filepath.Join(*recordings, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]map[string][]string
	if err := json.Unmarshal(text, &truth); err != nil {
		t.Fatal(err)
	}
	for name, parts := range truth {
		r := thinned(readRecording(t, filepath.Join(*recordings, name+".mlyze.zst"), parts))
		if err := os.WriteFile("testdata/"+name+".run.zst", packRun(r), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d parts, %d blocks", name, len(r.parts), len(r.blocks))
	}
}

// readRecording reads a trace, and picks the site of each part that holds most at the last allocation.
func readRecording(t *testing.T, path string, truth map[string][]string) *run {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := mlyze.Format().Load(t.Context(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	var events []model.Event
	err = p.Allocations.Replay(t.Context(), func(b *model.EventBatch) error { events = append(events, b.Events...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	all, ids := followed(events)
	end := all.edges[byAllocation][Windows]
	held, best := map[model.StackID]uint64{}, map[planted]model.StackID{}
	for i, b := range all.blocks {
		if b.Died >= end {
			held[ids[i]] += b.Size
		}
		held[ids[i]]++
	}
	for id, n := range held {
		part, ok := partOf(p.Stacks, id, truth)
		if was, seen := best[part]; ok && (!seen || n > held[was] || n == held[was] && id < was) {
			best[part] = id
		}
	}
	out := &run{edges: all.edges}
	at := map[model.StackID]int{}
	for part, id := range best {
		at[id] = 0
		out.parts = append(out.parts, part)
	}
	slices.SortFunc(out.parts, func(a, b planted) int { return strings.Compare(a.function, b.function) })
	for i, part := range out.parts {
		at[best[part]] = i
	}
	for i, b := range all.blocks {
		if site, ok := at[ids[i]]; ok {
			out.blocks, out.sites = append(out.blocks, b), append(out.sites, site)
		}
	}
	out.short = make([]uint64, len(out.parts))
	return out
}

// partOf returns the part of the program that a stack belongs to.
func partOf(s *model.Stacks, id model.StackID, truth map[string][]string) (planted, bool) {
	leaf, _ := s.Node(id)
	for _, f := range s.Frames(nil, leaf, 100) {
		for kind, functions := range truth {
			for _, fn := range functions {
				if strings.Contains(f.Function, fn) {
					return planted{fn, kind}, true
				}
			}
		}
	}
	return planted{}, false
}

// thinned leaves out blocks of sites that have many: those that lived short, which nothing is judged by, and of the
// others all but every so-many-th.
func thinned(r *run) *run {
	end := r.edges[byAllocation][Windows]
	out := &run{edges: r.edges, parts: r.parts, short: make([]uint64, len(r.parts))}
	for site := range r.parts {
		var all, long []Block
		for i, b := range r.blocks {
			if r.sites[i] == site {
				if all = append(all, b); b.Died >= end || b.Died-b.Born > end/Windows/4 {
					long = append(long, b)
				}
			}
		}
		short := uint64(0)
		if len(all) > mostBlocks {
			short = uint64(len(all) - len(long))
			every := len(long)/mostBlocks + 1
			all, short = nil, short/uint64(every)
			for i := 0; i < len(long); i += every {
				all = append(all, long[i])
			}
		}
		out.short[site] = short
		for _, b := range all {
			out.blocks, out.sites = append(out.blocks, b), append(out.sites, site)
		}
	}
	return out
}
