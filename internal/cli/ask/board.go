package ask

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// Status is what a page knows about reading its files.
type Status struct {
	Files    []string       `json:"files"`
	Kind     string         `json:"kind"`
	Revision uint64         `json:"revision"` // changes when an answer may have changed
	Done     bool           `json:"done"`
	Doing    string         `json:"doing,omitempty"` // until it is done
	Sources  bool           `json:"sources"`         // source files may be shown
	Terminal *html.Terminal `json:"terminal"`
}

// Kind returns the kind of a file by the name that the page knows.
func Kind(p *model.Profile) string {
	return map[kind.Kind]string{kind.Trace: "trace", kind.Stacks: "stacks", kind.Heap: "heap", kind.Dump: "dump"}[kind.Of(p)]
}

// Board has the newest status. Its methods may be called by any goroutine.
type Board struct {
	mu      sync.Mutex
	status  []byte
	changed chan struct{}
}

// Put announces a status that differs from the last one.
func (b *Board) Put(s *Status) {
	data, _ := json.Marshal(s)
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes.Equal(data, b.status) {
		return
	}
	b.status = data
	if b.changed != nil {
		close(b.changed)
	}
	b.changed = make(chan struct{})
}

// Newest returns the status, and a channel that is closed when there is another one.
func (b *Board) Newest() (status []byte, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status, b.changed
}
