// Package reading reads an input into a store and an index: symbols and events at the same time, then what depends on
// both. The program reads every input with it, and so do the tests of screens, reports and exports.
package reading

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Input is an input with its destinations.
type Input struct {
	Source  *loaders.Source
	Format  loaders.Format // of Source
	Options loaders.Options
	Store   *model.Store
	Index   traceindex.Loading // empty; stays so unless the input is a trace
	Loaded  func()             // called once symbols are read, possibly before events are; may be nil
}

// Read returns when everything is read, or ctx is done. Damage becomes problems of the profile: the error is why
// nothing at all can be shown.
func (in *Input) Read(ctx context.Context) error {
	var loading sync.WaitGroup
	var loadErr error
	building, abandon := context.WithCancel(ctx)
	defer abandon()
	loading.Go(func() {
		loadErr = in.Source.Guard(func() error { return in.Format.Load(ctx, in.Source, in.Options, in.Store) })
		if loadErr != nil && in.Store.Current() == nil {
			abandon() // there will never be a first revision to build on
			return
		}
		if in.Loaded != nil {
			in.Loaded()
		}
	})
	buildErr := in.Source.Guard(func() error { return traceindex.Build(building, in.Store, in.Index) })
	loading.Wait()
	if in.Store.Current() == nil {
		if loadErr != nil {
			return loadErr
		}
		return buildErr
	}
	for _, err := range []error{loadErr, buildErr} {
		if err != nil && !errors.Is(err, context.Canceled) {
			code := "unreadable"
			if model.Internal(err) {
				code = model.CodeInternal
			}
			Remark(in.Store, model.Problem{Severity: model.Error, Code: code, Message: err.Error(), Offset: model.NoOffset})
		}
	}
	for _, p := range in.Source.Watch(func(p model.Problem) { Remark(in.Store, p); in.Store.Update(damaged) }) {
		Remark(in.Store, p)
	}
	traceindex.Conclude(in.Store, in.Index)
	in.Store.Update(damaged)
	in.Store.Update(in.sized)
	return in.unusable()
}

// lacksMemory reports whether something was left out for lack of memory.
func lacksMemory(problems []model.Problem) bool {
	return slices.ContainsFunc(problems, func(p model.Problem) bool { return p.Code == model.CodeMemory })
}

// damaged marks a profile incomplete if a rule of the format was broken, or memory was short: names may be lost even if
// no byte of an event is.
func damaged(p *model.Profile) *model.Profile {
	if !p.Complete || !model.HasError(p.Problems) && !lacksMemory(p.Problems) {
		return nil
	}
	next := *p
	next.Complete = false
	return &next
}

// sized publishes the size of a pipe, which was unknown when its first bytes were published.
func (in *Input) sized(p *model.Profile) *model.Profile {
	size := in.Source.StoredSize()
	if p.Meta.Size == size {
		return nil
	}
	next := *p
	next.Meta.Size = size
	return &next
}

// Remark publishes a problem, unless the loader has reported it already.
func Remark(store *model.Store, p model.Problem) {
	store.Update(func(old *model.Profile) *model.Profile {
		for _, q := range old.Problems {
			if q.Code == p.Code && q.Message == p.Message {
				return nil
			}
		}
		next := *old
		next.Problems = model.AddProblem(old.Problems, p)
		return &next
	})
}

// unusable returns why nothing at all of the input can be shown: it has neither events nor stacks nor snapshots nor
// curves, but an error. nil otherwise.
func (in *Input) unusable() error {
	p := in.Store.Current()
	if p.Weights != nil || p.Heaps != nil && p.Heaps.Len() > 0 || p.Timeline != nil && len(p.Timeline.Series) > 0 {
		return nil
	}
	if in.Index.Status().Events > 0 || (p.Stacks != nil && len(p.Stacks.Leaf) > 0) {
		return nil
	}
	for _, q := range p.Problems {
		if q.Severity == model.Error {
			return &loaders.FormatError{
				Format: p.Meta.Format, Path: p.Meta.Path, Offset: q.Offset, Line: q.Line,
				Err: errors.New("nothing in it can be read: " + q.Message),
			}
		}
	}
	return nil
}
