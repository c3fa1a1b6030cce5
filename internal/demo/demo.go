// Package demo holds the sample recordings that are built into the program.
package demo

import (
	"bytes"
	"embed"
	"io"
)

//go:embed samples/*.mlyze.zst
var files embed.FS

// Sample is one recording.
type Sample struct {
	Name  string // what `memtui demo NAME` takes
	About string // one line: what was recorded, and what there is to see
	data  []byte
}

// Samples lists the recordings, the default one first. Both are heaptrack recordings of real programs, converted.
func Samples() []Sample {
	list := []Sample{
		{Name: "kvleak", About: "a small C++ key-value server that leaks one buffer per closed session"},
		{Name: "pystart", About: "the CPython interpreter starting up and shutting down: ten thousand events, deep stacks"},
	}
	for i := range list {
		// The name comes from the list above: a missing file would be a broken build, and shows as an empty sample.
		list[i].data, _ = files.ReadFile("samples/" + list[i].File())
	}
	return list
}

// File is the sample's name as a file.
func (s Sample) File() string { return s.Name + ".mlyze.zst" }

// Open returns the sample's bytes from the start, as stored.
func (s Sample) Open() io.Reader { return bytes.NewReader(s.data) }

// Size is the length of what Open returns.
func (s Sample) Size() int64 { return int64(len(s.data)) }
