package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// place is a part of a file as the user writes it: an instant, a range, or the number of a snapshot, layout or window. What it
// means can be known only when the file is. The zero place was not given.
type place struct {
	at       moment // an instant
	from, to moment // a range
	number   *int   // also of texts that are an instant: 0
}

func (p *place) given() bool { return p.at.given() || p.to.given() || p.number != nil }

// UnmarshalText reads 12s, 10s..20s, 3, #3 or #-1.
func (p *place) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	*p = place{}
	if n, err := strconv.Atoi(strings.TrimPrefix(s, "#")); err == nil {
		p.number = &n
		if s == "0" {
			p.at = moment{kind: absolute}
		}
		return nil
	}
	from, to, isRange := strings.Cut(s, "..")
	if !isRange {
		return p.at.UnmarshalText(text)
	}
	p.from, p.to = moment{kind: absolute}, moment{kind: endTime}
	if from = strings.TrimSpace(from); from != "" {
		if err := p.from.UnmarshalText([]byte(from)); err != nil {
			return err
		}
	}
	if to = strings.TrimSpace(to); to != "" {
		return p.to.UnmarshalText([]byte(to))
	}
	return nil
}

// move chooses the place: the flags become those of this side alone.
func (in *diffInput) move(p place) {
	if !p.given() {
		return
	}
	flags, side := *in.flags, *in.app
	switch numbered := in.p.Allocations == nil; {
	case p.number != nil && (numbered || !p.at.given()):
		in.asked = p.number
	case p.at.given():
		flags.At = p.at
	default:
		flags.At, flags.From, flags.To = moment{}, p.from, goal{moment: p.to}
		if in.p.Heaps != nil || in.p.Timeline != nil {
			flags.At = p.to // what holds at the end
		}
	}
	side.flags = &flags
	in.app = &side
}

// onePlaces chooses the two places of one file where the user does not name both: its first and its last snapshot, layout or
// window. Of a trace the end is one of them, and he must name the other.
func (d *diffing) onePlaces() error {
	c, p := d.flags, d.sides[0].p
	if named := c.A.given() || d.sides[0].asked != nil; named || c.B.given() {
		if !named {
			return usageError(errors.New("diff: say with --a where in the file before is"))
		}
		d.sides[1].asked = nil // FILE#N names the place before
		return nil
	}
	first, last := -1, -1
	mark := func(i int) {
		if last = i; first < 0 {
			first = i
		}
	}
	switch {
	case p.Heaps != nil:
		for i := range p.Heaps.Len() {
			if p.Heaps.Info(i).Complete {
				mark(i)
			}
		}
	case p.Pages != nil && p.Pages.Len() > 1 && c.Group != "series":
		first, last = layoutEnds(p)
	case p.Timeline != nil:
		c.A.at, c.B.at = moment{kind: absolute}, moment{kind: endTime}
		return nil
	case p.Weights != nil && len(p.Weights.Windows) > 0:
		mark(0)
		mark(len(p.Weights.Windows) - 1)
	}
	if first == last {
		return usageError(fmt.Errorf("diff: %s is one file: name another one, or two places in it, as in --a 20%% --b end", p.Meta.Name))
	}
	c.A.number, c.B.number = &first, &last
	return nil
}

// layoutEnds are the first and the last layout with pages of the first series that has two.
func layoutEnds(p *model.Profile) (first, last int) {
	for series := range p.Timeline.Series {
		first, last = -1, -1
		for i := range p.Pages.Len() {
			if info := p.Pages.Info(i); info.Series == series && !info.Empty {
				if last = i; first < 0 {
					first = i
				}
			}
		}
		if first != last {
			return first, last
		}
	}
	return -1, -1
}

// listed is words for an error message.
func listed(words []string) string { return strings.Join(words, ", ") }
