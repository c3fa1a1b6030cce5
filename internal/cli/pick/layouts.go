package pick

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// Layouts are the flags that choose a page layout, other than its number.
type Layouts struct {
	At            model.Moment
	Series, Point *int
}

// Number returns the number of the page layout that the user selects: by number, by series and point, or by an instant.
// The default is the last layout with pages, of the first series that has one. ok is false if there is no such layout
// and the user selects none.
func (f Layouts) Number(ctx context.Context, p *model.Profile, asked *int) (n int, ok bool, err error) {
	count := 0
	if p.Pages != nil {
		count = p.Pages.Len()
	}
	if asked != nil {
		if n = *asked; n < 0 {
			n += count
		}
		if n < 0 || n >= count {
			return 0, false, fail.Usage(fmt.Errorf("%s has no layout %d: it has %d, counted from 0", p.Meta.Name,
				*asked, count))
		}
		return n, true, nil
	}
	if f.Series != nil && (*f.Series < 0 || *f.Series >= len(p.Timeline.Series)) {
		return 0, false, fail.Usage(fmt.Errorf("%s has no series %d: it has %d, counted from 0", p.Meta.Name, *f.Series,
			len(p.Timeline.Series)))
	}
	if f.Point != nil {
		n, err = f.atPoint(p, count)
		return n, err == nil, err
	}
	until := model.MaxTime
	if f.At.Given() {
		if until, err = arg.TimeIn(f.At, pages.Axis(p.Timeline)); err != nil {
			return 0, false, err
		}
	}
	n, err = lastLayout(ctx, p, count, func(info model.LayoutInfo) bool {
		return (f.Series == nil || info.Series == *f.Series) && (until == model.MaxTime || info.At != model.NoTime && info.At <= until)
	})
	switch {
	case err != nil:
		return 0, false, err
	case n < 0 && f.Series != nil:
		return 0, false, fail.Usage(fmt.Errorf("series %d of %s has no page layout there", *f.Series, p.Meta.Name))
	}
	return n, n >= 0, nil
}

// atPoint finds the layout of a point, by its index in the file.
func (f Layouts) atPoint(p *model.Profile, count int) (int, error) {
	for i := range count {
		info := p.Pages.Info(i)
		if int64(info.Point) == int64(*f.Point) && (f.Series == nil || info.Series == *f.Series) {
			return i, nil
		}
	}
	in := p.Meta.Name
	if f.Series != nil {
		in = fmt.Sprintf("series %d of %s", *f.Series, in)
	}
	return 0, fail.Usage(fmt.Errorf("point %d of %s has no page layout", *f.Point, in))
}

// lastLayout returns the last layout with pages of the first series that has one among those that fit, else the last
// one of the first series that has any; -1 for none. Layouts that cannot be decoded count as without pages.
func lastLayout(ctx context.Context, p *model.Profile, count int, fits func(model.LayoutInfo) bool) (int, error) {
	bySeries := make([][]int, len(p.Timeline.Series))
	for i := range count {
		if info := p.Pages.Info(i); fits(info) && info.Series < len(bySeries) {
			bySeries[info.Series] = append(bySeries[info.Series], i)
		}
	}
	empty := -1
	for _, layouts := range bySeries {
		for k := len(layouts) - 1; k >= 0; k-- {
			if empty < 0 {
				empty = layouts[k]
			}
			if p.Pages.Info(layouts[k]).Empty {
				continue
			}
			l, err := p.Pages.Open(ctx, layouts[k])
			if ctx.Err() != nil {
				return -1, ctx.Err()
			}
			if err != nil {
				continue
			}
			for i := range l.Types {
				if l.Types[i].Len() > 0 {
					return layouts[k], nil
				}
			}
		}
	}
	return empty, nil
}

// LayoutEnds returns the first and the last layout with pages of the first series that has two.
func LayoutEnds(p *model.Profile) (first, last int) {
	for series := range p.Timeline.Series {
		first, last = -1, -1
		for i := range p.Pages.Len() {
			if info := p.Pages.Info(i); info.Series == series && !info.Empty {
				if last = i; first < 0 {
					first = i
				}
			}
		}
		if first != last {
			return first, last
		}
	}
	return -1, -1
}
