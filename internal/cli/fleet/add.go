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
	"os"
	"path/filepath"

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
	File    []string `arg:"" help:"Recordings: files of any format. One that was added already is left out: files are known by their contents."`
	Service string   `required:"" placeholder:"NAME" help:"The service that was recorded."`
	Version string   `placeholder:"NAME" help:"Its version."`
	Host    string   `placeholder:"NAME" help:"The host, pod or test that was recorded (this machine's name)."`
	Label   []string `sep:"none" placeholder:"KEY=VALUE" help:"A label of the recordings. May be repeated."`
	Redact  bool     `help:"Replace the names in the files, and their paths, by words that depend on the secret in MEMTUI_FLEET_KEY, the same on all machines, before anything leaves this one."`
}

// rowsAtOnce is the number of rows that are sent together.
const rowsAtOnce = 200_000

// adding is the state of adding.
type adding struct {
	h       *Host
	store   store.Store
	about   rows.About
	batch   fleet.Batch
	waiting []printed.AddedFile // of the batch
	done    *printed.Added
	sent    int // files that the store has taken
	bad     error
}

// Run adds them.
func (c *addCmd) Run(ctx context.Context, h *Host) error {
	if err := labels(c.Label); err != nil {
		return err
	}
	a := &adding{h: h, done: printed.NewAdded(), about: rows.About{Service: c.Service, Version: c.Version, Host: c.Host, Labels: c.Label}}
	if c.Redact {
		if a.about.Secret = []byte(h.Getenv("MEMTUI_FLEET_KEY")); len(a.about.Secret) == 0 {
			return fail.Usage(errors.New("--redact: set a secret in the environment variable MEMTUI_FLEET_KEY, the same on all machines, on which the words in place of names depend"))
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
	if a.store, err = h.open("to", h.To); err != nil {
		return err
	}
	for _, path := range c.File {
		if err = a.file(ctx, path); err != nil {
			break
		}
	}
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
			model.Counted(len(c.File), "file")))
	}
	return a.bad
}

// file reads a recording. Its rows are sent with those of others. The error is why no more can be sent; files that
// cannot be read are named, and the others still added.
func (a *adding) file(ctx context.Context, path string) error {
	about := a.about
	f := printed.AddedFile{File: path}
	err := identify(path, &about)
	if err != nil {
		return a.failed(ctx, f, err)
	}
	f.ID = hex.EncodeToString(about.ID[:])
	for i := range a.waiting {
		if a.waiting[i].ID == f.ID {
			a.say(known(f))
			a.sent++
			return nil
		}
	}
	switch there, err := a.store.Known(ctx, binary.BigEndian.Uint64(about.ID[:])); {
	case err != nil:
		return err
	case there:
		a.say(known(f))
		a.sent++
		return nil
	}
	b, err := a.h.Rows(ctx, path, about)
	if err != nil {
		return a.failed(ctx, f, err)
	}
	f.Rows = len(b.Recordings) + len(b.Sites) + len(b.Leaks) + len(b.Curve) + len(b.Types) + len(b.Pages)
	f.Result = "added"
	a.batch.Append(b)
	a.waiting = append(a.waiting, f)
	if len(a.batch.Sites)+len(a.batch.Curve)+len(a.batch.Types) >= rowsAtOnce {
		return a.send(ctx)
	}
	return nil
}

func known(f printed.AddedFile) printed.AddedFile {
	f.Result = "known"
	return f
}

// failed names a file that cannot be added.
func (a *adding) failed(ctx context.Context, f printed.AddedFile, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.Result, f.Reason = "failed", err.Error()
	a.say(f)
	a.bad = cmp.Or(a.bad, fail.Input(errors.New("not all files were added")))
	return nil
}

// send adds what was read to the fleet, and says so.
func (a *adding) send(ctx context.Context) error {
	if len(a.waiting) == 0 {
		return nil
	}
	if err := a.store.Add(ctx, &a.batch); err != nil {
		return err
	}
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

// identify computes the id of a file, and finds out where and how old it is.
func identify(path string, about *rows.About) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file, so it has no content to know it by", path)
	}
	hash := sha256.New()
	if err == nil {
		_, err = io.Copy(hash, f)
	}
	if err != nil {
		return err
	}
	about.ID, about.Modified = [32]byte(hash.Sum(nil)), info.ModTime()
	if about.Secret == nil {
		about.URI, err = filepath.Abs(path)
	}
	return err
}
