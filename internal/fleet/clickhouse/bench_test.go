package clickhouse_test

import (
	"testing"

	"github.com/memtui/memtui/internal/fleet/clickhouse"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

// BenchmarkFleet measures adding and asking. See [fleets.Benched] for fleets of other sizes.
func BenchmarkFleet(b *testing.B) {
	recordings, like := fleets.Benched(b, trace)
	store, err := clickhouse.Open(fleets.ClickHouse(b)+"/fleet", clickhouse.Options{User: fleets.User, Password: fleets.Password})
	if err != nil {
		b.Fatal(err)
	}
	fleets.Fill(b, store, recordings, like)
	if !b.Failed() {
		fleets.Ask(b, store, like)
	}
}
