package weights

import "github.com/memtui/memtui/model"

// Part is the part of a profile that an answer is about: a window, or a range. What was not given is nil.
type Part struct {
	Window   *model.Window
	From, To *model.Time
}

// Range returns the start and the end of the part.
func (p Part) Range() (from, to *model.Time) {
	if w := p.Window; w != nil {
		start, end := w.Start, w.End
		return &start, &end
	}
	return p.From, p.To
}

// Over returns the range of the curves of a file that ends at end, and the instant of their values: the end of the range
// or of the window. A window does not narrow the range, as it is of one moment.
func (p Part) Over(end model.Time) (from, to, at model.Time) {
	from, to = 0, model.MaxTime
	if p.From != nil {
		from = *p.From
	}
	if p.To != nil {
		to = *p.To
	}
	if at = min(to, end); p.Window != nil {
		at = p.Window.End
	}
	return from, to, at
}
