package weighted

import (
	"context"
	"errors"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Finish ends reading, and returns the result of Load of the format. err is why reading ended before the end of the
// input, nil if it did not: lack of memory and a stop by the user become problems. whole reports that nothing of the
// input was lost. A profile without records is refused if a problem of severity Error, or err, explains it; otherwise
// the file is valid and empty.
func (b *Builder) Finish(ctx context.Context, store *model.Store, whole bool, err error) error {
	b.ended()
	short := b.short(err)
	switch {
	case err == nil:
	case short:
		err = nil
	case ctx.Err() != nil && !b.Empty():
		b.Say(model.Warning, "stopped", model.NoOffset, 0, "reading was stopped: there is more in the file")
		err = nil
	}
	if b.Empty() {
		if err != nil {
			return err
		}
		if e := b.refusal(); e != nil {
			return e
		}
	}
	b.Meta.Size = b.src.StoredSize()
	whole = whole && b.Lost == 0 && !model.HasError(b.src.Problems()) && !short && err == nil && ctx.Err() == nil
	store.Update(func(*model.Profile) *model.Profile { return b.Build(whole) })
	return err
}

// short reports whether err means that the rest of the file does not fit the budget, and records that as a problem.
func (b *Builder) short(err error) bool {
	if lack := (*model.MemoryError)(nil); !errors.As(err, &lack) {
		return false
	}
	b.AddProblem(b.src.Budget().Problem("reading stopped: the rest was left out"))
	return true
}

// refusal returns the error of a file that cannot be used at all, nil if no problem is an error.
func (b *Builder) refusal() error {
	cause := model.CutShort(b.problems)
	for i := range b.problems {
		if p := &b.problems[i]; cause == nil && p.Severity == model.Error {
			cause = p
		}
	}
	if cause == nil {
		return nil
	}
	return &loaders.FormatError{
		Format: b.Meta.Format, Path: b.src.Path(), Offset: cause.Offset, Line: cause.Line, Err: errors.New(cause.Message),
	}
}

// ended records problems of decompression, and whether the file grows. Several calls record them once.
func (b *Builder) ended() {
	if b.noted {
		return
	}
	b.noted = true
	for _, p := range b.src.Problems() {
		b.AddProblem(p)
	}
	if b.src.Grown() {
		b.Say(model.Note, "growing", model.NoOffset, 0, "the file has grown since it was opened: what was added is not shown")
	}
}

// Report passes the problems except notes to a validator. Call it when everything was read.
func (b *Builder) Report(report func(loaders.Violation)) {
	b.ended()
	for _, p := range b.problems {
		if p.Severity != model.Note {
			report(loaders.Violation{
				Rule: p.Code, Severity: p.Severity, Message: p.Message, Offset: p.Offset, Line: p.Line, Count: max(p.Count, 1),
			})
		}
	}
}
