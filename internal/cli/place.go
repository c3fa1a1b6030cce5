package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/model"
)

// move selects the place: the flags become those of this side alone.
func (in *diffInput) move(p model.Place) {
	if !p.Given() {
		return
	}
	flags, side := *in.flags, *in.app
	k := kind.Of(in.p)
	switch numbered := k != kind.Trace; {
	case p.Number != nil && (numbered || !p.At.Given()):
		in.asked = p.Number
	case p.At.Given():
		flags.At = p.At
	default:
		flags.At, flags.From, flags.To = model.Moment{}, arg.TimeAt(p.Over.From), arg.TimeAt(p.Over.To)
		if k == kind.Heap || k == kind.Dump {
			flags.At = p.Over.To // the state at the end
		}
	}
	side.flags = &flags
	in.app = &side
}

// onePlaces selects the two places in one file unless the user gives both: its first and its last snapshot, layout or
// window. For a trace one of them is the end, and the user must give the other.
func (d *diffing) onePlaces() error {
	c, p := d.flags, d.sides[0].p
	if named := c.A.Given() || d.sides[0].asked != nil; named || c.B.Given() {
		if !named {
			return fail.Usage(errors.New("diff: --b needs --a, the place in the file to compare with"))
		}
		d.sides[1].asked = nil // FILE#N is the place before
		return nil
	}
	first, last := -1, -1
	mark := func(i int) {
		if last = i; first < 0 {
			first = i
		}
	}
	switch k := kind.Of(p); {
	case k == kind.Heap:
		for i := range p.Heaps.Len() {
			if p.Heaps.Info(i).Complete {
				mark(i)
			}
		}
	case p.Pages != nil && p.Pages.Len() > 1 && c.Group != "series":
		first, last = pick.LayoutEnds(p)
	case k == kind.Dump:
		c.A.At, c.B.At = model.MomentAt(0), model.MomentEnd()
		return nil
	case k == kind.Stacks && len(p.Weights.Windows) > 0:
		mark(0)
		mark(len(p.Weights.Windows) - 1)
	}
	if first == last {
		return fail.Usage(fmt.Errorf("diff: %s is the only file: name another one, or two places in it, as in --a 20%% --b end", p.Meta.Name))
	}
	c.A.Number, c.B.Number = &first, &last
	return nil
}

// numberOf returns the snapshot, page layout or window of one side of a comparison by its number; nil if it has none.
// asked is the number that the user gives, nil for none.
func (a *app) numberOf(ctx context.Context, p *model.Profile, asked *int) (*int, error) {
	var n int
	var ok bool
	var err error
	switch k := kind.Of(p); {
	case k == kind.Heap:
		n, ok, err = pick.Snapshot(p, asked, a.flags.At)
	case k == kind.Dump:
		n, ok, err = a.layouts().Number(ctx, p, asked)
	case asked == nil && k == kind.Stacks:
		n, err = a.windowOf(ctx, p)
		ok = n >= 0
	case asked == nil:
	case k == kind.Trace:
		err = fail.Usage(errors.New("diff: traces have no snapshots; choose an instant with --at"))
	case k == kind.Stacks:
		if n, ok = p.Weights.WindowNumbered(*asked); !ok {
			err = fail.Usage(fmt.Errorf("%s has no window %d: it has %d, counted from 0", p.Meta.Name, *asked,
				len(p.Weights.Windows)))
		}
	}
	if err != nil || !ok {
		return nil, err
	}
	return &n, nil
}

// windowOf returns the window that --at chooses by the event and the metric that tables are about, -1 where that is not
// given.
func (a *app) windowOf(ctx context.Context, p *model.Profile) (int, error) {
	event, ok, err := pick.Event(p, a.flags.Event)
	if !ok || !a.flags.At.Given() {
		return -1, err
	}
	metric, _ := weights.DefaultMetric(p.Weights, event)
	return a.windowAt(ctx, p, event, metric)
}

// joinWords returns words for an error message.
func joinWords(words []string) string { return strings.Join(words, ", ") }
