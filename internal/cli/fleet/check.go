package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
)

// limit returns the limit of --max-regression.
func (c *CheckFlags) limit() (l arg.Limit, err error) {
	text := strings.TrimSpace(c.MaxRegression)
	if text == "" {
		return l, errors.New("missing flag: --max-regression=PERCENT")
	}
	if !strings.HasPrefix(text, "+") {
		text = "+" + text
	}
	if !strings.HasSuffix(text, "%") || l.UnmarshalText([]byte(text)) != nil {
		return l, fmt.Errorf("--max-regression: invalid limit %q: write 5%%", c.MaxRegression)
	}
	return l, nil
}

// Run checks a release: in every service of both versions, what the median host has.
func (c *CheckFlags) Run(ctx context.Context, h *Host) error {
	limit, err := c.limit()
	if err != nil {
		return fail.Usage(err)
	}
	s, err := h.open("fleet", c.Fleet, &c.placeFlags)
	if err != nil {
		return err
	}
	defer h.warn(s)
	flags := diffFlags{whatFlags: whatFlags{filterFlags: filterFlags{Service: c.Service}}, Before: c.Before, After: c.After}
	q, err := flags.ask(ctx, h, s)
	if err != nil {
		return err
	}
	before, after := q.Before, q.After
	q.Kind, q.Limit = fleet.Trend, 0
	a, err := s.Ask(ctx, q)
	if err != nil {
		return failed(ctx, err)
	}
	var list []printed.Limit
	for i := range a.Trend {
		old := &a.Trend[i]
		for k := range a.Trend {
			if now := &a.Trend[k]; old.Service == now.Service && old.Version == before && now.Version == after {
				base := int64(min(old.Median, 1<<62))
				list = append(list, printed.Limit{Name: "max-regression", Asked: limit.Text, Figure: q.Figure,
					Service: now.Service, Before: before, After: after,
					Base: old.Median, Value: now.Median, Limit: uint64(limit.Resolve(base))})
			}
		}
	}
	if len(list) == 0 {
		return fail.Usage(fmt.Errorf("no service has recordings of both %s and %s", before, after))
	}
	v := printed.NewCheck(list)
	if err := v.Write(h.Out, h.Format, h.Style); err != nil {
		return err
	}
	if !v.OK {
		return &fail.Error{Status: fail.Violated}
	}
	return nil
}
