package arg

import (
	"fmt"

	"github.com/memtui/memtui/analysis/calltree"
)

// StepFlags filter stacks.
type StepFlags struct {
	Focus    []string `sep:"none" placeholder:"FUNCTION" help:"Only stacks that contain the function. Give its name with or without arguments and templates, /…/ for a regular expression, or one of these after file:, module: or package:, or numbers of complete stacks after stack:; for stack profiles also label:KEY=VALUE. This flag and the next four filter everything that has stacks, such as sites, leaks and blocks; they may be repeated."`
	Ignore   []string `sep:"none" placeholder:"FUNCTION" help:"Only stacks that do not contain the function."`
	ShowFrom []string `sep:"none" placeholder:"FUNCTION" help:"Begin stacks at the outermost call of the function; stacks without it are left out. On the screens :from FUNCTION."`
	Hide     []string `sep:"none" placeholder:"FUNCTION" help:"Hide the frames of the function; their weight goes to the callers."`
	Pivot    string   `aliases:"around" placeholder:"FUNCTION" help:"Like --focus, but on the screens (:around FUNCTION) trees show its callers and callees. --around means the same. Cannot be repeated."`
}

// Filter returns the filter of stacks that the flags define.
func (f *StepFlags) Filter() (calltree.Filter, error) {
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
			return "", fmt.Errorf("--%w", err)
		}
	}
	return calltree.NewFilter(steps...), nil
}

// Given returns which of the flags was given, "" for none.
func (f *StepFlags) Given() string {
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
