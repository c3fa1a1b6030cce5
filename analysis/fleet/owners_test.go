package fleet_test

import (
	"context"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// owned are two recordings of two stacks of one owner and one of another. The second row of a site is a repetition.
type owned struct{}

func (owned) Recordings(context.Context, string) (all []fleet.Recording, err error) {
	leaked := uint64(100)
	for i, version := range []string{"1", "2"} {
		all = append(all, fleet.Recording{Recording: uint64(i + 1), Recipe: fleet.Recipe, Service: "shop", Version: version, Host: "a",
			Start: int64(i), Complete: true, Leaked: &leaked})
	}
	return all, nil
}

func (owned) Sites(_ context.Context, _ fleet.Figure, _ []string, _ map[uint64]bool, f func(recordings, stacks, values []uint64)) error {
	for _, row := range [][3]uint64{{1, 10, 5}, {1, 11, 7}, {1, 12, 8}, {2, 10, 5}, {2, 10, 5}, {2, 11, 30}, {2, 12, 8}, {2, 13, 1}} {
		f(row[:1], row[1:2], row[2:])
	}
	return nil
}

func (owned) Stacks(_ context.Context, _ []string, f func(*fleet.Stack)) error {
	for stack, function := range map[uint64]string{10: "grow", 11: "grow", 12: "read"} {
		f(&fleet.Stack{Stack: stack, Recipe: fleet.Recipe, Function: function, File: "cart.c"})
	}
	return nil
}

func (owned) Leaks(context.Context, []string, func(*fleet.Leak)) error  { return nil }
func (owned) Types(context.Context, []string, func(*fleet.Type)) error  { return nil }
func (owned) Pages(context.Context, []string, func(*fleet.Page)) error  { return nil }
func (owned) Curve(context.Context, []string, func(*fleet.Point)) error { return nil }

func TestOwnersHaveTheSumOfTheirSites(t *testing.T) {
	ask := func(q fleet.Question) *fleet.Answer {
		q.What, q.Figure = fleet.Owners, fleet.Leaked
		a, err := q.Ask(t.Context(), owned{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var top []string
	for _, r := range ask(fleet.Question{Kind: fleet.Top}).Top {
		if r.Stack != 0 || r.Type != "" {
			t.Errorf("%v has a stack or a type", r)
		}
		top = append(top, r.String())
		want := map[string]uint64{"grow (cart.c)": 35, "read (cart.c)": 8, "": 1}[r.String()]
		if r.Total != want {
			t.Errorf("%q has %d, want %d", r.String(), r.Total, want)
		}
	}
	if len(top) != 3 || top[0] != "grow (cart.c)" {
		t.Errorf("owners are %q", top)
	}
	diff := ask(fleet.Question{Kind: fleet.Diff, Before: "1", After: "2", Limit: 1}).Diff
	if len(diff) != 1 || diff[0].Function != "grow" || diff[0].Change != 23 {
		t.Errorf("changes are %+v, want grow by 23", diff)
	}
	for _, site := range []string{"grow", "grow (cart.c)"} {
		if spread := ask(fleet.Question{Kind: fleet.Spread, Site: site}).Spread; len(spread) != 1 || spread[0].Total != 35 {
			t.Errorf("services that have %s are %+v, want 35 bytes in one", site, spread)
		}
	}
}

// typed are two recordings of objects of one type. The second row of the newer one is a repetition.
type typed struct{ owned }

func (typed) Types(_ context.Context, _ []string, f func(*fleet.Type)) error {
	for _, row := range [][3]uint64{{1, 70, 3}, {2, 20, 5}, {2, 20, 5}} {
		f(&fleet.Type{Recording: row[0], Name: "String", Bytes: row[1], Count: row[2]})
	}
	return nil
}

func TestTypesAreCounted(t *testing.T) {
	q := fleet.Question{Kind: fleet.Top, What: fleet.Types, Figure: fleet.Live}
	a, err := q.Ask(t.Context(), typed{})
	if err != nil || len(a.Top) != 1 || a.Top[0].Count != 5 || a.Top[0].Total != 20 {
		t.Errorf("%+v, %v", a, err)
	}
	q.What, q.Figure = fleet.Sites, fleet.Leaked
	if a, err = q.Ask(t.Context(), typed{}); err != nil || len(a.Top) == 0 || a.Top[0].Count != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
