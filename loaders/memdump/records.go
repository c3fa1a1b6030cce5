package memdump

import (
	"context"
	"math"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// exactPoint is what columns have no room for. It is filled in only where it is asked for.
type exactPoint struct {
	us                         float64 // microseconds since 1970
	id, name, event            string
	hasName, hasEvent, hasMeta bool
}

// sink takes points as they are read, in the place of columns.
type sink struct {
	yield   func(*model.PointRecord) error
	record  model.PointRecord
	layouts int
	err     error // of yield; reading must stop
}

// points implements [model.PointSource] by reading the file again.
type points struct {
	src  *loaders.Source
	read func(ctx context.Context, to *sink) error
}

// Points implements [model.PointSource].
func (p points) Points(ctx context.Context, yield func(*model.PointRecord) error) error {
	to := &sink{yield: yield}
	err := p.src.Guard(func() error { return p.read(ctx, to) })
	if to.err != nil {
		return to.err
	}
	return err
}

// take hands a point on.
func (s *sink) take(series int, p *point, e *exactPoint) {
	s.record = model.PointRecord{
		Series: series, Time: e.us, Value: p.value, ID: e.id, Name: e.name, Event: e.event,
		HasName: e.hasName, HasEvent: e.hasEvent, HasMeta: e.hasMeta, Layout: model.NoLayout,
	}
	if p.layout {
		s.record.Layout = s.layouts
		s.layouts++
	}
	s.err = s.yield(&s.record)
}

// noPoint returns what is known of a point of which nothing was read.
func noPoint() exactPoint { return exactPoint{us: math.NaN()} }
