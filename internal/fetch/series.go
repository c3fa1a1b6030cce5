package fetch

import (
	"context"
	"fmt"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// Series fetches an address again and again.
type Series struct {
	Address  string
	Every    time.Duration
	Folder   string // where responses are kept, "" for none
	Memory   int64  // as [Open] takes it
	Insecure bool
	Now      func() time.Time
	Ticks    func(every time.Duration) (<-chan time.Time, func())
}

// pollTimeout is how long a response may take, or three intervals if that is longer.
const pollTimeout = time.Minute

// Fetch fetches the address once. take reads the response and returns its format. If that fails, nothing is kept;
// unsaved is why a response that was taken could not be kept.
func (s *Series) Fetch(ctx context.Context, take func(context.Context, *loaders.Source, time.Time) (format string,
	err error)) (unsaved, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(3*s.Every, pollTimeout))
	defer cancel()
	now, kept := s.Now(), NewCopy(s.Folder, s.Address)
	src, err := Open(ctx, s.Address, s.Memory, s.Insecure, kept.Writer())
	if err != nil {
		kept.Drop()
		return nil, err
	}
	defer src.Close()
	format, err := take(ctx, src, now)
	if err != nil {
		kept.Drop()
		return nil, err
	}
	return kept.Finish(src, format, now), nil
}

// Run calls f at every tick until ctx is done, at most n times unless that is 0.
func (s *Series) Run(ctx context.Context, n int, f func()) {
	ticks, end := s.Ticks(s.Every)
	defer end()
	for i := 0; n == 0 || i < n; i++ {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-ticks:
			if !ok || ctx.Err() != nil {
				return
			}
		}
		if f(); ctx.Err() != nil {
			return
		}
	}
}

// mostWindows is the most responses of a profile that grows: twice as many as a chart has columns.
const mostWindows = 1000

// Windows are the responses of an address as windows of one profile.
type Windows struct {
	Meta model.Meta  // name and path of the profile
	Full func() bool // reports that memory is short
	join *join.Stacks
	miss int    // fetches that failed
	mute string // since when there is no response, and why; "" while there are responses
	Lost error  // why the last response was not kept
}

// NewWindows returns a profile without windows.
func NewWindows(full func() bool) *Windows {
	return &Windows{Full: full, join: join.NewStacks()}
}

// Add adds a response as a window, named after its time. If there are too many, windows are thinned out first.
func (w *Windows) Add(p *model.Profile, now time.Time) error {
	if w.join.Len() >= mostWindows || w.join.Len() > 8 && w.Full() {
		w.join.Thin()
	}
	window := *p
	window.Meta.Name = now.UTC().Format("2006-01-02T15:04:05Z")
	return w.join.Add(&window, model.Time(now.UnixMicro()))
}

// Answered notes whether a fetch had a response, and returns the state in a word or two.
func (w *Windows) Answered(err error, now time.Time) (state string) {
	if err == nil {
		w.mute = ""
		return "live"
	}
	if w.miss++; w.mute == "" {
		w.mute = "no response since " + now.UTC().Format(time.TimeOnly) + " UTC: " + err.Error()
	}
	return "no response"
}

// Profile returns the profile of all windows. state describes whether polling continues, "" if it does not.
func (w *Windows) Profile(state string) *model.Profile {
	p := w.join.Profile()
	p.Meta.Name, p.Meta.Path, p.Meta.Live = w.Meta.Name, w.Meta.Path, state
	say := func(code, format string, args ...any) {
		p.Problems = model.AddProblem(p.Problems, model.Problem{Severity: model.Warning, Code: code,
			Message: fmt.Sprintf(format, args...), Offset: model.NoOffset})
	}
	switch {
	case w.mute != "":
		say("no-answer", "%s; what was fetched before is kept", w.mute)
	case w.miss > 0:
		say("no-answer", "%s failed: windows are missing", model.Counted(w.miss, "fetch"))
	}
	if w.Lost != nil {
		say("unsaved", "the last response was not kept: %v", w.Lost)
	}
	return p
}
