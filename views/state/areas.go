package state

// Areas is the state of the treemap.
type Areas struct {
	Zoom      string // the part that fills it, as its screen packs the way there; "" for everything
	Dominated bool   // a heap snapshot by dominators instead of by type
}

// The intents about the treemap.
type (
	ZoomAreas   struct{ Zoom string }
	ByDominator struct{ On bool }
)

func (i ZoomAreas) apply(s State) State { s.Areas.Zoom = i.Zoom; return s }

func (i ByDominator) apply(s State) State {
	s.Areas = Areas{Dominated: i.On}
	return s
}
