package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/demo"
	"github.com/memtui/memtui/internal/record"
	"github.com/memtui/memtui/loaders"
)

type demoCmd struct {
	Name string `arg:"" optional:"" help:"Name of the sample."`
	List bool   `help:"List the samples."`
	Live bool   `help:"Record a small shop within this program for ten seconds, and show the recording while it grows. The shop leaks."`
}

// Run opens a built-in sample like a file.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	samples := demo.Samples()
	if c.Live {
		return c.live(ctx, a)
	}
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
	return fail.Usage(fmt.Errorf("unknown sample %q%s", c.Name, near.Available(c.Name, names)))
}

// liveDemo is how long the shop works.
const liveDemo = 10 * time.Second

// live records a workload of this program, and shows the recording while it grows.
func (c *demoCmd) live(ctx context.Context, a *app) error {
	if c.Name != "" || c.List {
		return fail.Usage(errors.New("demo: --live takes no sample"))
	}
	folder, err := os.MkdirTemp("", "memtui-demo-")
	if err != nil {
		return fail.Input(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "shop.mlyze")
	own, err := record.NewOwn(path)
	if err != nil {
		return fail.Input(err)
	}
	working, stop := context.WithTimeout(ctx, liveDemo)
	ended := make(chan error, 1)
	go func() {
		demo.Work(working, own)
		ended <- own.End(context.WithoutCancel(ctx))
	}()
	a.follow = a.screen
	if !a.screen { // the report is of all of it
		err = <-ended
		ended <- nil
	}
	if err == nil {
		err = a.showOne(ctx, []string{""}, func() (*session, error) { return a.open(ctx, path) })
	}
	stop()
	return errors.Join(err, <-ended)
}

func (a *app) demo(ctx context.Context, sample demo.Sample) error {
	src, err := loaders.OpenStream(ctx, sample.File(), sample.Open())
	if err != nil {
		return err
	}
	format, err := loaders.Detect(src, a.inputs())
	if err != nil {
		src.Close()
		return fail.Input(err)
	}
	if err := uses.Fits(a.parsed, a.inputs(), uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		src.Close()
		return fail.Usage(err)
	}
	s := a.start(ctx, src, format)
	defer s.close()
	return a.show(ctx, s, []string{""}) // only this command can name it
}
