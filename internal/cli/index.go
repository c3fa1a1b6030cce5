package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/facts"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/model"
)

type indexCmd struct {
	Files []string `arg:"" name:"file" help:"Traces."`
}

// indexing is the result of index about one file.
type indexing struct {
	report.Header
	Result  string       `json:"result"`          // "built", "valid", or "none" for what has no index
	Reason  string       `json:"reason,omitzero"` // why there is none, or why the one that was there could not be used
	Events  *uint64      `json:"events,omitzero"`
	Kept    *facts.Index `json:"index_file,omitzero"`
	Elapsed *int64       `json:"elapsed_us,omitzero"` // reading, building and writing
}

// severalIndexings is the object for more than one file.
type severalIndexings struct {
	Schema string      `json:"schema"`
	Files  []*indexing `json:"files"`
}

// Run writes the index of every trace. For other files it reports that they have none, which is not an error.
func (c *indexCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("index", "text", "json"); err != nil {
		return err
	}
	if a.flags.Index == "none" {
		return fail.Usage(errors.New("--index: the command index keeps indexes in the cache or beside the files; none does not apply"))
	}
	a.always = true
	var all []*indexing
	err := eachFile(c.Files, a.env.Stderr, func(path string) error {
		x, err := a.index(ctx, path)
		if err != nil {
			return err
		}
		all = append(all, x)
		if a.flags.Format == "text" {
			x.text(a.out)
			return a.out.Flush() // the next one may take a while
		}
		return nil
	})
	a.warnEvicted(all)
	switch {
	case a.flags.Format == "text":
	case len(c.Files) > 1:
		return firstError(report.WriteJSON(a.out, severalIndexings{report.SchemaIndex, all}), err)
	case len(all) == 1:
		return report.WriteJSON(a.out, all[0])
	}
	return err
}

// index builds and stores the index of one file, unless there is a valid one.
func (a *app) index(ctx context.Context, path string) (*indexing, error) {
	began := time.Now()
	src, format, err := a.source(ctx, a.target(path).path)
	if err != nil {
		return nil, err
	}
	if kind.OfFormat(format) == kind.Trace {
		if _, why := a.indexPlace(src, format); why != "" {
			src.Close()
			return nil, fail.Usage(fmt.Errorf("%s: %s", path, why))
		}
	}
	s := a.start(ctx, src, format)
	defer s.close()
	if s.place == nil {
		return a.withoutIndex(ctx, s)
	}
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	a.warn(p)
	s.kept.Wait()
	if used, _ := s.index.Used(); used {
		if err := s.index.Verify(ctx); err != nil {
			return nil, fail.Input(err)
		}
		s.keep(ctx) // if it was damaged
	}
	s.note = "" // it is an error here
	used, why := s.index.Used()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.unkept != nil:
		return nil, fail.Input(fmt.Errorf("%s: the index was not kept: %w", p.Meta.Name, s.unkept))
	case !s.index.Status().Final:
		return nil, fail.Input(fmt.Errorf("%s: the index was not kept: not everything was read", p.Meta.Name))
	}
	file, err := os.Stat(s.place.Path)
	if err != nil {
		return nil, fail.Input(err)
	}
	status, size, took := s.index.Status(), file.Size(), time.Since(began).Microseconds()
	x := &indexing{Header: report.NewHeader(report.SchemaIndex, p), Result: "built", Events: &status.Events, Elapsed: &took}
	x.Time.Duration = &status.Duration
	x.Kept = &facts.Index{Path: s.place.Path, Place: s.place.Where(), State: "ready", Bytes: &size, Version: traceindex.IndexVersion}
	switch {
	case used:
		x.Result = "valid"
	case !errors.Is(why, indexcache.ErrNone):
		x.Reason = why.Error()
	}
	return x, nil
}

// withoutIndex returns why a file has no index.
func (a *app) withoutIndex(ctx context.Context, s *session) (*indexing, error) {
	if err := s.begun(ctx); err != nil {
		return nil, err
	}
	x := &indexing{Header: report.NewHeader(report.SchemaIndex, s.store.Current()), Result: "none", Reason: s.noPlace}
	x.Complete = !model.HasError(s.store.Current().Problems) // as far as it was read
	return x, nil
}

// warnEvicted warns if the cache is too small for all indexes.
func (a *app) warnEvicted(all []*indexing) {
	gone := 0
	for _, x := range all {
		if x.Kept == nil {
			continue
		}
		if _, err := os.Stat(x.Kept.Path); errors.Is(err, os.ErrNotExist) {
			x.Kept.State, x.Kept.Reason = "none", "newer indexes displaced it from the cache"
			gone++
		}
	}
	if gone > 0 {
		fmt.Fprintf(a.env.Stderr, "memtui: warning: %d of these indexes were displaced from the cache, which holds at most %d files and %s; --index beside has no such limit\n",
			gone, indexcache.MaxFiles, model.Bytes(indexcache.MaxBytes))
	}
}

func (x *indexing) text(w io.Writer) {
	line := func(name, value string) { fmt.Fprintf(w, "  %-22s %s\n", name, model.Clean(value)) }
	if x.Kept == nil {
		fmt.Fprintf(w, "%s: no index\n", model.Clean(x.File.Name))
		line("reason", x.Reason)
		return
	}
	verb := "built in"
	if x.Result == "valid" {
		verb = "still valid, read in"
	}
	fmt.Fprintf(w, "%s: %s %.2f s\n", model.Clean(x.File.Name), verb, float64(*x.Elapsed)/1e6)
	if x.Reason != "" {
		line("rebuilt because", x.Reason)
	}
	line("events", model.Group(*x.Events))
	line("index", x.Kept.Path)
	size := fmt.Sprintf("%s (%s)", model.Bytes(*x.Kept.Bytes), model.Bytes(*x.Kept.Bytes).Exact())
	if *x.Events > 0 {
		size += fmt.Sprintf(", %.2f bytes per event", float64(*x.Kept.Bytes)/float64(*x.Events))
	}
	line("size", size)
}
