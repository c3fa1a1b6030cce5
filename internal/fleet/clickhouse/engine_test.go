package clickhouse_test

import (
	"reflect"
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
	for range 2 {
		if err := store.Add(t.Context(), &all.Batch); err != nil {
			t.Fatal(err)
		}
	}
	if known, err := store.Known(t.Context(), all.Batch.Recordings[3].Recording); err != nil || !known {
		t.Errorf("what was added is unknown: %v", err)
	}
	if known, err := store.Known(t.Context(), 1); err != nil || known {
		t.Errorf("what was not added is known: %v", err)
	}
	for name, q := range fleets.Questions(like) {
		want, err := q.Ask(t.Context(), &all)
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Ask(t.Context(), q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, want)
		}
	}
	fleets.Planted(t, like, store)
	frames, err := store.Frames(t.Context(), fleets.Odd(like))
	for _, s := range like.Stacks {
		if fleet.Key(s.Stack) == fleets.Odd(like) && !reflect.DeepEqual(frames, s.Frames) {
			t.Errorf("frames %q, want %q, %v", frames, s.Frames, err)
		}
	}
}
