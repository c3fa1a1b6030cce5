package screen

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/fleet"
)

// AfterBudget is the number of bytes of decoded snapshots that are kept of a second file: one of a large program.
const AfterBudget = 512 << 20

// Run runs the full-screen program on the process's terminal, at the latest until ctx ends. main puts it into
// the field FullScreen of cli.Env.
func Run(ctx context.Context, s Screen) error {
	return onTerminal(ctx, s, func(t *term.Terminal, list []*themes.Theme) error {
		return views.Run(s.Options(ctx, t, list))
	})
}

// RunOpening is Run for a file that takes long until its contents are known. main puts it into
// the field Opening of cli.Env.
func RunOpening(ctx context.Context, o Opening) error {
	return onTerminal(ctx, o.Screen, func(t *term.Terminal, list []*themes.Theme) error {
		return views.RunOpening(views.Opening{
			Terminal: t, Keys: o.Screen.Keys, Theme: list[0], Name: o.Name, Progress: o.Progress,
			Ready: func() (views.Options, error) {
				s, err := o.Ready()
				if err != nil {
					return views.Options{}, err
				}
				return s.Options(ctx, t, list), nil
			},
		})
	})
}

// RunFleet runs the full-screen program about a fleet, and returns the recording that the user opens, nil for
// none. main puts it into the field Fleet of cli.Env.
func RunFleet(ctx context.Context, f Fleet) (opened *fleet.Opened, err error) {
	err = onTerminal(ctx, f.Screen, func(t *term.Terminal, list []*themes.Theme) (err error) {
		o := f.Options
		o.Terminal, o.Themes, o.Keys = t, list, f.Screen.Keys
		opened, err = fleet.Run(o)
		return err
	})
	return opened, err
}

// onTerminal runs a full-screen program on the process's terminal, with the themes that it can show, the chosen one
// first.
func onTerminal(ctx context.Context, s Screen, run func(*term.Terminal, []*themes.Theme) error) error {
	t, err := term.Open(term.Options{Mouse: s.Mouse, ASCII: s.ASCII, Color: s.color(), Killed: s.Killed, Stderr: os.Stderr})
	if err != nil {
		return err
	}
	if s.Opened != nil {
		s.Opened(t.Abandon)
	}
	// A signal may have come when the terminal did not yet listen, and memory may run short at any time.
	defer context.AfterFunc(ctx, func() { t.Fail(context.Cause(ctx)) })()
	list, err := usableThemes(s, t.Caps().Colors)
	if err != nil {
		return errors.Join(err, t.Close())
	}
	return run(t, list)
}

// Options returns the options of the screens.
func (s *Screen) Options(ctx context.Context, t *term.Terminal, list []*themes.Theme) views.Options {
	return views.Options{
		Terminal: t, Store: s.Store, Trace: s.Trace, Libraries: settings.Libraries(s.Config), Keys: s.Keys, Themes: list,
		Sources: s.Sources, Second: s.Second, OpenSecond: s.OpenSecond, Home: s.Home,
		Command: s.Command, Paths: s.Paths, Stop: s.Cancel, Readable: s.Again, Memory: s.Memory,
		Start: s.Start, HeapStart: s.HeapStart, HeapBudget: s.HeapBudget,
		Budget:   model.BudgetOf(ctx),
		Evidence: s.Evidence, Save: s.Save, Begun: s.Begun,
		Within: sections.UsesOf(ctx).In, Damaged: sections.UsesOf(ctx).Damaged(),
	}
}

func (s *Screen) color() term.Color {
	if s.NoColor {
		return term.ColorNever
	}
	return term.ColorAuto
}

// usableThemes lists the themes that the terminal can show, the chosen one first.
func usableThemes(s Screen, colors int) ([]*themes.Theme, error) {
	var user []*themes.Theme
	for _, section := range s.Config.Themes {
		t, err := themes.Load(section.Name, section.Lines)
		if err != nil {
			return nil, fail.Usage(fmt.Errorf("config file: %w", err))
		}
		user = append(user, t)
	}
	first, err := themes.Pick(s.Theme, colors, s.NoColor, user...)
	if err != nil {
		return nil, fail.Usage(err)
	}
	list := []*themes.Theme{first}
	for _, t := range themes.Usable(colors, s.NoColor, user...) {
		if t.Name() != first.Name() {
			list = append(list, t)
		}
	}
	return list, nil
}
