package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/model"
)

type convertCmd struct {
	In  string `arg:"" help:"A file, or - for standard input."`
	Out string `arg:"" help:"The file to write; its suffix chooses the format: .mb, .json, .spaa, .spaa.zst or .spaa.gz. - is standard output."`

	Samples bool `help:"Of traces as .spaa: also a sample for every allocation, with its time."`
}

// converter writes a profile as another file.
type converter func(context.Context, io.Writer, *model.Profile) ([]export.Loss, error)

// goal is what --to names: a time, but a format where a file is written.
type goal struct {
	moment
	format string
}

// UnmarshalText reads either.
func (g *goal) UnmarshalText(text []byte) error {
	switch format := strings.ToLower(strings.TrimSpace(string(text))); format {
	case "mb", "json", "spaa":
		g.format = format
		return nil
	}
	return g.moment.UnmarshalText(text)
}

// converter is the one that the user asks for.
func (c *convertCmd) converter(goal goal) (converter, error) {
	to := goal.format
	if goal.given() {
		return nil, usageError(errors.New("convert writes whole files: --to names a format there, mb or json"))
	}
	if to == "" {
		to = strings.TrimPrefix(strings.ToLower(filepath.Ext(c.Out)), ".")
	}
	switch to {
	case "mb":
		return export.WriteMB, nil
	case "json":
		return export.WriteDumpJSON, nil
	}
	return nil, usageError(errors.New("convert: the name of OUT does not tell a format: let it end in .mb, .json or .spaa, or write --to mb, --to json or --to spaa"))
}

// Run writes a file in another format, and says what that cannot hold.
func (c *convertCmd) Run(ctx context.Context, a *app) error {
	if c.toStacks(a.flags.To) {
		return c.stacks(ctx, a)
	}
	write, err := c.converter(a.flags.To)
	if err != nil {
		return err
	}
	s, err := a.open(ctx, c.In)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.profile(ctx)
	if err != nil {
		return err
	}
	if p.Timeline == nil {
		return usageError(fmt.Errorf("convert writes memory dumps as memory dumps, and traces and stack profiles as .spaa, but %s is %s", p.Meta.Name, p.Meta.Format))
	}
	if s.snapshot != nil {
		return usageError(errors.New("convert writes whole files, not one layout"))
	}
	a.warn(p)
	var lost []export.Loss
	err = a.writeFile(c.Out, func(w io.Writer) (err error) {
		return s.src.Guard(func() error {
			lost, err = write(ctx, w, p)
			return err
		})
	})
	if err != nil {
		return err
	}
	a.losses(lost)
	return nil
}

// losses prints what the file written does not hold.
func (a *app) losses(lost []export.Loss) {
	for _, l := range lost {
		times := ""
		if l.Count > 1 {
			times = ", " + model.Group(uint64(l.Count)) + " times"
		}
		fmt.Fprintf(a.env.Stderr, "memtui: note: %s%s\n", model.Clean(l.What), times)
	}
}

// writeFile lets f write a file, which replaces one of that name only once it is whole. - is standard output.
func (a *app) writeFile(path string, f func(io.Writer) error) error {
	if path == "-" {
		return f(a.out)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return inputError(err)
		}
		return inputFailure(firstError(f(out), out.Close()))
	}
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return inputError(err)
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = firstError(f(buffered), buffered.Flush(), out.Chmod(permission(path)), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return inputFailure(firstError(err, os.Remove(out.Name())))
	}
	return nil
}

// permission is that of the file of that name, or what new files have.
func permission(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// inputFailure is err with the status of a file that cannot be used.
func inputFailure(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return inputError(err)
}
