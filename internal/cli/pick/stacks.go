package pick

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// SampleSpan returns the range of samples, or else of windows, between --from and --to, where they are given. Shares of the duration refer to
// the time of the last sample, although the recording may have continued.
func SampleSpan(w *model.StackProfile, start, end model.Moment) (from, to model.Time, err error) {
	from, to = weights.Span(w)
	axis := model.Axis{End: to, Peak: to, Unit: w.AxisUnit}
	for _, bound := range []struct {
		flag model.Moment
		to   *model.Time
	}{{start, &from}, {end, &to}} {
		if !bound.flag.Given() {
			continue
		}
		if *bound.to, err = bound.flag.In(axis); err != nil {
			return from, to, fail.Usage(err)
		}
	}
	if from > to && start.Given() && end.Given() {
		return from, to, fail.Usage(fmt.Errorf("the range ends at %s, before it begins at %s", to.In(w.AxisUnit), from.In(w.AxisUnit)))
	}
	if axis.End = max(axis.End, weights.End(w)); axis.Check(max(from, to)) != nil {
		return from, to, fail.Usage(axis.Check(max(from, to)))
	}
	return from, to, nil
}

// Event returns the event for the tables; "" selects the first event with stacks. If the profile has no events at
// all, ok is false without an error.
func Event(p *model.Profile, name string) (event uint16, ok bool, err error) {
	w := p.Weights
	if name == "" {
		return weights.DefaultEvent(w), len(w.Events) > 0, nil
	}
	if i, ok := w.Event(name); ok {
		return uint16(i), true, nil
	}
	var known []string
	for _, e := range w.Events {
		known = append(known, e.Name)
	}
	return 0, false, fail.Usage(fmt.Errorf("--event: %s has no event %q%s", p.Meta.Name, name, near.Available(name, known)))
}

// MetricNames returns the names of all metrics for a message.
func MetricNames(w *model.StackProfile) string {
	return strings.Join(Metrics(w), ", ")
}

// Metrics returns the names of all metrics.
func Metrics(w *model.StackProfile) (names []string) {
	for _, m := range w.Metrics {
		names = append(names, m.Name)
	}
	return names
}

// Window returns the index of the window with that name.
func Window(p *model.Profile, name string) (int, error) {
	w := p.Weights
	if len(w.Windows) == 0 {
		return 0, fail.Usage(fmt.Errorf("--window: %s has no windows", p.Meta.Name))
	}
	for i := range w.Windows {
		if w.Windows[i].ID == name {
			return i, nil
		}
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
			if i, ok := w.WindowNumbered(n); ok {
				return i, nil
			}
		}
	}
	const few = 12
	var names []string
	for i := range w.Windows[:min(len(w.Windows), few)] {
		names = append(names, w.Windows[i].ID)
	}
	if len(w.Windows) > few {
		names = append(names, "…")
	}
	return 0, fail.Usage(fmt.Errorf("--window: %s has no window %q; available: %s", p.Meta.Name, name,
		strings.Join(names, ", ")))
}

// ProfileGroup returns the grouping that --group names; ok is false if it names none.
func ProfileGroup(w *model.StackProfile, name string) (by weights.By, ok bool, err error) {
	if name == "" || name == "function" {
		return weights.ByFunctionDSO, false, nil
	}
	by, ok = weights.GroupNamed(w, name)
	if key, labeled := strings.CutPrefix(name, weights.LabelPrefix); labeled && !ok {
		return by, false, fail.Usage(fmt.Errorf("--group: no stack has the label %q; %s", key, labelKeys(w)))
	}
	if !ok {
		return by, false, fail.Usage(fmt.Errorf("--group: stack profiles have no group %q%s", name,
			near.Available(name, weights.GroupNames("KEY"))))
	}
	return by, by != weights.ByFunctionDSO, nil
}

// labelKeys returns the keys of the labels.
func labelKeys(w *model.StackProfile) string {
	keys := weights.LabelKeys(w)
	if len(keys) == 0 {
		return "the file has no labels"
	}
	return "available: " + strings.Join(keys, ", ")
}

// TraceGroup checks that a grouping is one of traces.
func TraceGroup(name string) error {
	switch name {
	case "dso", "source", "kind":
		return fail.Usage(fmt.Errorf("--group: %s works with stack profiles only", name))
	}
	return nil
}
