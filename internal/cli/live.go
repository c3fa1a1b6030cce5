package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/internal/record"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

type liveCmd struct {
	File string `arg:"" help:"The recording: a trace that memtui record or another program is writing."`
}

// Run shows a file that grows. Where there is no terminal it prints the report of what is there.
func (c *liveCmd) Run(ctx context.Context, a *app) error {
	a.follow = true
	return a.showOne(ctx, []string{c.File}, func() (*session, error) { return a.open(ctx, c.File) })
}

// watching is a recording of a program whose screens follow it.
type watching struct {
	app   *app
	paths chan string   // of files that are being recorded
	over  chan struct{} // closed when the recording has ended; what follows is valid then

	files  []record.Recorded
	status int
	err    error

	mu   sync.Mutex
	said []string // by the recorder, while the screens are shown
}

// errReplaced ends the screens of a recording that began anew.
var errReplaced = errors.New("the program executed another one")

// patience is how long a program may take to load the hook, and wrappers to execute what they wrap.
const (
	patience  = 3 * time.Second
	unwrapped = 200 * time.Millisecond
)

// live records a program and shows the recording meanwhile.
func (c *recordCmd) live(ctx context.Context, a *app, o record.Options) error {
	if !a.env.IsTerminal || a.env.FullScreen == nil {
		return usageError(errors.New("record --live needs a terminal"))
	}
	w := &watching{app: a, paths: make(chan string, 16), over: make(chan struct{})}
	printed, err := w.log(&o)
	if err != nil {
		return inputError(err)
	}
	defer printed.Close()
	o.Printed, o.Began, o.Log = printed, w.began, w.say
	go func() {
		defer close(w.over)
		w.files, w.status, w.err = c.recorder()(context.WithoutCancel(ctx), o)
	}()
	a.screen, a.follow = true, true
	err = w.show(ctx)
	w.flush()
	a.ending.terminal.Store(terminalShown)
	select {
	case <-w.over:
	default:
		a.logging()("the program goes on, and is recorded until it ends; what it prints is in %s", printed.Name())
		<-w.over
	}
	w.flush()
	if over := c.over(a, w.files, w.status, w.err); over != nil {
		return over
	}
	return err
}

// began notes the file of a recording that has begun.
func (w *watching) began(path string) {
	select {
	case w.paths <- path:
	default: // more programs than anybody looks at
	}
}

// log creates the file for what the program prints.
func (w *watching) log(o *record.Options) (*os.File, error) {
	how := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if o.Output != "" {
		return os.OpenFile(o.Output+".log", how, 0o600)
	}
	return os.CreateTemp(".", record.BaseName(o.Command[0])+"-*.log")
}

// show shows what is recorded until the user leaves the screens.
func (w *watching) show(ctx context.Context) error {
	path, ok := w.next(ctx, patience)
	for ok {
		shown, cancel := context.WithCancelCause(ctx)
		next := make(chan string, 1)
		go func() {
			select {
			case p := <-w.paths:
				next <- p
				cancel(errReplaced)
			case <-shown.Done():
			}
		}()
		err := w.app.showOne(shown, []string{path}, func() (*session, error) { return w.app.open(shown, path) })
		cancel(nil)
		if !errors.Is(err, errReplaced) && !errors.Is(context.Cause(shown), errReplaced) {
			return err
		}
		path = <-next
	}
	return ctx.Err()
}

// next waits for the name of the file, and a little longer for that of a program that a wrapper executes.
func (w *watching) next(ctx context.Context, most time.Duration) (path string, ok bool) {
	late := time.After(most)
	for {
		select {
		case path = <-w.paths:
			ok, late = true, time.After(unwrapped)
			continue
		case <-late:
		case <-w.over:
		case <-ctx.Done():
		}
		return path, ok
	}
}

// say keeps a line for when the screens are left.
func (w *watching) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// flush prints the lines that were kept.
func (w *watching) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.said {
		w.app.logging()("%s", line)
	}
	w.said = nil
}

// liveFlags select how an address is polled.
type liveFlags struct {
	Every arg.Length `placeholder:"TIME" help:"For a URL: fetch it again at this interval, such as 10s. Each response becomes a window of one growing profile."`
	Save  string     `placeholder:"DIR" help:"For a URL: keep each response in this folder, in a new file that only you can read."`
}

// given reports whether either flag is given.
func (c *liveFlags) given() bool { return c.Every.Given() || c.Save != "" }

const (
	mostWindows = 1000 // of a profile that grows: twice as many as a chart has columns
	shortEvery  = 100 * time.Millisecond
	pollTimeout = time.Minute // in addition to three times the interval
)

// live polls an address, and publishes its responses as windows of one profile.
type live struct {
	app     *app
	session *session
	address string
	every   time.Duration
	save    string

	join    *model.StackJoin
	silent  string // since when responses are missing, and why; "" while there are responses
	missed  int    // polls without a response
	unsaved error  // why the last response was not kept
}

// watched opens an address that is polled, at most polls times unless that is 0. The caller closes the session.
func (a *app) watched(ctx context.Context, address string, c liveFlags, polls int) (*session, error) {
	every, err := c.interval()
	if err != nil {
		return nil, usageError(err)
	}
	if !fetch.IsURL(address) {
		return nil, usageError(errors.New("--every and --save are for URLs that begin with http:// or https://"))
	}
	if c.Save != "" {
		if err := os.MkdirAll(c.Save, 0o700); err != nil {
			return nil, inputError(err)
		}
	}
	l := &live{app: a, address: address, every: every, save: c.Save, join: model.NewStackJoin()}
	now, kept := a.now(), fetch.NewCopy(l.save, l.address)
	a.keep = kept.Writer()
	s, err := a.open(ctx, address)
	a.keep = nil
	if err != nil {
		kept.Drop()
		return nil, err
	}
	p, err := s.profile(ctx)
	if err == nil && every > 0 && (kind.Of(p) != kind.Stacks) {
		err = usageError(fmt.Errorf("--every: %s does not return a stack profile, and only those can be watched", p.Meta.Name))
	}
	if err == nil {
		err = kept.Finish(s.src, p.Meta.Format, now)
	}
	if err == nil && every > 0 {
		l.session, err = s, l.add(p, now)
	}
	if err != nil {
		kept.Drop()
		s.close()
		return nil, err
	}
	if a.live = every > 0; a.live {
		l.begin(ctx, polls)
	}
	return s, nil
}

// interval returns how often to fetch, 0 for once.
func (c *liveFlags) interval() (time.Duration, error) {
	if !c.Every.Given() {
		return 0, nil
	}
	every := c.Every.In(0, 0).Duration()
	if every < shortEvery {
		return 0, fmt.Errorf("--every: invalid interval %s: write a time of at least %s", c.Every, shortEvery)
	}
	return every, nil
}

// begin polls in the background until the session is closed.
func (l *live) begin(ctx context.Context, polls int) {
	s := l.session
	polling, stop := context.WithCancel(ctx)
	before := s.stop
	s.stop = func() { stop(); before() }
	l.publish("live")
	s.polled = make(chan struct{})
	s.kept.Go(func() {
		defer close(s.polled)
		l.run(polling, polls)
		l.publish("")
	})
}

// run polls until ctx is done, at most polls times unless that is 0.
func (l *live) run(ctx context.Context, polls int) {
	ticks, end := l.app.ticks(l.every)
	defer end()
	for n := 0; polls == 0 || n < polls; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		if ctx.Err() != nil {
			return
		}
		switch err := l.poll(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			l.missed++
			if l.silent == "" {
				l.silent = "no response since " + l.app.now().UTC().Format(time.TimeOnly) + " UTC: " + err.Error()
			}
			l.publish("no response")
		default:
			l.silent = ""
			l.publish("live")
		}
	}
}

// poll fetches the address once more, and adds the response.
func (l *live) poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(3*l.every, pollTimeout))
	defer cancel()
	a, now, kept := l.app, l.app.now(), fetch.NewCopy(l.save, l.address)
	src, err := fetch.Open(ctx, l.address, int64(a.flags.MaxMemory), a.flags.Insecure, kept.Writer())
	if err != nil {
		kept.Drop()
		return err
	}
	defer src.Close()
	p, err := l.load(ctx, src)
	if err == nil {
		err = l.add(p, now)
	}
	if err != nil {
		kept.Drop()
		return err
	}
	l.unsaved = kept.Finish(src, p.Meta.Format, now)
	return nil
}

// load reads a complete response.
func (l *live) load(ctx context.Context, src *loaders.Source) (p *model.Profile, err error) {
	format, err := loaders.Detect(src, l.app.inputs())
	if err != nil {
		return nil, err
	}
	if kind.OfFormat(format) != kind.Stacks {
		return nil, errors.New("it does not return a stack profile")
	}
	var store model.Store
	err = src.Guard(func() error { return format.Load(ctx, src, l.app.loading(), &store) })
	if err != nil {
		return nil, err
	}
	return store.Current(), nil
}

// add adds a response as a window, named after its time. If there are too many, windows are thinned out first.
func (l *live) add(p *model.Profile, now time.Time) error {
	if l.join.Len() >= mostWindows || l.join.Len() > 8 && l.app.budget.Full(model.BudgetOfFile) {
		l.join.Thin()
	}
	window := *p
	window.Meta.Name = now.UTC().Format("2006-01-02T15:04:05Z")
	return l.join.Add(&window, model.Time(now.UnixMicro()))
}

// publish publishes all windows. state describes whether polling continues, "" if it does not.
func (l *live) publish(state string) {
	p := l.join.Profile()
	p.Meta.Name, p.Meta.Path, p.Meta.Live = l.session.src.Name(), l.session.src.Path(), state
	say := func(s model.Severity, code, format string, args ...any) {
		p.Problems = model.AddProblem(p.Problems, model.Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Offset: model.NoOffset})
	}
	switch {
	case l.silent != "":
		say(model.Warning, "no-answer", "%s; what was fetched before is kept", l.silent)
	case l.missed > 0:
		say(model.Warning, "no-answer", "%s failed: windows are missing", model.Counted(l.missed, "fetch"))
	}
	if l.unsaved != nil {
		say(model.Warning, "unsaved", "the last response was not kept: %v", l.unsaved)
	}
	l.session.store.Publish(p)
}

// usualPoll is how often a profile is fetched.
const usualPoll = 10 * time.Second

// poll fetches a profile again and again into a folder, until the time is over or the user ends it.
func (c *recordCmd) poll(ctx context.Context, a *app, address string) error {
	if c.Live {
		return usageError(errors.New("record: --live is for programs; memtui --every 10s URL shows what a URL answers"))
	}
	every, folder := cmp.Or(c.Every, usualPoll), c.Out
	if every < shortEvery {
		return usageError(fmt.Errorf("--every: at least %s", shortEvery))
	}
	if folder == "" {
		folder = "profiles-" + a.now().UTC().Format("20060102T150405Z")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return inputError(err)
	}
	a.progress.End()
	a.ending.terminal.Store(terminalShown) // an interrupt ends the recording
	say := a.logging()
	say("fetching every %s until it is interrupted", every)
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	ticks, end := a.ticks(every)
	defer end()
	kept := 0
	for {
		err := c.fetchTo(ctx, a, address, folder)
		switch {
		case err == nil:
			kept++
		case ctx.Err() != nil:
		case kept == 0:
			return inputError(err)
		default:
			say("%s: %v", a.now().UTC().Format(time.TimeOnly), err)
		}
		select {
		case _, ok := <-ticks:
			if ok {
				continue
			}
		case <-ctx.Done():
		}
		say("fetched %s; open the recording with: memtui %s", model.Counted(kept, "profile"), model.Clean(folder))
		return nil
	}
}

// fetchTo fetches a profile once, into a file of a folder.
func (c *recordCmd) fetchTo(ctx context.Context, a *app, address, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	now, kept := a.now(), fetch.NewCopy(folder, address)
	src, err := fetch.Open(ctx, address, int64(a.flags.MaxMemory), a.flags.Insecure, kept.Writer())
	if err != nil {
		kept.Drop()
		return err
	}
	defer src.Close()
	format, err := loaders.Detect(src, a.inputs())
	if err == nil && kind.OfFormat(format) != kind.Stacks {
		err = fmt.Errorf("%s is not a profile", src.Name())
	}
	if err != nil {
		kept.Drop()
		return err
	}
	return kept.Finish(src, format.Name, now)
}

// now returns the time of day.
func (a *app) now() time.Time {
	if a.env.Now != nil {
		return a.env.Now()
	}
	return time.Now()
}

// ticks returns what ticks at an interval, and what ends it.
func (a *app) ticks(every time.Duration) (<-chan time.Time, func()) {
	if a.env.Ticks != nil {
		return a.env.Ticks, func() {}
	}
	t := time.NewTicker(every)
	return t.C, t.Stop
}
