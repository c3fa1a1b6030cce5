package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/internal/cli/ask"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/progress"
	"github.com/memtui/memtui/internal/serve"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

type serveCmd struct {
	File []string `arg:"" help:"A file, or - for standard input. Two files are compared. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`
	Port int      `default:"8080" placeholder:"N" help:"The port; another free one if it is taken and not given (8080)."`
	Host string   `default:"127.0.0.1" placeholder:"ADDRESS" help:"The address to listen at (127.0.0.1: only this machine reaches it)."`
	Open bool     `help:"Open the page in a browser."`
}

// Run serves the screens of a file to a browser until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, a *app) error {
	if c.Port < 0 || c.Port > 65535 {
		return fail.Usage(fmt.Errorf("--port: must be 0 to 65535, but is %d", c.Port))
	}
	v, err := a.serving(ctx, c.File)
	if err != nil {
		return err
	}
	defer v.close()
	listener, err := serve.Listen(ctx, c.Host, c.Port, a.isGiven("port"))
	if err != nil {
		return fail.Input(err)
	}
	server, err := v.server(listener, c.Host)
	if err != nil {
		return err
	}
	a.progress.End()
	a.ending.terminal.Store(terminalShown) // an interrupt ends the server
	say, address := a.logging(), server.Address(serve.Reached(c.Host))
	say("showing %s at", strings.Join(v.names(), " and "))
	fmt.Fprintln(a.env.Stdout, address)
	for _, line := range serve.Hints(c.Host, listener.Addr(), a.env.Getenv("SSH_CONNECTION") != "") {
		say("%s", model.Clean(line))
	}
	if c.Open {
		if err := serve.OpenBrowser(ctx, address); err != nil {
			say("no browser can be opened: %v", err)
		}
	}
	if err := server.Serve(ctx, listener); err != nil && ctx.Err() == nil {
		return fail.Input(err)
	}
	return nil
}

// serving is what a browser asks about: a file, or two that are compared.
type serving struct {
	app           *app     // answers from what was read so far
	whole         *app     // answers once everything is read
	files         []string // as the command line names them
	first, second *session // second is nil for one file

	building sync.Mutex
	kept     ask.Kept

	board ask.Board
}

// serving opens files for a browser.
func (a *app) serving(ctx context.Context, files []string) (*serving, error) {
	v := &serving{app: a, files: files}
	a.served = true
	if len(files) == 2 && !slices.ContainsFunc(files, isFolder) {
		list, err := a.openAll(ctx, files...)
		if err != nil {
			return nil, err
		}
		v.first, v.second = list[0], list[1]
		v.first.after, v.first.afterPath = v.second, a.target(files[1]).path
	} else {
		s, err := a.recording(ctx, files)
		if err != nil {
			return nil, err
		}
		v.first = s
	}
	if err := v.first.begun(ctx); err != nil {
		v.close()
		return nil, err
	}
	quiet, whole := *a, *a
	whole.lend = a.lends(v.first, files[0], &openFiles{})
	quiet.lend = early(whole.lend)
	v.app, v.whole = &quiet, &whole
	v.look()
	go v.watch(ctx)
	return v, nil
}

// early lends sessions whose profiles are those read so far.
func early(lend lender) lender {
	return func(file target) *session {
		s := lend(file)
		if s != nil {
			s.early = true
		}
		return s
	}
}

// server returns the server of the page.
func (v *serving) server(l net.Listener, host string) (*serve.Server, error) {
	page, files, err := html.Shell("memtui")
	if err != nil {
		return nil, err
	}
	s := serve.New(l.Addr(), serve.Names(host)...)
	s.Page, s.Files, s.Answer, s.Watch = page, files, v.answer, v.board.Newest
	return s, nil
}

func (v *serving) sessions() []*session {
	if v.second == nil {
		return []*session{v.first}
	}
	return []*session{v.first, v.second}
}

func (v *serving) close() {
	for _, s := range v.sessions() {
		s.close()
	}
}

func (v *serving) names() (list []string) {
	for _, s := range v.sessions() {
		list = append(list, model.Clean(s.src.Name()))
	}
	return list
}

// look updates the status, and reports whether everything is read.
func (v *serving) look() bool {
	first := v.first.store.Current()
	out := ask.Status{Files: v.names(), Done: true, Kind: ask.Kind(first),
		Sources: len(v.app.flags.Source)+len(v.app.flags.MapPath) > 0, Terminal: ask.Terminal(v.app.keys, first)}
	var sources []*loaders.Source
	for _, s := range v.sessions() {
		select {
		case <-s.done:
		default:
			out.Done = false
			sources = append(sources, s.src)
		}
		if p := s.store.Current(); p != nil {
			out.Revision += uint64(p.Revision)
		}
		out.Revision += s.index.Status().Revision
	}
	if !out.Done {
		out.Doing = progress.Doing(sources)
	}
	v.board.Put(&out)
	return out.Done
}

// lookEvery is how often reading is looked at.
const lookEvery = 500 * time.Millisecond

// watch looks at reading until everything is read.
func (v *serving) watch(ctx context.Context) {
	for !v.look() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
	}
}

// answer answers a question of the page: "do" is a command that writes JSON, "show" a section of the page; the rest are
// flags of the command, which are parsed as those of a command line.
func (v *serving) answer(ctx context.Context, q url.Values) ([]byte, error) {
	section, files := q.Get("show"), v.files
	if q.Get("do") != "diff" && v.second != nil {
		files = files[:1]
	}
	words, err := ask.Words(q, files)
	if err != nil {
		return nil, err
	}
	from := v.app
	if q.Get("do") == "diff" {
		from = v.whole // sides of different length would differ in everything
	}
	b, err := from.within(words)
	if err != nil {
		return nil, err
	}
	if c, ok := b.parsed.Selected().Target.Addr().Interface().(*reportCmd); ok && c.Table != "" {
		c.only = []string{string(c.Table)}
	}
	var out bytes.Buffer
	if section != "" {
		err = v.section(ctx, b, section, &out)
	} else {
		b.out = bufio.NewWriter(&out)
		err = firstError(b.execute(ctx), b.out.Flush())
	}
	if err != nil {
		return nil, errors.New(ask.Hide(err.Error(), v.named()))
	}
	return out.Bytes(), nil
}

// section writes the data of a section of the page.
func (v *serving) section(ctx context.Context, b *app, section string, w io.Writer) error {
	switch c := b.parsed.Selected().Target.Addr().Interface().(type) {
	case *diffCmd:
		return b.withSides(ctx, c, func(before, after *session) error {
			d, out, err := b.diffThatFits(ctx, before, after, &c.diffFlags)
			if err != nil {
				return err
			}
			src := d.page(out, ask.Command(b.env.Args, v.named()))
			if section != "all" {
				src.Section = section
			}
			return html.AnswerDiff(ctx, w, src)
		})
	case *reportCmd:
		s, err := b.recording(ctx, c.File)
		if err != nil {
			return err
		}
		defer s.close()
		c.only = html.TablesOf(section)
		src, err := v.source(ctx, b, s, c)
		if err != nil {
			return err
		}
		src.Command = ask.Command(b.env.Args, v.named())
		if section != "all" {
			src.Section = section
		}
		return s.src.Guard(func() error { return html.Answer(ctx, w, &src) })
	}
	return fmt.Errorf("there is no section %q of this", section)
}

// source returns the input of a page. Those of all files but traces, whose sections are computed one by one, are kept.
func (v *serving) source(ctx context.Context, b *app, s *session, c *reportCmd) (html.Source, error) {
	if kind.Of(s.store.Current()) == kind.Trace {
		src, err := b.pageSource(ctx, s, *c)
		if err != nil {
			return html.Source{}, err
		}
		return *src, nil
	}
	v.building.Lock()
	defer v.building.Unlock()
	words := fmt.Sprint(s.store.Current().Revision, strings.Join(b.env.Args, "\x00"))
	return v.kept.Of(words, func() (*html.Source, error) { return b.pageSource(ctx, s, *c) })
}

// named returns the files as the command line and as the page name them.
func (v *serving) named() (list []ask.Named) {
	all := v.sessions()
	for i, file := range v.files {
		src := all[min(i, len(all)-1)].src
		list = append(list, ask.Named{Typed: file, Path: src.Path(), Name: src.Name()})
	}
	return list
}
