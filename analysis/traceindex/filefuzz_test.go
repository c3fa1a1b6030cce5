//go:build linux

package traceindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// sealed makes the checksums of a file right, as somebody would who wants it to be believed.
func sealed(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) < len(indexFormat.Magic)+sections.TrailerSize {
		return data
	}
	end := data[len(data)-sections.TrailerSize:]
	table, n := binary.LittleEndian.Uint64(end[64:]), binary.LittleEndian.Uint32(end[72:])
	if room := uint64(len(data) - sections.TrailerSize); table > room || uint64(n)*sections.EntrySize > room-table {
		return data
	}
	sums := binary.LittleEndian.Uint64(end[80:])
	if sums > table || table-sums != (sums+sections.BlockSize-1)/sections.BlockSize*4 {
		return data
	}
	for from := uint64(0); from < sums; from += sections.BlockSize {
		binary.LittleEndian.PutUint32(data[sums+from/sections.BlockSize*4:], sections.Checksum(data[from:min(from+sections.BlockSize, sums)]))
	}
	binary.LittleEndian.PutUint64(end[56:], uint64(len(data)))
	binary.LittleEndian.PutUint32(end[76:], sections.Checksum(data[sums:table+uint64(n)*sections.EntrySize]))
	binary.LittleEndian.PutUint32(end[sections.TrailerSize-4:], sections.Checksum(end[:sections.TrailerSize-4]))
	return data
}

// hostile opens a file that may hold anything and asks everything. Only that it returns matters.
func hostile(t testing.TB, data []byte, source model.EventSource) {
	place := &memoryPlace{data: data, key: sections.Key{1}}
	k, _ := reopened(t, place, source, modeltest.Stacks())
	answers(t, k)
	end := k.Status().Duration
	for _, rg := range []analysis.Range{analysis.FullRange, {From: end / 3, To: end / 2}, {From: end / 2, To: end/2 + 9}} {
		k.Chart(t.Context(), rg, 5)
		k.Chart(t.Context(), rg, 200)
	}
	k.Close()
	if place.closed != 1 {
		t.Errorf("closed %d times", place.closed)
	}
}

func TestHostileIndex(t *testing.T) {
	source, good := smallTrace(t, 200)
	if !bytes.Equal(sealed(good), good) {
		t.Fatal("sealing changes a good file")
	}
	r := rand.New(rand.NewPCG(1, 8))
	for range rounds(400) {
		bad := slices.Clone(good)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(bad) - sections.TrailerSize)
			switch r.IntN(3) {
			case 0:
				bad[at] ^= 1 << r.IntN(8)
			case 1:
				bad[at] = 0xff
			default:
				for i := at; i < min(at+8, len(bad)-sections.TrailerSize); i++ {
					bad[i] = byte(r.Uint32())
				}
			}
		}
		hostile(t, sealed(bad), source)
	}
}

// TestCutCells adds sums that end within a number: that must neither hang nor be taken for something.
func TestCutCells(t *testing.T) {
	for _, b := range [][]byte{{0x80}, {1, 2, 3, 4, 5, 0xff}, bytes.Repeat([]byte{0xff}, 11)} {
		if err := model.Guarded(func() error { column.AddCells(make([]column.Cell, 2), b); return nil }); !model.Internal(err) {
			t.Errorf("%x: %v", b, err)
		}
	}
}

func FuzzIndexFile(f *testing.F) {
	source, good := smallTrace(f, 60)
	f.Add(good, false)
	f.Add(good[:len(good)/2], false)
	f.Add([]byte(indexFormat.Magic), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealed(data)
		}
		hostile(t, data, source)
	})
}

// mappedFile is a file with an index, and its bytes.
func mappedFile(t *testing.T, index []byte) (*os.File, []byte) {
	path := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(path, index, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, len(index), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		syscall.Munmap(data)
	})
	return f, data
}

// TestIndexFileShrinks cuts the file while it is mapped and asked.
func TestIndexFileShrinks(t *testing.T) {
	source, good := smallTrace(t, 3000)
	f, data := mappedFile(t, good)
	place := &memoryPlace{data: data, key: sections.Key{1}}
	k, _ := reopened(t, place, source, modeltest.Stacks())
	if used, why := k.Used(); !used {
		t.Fatal(why)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	_, err := k.Sites(context.Background(), analysis.Query{At: analysis.At(k.Status().Duration / 2), Range: analysis.FullRange})
	if !errors.Is(err, errIndexBroken) || place.discarded == 0 {
		t.Errorf("%v, discarded %d times", err, place.discarded)
	}
	answers(t, k)
	k.Close()
}

// TestIndexFileShrinksUnderList cuts the file before a list is looked at: its rows are looked for by several
// goroutines.
func TestIndexFileShrinksUnderList(t *testing.T) {
	source, good := smallTrace(t, 30_000)
	for _, by := range []analysis.BlockOrder{analysis.LargestFirst, analysis.OldestFirst, analysis.NewestFirst, analysis.ShortestFirst} {
		f, data := mappedFile(t, good)
		place := &memoryPlace{data: data, key: sections.Key{1}}
		k, _ := reopened(t, place, source, modeltest.Stacks())
		l, err := k.Blocks(t.Context(), analysis.BlockQuery{At: analysis.End, Range: analysis.FullRange, All: true, Sort: by})
		if err != nil || l.Len() == 0 {
			t.Fatal(err)
		}
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if b := l.Row(l.Len() / 2); b != (analysis.Block{Died: model.NoTime}) || place.discarded == 0 {
			t.Errorf("%+v, discarded %d times", b, place.discarded)
		}
		k.Close()
	}
}

// TestHostileBirths has birth columns that make no sense: lists by lifetime walk them on several goroutines.
func TestHostileBirths(t *testing.T) {
	source, good := smallTrace(t, 400)
	k, _ := reopened(t, &memoryPlace{data: good, key: sections.Key{1}}, source, modeltest.Stacks())
	ix := k.state().ix
	for i := range ix.records.bornAt.Anchor {
		if ix.records.bornAt.Anchor = slices.Clone(ix.records.bornAt.Anchor); i%2 == 0 {
			ix.records.bornAt.Anchor[i].At = 1<<32 - 1
		}
	}
	_, err := k.Blocks(t.Context(), analysis.BlockQuery{At: analysis.At(k.Status().Duration / 2), Range: analysis.FullRange, All: true, Sort: analysis.ShortestFirst})
	if !model.Internal(err) { // the file itself is as it was written
		t.Error(err)
	}
	k.Close()
}
