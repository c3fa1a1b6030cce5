package clickhouse_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/fleet/clickhouse"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

const trace = "../../../testdata/small_kvleak.mlyze"

// A ClickHouse and rows in memory give the same answers, also where recordings were added twice, and the planted
// regression and the odd host come first.
func TestClickHouseAnswersAsRowsDo(t *testing.T) {
	store, err := clickhouse.Open(fleets.ClickHouse(t)+"/fleet_test", clickhouse.Options{User: fleets.User, Password: fleets.Password})
	if err != nil {
		t.Fatal(err)
	}
	like := fleets.Recorded(t, trace)
	var all fleets.Memory
	for n := range 40 {
		all.Append(fleets.Nth(like, n))
	}
	for range 2 { // once answered from distinct rows, then with each twice
		if err := store.Add(t.Context(), &all.Batch); err != nil {
			t.Fatal(err)
		}
		fleets.Same(t, store, like, &all)
	}
	if known, err := store.Known(t.Context(), all.Batch.Recordings[3].Recording); err != nil || !reflect.DeepEqual(known, &all.Batch.Recordings[3]) {
		t.Errorf("what was added is known as %+v, %v", known, err)
	}
	if known, err := store.Known(t.Context(), 1); err != nil || known != nil {
		t.Errorf("what was not added is known: %v", err)
	}
	fleets.Planted(t, like, store)
	fleets.Listed(t, store, like, &all)
}

// Recordings that two programs add at once under different names count once.
func TestWritersAtOnceAgree(t *testing.T) {
	address := fleets.ClickHouse(t)
	like := fleets.Recorded(t, trace)
	var one, all fleets.Memory
	for n := range 10 {
		b := fleets.Nth(like, n)
		all.Append(b)
		if n%2 == 0 {
			b.Recordings[0].Service, b.Recordings[0].Host = b.Recordings[0].Service+" it's", "zzz"
			for i := range b.Sites {
				b.Sites[i].Service, b.Sites[i].Host = b.Recordings[0].Service, "zzz"
			}
			for i := range b.Curve {
				b.Curve[i].Service = b.Recordings[0].Service
			}
			for i := range b.Types {
				b.Types[i].Service = b.Recordings[0].Service
			}
		}
		one.Append(b)
	}
	var notes []string
	for _, b := range []*fleet.Batch{&one.Batch, &all.Batch} {
		store, err := clickhouse.Open(address+"/fleet_test", clickhouse.Options{User: fleets.User, Password: fleets.Password,
			Note: func(text string) { notes = append(notes, text) }})
		if err == nil {
			err = store.Add(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if b == &all.Batch {
			fleets.Same(t, store, like, &all)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "another program added 5 recordings at the same time") {
		t.Errorf("%q", notes)
	}
}

// Tables of an earlier version, which lack columns, get them when something is added.
func TestTablesOfEarlierVersionsAreWidened(t *testing.T) {
	address := fleets.ClickHouse(t)
	like := fleets.Recorded(t, trace)
	one := fleets.Nth(like, 1)
	for range 2 {
		store, err := clickhouse.Open(address+"/fleet_test", clickhouse.Options{User: fleets.User, Password: fleets.Password})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Add(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		list, err := store.List(t.Context(), &fleet.Filter{})
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, column := range []string{"recordings DROP COLUMN dated", "recordings DROP COLUMN lacks", "stacks DROP COLUMN modules"} {
			req, err := http.NewRequest(http.MethodPost, address, strings.NewReader("ALTER TABLE fleet_test."+column))
			if err != nil {
				t.Fatal(err)
			}
			req.SetBasicAuth(fleets.User, fleets.Password)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Body.Close(); resp.StatusCode != http.StatusOK {
				t.Fatal(column, resp.Status)
			}
		}
		if _, err := store.Ask(t.Context(), fleets.Questions(like)["top"]); err == nil || !strings.Contains(err.Error(), "older memtui") {
			t.Errorf("asked without columns: %v", err)
		}
	}
}
