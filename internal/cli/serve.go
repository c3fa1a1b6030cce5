package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/internal/cli/ask"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
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
	c.hint(a, listener.Addr())
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

// hint says how to reach the page from elsewhere, and that others can where they can.
func (c *serveCmd) hint(a *app, at net.Addr) {
	say := a.logging()
	_, port, _ := net.SplitHostPort(at.String())
	ip := net.ParseIP(c.Host)
	switch {
	case c.Host != "localhost" && (ip == nil || !ip.IsLoopback()):
		say("warning: every machine that reaches %s can ask this port, without encryption; only those with the address above get answers", c.Host)
	case a.env.Getenv("SSH_CONNECTION") != "":
		name, err := os.Hostname()
		if err != nil {
			name = "this-machine"
		}
		say("from your own machine: ssh -L %s:127.0.0.1:%s %s, then open the address there", port, port, model.Clean(name))
	}
	say("Ctrl-C ends it")
}

// serving is what a browser asks about: a file, or two that are compared.
type serving struct {
	app           *app     // answers from what was read so far
	whole         *app     // answers once everything is read
	files         []string // as the command line names them
	first, second *session // second is nil for one file

	building sync.Mutex
	kept     []keptSource // newest first

	mu      sync.Mutex
	status  []byte
	changed chan struct{}
}

// serving opens files for a browser.
func (a *app) serving(ctx context.Context, files []string) (*serving, error) {
	v := &serving{app: a, files: files, changed: make(chan struct{})}
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
	s.Page, s.Files, s.Answer, s.Watch = page, files, v.answer, v.watched
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

// servedStatus is what a page knows about reading the files.
type servedStatus struct {
	Files    []string `json:"files"`
	Kind     string   `json:"kind"`
	Revision uint64   `json:"revision"` // changes when an answer may have changed
	Done     bool     `json:"done"`
	Doing    string   `json:"doing,omitempty"` // until it is done
	Sources  bool     `json:"sources"`         // source files may be shown
}

// servedKind returns the kind of a file by the name that the page knows.
func servedKind(k kind.Kind) string {
	return map[kind.Kind]string{kind.Trace: "trace", kind.Stacks: "stacks", kind.Heap: "heap", kind.Dump: "dump"}[k]
}

// look updates the status, and reports whether everything is read.
func (v *serving) look() bool {
	out := servedStatus{Files: v.names(), Done: true, Kind: servedKind(kind.Of(v.first.store.Current())),
		Sources: len(v.app.flags.Source)+len(v.app.flags.MapPath) > 0}
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
	data, _ := json.Marshal(out)
	v.mu.Lock()
	defer v.mu.Unlock()
	if !bytes.Equal(data, v.status) {
		v.status = data
		close(v.changed)
		v.changed = make(chan struct{})
	}
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

func (v *serving) watched() ([]byte, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status, v.changed
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
		b.parsed.BindTo(ctx, (*context.Context)(nil))
		err = firstError(b.parsed.Run(b), b.out.Flush())
	}
	if err != nil {
		return nil, errors.New(v.hide(err.Error()))
	}
	return out.Bytes(), nil
}

// section writes the data of a section of the page.
func (v *serving) section(ctx context.Context, b *app, section string, w io.Writer) error {
	switch c := b.parsed.Selected().Target.Addr().Interface().(type) {
	case *diffCmd:
		return b.withSides(ctx, c, func(before, after *session) error {
			d, err := b.diffThatFits(ctx, before, after, &c.diffFlags)
			if err != nil {
				return err
			}
			return html.AnswerDiff(ctx, w, &html.DiffSource{Diff: d, Program: "memtui " + manual.Version().Version, Command: v.command(b)})
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
		src.Command = v.command(b)
		if section != "all" {
			src.Section = section
		}
		return s.src.Guard(func() error { return html.Answer(ctx, w, &src) })
	}
	return fmt.Errorf("there is no section %q of this", section)
}

// keptSource is the input of a page, which has many sections.
type keptSource struct {
	words string // of its command line
	of    *html.Source
}

// mostKept is how many inputs of pages are kept: each may have the graph of a snapshot.
const mostKept = 2

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
	for _, k := range v.kept {
		if k.words == words {
			return *k.of, nil
		}
	}
	src, err := b.pageSource(ctx, s, *c)
	if err != nil {
		return html.Source{}, err
	}
	v.kept = append([]keptSource{{words, src}}, v.kept[:min(len(v.kept), mostKept-1)]...)
	return *src, nil
}

// command returns the command that prints what the page shows, with the names of files instead of their places.
func (v *serving) command(b *app) []string {
	words := []string{"memtui"}
	for _, w := range b.env.Args {
		if i := slices.Index(v.files, w); i >= 0 {
			w = v.sessions()[min(i, len(v.sessions())-1)].src.Name()
		}
		if w != "--format=json" && !strings.HasPrefix(w, "--limit=") {
			words = append(words, w)
		}
	}
	return words
}

// hide replaces the places of files by their names.
func (v *serving) hide(text string) string {
	for _, s := range v.sessions() {
		if path := s.src.Path(); path != "" && path != "-" {
			text = strings.ReplaceAll(text, path, s.src.Name())
		}
	}
	for i, file := range v.files {
		text = strings.ReplaceAll(text, file, v.sessions()[min(i, len(v.sessions())-1)].src.Name())
	}
	return text
}
