package fleets

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
)

// Store is a store of a fleet.
type Store interface {
	Asked
	Add(ctx context.Context, b *fleet.Batch) error
}

// Benched returns how many recordings a benchmark has, and what they are like: MEMTUI_FLEET_RECORDINGS and
// MEMTUI_FLEET_TRACE of the environment, with the first MEMTUI_FLEET_SITES of its sites, else 40 like a small one.
func Benched(b *testing.B, small string) (recordings int, like *fleet.Batch) {
	if path := os.Getenv("MEMTUI_FLEET_TRACE"); path != "" {
		small = path
	}
	recordings = 40
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_FLEET_RECORDINGS")); err == nil && n > 0 {
		recordings = n
	}
	like = Recorded(b, small)
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_FLEET_SITES")); err == nil && n > 0 && n < len(like.Sites) {
		like.Sites, like.Leaks = like.Sites[:n], nil
	}
	return recordings, like
}

// Fill adds a fleet to a store as a benchmark of its own, and reports how fast that is. It returns the number of rows of
// sites.
func Fill(b *testing.B, s Store, recordings int, like *fleet.Batch) (rows int) {
	spent := time.Duration(0)
	b.Run("add", func(b *testing.B) {
		if rows == 0 {
			rows, spent = fill(b, s, recordings, like)
		}
		b.ReportMetric(float64(rows)/spent.Seconds(), "rows/s")
		b.ReportMetric(float64(rows), "rows")
	})
	return rows
}

// fill adds a fleet in batches, and returns how long the store took.
func fill(b *testing.B, s Store, recordings int, like *fleet.Batch) (rows int, spent time.Duration) {
	var batch fleet.Batch
	send := func() {
		began := time.Now()
		if err := s.Add(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(began)
		batch = fleet.Batch{}
	}
	for n := range recordings {
		one := Nth(like, n)
		if n > 0 {
			one.Stacks = nil
		}
		rows += len(one.Sites)
		batch.Append(one)
		if len(batch.Sites) >= 200_000 {
			send()
		}
	}
	send()
	return rows, spent
}

// Ask measures the questions.
func Ask(b *testing.B, s Store, like *fleet.Batch) {
	all := Questions(like)
	all["top of one service"] = &fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Limit: 20, Filter: fleet.Filter{Service: "shop"}}
	for _, kind := range []fleet.Kind{fleet.Top, fleet.Diff, fleet.Shared} { // nearly all rows have this figure
		all[kind.String()+" by allocated bytes"] = &fleet.Question{Kind: kind, Figure: fleet.Alloc, Before: Old, After: New, Limit: 20}
	}
	all["owners by allocated bytes"] = &fleet.Question{Kind: fleet.Top, What: fleet.Owners, Figure: fleet.Alloc, Limit: 20}
	all["top of a fifth"] = &fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Limit: 20,
		Filter: fleet.Filter{Service: all["top live"].Service}}
	for _, name := range []string{"top", "top of one service", "top of a fifth",
		"diff", "outliers", "outliers of site", "trend", "trend of site", "spread", "top by allocated bytes",
		"diff by allocated bytes", "shared by allocated bytes", "owners by allocated bytes"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Ask(b.Context(), all[name]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Bytes returns how many bytes the files below a folder have.
func Bytes(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return nil // it may be gone
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}
