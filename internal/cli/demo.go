package cli

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/demo"
	"github.com/memtui/memtui/loaders"
)

type demoCmd struct {
	Name string `arg:"" optional:"" help:"Name of the sample."`
	List bool   `help:"List the samples."`
}

// Run opens a built-in sample like a file.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	samples := demo.Samples()
	if c.List {
		for _, s := range samples {
			fmt.Fprintf(a.out, "%-10s %s\n", s.Name, s.About)
		}
		return nil
	}
	var names []string
	for _, sample := range samples {
		if c.Name == sample.Name || c.Name == "" {
			return a.again(func() error { return a.demo(ctx, sample) })
		}
		names = append(names, sample.Name)
	}
	return usageError(fmt.Errorf("unknown sample %q%s", c.Name, near.Available(c.Name, names)))
}

func (a *app) demo(ctx context.Context, sample demo.Sample) error {
	src, err := loaders.OpenStream(ctx, sample.File(), sample.Open())
	if err != nil {
		return err
	}
	format, err := loaders.Detect(src, a.inputs())
	if err != nil {
		src.Close()
		return inputError(err)
	}
	if err := uses.Fits(a.parsed, uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		src.Close()
		return usageError(err)
	}
	s := a.start(ctx, src, format)
	defer s.close()
	return a.show(ctx, s, []string{""}) // only this command can name it
}
