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
func (*Store) Known(context.Context, uint64) (*fleet.Recording, error) { return nil, errWithout }

// Add fails.
func (*Store) Add(context.Context, *fleet.Batch) error { return errWithout }

// Ask fails.
func (*Store) Ask(context.Context, *fleet.Question) (*fleet.Answer, error) { return nil, errWithout }

// List fails.
func (*Store) List(context.Context, *fleet.Filter) ([]fleet.Recording, error) { return nil, errWithout }

// Remove fails.
func (*Store) Remove(context.Context, []fleet.Recording) error { return errWithout }

// Stack fails.
func (*Store) Stack(context.Context, fleet.Key) (*fleet.Stack, error) { return nil, errWithout }

// Names fails.
func (*Store) Names(context.Context, string) ([]string, error) { return nil, errWithout }

// Places fails.
func (*Store) Places(context.Context, fleet.What) ([]fleet.Place, error) { return nil, errWithout }

// Warnings returns nothing.
func (*Store) Warnings() []string { return nil }

// AtOnce returns 0.
func (*Store) AtOnce() int { return 0 }

// Dialect returns the SQL of an engine over the files.
func (*Store) Dialect() fleet.Dialect { return fleet.DuckDB("") }

// Compact fails.
func Compact(context.Context, string) (c Compacted, err error) { return c, errWithout }
