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

func insert(*os.File, int64, int64) error { return errors.ErrUnsupported }
