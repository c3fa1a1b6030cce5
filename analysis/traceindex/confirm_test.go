//go:build linux

package traceindex

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model/sections"

	"github.com/memtui/memtui/model"
)

// restored takes an index out of a file and verifies it, but does not confirm it.
func restored(t *testing.T, data []byte, source *chunkedSlice) *fileIndex {
	t.Helper()
	data = slices.Clone(data) // the index lies in it, and may be changed
	ix := newFileIndex(1)
	err := ix.restore(t.Context(), &sections.File{Data: data, At: bytes.NewReader(data)}, sections.Key{1}, nil, source)
	if err == nil {
		err = ix.file.VerifyAll(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	ix.sites.FindSites()
	return ix
}

// confirmAll is [fileIndex.confirm] with all chunks.
func confirmAll(ix *fileIndex) error {
	return model.Guarded(func() error {
		for k := range ix.chunks {
			if err := ix.confirmChunk(k); err != nil {
				return err
			}
		}
		return ix.confirm()
	})
}

func TestGoodIndexIsConfirmed(t *testing.T) {
	for _, n := range []int{40, 700, 9000} {
		source, good := smallTrace(t, n)
		if err := confirmAll(restored(t, good, source)); err != nil {
			t.Errorf("%d events: %v", n, err)
		}
	}
}

// A change of the totals of the whole or of any chunk is found, though the checksums are right.
func TestFalseTotalsAreFound(t *testing.T) {
	source, good := smallTrace(t, 400)
	f, err := indexFormat.Open(t.Context(), &sections.File{Data: good}, sections.Key{1}, layoutOfFiles())
	if err != nil {
		t.Fatal(err)
	}
	metas, heads := f.Table[0], f.Table[2]
	places := []uint64{metas.Offset + uint64(unsafe.Offsetof(fileMeta{}.Totals))}
	for at := uint64(0); at < heads.Length; at += uint64(unsafe.Sizeof(chunkHead{})) {
		places = append(places, heads.Offset+at+uint64(unsafe.Offsetof(chunkHead{}.Totals)))
	}
	if len(places) < 4 {
		t.Fatal(len(places))
	}
	step := uint64(1)
	if modeltest.UnderRace {
		step = 3
	}
	for _, at := range places {
		for i := uint64(0); i < uint64(unsafe.Sizeof(analysis.Totals{})); i += step {
			bad := slices.Clone(good)
			bad[at+i] ^= 1 << (i % 8)
			k, _ := reopened(t, &memoryPlace{data: sealed(bad), key: sections.Key{1}}, source, modeltest.Stacks())
			if used, why := k.Used(); used || why == nil {
				t.Fatalf("byte %d of totals at %d: used, %v", i, at, why)
			}
			k.Close()
		}
	}
}

// What an index says of a chunk that is read again must be right: its times, levels, sizes that are freed, and blocks
// that end.
func TestFalseChunksAreFound(t *testing.T) {
	source, good := smallTrace(t, 700)
	for what, change := range map[string]func(c *chunk, ix *fileIndex) bool{
		"begin": func(c *chunk, _ *fileIndex) bool { c.begin++; return true },
		"end":   func(c *chunk, _ *fileIndex) bool { c.end++; return true },
		"level": func(c *chunk, _ *fileIndex) bool { c.lo++; return true },
		"allocated": func(c *chunk, _ *fileIndex) bool {
			c.totals.AllocBytes--
			return true
		},
		"freed": func(c *chunk, _ *fileIndex) bool {
			c.freed = bytes.Replace(c.freed, []byte{2}, []byte{1}, 1)
			return !slices.Equal(c.common, []uint64{}) && bytes.Contains(c.freed, []byte{1})
		},
		"ends": func(c *chunk, _ *fileIndex) bool {
			for i, b := range c.ends {
				if b == 1 {
					c.ends = slices.Clone(c.ends)
					c.ends[i] = 0
					return true
				}
			}
			return false
		},
		"curve": func(c *chunk, ix *fileIndex) bool {
			ix.curve.Base.Chunks[0] = slices.Clone(ix.curve.Base.Chunks[0])
			ix.curve.Base.Ref(c.firstRun).MaxBytes--
			return true
		},
	} {
		ix := restored(t, good, source)
		found, tried := 0, 0
		for k := range ix.chunks {
			ix := restored(t, good, source)
			if !change(ix.chunks[k], ix) {
				continue
			}
			tried++
			err := model.Guarded(func() error { return ix.confirmChunk(k) })
			if err != nil {
				found++
			}
		}
		if tried == 0 || found < tried && what != "freed" || found == 0 {
			t.Errorf("%s: found %d of %d", what, found, tried)
		}
	}
}

// A curve that does not follow from its runs, or sums by stack that are not those of the whole, are found.
func TestFalseSumsAreFound(t *testing.T) {
	source, good := smallTrace(t, 9000)
	for what, change := range map[string]func(ix *fileIndex){
		"levels": func(ix *fileIndex) {
			ix.curve.Levels[0].Chunks[0] = slices.Clone(ix.curve.Levels[0].Chunks[0])
			ix.curve.Levels[0].Ref(0).MaxBytes++
		},
		"stacks": func(ix *fileIndex) {
			ix.sums[column.DimStack] = slices.Clone(ix.sums[column.DimStack])
			ix.sums[column.DimStack][rand.IntN(len(ix.sums[column.DimStack]))].AllocBytes++
		},
		"end": func(ix *fileIndex) { ix.curve.Live++ },
	} {
		ix := restored(t, good, source)
		change(ix)
		if err := ix.confirm(); !errors.Is(err, errIndexFalse) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
