package report

import (
	"bytes"
	"context"
	"testing"
	"unicode"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

const hostileName = "a\x1b[2J\x9b\u202e|`\n"

// layouts is a page source of one layout.
type layouts struct{ model.Layout }

func (l *layouts) Len() int                                         { return 1 }
func (l *layouts) Info(int) model.LayoutInfo                        { return model.LayoutInfo{At: 7} }
func (l *layouts) Open(context.Context, int) (*model.Layout, error) { return &l.Layout, nil }

// hostileDump has names that would control a terminal, negative and huge values, and more pages than fit a screen.
func hostileDump() *model.Profile {
	const pages = 100_000
	pt := model.PageType{Name: hostileName, Uniform: 64, Start: make([]uint32, pages+1)}
	for i := range pages {
		pt.Runs = append(pt.Runs, byte(i%9))
		pt.Start[i+1] = uint32(len(pt.Runs))
		if i%9 < 8 {
			pt.Runs = append(pt.Runs, byte(8-i%9))
			pt.Start[i+1]++
		}
	}
	return &model.Profile{
		Meta: model.Meta{Name: hostileName, Path: hostileName, Format: "memdump-mb"},
		Timeline: &model.Timeline{Series: []model.Series{{
			ID: hostileName, Name: hostileName, Color: hostileName, Times: []model.Time{0, 7}, Values: []float64{-1e308, 1e308}, Layouts: 1,
			Events: []model.SeriesEvent{{At: 7, Name: hostileName}},
		}}},
		Pages: &layouts{model.Layout{
			Types:    []model.PageType{pt},
			Problems: []model.Problem{{Severity: model.Error, Code: hostileName, Message: hostileName, Count: 1, Offset: model.NoOffset}},
		}},
	}
}

func TestHostileDumpsControlNothing(t *testing.T) {
	p := hostileDump()
	r, err := BuildDump(t.Context(), p, DumpOptions{At: 7, From: model.NoTime, To: model.NoTime, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Complete {
		t.Error("complete in spite of an error in the layout")
	}
	l := &p.Pages.(*layouts).Layout
	var out bytes.Buffer
	opt := DiffOptions{
		Before: DiffSource{Profile: p}, After: DiffSource{Profile: p}, Metric: "occupied_bytes", Counted: "pages", What: "page type",
		Layouts: pages.DiffLayouts(l, &model.Layout{}),
	}
	d := diffOf(t, [2]*diff.Side{diff.PagesSide(l, model.NoTime, diff.PageOccupied), diff.PagesSide(&model.Layout{}, model.NoTime, diff.PageOccupied)}, opt, diff.Options{})
	opt.What, opt.Layouts = "series", nil
	series := [2]*diff.Side{diff.SeriesSide(p.Timeline, model.MaxTime), diff.SeriesSide(p.Timeline, model.MaxTime)}
	curves := diffOf(t, series, opt, diff.Options{})
	for _, write := range []func() error{
		func() error { return WriteText(&out, r, cells.Style{}) },
		func() error { return WriteMarkdown(&out, r, cells.Style{}) },
		func() error { return WriteJSON(&out, r) },
		func() error { return WriteCSV(&out, r, "series") },
		func() error { return WriteCSV(&out, r, "page_types") },
		func() error { return WriteDiffText(&out, d, cells.Style{}) },
		func() error { return WriteDiffMarkdown(&out, curves, cells.Style{}) },
	} {
		out.Reset()
		if err := write(); err != nil {
			t.Fatal(err)
		}
		for _, c := range out.String() {
			if c != '\n' && (c < ' ' || unicode.In(c, unicode.Cc, unicode.Cf)) {
				t.Errorf("%U in %.200q", c, out.String())
				break
			}
		}
	}
	if d.Rows[0].Status != "gone" || *d.Rows[0].NewlyFree != r.Pages.OccupiedBits || curves.Rows[0].Status != "same" {
		t.Errorf("differences %+v, %+v", d.Rows[0], curves.Rows[0])
	}
}
