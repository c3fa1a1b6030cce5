package cli

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

func heapKeyList() string { return strings.Join(report.HeapSortKeys(), ", ") }

func sortKeyList() string { return strings.Join(report.SortKeys(), ", ") }

// options puts the flags about instant, range and tables into numbers, which takes the whole trace: `50%` and `peak`
// mean nothing without it.
func (a *app) options(ctx context.Context, trace analysis.Trace) (report.Options, error) {
	f := a.flags
	opt := report.Options{
		At: analysis.End, Range: analysis.Whole, From: model.NoTime, To: model.NoTime,
		By: f.By, Limit: f.Limit, History: f.Format == "text" || f.Format == "markdown",
	}
	duration := trace.Status().Duration
	peak, _, err := trace.Peak(ctx, analysis.Whole)
	if err != nil {
		return opt, err
	}
	if opt.From, opt.To, err = span(f.From, f.To.Moment, duration, peak.Time); err != nil {
		return opt, err
	}
	if opt.From > 0 { // a range from the start includes time 0
		opt.Range.From = opt.From
	}
	opt.AtTime = duration
	if f.To.Given() {
		opt.Range.To = opt.To
		opt.At, opt.AtTime = analysis.At(opt.To), opt.To
	}
	switch {
	case f.At.IsPeak() && peak.Instant != (analysis.Instant{}):
		opt.At, opt.AtTime = peak.Instant, peak.Time
	case f.At.Given():
		if opt.AtTime, err = timeIn(f.At, duration, peak.Time); err != nil {
			return opt, err
		}
		opt.At = analysis.At(opt.AtTime)
	}
	if f.MinAge.Given() {
		opt.MinAge = f.MinAge.In(duration, peak.Time)
	}
	return opt, nil
}

// style is how text is drawn on this output.
func (a *app) style(exact bool) report.Style {
	color := a.flags.Color == "always" || a.flags.Color == "auto" && a.env.IsTerminal && !a.noColor()
	return report.Style{Width: a.env.Width, ASCII: a.flags.ASCII, Color: color, Exact: exact}
}

// noColor reports whether the environment or the user asks for no colours.
func (a *app) noColor() bool {
	return a.flags.Color == "never" || a.flags.Color == "auto" && (a.env.Getenv("NO_COLOR") != "" || a.env.Getenv("TERM") == "dumb")
}
