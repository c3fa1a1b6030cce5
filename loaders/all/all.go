// Package all is the list of every format that memtui reads.
package all

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/folded"
	"github.com/memtui/memtui/loaders/heaptext"
	"github.com/memtui/memtui/loaders/heaptrack"
	"github.com/memtui/memtui/loaders/hprof"
	"github.com/memtui/memtui/loaders/memdump"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/loaders/perfscript"
	"github.com/memtui/memtui/loaders/pprof"
	"github.com/memtui/memtui/loaders/pyheap"
	"github.com/memtui/memtui/loaders/rubyheap"
	"github.com/memtui/memtui/loaders/sanitizer"
	"github.com/memtui/memtui/loaders/spaa"
	"github.com/memtui/memtui/loaders/speedscope"
	"github.com/memtui/memtui/loaders/v8heap"
	"github.com/memtui/memtui/loaders/v8profile"
	"github.com/memtui/memtui/loaders/valgrind"
)

// Formats returns the formats in the order of detection; the caller owns the slice.
func Formats() []loaders.Format {
	return []loaders.Format{
		mlyze.Format(), mvmheap.Format(), hprof.Format(), v8heap.Format(), rubyheap.Format(), pyheap.Format(),
		spaa.Format(), memdump.MB(), memdump.JSON(),
		heaptext.Jemalloc(), heaptext.Tcmalloc(), heaptext.Go(),
		valgrind.Massif(), valgrind.DHAT(), valgrind.Memcheck(), sanitizer.Format(), perfscript.Format(), heaptrack.Format(),
		pprof.Format(), speedscope.Format(), v8profile.Heap(), v8profile.CPU(),
		folded.Format(), // last: it judges by the look of lines
	}
}
