package weighted

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Reading is one pass of an importer over a file.
type Reading struct {
	*Builder
	Ctx context.Context
	Src *loaders.Source
	Opt loaders.Options
	Cut bool // the file is truncated: set by the importer

	// AddUp converts sums to records before they are published; nil if records are added as they are read.
	AddUp func()

	hidden     int64                  // frames of the allocator that were left out
	allocators map[model.FrameID]bool // frames that were matched: whether they are of the allocator

	store *model.Store // nil if nothing is shown meanwhile
	most  int          // records that suffice; 0 for all
	steps int
}

// errEnough ends a pass that needs only the headers of a file.
var errEnough = errors.New("enough is read")

const (
	// publishEvery is the interval of publishing.
	publishEvery = 250 * time.Millisecond

	askEvery  = 4096 // records between two checks of the budget
	infoSteps = 4096 // records that are read to find headers
)

// Anywhere states that headers may be anywhere in the file, so that each pass reads all of it. Call it before Step.
func (r *Reading) Anywhere() { r.most = 0 }

// Step is called after each record. Its error ends reading, and the format's read returns it.
func (r *Reading) Step() error {
	if r.steps++; r.most > 0 && r.steps >= r.most {
		return errEnough
	}
	if r.steps%askEvery != 0 {
		return nil
	}
	r.Publish()
	return r.Ask()
}

// Ask returns why reading must stop: the context's error, or lack of memory. Call it every few thousand steps that add
// no records.
func (r *Reading) Ask() error {
	if err := r.Ctx.Err(); err != nil {
		return err
	}
	return r.Full()
}

// Publish publishes what was read so far, at intervals: call it as often as you like, between records.
func (r *Reading) Publish() {
	if r.store == nil || time.Since(r.published) < publishEvery {
		return
	}
	if r.AddUp != nil {
		r.AddUp()
	}
	if !r.Empty() {
		r.published = time.Now()
		r.store.Update(func(*model.Profile) *model.Profile { return r.Build(false) })
	}
}

// Format sets Load, Info and Validate of a format to functions that call read: it adds records and reports problems,
// and fails only if reading does.
func Format(f loaders.Format, read func(r *Reading) error) loaders.Format {
	f.Records = model.FacetProfile
	pass := func(ctx context.Context, src *loaders.Source) *Reading {
		return &Reading{Builder: New(src, f.Name), Ctx: ctx, Src: src, allocators: map[model.FrameID]bool{}}
	}
	f.Load = func(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
		r := pass(ctx, src)
		r.store, r.Opt = store, opt
		err := read(r)
		return r.Finish(ctx, store, !r.Cut && !model.HasError(r.problems), err)
	}
	f.Info = func(ctx context.Context, src *loaders.Source, opt loaders.Options) (*model.Profile, error) {
		r := pass(ctx, src)
		r.most, r.Opt = infoSteps, opt
		r.Opt.Symbols.Off = true
		err := read(r)
		if err != nil && !errors.Is(err, errEnough) && !r.short(err) {
			return nil, err
		}
		if err == nil {
			r.ended()
		}
		if r.Empty() {
			if err := r.refusal(); err != nil {
				return nil, err
			}
		}
		return &model.Profile{Meta: r.Meta, Problems: r.Problems(), Lost: r.Lost}, nil
	}
	f.Validate = func(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
		r := pass(ctx, src)
		r.Opt.Symbols.Off = true
		if err := read(r); err != nil && !r.short(err) {
			return err
		}
		r.Report(report)
		return nil
	}
	return f
}

// Reader returns a reader of the file from its first byte.
func (r *Reading) Reader() io.Reader { return &sourceReader{r.Ctx, r.Src, 0} }
