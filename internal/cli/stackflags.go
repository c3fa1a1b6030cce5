package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

// stackFlags narrow stacks of traces and of stack profiles, as the screens do.
type stackFlags struct {
	stepFlags
	Window string `placeholder:"NAME" help:"For stack profiles: the time window of the tables, by its id or as #N, counted from 0."`
}

// stepFlags filter stacks.
type stepFlags struct {
	Focus    []string `sep:"none" placeholder:"FUNCTION" help:"Only stacks that contain the function; /…/ is a regular expression. This flag and the next four filter everything that has stacks, such as sites, leaks and blocks; they may be repeated."`
	Ignore   []string `sep:"none" placeholder:"FUNCTION" help:"Only stacks that do not contain the function."`
	ShowFrom []string `sep:"none" placeholder:"FUNCTION" help:"Begin stacks at the outermost call of the function; stacks without it are left out."`
	Hide     []string `sep:"none" placeholder:"FUNCTION" help:"Hide the frames of the function; their weight goes to the callers."`
	Pivot    string   `placeholder:"FUNCTION" help:"Like --focus; on the screens, trees show its callers and callees. May not be repeated."`
}

// filter returns what the flags say about stacks.
func (f *stepFlags) filter() (calltree.Filter, error) {
	var steps []calltree.Step
	add := func(k calltree.StepKind, names ...string) {
		for _, name := range names {
			steps = append(steps, calltree.Step{Kind: k, Name: name})
		}
	}
	add(calltree.Focus, f.Focus...)
	add(calltree.Ignore, f.Ignore...)
	add(calltree.ShowFrom, f.ShowFrom...)
	add(calltree.HideFrame, f.Hide...)
	if f.Pivot != "" {
		add(calltree.PivotAt, f.Pivot)
	}
	for _, s := range steps {
		if err := calltree.CheckStep(s); err != nil {
			return "", usageError(fmt.Errorf("--%w", err))
		}
	}
	return calltree.NewFilter(steps...), nil
}

// given says which of the flags was given, "" for none.
func (f *stepFlags) given() string {
	switch {
	case len(f.Focus) > 0:
		return "--focus"
	case len(f.Ignore) > 0:
		return "--ignore"
	case len(f.ShowFrom) > 0:
		return "--show-from"
	case len(f.Hide) > 0:
		return "--hide"
	case f.Pivot != "":
		return "--pivot"
	}
	return ""
}

// window finds the window of a name.
func window(p *model.Profile, name string) (int, error) {
	w := p.Weights
	if len(w.Windows) == 0 {
		return 0, usageError(fmt.Errorf("--window: %s has no windows", p.Meta.Name))
	}
	for i := range w.Windows {
		if w.Windows[i].ID == name {
			return i, nil
		}
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 0 && n < len(w.Windows) {
			return n, nil
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
	return 0, usageError(fmt.Errorf("--window: %s has no window %q; available: %s", p.Meta.Name, name, strings.Join(names, ", ")))
}

// profileGroups are the groupings of stack profiles, by the names of --group; -1 stands for none.
func profileGroup(name string) (weights.By, bool, error) {
	switch name {
	case "", "stack", "function":
		return 0, false, nil
	case "dso", "module":
		return weights.ByDSO, true, nil
	case "source", "file":
		return weights.BySourceLine, true, nil
	case "thread":
		return weights.ByProfileThread, true, nil
	case "kind":
		return weights.ByFrameKind, true, nil
	}
	return 0, false, usageError(fmt.Errorf("--group: stack profiles are grouped by dso, source, thread or kind, not by %s", name))
}

// traceGroup checks that a grouping is one of traces.
func traceGroup(name string) error {
	switch name {
	case "dso", "source", "kind":
		return usageError(fmt.Errorf("--group: %s works with stack profiles only", name))
	}
	return nil
}

// stackOptions returns what the flags say about a report of weighted stacks.
func (a *app) stackOptions(ctx context.Context, p *model.Profile, c *reportCmd) (opt report.StackOptions, err error) {
	opt.Limit = a.flags.Limit
	if opt.By, opt.Group, err = profileGroup(c.Group); err != nil {
		return opt, err
	}
	sel, err := a.selection(ctx, p, a.flags.Event)
	if err != nil || sel == nil {
		return opt, err
	}
	if c.Window != "" {
		if a.flags.From.Given() || a.flags.To.Given() {
			return opt, usageError(errors.New("--window: cannot be combined with --from and --to"))
		}
		n, err := window(p, c.Window)
		if err != nil {
			return opt, err
		}
		sel, opt.Window = weights.SelectWindows(p, sel.Event, sel.Metric, n), &p.Weights.Windows[n]
	}
	if opt.Filter, err = c.filter(); err != nil {
		return opt, err
	}
	opt.Selection = sel
	if opt.Filter != "" {
		view, err := calltree.FilterStacks(ctx, p.Stacks, opt.Filter, calltree.WholeStacks)
		if err != nil {
			return opt, err
		}
		opt.Selection = sel.Filter(view)
	}
	return opt, nil
}
