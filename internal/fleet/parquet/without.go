//go:build !parquet

package parquet

import (
	"context"
	"errors"

	"github.com/memtui/memtui/analysis/fleet"
)

// errWithout says what this program lacks.
var errWithout = errors.New("this memtui was built without Parquet: build one that has it, memtui-fleet, by: go build -tags parquet -o memtui-fleet")

// Store is a folder.
type Store struct{}

// Open fails.
func Open(string) (*Store, error) { return nil, errWithout }

// Known fails.
func (*Store) Known(context.Context, uint64) (bool, error) { return false, errWithout }

// Add fails.
func (*Store) Add(context.Context, *fleet.Batch) error { return errWithout }

// Ask fails.
func (*Store) Ask(context.Context, *fleet.Question) (*fleet.Answer, error) { return nil, errWithout }

// Frames fails.
func (*Store) Frames(context.Context, fleet.Key) ([]string, error) { return nil, errWithout }

// Dialect returns the SQL of an engine over the files.
func (*Store) Dialect() fleet.Dialect { return fleet.DuckDB("") }

// Compact fails.
func Compact(context.Context, string) (c Compacted, err error) { return c, errWithout }
