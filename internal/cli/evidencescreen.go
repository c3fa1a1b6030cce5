package cli

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"

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
		for pair := range slices.Chunk(q.Flags, 2) {
			if len(pair) < 2 {
				break
			}
			if err := quiet.setFlag(seen, pair[0], pair[1]); err != nil {
				return err
			}
		}
		_, err := quiet.evidence(ctx, seen, evidenceCmd{File: cmp.Or(file, "FILE"), Out: q.Place, Redact: q.Redact}, q.Flags)
		return err
	}
}

// setFlag sets one of the flags that say what the screens are about.
func (a *app) setFlag(s *session, name, value string) error {
	switch name {
	case "--at":
		return a.flags.At.UnmarshalText([]byte(value))
	case "--from":
		return a.flags.From.UnmarshalText([]byte(value))
	case "--to":
		return a.flags.To.UnmarshalText([]byte(value))
	case "--edges":
		a.flags.Edges = value
	case "--event":
		a.flags.Event = value
	case "--by":
		a.flags.By = value
	case "--snapshot":
		n, err := strconv.Atoi(value)
		s.snapshot = &n
		return err
	}
	return nil
}
