package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/loaders/spaa"
	"github.com/memtui/memtui/model"
)

// outerSuffix is the compression that a file's name asks for: ".zst", ".gz" or "".
func outerSuffix(path string) string {
	for _, s := range []string{".zst", ".gz"} {
		if strings.HasSuffix(strings.ToLower(path), s) {
			return s
		}
	}
	return ""
}

// toStacks reports whether the user asks for a profile of stacks.
func (c *convertCmd) toStacks(to goal) bool {
	name := strings.ToLower(c.Out)
	return to.format == "spaa" || to.format == "" && !to.given() && strings.HasSuffix(strings.TrimSuffix(name, outerSuffix(name)), ".spaa")
}

// stacks writes a profile of stacks: a copy of one, or what a trace sums up to.
func (c *convertCmd) stacks(ctx context.Context, a *app) error {
	s, err := a.open(ctx, c.In)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.profile(ctx)
	if err != nil {
		return err
	}
	if s.snapshot != nil || p.Weights == nil && p.Allocations == nil {
		return usageError(fmt.Errorf("convert writes traces and stack profiles as .spaa, but %s is %s", p.Meta.Name, p.Meta.Format))
	}
	if c.Samples && p.Weights != nil {
		return usageError(errors.New("--samples: the samples of a stack profile are always copied"))
	}
	a.warn(p)
	var lost []export.Loss
	err = a.writeFile(c.Out, func(w io.Writer) error {
		return compressed(w, outerSuffix(c.Out), func(w io.Writer) error {
			return s.src.Guard(func() (err error) {
				if p.Weights == nil {
					lost, err = export.WriteSPAA(ctx, w, p, s.index, c.Samples)
					return err
				}
				problems, err := spaa.Copy(ctx, s.src, w)
				lost = left(problems)
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	a.losses(lost)
	return nil
}

// left says which lines are no records.
func left(problems []model.Problem) []export.Loss {
	var out []export.Loss
	for _, q := range problems {
		out = append(out, export.Loss{What: fmt.Sprintf("left out from line %d on: %s", q.Line, q.Message), Count: int(q.Count)})
	}
	return out
}

// compressed lets f write through the compression that a suffix names.
func compressed(w io.Writer, suffix string, f func(io.Writer) error) error {
	var z io.WriteCloser
	switch suffix {
	case ".zst":
		e, err := zstd.NewWriter(w)
		if err != nil {
			return err
		}
		z = e
	case ".gz":
		z = gzip.NewWriter(w)
	default:
		return f(w)
	}
	return firstError(f(z), z.Close())
}
