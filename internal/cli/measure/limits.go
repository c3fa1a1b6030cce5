package measure

import (
	"context"

	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/check"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/model"
)

// Budget is one limit with the figure that it applies to.
type Budget struct {
	Name  string // of the flag
	Limit arg.Limit
	At    model.Moment // of max-live-at

	Per     string  // of max-growth: the unit of time
	Seconds float64 // that it has
}

// NotWorse returns the limits of a check against another file that names none: figures that both files have must not be
// higher.
func NotWorse(now, base *File) []Budget {
	var out []Budget
	for _, name := range []string{"max-peak", "max-leak"} {
		if now.answers(name) && base.answers(name) {
			out = append(out, Budget{Name: name, Limit: arg.NoMore()})
		}
	}
	return out
}

// Measure compares a figure with its limit.
func (b *Budget) Measure(ctx context.Context, now, base *File) (l check.Limit, err error) {
	f, err := now.figure(ctx, b)
	if err != nil {
		return l, err
	}
	l = check.Limit{
		Name: b.Name, Asked: b.Limit.Text, Unit: "bytes", Value: f.value,
		At: f.at, Snapshot: f.snapshot, Series: f.series, Live: f.live, Unfreed: f.unfreed,
	}
	switch b.Name {
	case "max-growth":
		l.Unit = "bytes/" + b.Per
	case "max-type-objects":
		l.Unit = check.UnitObjects
	}
	if b.Limit.Relative() {
		old, err := base.figure(ctx, b)
		if err != nil {
			return l, err
		}
		l.Base = &old.value
		l.Limit = b.Limit.Resolve(old.value)
	} else {
		l.Limit = b.Limit.Resolve(0)
	}
	l.OK = l.Value <= l.Limit
	if f.types != nil {
		l.SetTypes(f.types, now.Limit)
	}
	return l, nil
}

// figure is the value that a limit applies to, and where it was found.
type figure struct {
	value    int64 // bytes, or bytes per second
	at       *model.Time
	snapshot *int
	series   *string
	live     bool // live memory, in place of leaks
	unfreed  bool // what was never freed, whatever its verdict

	types []suspects.TypeGrowth // types of which it is the highest, most growth first; nil for other figures
}
