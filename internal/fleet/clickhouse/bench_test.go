package clickhouse_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/fleet/clickhouse"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

// BenchmarkFleet measures adding and asking. See [fleets.Benched] for fleets of other sizes.
func BenchmarkFleet(b *testing.B) {
	recordings, like := fleets.Benched(b, trace)
	address := fleets.ClickHouse(b)
	store, err := clickhouse.Open(address+"/fleet", clickhouse.Options{User: fleets.User, Password: fleets.Password})
	if err != nil {
		b.Fatal(err)
	}
	rows := fleets.Fill(b, store, recordings, like)
	b.Run("size", func(b *testing.B) { b.ReportMetric(stored(b, address)/float64(rows), "bytes/row") })
	if !b.Failed() {
		fleets.Ask(b, store, like)
	}
}

// stored returns how many bytes all tables have on disk.
func stored(b *testing.B, address string) float64 {
	const query = "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'fleet' AND active"
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(query))
	if err != nil {
		b.Fatal(err)
	}
	req.SetBasicAuth(fleets.User, fleets.Password)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
