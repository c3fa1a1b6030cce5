// Package fleet opens the place where a fleet of recordings is kept: a ClickHouse at an address, or a folder of Parquet
// files.
package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/fleet/clickhouse"
	"github.com/memtui/memtui/internal/fleet/parquet"
	"github.com/memtui/memtui/model"
)

// Store keeps a fleet.
type Store interface {
	// Known returns a recording that was added already, nil if it was not, or cannot be read.
	Known(ctx context.Context, recording uint64) (*fleet.Recording, error)
	// Add adds recordings. Those that were added already change nothing.
	Add(ctx context.Context, b *fleet.Batch) error
	// AtOnce returns how many rows are best added together, 0 for those of each recording.
	AtOnce() int
	// Ask returns the answer to a question.
	Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error)
	// List returns the recordings that a filter selects, the newest first.
	List(ctx context.Context, f *fleet.Filter) ([]fleet.Recording, error)
	// Remove removes recordings. Those that are not there change nothing.
	Remove(ctx context.Context, list []fleet.Recording) error
	// Stack returns a stack, nil if the fleet has none of that key.
	Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error)
	// Names returns the names that recordings have in a column: service, version, host or labels.
	Names(ctx context.Context, column string) ([]string, error)
	// Places returns the names of all things of a kind.
	Places(ctx context.Context, what fleet.What) ([]fleet.Place, error)
	// Warnings returns what could not be read since it was called last, each once.
	Warnings() []string
	// Dialect returns the SQL that asks the fleet.
	Dialect() fleet.Dialect
}

// Login is who asks.
type Login struct {
	User, Password string
	Insecure       bool
	CA             string                                     // a file of certificates of authorities to trust, too; "" for none
	Timeout        time.Duration                              // for a server to answer at all; 0 for the usual
	Note           func(text string)                          // takes sentences about what takes long; nil for none
	Pause          func(context.Context, time.Duration) error // between attempts; nil to wait
}

// Open returns the store at a place. It does not connect.
func Open(place string, as Login) (Store, error) {
	switch scheme, _, isURL := strings.Cut(place, "://"); {
	case isURL && (scheme == "http" || scheme == "https"):
		return clickhouse.Open(place, clickhouse.Options{User: as.User, Password: as.Password, Insecure: as.Insecure, CA: as.CA,
			Timeout: as.Timeout, Note: as.Note, Pause: as.Pause})
	case isURL:
		return nil, fmt.Errorf("unknown kind of address %s://: a fleet is in a ClickHouse at http:// or https://, or in a folder", model.Clean(scheme))
	}
	return parquet.Open(place)
}
