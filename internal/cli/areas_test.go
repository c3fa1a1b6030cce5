package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// partRow is a part of a treemap in JSON.
type partRow struct {
	Path          []string
	Value         uint64
	Before, After *uint64
	Delta         *int64
}

// parts returns the parts of a treemap by their paths, with all of it as "".
func parts(t *testing.T, args string) map[string]partRow {
	t.Helper()
	status, out, errs := run(t, Env{}, append(strings.Fields(args), "-f", "json", "--limit", "0")...)
	var x struct {
		Treemap struct {
			Rows          []partRow
			All           uint64
			Before, After *uint64
		}
	}
	if err := json.Unmarshal([]byte(out), &x); status != 0 || err != nil {
		t.Fatalf("%s: status %d, %v: %s", args, status, err, errs)
	}
	rows := map[string]partRow{"": {Value: x.Treemap.All, Before: x.Treemap.Before, After: x.Treemap.After}}
	for _, r := range x.Treemap.Rows {
		rows[strings.Join(r.Path, "\x00")] = r
	}
	return rows
}

// The treemap of a comparison has the figures that those of its sides have, for every kind of file.
func TestTreemapsOfComparisonsHaveBothSides(t *testing.T) {
	for name, c := range map[string]struct{ diff, before, after string }{
		"a trace":    {sample + " --a 30% --b end", sample + " --at 30%", sample},
		"swapped":    {sample + " --a end --b 30% --swap", sample + " --at 30%", sample},
		"traces":     {sample + " ../../loaders/heaptrack/testdata/shop.zst", sample, "../../loaders/heaptrack/testdata/shop.zst"},
		"profiles":   {goBefore + " " + goAfter, goBefore, goAfter},
		"heaps":      {heaps + "#0 " + heaps + "#2", heaps + "#0", heaps + "#2"},
		"dumps":      {dumps + "#0 " + dumps + "#3", dumps + "#0", dumps + "#3"},
		"dumps back": {"--swap " + dumps + "#3 " + dumps + "#0", dumps + "#0", dumps + "#3"},
	} {
		t.Run(name, func(t *testing.T) {
			both := parts(t, "diff --table treemap "+c.diff)
			sides := [2]map[string]partRow{parts(t, "report --table treemap "+c.before), parts(t, "report --table treemap "+c.after)}
			if len(both) < 3 {
				t.Fatalf("the treemap has %d parts", len(both))
			}
			for path, r := range both {
				if r.Before == nil || r.After == nil || path != "" && (r.Delta == nil || *r.Delta != int64(*r.After)-int64(*r.Before)) {
					t.Fatalf("%q is %+v", path, r)
				}
				if *r.Before != sides[0][path].Value || *r.After != sides[1][path].Value {
					t.Errorf("%q is %d and %d, but in the reports %d and %d", path, *r.Before, *r.After, sides[0][path].Value, sides[1][path].Value)
				}
			}
			for side, rows := range sides {
				for path := range rows {
					if _, ok := both[path]; !ok {
						t.Errorf("%q of side %d is not in the comparison", path, side)
					}
				}
			}
		})
	}
}

// What the dominators of two snapshots retain is what each snapshot's root does.
func TestTreemapOfDominatorsOfBothSides(t *testing.T) {
	both := parts(t, "diff --table dominator_treemap "+heaps+"#0 "+heaps+"#2")
	for side, file := range []string{heaps + "#0", heaps + "#2"} {
		all, got := parts(t, "report --table dominator_treemap "+file)[""], both[""].Before
		if side == 1 {
			got = both[""].After
		}
		if got == nil || *got != all.Value {
			t.Errorf("side %d retains %v, in its report %d", side, got, all.Value)
		}
	}
}
