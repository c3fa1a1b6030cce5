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

// pageData returns the data that a page has baked in.
func pageData(t *testing.T, args string) (data struct {
	Charts []struct{ Axis, Per string }
	Tables []struct{ ID string }
	Views  []struct {
		View string
		Body struct {
			Treemap struct {
				Unit string
				Rows []struct {
					Depth int
					Sides []uint64
				}
			}
		}
	}
}) {
	t.Helper()
	status, out, errs := run(t, Env{}, append(strings.Fields(args), "-f", "html")...)
	_, out, _ = strings.Cut(out, `<script id="data"`)
	_, out, _ = strings.Cut(out, ">")
	out, _, ok := strings.Cut(out, "</script>")
	if err := json.Unmarshal([]byte(out), &data); status != 0 || !ok || err != nil {
		t.Fatalf("%s: status %d, %v: %s", args, status, err, errs)
	}
	return data
}

// The page of compared heaps or page layouts has their treemaps baked in, with the figures of the command.
func TestPagesOfComparisonsHaveTreemaps(t *testing.T) {
	for _, c := range []struct{ files, views string }{{heaps + "#0 " + heaps + "#2", "difference-treemap difference-dominators"},
		{dumps + "#0 " + dumps + "#3", "difference-treemap"}, {"--swap " + dumps + "#3 " + dumps + "#0", "difference-treemap"}} {
		page, views := pageData(t, "diff "+c.files), []string{}
		for _, v := range page.Views {
			views = append(views, v.View)
			table := map[string]string{"difference-treemap": "treemap", "difference-dominators": "dominator_treemap"}[v.View]
			want, sums := parts(t, "diff --table "+table+" "+c.files)[""], [2]uint64{}
			for _, r := range v.Body.Treemap.Rows {
				if r.Depth == 1 {
					sums[0], sums[1] = sums[0]+r.Sides[0], sums[1]+r.Sides[1]
				}
			}
			if v.Body.Treemap.Unit != "bytes" || want.Before == nil || sums != [2]uint64{*want.Before, *want.After} {
				t.Errorf("%s of %s: %d %s, want %v and %v", v.View, c.files, sums, v.Body.Treemap.Unit, want.Before, want.After)
			}
		}
		if got := strings.Join(views, " "); got != c.views {
			t.Errorf("%s: the views are %q, want %q", c.files, got, c.views)
		}
	}
}

// Curves that a profile has next to its stacks are in its page, over the unit of their times.
func TestPagesOfProfilesHaveTheirCurves(t *testing.T) {
	page := pageData(t, "report ../../loaders/valgrind/testdata/massif.default.out")
	if len(page.Charts) != 1 || page.Charts[0].Axis != "count" || page.Charts[0].Per != "instructions" {
		t.Errorf("the charts are %+v", page.Charts)
	}
	for _, table := range page.Tables {
		if table.ID == "series" {
			return
		}
	}
	t.Errorf("the tables are %+v", page.Tables)
}
