package mlyze

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Events returns the source of what holds nothing but events as a .mlyze file has them, without header and names: formats that are slow
// to read are turned into this.
func Events(src *loaders.Source) model.ChunkSource {
	t := &trace{src: src, ready: make(chan struct{}), tables: &tables{}}
	close(t.ready)
	return t
}
