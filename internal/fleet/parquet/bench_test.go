//go:build parquet

package parquet_test

import (
	"testing"

	"github.com/memtui/memtui/internal/fleet/parquet"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

// BenchmarkFleet measures adding, merging and asking. See [fleets.Benched] for fleets of other sizes.
func BenchmarkFleet(b *testing.B) {
	recordings, like := fleets.Benched(b, trace)
	dir := b.TempDir()
	store, err := parquet.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	rows := fleets.Fill(b, store, recordings, like)
	b.Run("size", func(b *testing.B) { b.ReportMetric(float64(fleets.Bytes(b, dir))/float64(rows), "bytes/row") })
	b.Run("files", func(b *testing.B) { fleets.Ask(b, store, like) })
	b.Run("compact", func(b *testing.B) {
		if _, err := parquet.Compact(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(fleets.Bytes(b, dir))/float64(rows), "bytes/row")
	})
	b.Run("compacted", func(b *testing.B) { fleets.Ask(b, store, like) })
}
