package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// command is a palette command with an argument; the other commands are the key table's actions.
type command struct {
	name, argument string // "at", "TIME"
	flag           string // the name of its flag without dashes, if different: also accepted
	help           string
	values         func(a *app) []string // all arguments; nil if there are too many
	run            func(a *app, argument string) error
}

// commands returns those that take an argument.
func commands() []command {
	return []command{
		{"at", "TIME", "", "Move the instant: 12.5s, 350ms, 5min, 50%, peak, end.", nil, (*app).goToTime},
		{"range", "FROM TO", "", "Select a range: 10ms 2s.", nil, (*app).rangeCommand},
		{"filter", "TEXT", "", "Filter tables: live>1M, !std::, /regex/.", nil, (*app).filterCommand},
		{"group", "KEY", "", "Group tables, as --group does: by owner, file, module or thread; traces also by stack, function or size, profiles also by dso, source, kind or label:KEY.", groupNames, (*app).groupCommand},
		{"cost", "KEY", "by", "Weight stacks by live, blocks, peak, total, count, leaked or temporary (--by).",
			costNames, (*app).costCommand},
		{"min-age", "TIME", "", "Set the minimum age of what counts as a leak: 50ms, 2s.", nil, (*app).ageCommand},
		{"focus", functionArgument, "", "Keep only stacks with a function: its name, file:, module: or package: and a name, or /regex/; for profiles also label:KEY=VALUE.", nil, stepCommand(calltree.Focus)},
		{"ignore", functionArgument, "", "Ignore stacks with a function: its name, file:, module: or package: and a name, or /regex/; for profiles also label:KEY=VALUE.", nil, stepCommand(calltree.Ignore)},
		{"from", functionArgument, "show-from", "Show stacks from a function on: its name, file:, module: or package: and a name, or /regex/ (--show-from). A time is the start of the range.", nil, (*app).fromCommand},
		{"to", "TIME", "", "Move the end of the range.", nil, (*app).toCommand},
		{"hide", functionArgument, "", "Hide a function in stacks: its name, file:, module: or package: and a name, or /regex/.", nil, stepCommand(calltree.HideFrame)},
		{"around", functionArgument, "pivot", "Show callers and callees of a function: its name, file:, module: or package: and a name, or /regex/ (--pivot).", nil, stepCommand(calltree.PivotAt)},
		{"row", "ROW", "", "Show an object of a heap snapshot by its number, or its id such as 0x7f00.", nil, (*app).goToRow},
		{"find", "FILTER", "", "Find objects in the whole heap snapshot: type:Session retained>1M .open=true text~^abc.", nil, (*app).findCommand},
		{"per", "KEY", "", "Count the objects that Find finds by a property, the kind, a field such as .user.name, or their text.", perNames, (*app).perCommand},
		{"compare", "FILE", "", "Compare with another file: every screen shows the difference. none closes it.", nil,
			(*app).compareCommand},
		{"a", "PLACE", "", "Mark a place of the first file as A, before: 12s, 10s..20s, peak, start, end, #3, none.",
			nil, markCommand(state.SideA)},
		{"b", "PLACE", "", "Mark a place of the second file, or of the only one, as B, after; 1:12s is one of the first file.", nil, markCommand(state.SideB)},
		{"align", "KEY", "", "Align two curves at the start, by share of duration, or at a marker's name.",
			alignNames, (*app).alignCommand},
		{"mask", "REGEXP=TEXT", "", "Mask parts of names before they are compared: paths, templates, addresses, hashes, none.", maskNames, (*app).maskCommand},
		{"normalize", "KEY", "", "Normalize both sides before they are compared.", normalNames, (*app).normalizeCommand},
		{"save", "PATH", "", "Save this view: .txt .md .csv .json .html, its stacks: .folded .speedscope.json .pb.gz. PATH! replaces a file.", nil, (*app).save},
		{"theme", "NAME", "", "Change the color theme.", themeNames, (*app).themeCommand},
	}
}

func groupNames(a *app) []string {
	if a.Prof != nil {
		return weights.GroupNames(weights.LabelKeys(a.Prof.Weights)...)
	}
	return analysis.GroupNames()
}

func costNames(*app) (names []string) {
	for c := range analysis.CostCountOf {
		names = append(names, c.String())
	}
	return names
}

func themeNames(a *app) (names []string) {
	for _, t := range a.o.Themes {
		names = append(names, t.Name())
	}
	return names
}

// runCommand runs a line: a command with its argument, or the name of an action.
func (a *app) runCommand(text string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	word, rest = string(keymap.Action(word).Current()), strings.TrimSpace(rest)
	for _, c := range commands() {
		if c.name != word && (c.flag == "" || c.flag != word) || rest == "" {
			continue
		}
		return c.run(a, rest)
	}
	for _, e := range a.o.Keys.Actions(a.everyScope()...) {
		if string(e.Action) == word && rest == "" {
			a.do(e.Action)
			return nil
		}
	}
	return fmt.Errorf("unknown command %q", text)
}

// rangeCommand selects a range: two times with a blank between them, or with two dots as the command line writes it.
func (a *app) rangeCommand(text string) error {
	var p model.Period
	from, to, ok := strings.Cut(text, " ")
	switch {
	case strings.Contains(text, ".."):
		var err error
		if p, err = model.ParsePeriod(text); err != nil {
			return err
		}
	case !ok:
		return fmt.Errorf("a range needs two times: range 10ms 2s")
	default:
		if err := errors.Join(p.From.UnmarshalText([]byte(from)), p.To.UnmarshalText([]byte(to))); err != nil {
			return err
		}
	}
	return a.withPeak(a.Trace, func(peak analysis.Peak) error {
		axis := a.axis(a.state.Status.Duration)
		axis.Peak = peak.Time
		f, t, err := p.In(axis)
		if err == nil {
			a.emit(state.SetRange{R: analysis.Range{From: f, To: t}})
		}
		return err
	}, p.From, p.To)
}

// withPeak calls f with the peak of a trace if one of the moments is the peak, else at once.
func (a *app) withPeak(trace analysis.Trace, f func(peak analysis.Peak) error, moments ...model.Moment) error {
	if !slices.ContainsFunc(moments, model.Moment.IsPeak) {
		return f(analysis.Peak{})
	}
	if trace == nil {
		return fmt.Errorf("only a trace has a peak: write a time")
	}
	a.Background(func() {
		p, ok, err := trace.Peak(context.WithoutCancel(a.Ctx), analysis.FullRange)
		a.Post(func() {
			if err == nil && !ok {
				err = fmt.Errorf("nothing is allocated there")
			}
			if err == nil {
				err = f(p)
			}
			if err != nil {
				a.say(model.Clean(err.Error()))
			}
		})
	})
	return nil
}

func (a *app) filterCommand(text string) error {
	if _, err := analysis.ParseFilter(text, a.filterFields()...); err != nil {
		return err
	}
	if b, ok := a.front().(ui.Searcher); ok {
		b.Search(text)
	} else {
		a.emit(state.SetFilter{Text: text})
	}
	return nil
}

// stepCommand returns a command that adds a step of the given kind to the filter of stacks.
func stepCommand(kind calltree.StepKind) func(*app, string) error {
	return func(a *app, text string) error {
		step := calltree.Step{Kind: kind, Name: text}
		if err := calltree.CheckStep(step); err != nil {
			return err
		}
		if !a.hasStacks() {
			return fmt.Errorf("this file has no stacks to filter")
		}
		a.addTyped(step)
		return nil
	}
}

// addTyped adds a step of a filter if it matches anything in the files on screen, else shows that it does not. If the
// stacks of one are not known yet, it counts as matching.
func (a *app) addTyped(step calltree.Step) {
	all := []*model.Stacks{a.state.Stacks()}
	if a.Second != nil && a.Second.Now != nil {
		all = append(all, a.Second.Now.Stacks)
	}
	if slices.Contains(all, nil) {
		a.emit(state.AddStep{Step: step})
		return
	}
	a.Background(func() {
		lost, err := calltree.FindUnmatched(a.Ctx, calltree.NewFilter(step), all...)
		if err != nil {
			return
		}
		a.Post(func() {
			if len(lost) == 0 {
				a.emit(state.AddStep{Step: step})
				return
			}
			text := "nothing in this file matches " + step.Name
			if near := lost[0].Near; len(near) > 0 {
				text += "; near: " + strings.Join(near, ", ")
			}
			a.say(model.Clean(text))
		})
	})
}

func (a *app) groupCommand(text string) error {
	names := groupNames(a)
	if !slices.Contains(names, text) {
		return fmt.Errorf("unknown group %q: choose one of %s", model.Clean(text),
			model.Clean(strings.Join(names, ", ")))
	}
	if a.Prof != nil {
		by, _ := weights.GroupNamed(a.Prof.Weights, text)
		a.emit(state.SetProfileBy{By: by})
		return nil
	}
	a.emit(state.SetGroup{By: analysis.Group(slices.Index(names, text))})
	return nil
}

func (a *app) costCommand(text string) error {
	c, ok := state.ParseCost(text)
	if !ok {
		return fmt.Errorf("unknown cost %q: choose one of %s", text, strings.Join(costNames(a), ", "))
	}
	a.emit(state.SetCost{Cost: c})
	a.openScreen(keymap.ShowStacks)
	return nil
}

// fromCommand adds a filter that shows stacks from a function, or moves the start of the range: --from is a time on the
// command line.
func (a *app) fromCommand(text string) error {
	if _, err := model.ParseMoment(text); err != nil {
		return stepCommand(calltree.ShowFrom)(a, text)
	}
	to := "end"
	if !a.state.Range.IsFull() {
		to = a.axis(0).Moment(a.state.Range.To).String()
	}
	return a.rangeCommand(text + ".." + to)
}

// toCommand moves the end of the range.
func (a *app) toCommand(text string) error {
	from := ""
	if r := a.state.Range; !r.IsFull() {
		from = a.axis(0).Moment(max(r.From, 0)).String()
	}
	return a.rangeCommand(from + ".." + text)
}

func (a *app) ageCommand(text string) error {
	age, err := model.ParseLength(text)
	if err == nil {
		a.emit(state.SetMinAge{Age: age.Of(a.state.Status.Duration)})
	}
	return err
}

func (a *app) themeCommand(text string) error {
	for i, t := range a.o.Themes {
		if t.Name() == text {
			a.setTheme(i)
			a.stale = true
			return nil
		}
	}
	return fmt.Errorf("unknown theme %q: choose one of %s", text, strings.Join(themeNames(a), ", "))
}
