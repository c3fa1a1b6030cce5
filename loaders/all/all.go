// Package all is the list of every format that memtui reads.
package all

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/hprof"
	"github.com/memtui/memtui/loaders/memdump"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/loaders/spaa"
)

// Formats returns the formats in the order in which they are asked; the slice is the caller's.
func Formats() []loaders.Format {
	return []loaders.Format{mlyze.Format(), mvmheap.Format(), hprof.Format(), spaa.Format(), memdump.MB(), memdump.JSON()}
}
