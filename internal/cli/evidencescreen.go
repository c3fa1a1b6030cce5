package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/memtui/memtui/views"
)

// evidenceOf is what the full screen calls to write evidence about a session, whose file is named file; "" for a sample, which has
// no name that a command could use.
func (a *app) evidenceOf(s *session, file string) func(context.Context, views.EvidenceQuery) error {
	return func(ctx context.Context, q views.EvidenceQuery) error {
		if _, err := s.profile(ctx); err != nil {
			return err
		}
		quiet, flags := *a, *a.flags // nothing may be printed over the screen, and its own flags stay
		quiet.env.Stderr, quiet.flags = io.Discard, &flags
		flags.Format = "text"
		seen := &session{src: s.src, store: s.store, index: s.index, snapshot: s.snapshot, stop: func() {}, done: s.done}
		flags.ask(&q.Question)
		if q.Question.Snapshot != nil {
			seen.snapshot = q.Question.Snapshot
		}
		_, err := quiet.evidence(ctx, seen, evidenceCmd{File: cmp.Or(file, "FILE"), Out: q.Place, Redact: q.Redact}, q.Question.Args())
		return err
	}
}
