//go:build parquet

package parquet

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/memtui/memtui/analysis/fleet"
)

// plain and indexed are rows as two writers encode them.
type (
	plain struct {
		Stack  uint64 `parquet:"stack"`
		Leaked uint64 `parquet:"leaked_bytes"`
	}
	indexed struct {
		Stack  uint64 `parquet:"stack,dict"`
		Leaked uint64 `parquet:"leaked_bytes,dict"`
	}
)

func file[T any](t *testing.T, rows []T) (path string) {
	t.Helper()
	var out bytes.Buffer
	w := pq.NewGenericWriter[T](&out, pq.MaxRowsPerRowGroup(1000), pq.Compression(&pq.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a"+suffix)
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Columns of numbers are the same however they are encoded, and what is damaged in one is an error.
func TestNumbersOfEveryEncoding(t *testing.T) {
	var a []plain
	var b []indexed
	var want [2][]uint64
	for i := range uint64(2500) {
		a, b = append(a, plain{i / 7, 1<<63 + i%5}), append(b, indexed{i / 7, 1<<63 + i%5})
		want[0], want[1] = append(want[0], i/7), append(want[1], 1<<63+i%5)
	}
	for _, path := range []string{file(t, a), file(t, b)} {
		var got [2][]uint64
		read := func(path string) error {
			return numbers(t.Context(), []string{path}, func(err error) error { return err }, among(nil), func(columns [][]uint64) {
				got[0], got[1] = append(got[0], columns[0]...), append(got[1], columns[1]...)
			}, "stack", "leaked_bytes")
		}
		if err := read(path); err != nil || !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
			t.Errorf("%s: %d and %d values, %v", path, len(got[0]), len(got[1]), err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for at := 4; at < len(text); at += 5 {
			bad := slices.Clone(text)
			bad[at] ^= 0xff
			damaged := filepath.Join(t.TempDir(), "b"+suffix)
			if err := os.WriteFile(damaged, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if read(damaged) != nil {
				failed++
			}
		}
		if failed < len(text)/10 {
			t.Errorf("only %d of %d damaged files are errors", failed, len(text)/5)
		}
	}
}

// A merged file names its stacks and recordings once, and parts without the stacks that are asked for are not read.
func TestMergedFilesAreSparse(t *testing.T) {
	dir := t.TempDir()
	var list []string
	for r := range uint64(3) {
		rows := make([]fleet.Site, 120_000) // more than one part of the merged file
		for i := range rows {
			rows[i] = fleet.Site{Service: "shop", Stack: uint64(i), Recording: r, Alloc: uint64(i) * r}
		}
		list = append(list, filepath.Join(dir, string(rune('a'+r))+suffix))
		if err := write(list[r], "sites", rows); err != nil {
			t.Fatal(err)
		}
	}
	_, path, err := (&Compacted{}).join(t.Context(), list, merger[fleet.Site]("sites"))
	if err != nil {
		t.Fatal(err)
	}
	err = open(path, func(f *pq.File) error {
		for _, name := range []string{"stack", "recording", "alloc_bytes"} {
			leaf, _ := f.Schema().Lookup(name)
			page, err := f.RowGroups()[0].ColumnChunks()[leaf.ColumnIndex].Pages().ReadPage()
			if err != nil || (page.Dictionary() != nil) != (name != "alloc_bytes") {
				t.Errorf("%s: dictionary %v, %v", name, page.Dictionary() != nil, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	parts, found := 0, uint64(0)
	err = numbers(t.Context(), []string{path}, func(err error) error { return err }, among(map[uint64]bool{119_999: true}), func(columns [][]uint64) {
		parts++
		for i, stack := range columns[0] {
			if stack == 119_999 {
				found += columns[1][i]
			}
		}
	}, "stack", "alloc_bytes")
	if err != nil || parts != 1 || found != 119_999*3 {
		t.Errorf("%d parts with %d bytes, %v", parts, found, err)
	}
	var rows []uint64
	if err := having(t.Context(), path, "stack", 119_999, func(s *fleet.Site) { rows = append(rows, s.Alloc) }); err != nil || !slices.Equal(rows, []uint64{0, 119_999, 2 * 119_999}) {
		t.Errorf("rows with %d bytes, %v", rows, err)
	}
}
