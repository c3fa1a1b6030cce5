package cli

import (
	"context"
	"errors"

	"github.com/memtui/memtui/export/report"
)

type pagesCmd struct {
	File    string `arg:"" help:"A memory dump, or - for standard input. FILE#3 is its layout 3, FILE#-1 its last."`
	Map     bool   `help:"Draw the pages as a grid of characters, in the file's order."`
	PerCell int    `placeholder:"N" help:"Pages per character of --map (as few as fit)."`
	Table   string `enum:"page_types,holes,runs,sparse_pages," default:"" placeholder:"NAME" help:"The table that csv writes: page_types (the default), holes, runs or sparse_pages."`
	Exact   bool   `help:"Bytes as exact numbers."`
}

// Run says what is in one page layout.
func (c *pagesCmd) Run(ctx context.Context, a *app) error {
	if c.PerCell < 0 {
		return usageError(errors.New("--per-cell: must not be negative"))
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
	p, err := s.profile(ctx)
	if err != nil {
		return err
	}
	if kindOf(p) != kindDump {
		return noDump(p)
	}
	a.warn(p)
	n, ok, err := a.layout(ctx, p, s.snapshot)
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
	r := report.NewPagesReport(p, n, l, a.flags.Limit)
	if c.Map {
		return report.WritePageMap(a.out, r, l, c.PerCell, a.style(c.Exact))
	}
	return a.writeReport(r, reportCmd{Table: c.Table, Exact: c.Exact})
}
