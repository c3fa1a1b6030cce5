package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/pagemap"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/model"
)

// dumpReport returns the report about curves and one page layout.
func (a *app) dumpReport(ctx context.Context, s *session, p *model.Profile, c *reportCmd) (r *report.Report, err error) {
	if err := a.order(c.prints(kind.Dump, nil, a.flags.Format), c); err != nil {
		return nil, err
	}
	if c.drawn() {
		return a.dumpMap(ctx, s, p, c)
	}
	opt, err := a.dumpOptions(p)
	if err != nil {
		return nil, err
	}
	err = s.src.Guard(func() error {
		opt.Layout = -1
		n, ok, err := a.layouts().Number(ctx, p, s.snapshot)
		if err != nil {
			return err
		}
		if ok {
			opt.Layout = n
		}
		r, err = report.BuildDump(ctx, p, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.warnMemory(p, &r.Header)
	return r, nil
}

// dumpOptions converts the flags about instant and range to times.
func (a *app) dumpOptions(p *model.Profile) (report.DumpOptions, error) {
	f := a.flags
	opt := report.DumpOptions{At: pages.TimelineEnd(p.Timeline), From: model.NoTime, To: model.NoTime, Limit: f.Limit}
	axis := pages.Axis(p.Timeline)
	var err error
	if opt.From, opt.To, err = arg.Span(f.From.Moment, f.To.Moment, axis); err != nil {
		return opt, err
	}
	if f.To.Given() {
		opt.At = opt.To
	}
	if f.At.Given() {
		opt.At, err = arg.TimeIn(f.At, axis)
	}
	return opt, err
}

// worstLayout returns the layout with the most reclaimable bytes, the first of several, like the key on Fragmentation.
// If the user names a series, only its layouts count. It returns none if no layout can be decoded.
func (a *app) worstLayout(ctx context.Context, s *session, p *model.Profile, none int) (worst int, err error) {
	found, most := false, uint64(0)
	worst = none
	for i := range p.Pages.Len() {
		if n := a.flags.Series; n != nil && p.Pages.Info(i).Series != *n {
			continue
		}
		l, err := openLayout(ctx, s, p, i)
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(a.env.Stderr, "memtui: warning: "+model.Clean(err.Error()))
			continue
		}
		if n := pages.SumLayout(l).All.Returned; !found || n > most {
			worst, most, found = i, n, true
		}
	}
	return worst, nil
}

func noDump(p *model.Profile) error {
	return fail.Usage(fmt.Errorf("%s holds no page layouts: its format is %s", p.Meta.Name, p.Meta.Format))
}

// openLayout decodes a layout.
func openLayout(ctx context.Context, s *session, p *model.Profile, n int) (l *model.Layout, err error) {
	err = s.src.Guard(func() error {
		l, err = p.Pages.Open(ctx, n)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = fail.Input(fmt.Errorf("%s: layout %d: %w", p.Meta.Name, n, err))
	}
	return l, err
}

type pagesCmd struct {
	File    string    `arg:"" help:"A memory dump, or - for standard input. FILE#3 is its layout 3, FILE#-1 its last."`
	Map     bool      `help:"Draw the pages as a grid of characters, in the file's order."`
	Worst   bool      `help:"Choose the layout where packing would reclaim the most, in the series of --series if given."`
	PerCell int       `placeholder:"N" help:"Pages per character of --map (as few as fit)."`
	Table   arg.Table `enum:"page_types,holes,runs,sparse_pages," default:"" placeholder:"NAME" help:"Print one table only; csv always does: page_types (the default), holes, runs or sparse_pages."`
	Exact   bool      `help:"Print bytes as exact numbers."`
	arg.RowFlags
}

// Run prints what is in one page layout.
func (c *pagesCmd) Run(ctx context.Context, a *app) error {
	if c.PerCell < 0 {
		return fail.Usage(errors.New("--per-cell: must not be negative"))
	}
	if err := a.oneTable(c.Table); err != nil {
		return err
	}
	if c.Map {
		if err := a.formats("pages --map", "text"); err != nil {
			return err
		}
	}
	s, err := a.open(ctx, c.File)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := a.profileOf(ctx, s, kind.Dump, noDump)
	if err != nil {
		return err
	}
	n, ok, err := a.layouts().Number(ctx, p, s.snapshot)
	if err == nil && ok && c.Worst {
		n, err = a.worstLayout(ctx, s, p, n)
	}
	if err != nil {
		return err
	}
	if !ok {
		return noDump(p)
	}
	l, err := openLayout(ctx, s, p, n)
	if err != nil {
		return err
	}
	rows, err := a.chosenRows(c.prints(kind.Dump, nil, a.flags.Format), c.RowFlags)
	if err != nil {
		return err
	}
	rows.Table, rows.Exact = c.Table, c.Exact
	r := report.NewPagesReport(p, n, l, a.flags.Limit)
	if c.Map {
		return pagemap.Write(a.out, r, l, c.PerCell, a.style(c.Exact))
	}
	return a.writeReport(r, rows)
}

// layouts returns the flags that choose a page layout.
func (a *app) layouts() pick.Layouts {
	return pick.Layouts{At: a.flags.At, Series: a.flags.Series, Point: a.flags.Point}
}
