//go:build !linux

package record

import (
	"context"
	"errors"
	"os"
)

var errLinux = errors.New("recording works on Linux only")

// Run returns an error: there is no hook for this system.
func Run(context.Context, Options) ([]Recorded, int, error) { return nil, 0, errLinux }

// Attach returns an error, as [Run] does.
func Attach(context.Context, Options) ([]Recorded, error) { return nil, errLinux }

// Pages returns an error: there is no /proc as of Linux.
func Pages(context.Context, PageOptions) (points, layouts int, err error) { return 0, 0, errLinux }

func insert(*os.File, int64, int64) error { return errors.ErrUnsupported }

func insertable(*os.File, int64) bool { return false }

// RunPure returns an error, as [Run] does.
func RunPure(context.Context, Options) ([]Recorded, int, error) { return nil, 0, errLinux }
