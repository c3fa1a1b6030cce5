package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/analysis/fleet"
	rows "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/report"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/model"
)

// addCmd adds recordings.
type addCmd struct {
	File    []string `arg:"" help:"Recordings: files of any format, folders with such files, URLs, or - for standard input. One that was added already is left out: they are known by their contents."`
	Service string   `required:"" placeholder:"NAME" help:"The service that was recorded."`
	Version string   `placeholder:"NAME" help:"Its version."`
	Host    string   `placeholder:"NAME" help:"The host, pod or test that was recorded (this machine's name)."`
	Label   []string `sep:"none" placeholder:"KEY=VALUE" help:"A label of the recordings. May be repeated."`
	Time    moment   `placeholder:"TIME" help:"When they were recorded: 2026-11-24, or 2026-11-24T15:04:05Z. Without it, what a file says, or else when it was written. Versions are ordered by it."`
	URI     string   `name:"uri" placeholder:"PLACE" help:"The folder or URL below which others find the files by their names (the path on this machine)."`
	Force   bool     `help:"Add recordings again that were already added, with another service, version, host, time or labels."`
	Redact  bool     `help:"Replace the names in the files, and their paths, by words that depend on the secret in MEMTUI_FLEET_KEY, the same on all machines, before anything leaves this one."`
	placeFlags
}

// adding is the state of adding.
type adding struct {
	h       *Host
	store   store.Store
	about   rows.About
	uri     string // of --uri
	force   bool
	gone    []fleet.Recording // those of the batch that were there already
	batch   fleet.Batch
	waiting []printed.AddedFile // of the batch
	done    *printed.Added
	sent    int // files that the store has taken
	bad     error
}

// Run adds them.
func (c *addCmd) Run(ctx context.Context, h *Host) error {
	if err := c.check(); err != nil {
		return err
	}
	a := &adding{h: h, done: printed.NewAdded(), uri: c.URI, force: c.Force,
		about: rows.About{Service: c.Service, Version: c.Version, Host: c.Host, Labels: c.Label, Time: c.Time.Time}}
	if c.Redact {
		if a.about.Secret = []byte(h.Getenv("MEMTUI_FLEET_KEY")); len(a.about.Secret) == 0 {
			return fail.Usage(errors.New("--redact: set a secret in the environment variable MEMTUI_FLEET_KEY, the same on all machines, which determines the words that replace names"))
		}
	}
	if c.Host == "" {
		name, err := os.Hostname()
		if err != nil {
			return fail.Usage(fmt.Errorf("--host: %w", err))
		}
		a.about.Host = rows.Word(a.about.Secret, name)
	}
	var err error
	if a.store, err = h.open("to", h.To, &c.placeFlags); err != nil {
		return err
	}
	defer h.warn(a.store)
	files, bad := a.files(ctx, c.File)
	for _, path := range files {
		if err = a.file(ctx, path); err != nil {
			break
		}
	}
	a.bad = cmp.Or(a.bad, bad)
	if err == nil {
		err = a.send(ctx)
	}
	if h.Format == "json" {
		if wrong := report.WriteJSON(h.Out, a.done); wrong != nil {
			return wrong
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fail.Input(fmt.Errorf("%w; %d of %s are in the fleet: adding all again adds the rest", err, a.sent,
			model.Counted(len(files), "file")))
	}
	return a.bad
}

// check refuses names that no question could ask for.
func (c *addCmd) check() error {
	for _, x := range []struct{ flag, value string }{{"service", c.Service}, {"version", c.Version}, {"host", c.Host}, {"uri", c.URI}} {
		if model.Clean(x.value) != x.value || !utf8.ValidString(x.value) {
			return fail.Usage(fmt.Errorf("--%s: %q has control characters, or is not UTF-8", x.flag, x.value))
		}
	}
	if strings.TrimSpace(c.Service) == "" {
		return fail.Usage(errors.New("--service: the name is empty"))
	}
	for _, l := range c.Label {
		if model.Clean(l) != l || !utf8.ValidString(l) {
			return fail.Usage(fmt.Errorf("--label: %q has control characters, or is not UTF-8", l))
		}
	}
	return labels(c.Label)
}

// files returns the files to add: those of folders are the ones whose format is known. The error is about folders that
// have none; the other files are added nevertheless.
func (a *adding) files(ctx context.Context, paths []string) (files []string, bad error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		had, skipped := len(files), 0
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || ctx.Err() != nil:
				return cmp.Or(ctx.Err(), err)
			case strings.HasPrefix(d.Name(), ".") && name != path:
				if d.IsDir() {
					return fs.SkipDir
				}
			case !d.Type().IsRegular():
			case a.h.Known(ctx, name):
				files = append(files, name)
			default:
				skipped++
			}
			return nil
		})
		if err == nil && len(files) == had {
			err = errors.New("no file in it has a known format")
		}
		if err != nil {
			bad = a.failed(ctx, printed.AddedFile{File: path}, err)
		}
		if skipped > 0 {
			a.h.Note(fmt.Sprintf("%s: %s of unknown formats left out", model.Clean(path), model.Counted(skipped, "file")))
		}
	}
	return files, bad
}

// file reads a recording. Its rows are sent with those of others. The error is why no more can be sent; files that
// cannot be read are named, and the others still added.
func (a *adding) file(ctx context.Context, path string) error {
	about := a.about
	given := printed.Of{Service: about.Service, Version: about.Version, Host: about.Host}
	f := printed.NewAddedFile(path, given)
	local, done, err := a.local(ctx, path)
	if err != nil {
		return a.failed(ctx, f, err)
	}
	defer done()
	if err = identify(local, &about); err == nil {
		about.URI, err = a.place(path)
	}
	if err != nil {
		return a.failed(ctx, f, err)
	}
	f.ID = hex.EncodeToString(about.ID[:])
	for i := range a.waiting {
		if a.waiting[i].ID == f.ID { // it is known once that is added
			f.Result, f.Was = "known", &given
			a.waiting = append(a.waiting, f)
			return nil
		}
	}
	number := binary.BigEndian.Uint64(about.ID[:])
	there, err := a.store.Known(ctx, number)
	if err != nil {
		return err
	}
	if there != nil {
		f.Was = &printed.Of{Service: there.Service, Version: there.Version, Host: there.Host}
	}
	switch {
	case there != nil && !a.force:
		a.known(f, *f.Was)
		return nil
	case a.force:
		a.gone = append(a.gone, fleet.Recording{Recording: number, ID: f.ID})
	}
	b, err := a.h.Rows(ctx, local, about)
	if err != nil {
		return a.failed(ctx, f, errors.New(strings.ReplaceAll(err.Error(), local, path)))
	}
	f.Rows = len(b.Recordings) + len(b.Sites) + len(b.Leaks) + len(b.Curve) + len(b.Types) + len(b.Pages)
	f.Result, f.Note = "added", noteOf(&b.Recordings[0])
	a.batch.Append(b)
	a.waiting = append(a.waiting, f)
	if len(a.batch.Sites)+len(a.batch.Curve)+len(a.batch.Types) >= a.store.AtOnce() {
		return a.send(ctx)
	}
	return nil
}

// noteOf says what a recording does not answer.
func noteOf(r *fleet.Recording) string {
	switch {
	case r.Lacks == fleet.LacksFrees:
		return "no FREE is recorded, so leaks, live bytes and the peak are unknown: only --by alloc_bytes counts it"
	case r.Lacks == fleet.LacksMemory:
		return "it is not about memory, such as a profile of processor time: no question counts it"
	case !r.Complete && r.Leaked == nil:
		return "it is incomplete"
	case !r.Complete:
		return "it is incomplete: what was live where it ends counts as never freed"
	}
	return ""
}

// local returns the path of a file with the contents of an input, and what removes it where it was made: pipes and
// responses of servers are read once, but their contents are known only at their end.
func (a *adding) local(ctx context.Context, path string) (file string, done func(), err error) {
	info, err := os.Stat(path)
	isURL := strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
	var in io.Reader
	switch {
	case isURL:
		response, err := a.h.Fetch(ctx, path)
		if err != nil {
			return "", nil, err
		}
		defer response.Close()
		in = response
	case path == "-":
		if in = a.h.Stdin; in == nil {
			return "", nil, errors.New("there is no standard input")
		}
	case err != nil:
		return "", nil, err
	case info.Mode().IsRegular():
		return path, func() {}, nil
	default:
		pipe, err := os.Open(path)
		if err != nil {
			return "", nil, err
		}
		defer pipe.Close()
		in = pipe
	}
	out, err := os.CreateTemp("", "memtui-fleet-*")
	if err != nil {
		return "", nil, err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(out.Name()))
	}
	return out.Name(), func() { os.Remove(out.Name()) }, nil
}

// place returns where others find an input: without users, passwords and the parameters of an address, which may be
// secrets; "" if names are replaced or nothing has a name.
func (a *adding) place(input string) (string, error) {
	u, err := url.Parse(input)
	isURL := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	switch {
	case a.about.Secret != nil:
		return "", nil
	case a.uri != "" && isURL:
		return strings.TrimSuffix(a.uri, "/") + "/" + path.Base(u.Path), nil
	case a.uri != "" && input != "-":
		return strings.TrimSuffix(a.uri, "/") + "/" + filepath.Base(input), nil
	case isURL:
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return u.String(), nil
	case input == "-":
		return a.uri, nil
	}
	return filepath.Abs(input)
}

// known says what the fleet has a file as.
func (a *adding) known(f printed.AddedFile, as printed.Of) {
	f.Result, f.Was = "known", &as
	a.say(f)
	a.sent++
}

// failed names a file that cannot be added.
func (a *adding) failed(ctx context.Context, f printed.AddedFile, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.Result, f.Reason = "failed", reason(f.File, err)
	a.say(f)
	a.bad = cmp.Or(a.bad, fail.Input(errors.New("not all files were added")))
	return nil
}

// reason returns an error without the name of the file, which is said before it.
func reason(file string, err error) string {
	text := err.Error()
	for _, begin := range []string{"open ", "stat ", "lstat ", "read "} {
		text = strings.TrimPrefix(text, begin+file+": ")
	}
	return strings.TrimPrefix(text, file+": ")
}

// send adds what was read to the fleet, and says so.
func (a *adding) send(ctx context.Context) error {
	if len(a.waiting) == 0 {
		return nil
	}
	if err := a.store.Remove(ctx, a.gone); err != nil {
		return err
	}
	if err := a.store.Add(ctx, &a.batch); err != nil {
		return err
	}
	a.gone = nil
	for _, f := range a.waiting {
		a.say(f)
	}
	a.sent += len(a.waiting)
	a.batch, a.waiting = fleet.Batch{}, nil
	return nil
}

// say prints what became of a file.
func (a *adding) say(f printed.AddedFile) {
	a.done.Files = append(a.done.Files, f)
	if a.h.Format == "text" {
		fmt.Fprintln(a.h.Out, f.Line())
		a.h.Flush() // the next one may take a while
	}
}

// identify computes the id of a file, and finds out how old it is.
func identify(path string, about *rows.About) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	hash := sha256.New()
	if _, err = io.Copy(hash, f); err != nil {
		return err
	}
	about.ID, about.Modified = [32]byte(hash.Sum(nil)), info.ModTime()
	return nil
}
