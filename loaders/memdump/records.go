package memdump

import (
	"context"
	"math"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// exactPoint is the parts of a point that columns do not store. It is filled in only on request.
type exactPoint struct {
	us                         float64 // microseconds since 1970
	id, name, event            string
	hasName, hasEvent, hasMeta bool
}

// sink receives points as they are read, instead of columns.
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

// take passes a point on.
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

// noPoint returns the values of a point of which nothing was read.
func noPoint() exactPoint { return exactPoint{us: math.NaN()} }
