package heatmap

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// sample is a real trace.
func sample(t *testing.T) analysis.Trace {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "small_kvleak.mlyze"))
	if err != nil {
		t.Fatal(err)
	}
	_, ix, err := opened.Bytes(t, "kvleak.mlyze", data)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func sum(cells []uint64) (n uint64) {
	for _, c := range cells {
		n += c
	}
	return n
}

// TestRowsAreTheSites compares the sums of rows with the figures of sites, and of lifetimes with the grid.
func TestRowsAreTheSites(t *testing.T) {
	trace := sample(t)
	for _, r := range []analysis.Range{analysis.FullRange, {From: 10_000, To: 50_000}} {
		sites, err := trace.Sites(t.Context(), analysis.Query{At: analysis.At(0), Range: r})
		if err != nil {
			t.Fatal(err)
		}
		totals, err := trace.Totals(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		of := map[analysis.Key]uint64{}
		for _, s := range sites {
			of[s.Key] = s.AllocBytes
		}
		m, err := Of(t.Context(), trace, Query{Range: r, Columns: 37, Cost: analysis.CostTotal})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Rows) == 0 || m.Count != len(m.Rows) || sum(m.All) != totals.AllocBytes || len(m.Edges) != 38 {
			t.Fatalf("%d of %d rows, %d bytes of %d, %d edges", len(m.Rows), m.Count, sum(m.All), totals.AllocBytes, len(m.Edges))
		}
		for i, row := range m.Rows {
			if row.Value != of[row.Site.Key] || sum(row.Cells) != row.Value || i > 0 && row.Value > m.Rows[i-1].Value {
				t.Errorf("row %d: %d, in cells %d, of the site %d", i, row.Value, sum(row.Cells), of[row.Site.Key])
			}
		}
		grid, err := trace.Grid(t.Context(), analysis.GridQuery{Range: r, All: true})
		if err != nil {
			t.Fatal(err)
		}
		lives, err := Of(t.Context(), trace, Query{Range: r, Columns: 37, Cost: analysis.CostCount, Lifetimes: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range lives.Rows {
			want := grid.Sum(analysis.Cell{SizeTo: analysis.SizeClasses, LifeFrom: uint8(row.Life), LifeTo: uint8(row.Life + 1)}).Count
			if row.Value != want {
				t.Errorf("lifetimes %s: %d blocks of %d", LifeName(row.Life), row.Value, want)
			}
		}
	}
}

// TestWhatLives compares cells with the live bytes of the site alone, and all of them with the curve.
func TestWhatLives(t *testing.T) {
	trace := sample(t)
	m, err := Of(t.Context(), trace, Query{Range: analysis.FullRange, Columns: 50, Cost: analysis.CostPeak, Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	curve, err := trace.Curve(t.Context(), analysis.FullRange, 50)
	if err != nil {
		t.Fatal(err)
	}
	if m.Cost != analysis.CostLive || len(m.Rows) != 3 || m.Count <= 3 {
		t.Fatalf("%v, %d of %d rows", m.Cost, len(m.Rows), m.Count)
	}
	for i := range curve {
		if m.All[i] != curve[i].MaxBytes {
			t.Errorf("column %d: %d, in the curve %d", i, m.All[i], curve[i].MaxBytes)
		}
	}
	for _, row := range m.Rows {
		if row.Value != row.Site.PeakBytes {
			t.Errorf("%s: %d, peak %d", row.Site.Name, row.Value, row.Site.PeakBytes)
		}
	}
	for _, at := range []model.Time{0, 1, m.Edges[7], m.Edges[7] + 1, m.Edges[50]} {
		if c := m.Column(at); at > m.Edges[0] && (at <= m.Edges[c] || at > m.Edges[c+1]) {
			t.Errorf("%v is in column %d, %v to %v", at, c, m.Edges[c], m.Edges[c+1])
		}
	}
}

// TestUnfreedBlocks are those of the leaks, and none where lifetimes exclude them.
func TestUnfreedBlocks(t *testing.T) {
	trace := sample(t)
	leaks, err := trace.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.FullRange})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Of(t.Context(), trace, Query{Range: analysis.FullRange, Columns: 20, Cost: analysis.CostLeaked})
	if err != nil || sum(m.All) != leaks.Bytes {
		t.Errorf("%d of %d, %v", sum(m.All), leaks.Bytes, err)
	}
	short := analysis.Cell{SizeTo: analysis.SizeClasses, LifeTo: 10}
	if m, err = Of(t.Context(), trace, Query{Range: analysis.FullRange, Columns: 20, Cost: analysis.CostLeaked, Cell: short}); err != nil || sum(m.All) != 0 {
		t.Errorf("%d bytes of short lives are never freed, %v", sum(m.All), err)
	}
}

func TestLevels(t *testing.T) {
	for n, want := range map[uint64]int{0: -1, 1: 0, 4: 1, 16: 2, 64: 3, 255: 3, 256: 4, 1000: 4} {
		if got := Level(n, 1024); got != want {
			t.Errorf("%d of 1024 has level %d, want %d", n, got, want)
		}
	}
}
