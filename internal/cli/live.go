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
	"github.com/memtui/memtui/internal/cli/fail"
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

	mu      sync.Mutex
	said    []string // by the recorder, while the screens are shown
	path    string   // of the recording that began last
	printed string   // the file of what the program prints
}

// errReplaced ends the screens of a recording that began anew.
var errReplaced = errors.New("the program executed another one")

// startTimeout is how long a program may take to load the hook, and wrappers to execute what they wrap.
const startTimeout, unwrapped = 3 * time.Second, 200 * time.Millisecond

// live records a program and shows the recording meanwhile.
func (c *recordCmd) live(ctx context.Context, a *app, o record.Options) error {
	if !a.env.IsTerminal || a.env.FullScreen == nil {
		return fail.Usage(errors.New("record --live needs a terminal"))
	}
	w := &watching{app: a, paths: make(chan string, 16), over: make(chan struct{})}
	printed, err := w.log(&o)
	if err != nil {
		return fail.Input(err)
	}
	w.printed = printed.Name()
	defer w.endLog(printed)
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
		w.mu.Lock()
		path, printed := w.path, w.printed
		w.mu.Unlock()
		a.logging()("the program keeps running in this terminal and is still recorded; to see it again, from any terminal: memtui live %s; its output is in %s; it ends when it is interrupted or this terminal is closed",
			model.Clean(path), model.Clean(printed))
		<-w.over
	}
	w.flush()
	if over := c.over(a, w.files, w.status, w.err); over != nil {
		return over
	}
	return err
}

// endLog closes the file of what the program printed, and removes it if that is nothing.
func (w *watching) endLog(f *os.File) {
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(w.printed)
	}
	_ = f.Close()
}

// began notes the file of a recording that has begun, after which that of what the program prints is named.
func (w *watching) began(path string) {
	w.mu.Lock()
	w.path = path
	if log := path + ".log"; log != w.printed && os.Rename(w.printed, log) == nil {
		w.printed = log
	}
	w.mu.Unlock()
	select {
	case w.paths <- path:
	default: // more programs than anybody looks at
	}
}

// log creates the file for what the program prints.
func (w *watching) log(o *record.Options) (*os.File, error) {
	if o.Output != "" {
		return os.OpenFile(o.Output+".log", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	}
	return os.CreateTemp(".", record.BaseName(o.Command[0])+"-*.log")
}

// show shows what is recorded until the user leaves the screens.
func (w *watching) show(ctx context.Context) error {
	path, ok := w.next(ctx)
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
		w.app.killed = fmt.Sprintf("was killed: complete the recording with memtui record --recover %s", model.Clean(path))
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
func (w *watching) next(ctx context.Context) (path string, ok bool) {
	late := time.After(startTimeout)
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

// shortEvery is the shortest interval between fetches.
const shortEvery = 100 * time.Millisecond

// watched opens an address that is polled, at most polls times unless that is 0. The caller closes the session.
func (a *app) watched(ctx context.Context, address string, c liveFlags, polls int) (*session, error) {
	every, err := c.interval()
	if err != nil {
		return nil, fail.Usage(err)
	}
	if !fetch.IsURL(address) {
		return nil, fail.Usage(errors.New("--every and --save are for URLs that begin with http:// or https://"))
	}
	if c.Save != "" {
		if err := os.MkdirAll(c.Save, 0o700); err != nil {
			return nil, fail.Input(err)
		}
	}
	now, kept := a.now(), fetch.NewCopy(c.Save, address)
	a.keep = kept.Writer()
	s, err := a.open(ctx, address)
	a.keep = nil
	if err != nil {
		kept.Drop()
		return nil, err
	}
	p, err := s.profile(ctx)
	if err == nil && every > 0 && (kind.Of(p) != kind.Stacks) {
		err = fail.Usage(fmt.Errorf("--every: %s does not return a stack profile, and only those can be watched", p.Meta.Name))
	}
	if err == nil {
		err = kept.Finish(s.src, p.Meta.Format, now)
	}
	windows := fetch.NewWindows(func() bool { return a.budget.Full(model.BudgetOfFile) })
	if err == nil && every > 0 {
		err = windows.Add(p, now)
	}
	if err != nil {
		kept.Drop()
		s.close()
		return nil, err
	}
	if a.live = every > 0; a.live {
		a.follows(ctx, s, windows, a.series(address, c.Save, every), polls)
	}
	return s, nil
}

// series returns what fetches an address again and again.
func (a *app) series(address, folder string, every time.Duration) *fetch.Series {
	return &fetch.Series{
		Address: address, Every: every, Folder: folder, Memory: int64(a.flags.MaxMemory), Insecure: a.flags.Insecure,
		Now: a.now, Ticks: a.ticks,
	}
}

// interval returns how often to fetch, 0 for once.
func (c *liveFlags) interval() (time.Duration, error) {
	if !c.Every.Given() {
		return 0, nil
	}
	every := c.Every.Of(0).Duration()
	if every < shortEvery {
		return 0, fmt.Errorf("--every: invalid interval %s: write a time of at least %s", c.Every, shortEvery)
	}
	return every, nil
}

// follows polls in the background until the session is closed, at most polls times unless that is 0.
func (a *app) follows(ctx context.Context, s *session, windows *fetch.Windows, series *fetch.Series, polls int) {
	polling, stop := context.WithCancel(ctx)
	before := s.stop
	s.stop = func() { stop(); before() }
	windows.Meta = model.Meta{Name: s.src.Name(), Path: s.src.Path()}
	s.store.Publish(windows.Profile("live"))
	s.polled = make(chan struct{})
	s.kept.Go(func() {
		defer close(s.polled)
		series.Run(polling, polls, func() {
			var err error
			windows.Lost, err = series.Fetch(polling, func(ctx context.Context, src *loaders.Source, now time.Time) (string, error) {
				p, err := a.response(ctx, src)
				if err != nil {
					return "", err
				}
				return p.Meta.Format, windows.Add(p, now)
			})
			if polling.Err() == nil {
				s.store.Publish(windows.Profile(windows.Answered(err, a.now())))
			}
		})
		s.store.Publish(windows.Profile(""))
	})
}

// response reads a complete response.
func (a *app) response(ctx context.Context, src *loaders.Source) (p *model.Profile, err error) {
	format, err := loaders.Detect(src, a.inputs())
	if err != nil {
		return nil, err
	}
	if kind.OfFormat(format) != kind.Stacks {
		return nil, errors.New("it does not return a stack profile")
	}
	var store model.Store
	err = src.Guard(func() error { return format.Load(ctx, src, a.loading(), &store) })
	if err != nil {
		return nil, err
	}
	return store.Current(), nil
}

// usualPoll is how often a profile is fetched.
const usualPoll = 10 * time.Second

// poll fetches a profile again and again into a folder, until the time is over or the user ends it.
func (c *recordCmd) poll(ctx context.Context, a *app, address string) error {
	every, folder := cmp.Or(time.Duration(c.Every), usualPoll), c.Out
	if every < shortEvery {
		return fail.Usage(fmt.Errorf("--every: at least %s", shortEvery))
	}
	if folder == "" {
		folder = "profiles-" + a.now().UTC().Format("20060102T150405Z")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fail.Input(err)
	}
	a.progress.End()
	a.ending.terminal.Store(terminalShown) // an interrupt ends the recording
	say := a.logging()
	until := "until it is interrupted"
	if c.For > 0 {
		until = "for " + time.Duration(c.For).String()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.For))
		defer cancel()
	}
	say("fetching every %s %s", every, until)
	kept, series := 0, a.series(address, folder, every)
	look := func() (err error) {
		unsaved, err := series.Fetch(ctx, func(_ context.Context, src *loaders.Source, _ time.Time) (string, error) {
			format, err := loaders.Detect(src, a.inputs())
			if err == nil && kind.OfFormat(format) != kind.Stacks {
				err = fmt.Errorf("%s is not a profile", src.Name())
			}
			return format.Name, err
		})
		if err = cmp.Or(err, unsaved); err == nil {
			kept++
		} else if ctx.Err() == nil && kept > 0 {
			say("%s: %v", a.now().UTC().Format(time.TimeOnly), err)
		}
		return err
	}
	if err := look(); err != nil && ctx.Err() == nil {
		return fail.Input(err)
	}
	series.Run(ctx, 0, func() { _ = look() })
	say("fetched %s; open the recording with: memtui %s", model.Counted(kept, "profile"), model.Clean(folder))
	return nil
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
