package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/internal/reading"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// indexPlace returns the place of an input's index, or nil and the reason if there is none.
func (a *app) indexPlace(src *loaders.Source, format loaders.Format) (k *indexcache.Place, why string) {
	if kind.OfFormat(format) != kind.Trace {
		return nil, "only traces have one"
	}
	return a.place(src)
}

// tables returns the place of an input's decoded snapshots, or names, nil for none.
func (a *app) tables(ctx context.Context, src *loaders.Source, format loaders.Format) *indexcache.Parts {
	if !format.Keeps && format.Heap == nil {
		return nil
	}
	place, _ := a.place(src)
	if place == nil {
		return nil
	}
	return indexcache.NewParts(ctx, place)
}

// place returns the place of data derived from an input, or nil and the reason if there is none.
func (a *app) place(src *loaders.Source) (k *indexcache.Place, why string) {
	switch {
	case a.flags.Index == "none":
		return nil, "none is kept (--index none)"
	case src.Followed():
		return nil, "none is kept of a file that was opened while it grew"
	case src.Piped() || src.Path() == "-":
		return nil, "none is kept for an input that is not a file"
	case a.flags.Index == "beside":
		return indexcache.NextToInput(src, a.anew), ""
	}
	dir := indexcache.Dir(a.env.Getenv)
	if dir == "" {
		return nil, "none is kept: no cache folder"
	}
	k, err := indexcache.InCache(src, dir, a.anew)
	if err != nil {
		return nil, "none is kept: " + err.Error()
	}
	k.Always = a.always
	return k, ""
}

// releaseMemory frees the memory of building a large index while that is being written.
func (s *session) releaseMemory() {
	if used, _ := s.index.Used(); !used && s.index.Status().Events >= indexcache.WorthKeeping {
		go debug.FreeOSMemory()
	}
}

// keep writes the session's index unless it came from a file. Failure to write it is only a note: on the screen of
// problems, or after a report, whose content must not depend on timing.
func (s *session) keep(ctx context.Context) {
	if s.place == nil || s.err != nil || !s.index.Status().Final {
		return
	}
	if used, _ := s.index.Used(); used {
		return
	}
	err := s.place.Write(ctx, s.index)
	s.unkept = err
	if err == nil || errors.Is(err, indexcache.ErrSmall) || ctx.Err() != nil {
		return
	}
	note := fmt.Sprintf("the index was not saved, so the file will be read again next time: %v", err)
	if s.stderr != nil {
		s.note = note
		return
	}
	reading.Remark(s.store, model.Problem{Severity: model.Note, Code: "index-not-kept", Message: note, Count: 1, Offset: model.NoOffset})
}

// indexFact returns where the index comes from, in words.
func (s *session) indexFact() (model.Fact, bool) {
	f := model.Fact{Key: "index", Label: "Index"}
	if s.place == nil {
		f.Value = s.noPlace
		return f, s.noPlace != ""
	}
	used, why := s.index.Used()
	switch {
	case used:
		f.Value = "from " + s.place.Path
	case !s.index.Status().Final:
		f.Value = "being built, to be kept in " + s.place.Path
	case errors.Is(why, indexcache.ErrNone):
		f.Value = "built"
	default:
		f.Value = fmt.Sprintf("being built, as the one in %s is unusable: %v", s.place.Path, why)
	}
	return f, true
}
