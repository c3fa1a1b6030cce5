// Package kind classifies files by what they record, which decides what can be asked about them.
package kind

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Kind is what a file records.
type Kind uint8

// The kinds of files.
const (
	None   Kind = iota // not known yet
	Trace              // allocations, one by one
	Stacks             // stacks with weights
	Heap               // heap snapshots
	Dump               // curves and page layouts
)

// Of returns the kind of a profile. Everything that differs by kind calls this function, so that all of it agrees if a
// file fits several kinds.
func Of(p *model.Profile) Kind {
	switch {
	case p == nil:
		return None
	case p.Weights != nil:
		return Stacks
	case p.Heaps != nil:
		return Heap
	case p.Allocations != nil:
		return Trace // it may have curves, too
	case p.Timeline != nil:
		return Dump
	}
	return None
}

// OfFormat returns the kind of the files of a format, or None if it depends on the file.
func OfFormat(f loaders.Format) Kind {
	if f.Heap != nil {
		return Heap
	}
	switch f.Records {
	case model.FacetAllocations:
		return Trace
	case model.FacetProfile:
		return Stacks
	case model.FacetTimeline:
		return Dump
	}
	return None
}

func (k Kind) String() string {
	return [...]string{"", "a trace", "a stack profile", "heap snapshots", "a memory dump"}[k]
}

// Set is a set of kinds.
type Set uint8

// Sets of one kind, and the set of all kinds.
const (
	Traces   Set = 1 << Trace
	Profiles Set = 1 << Stacks
	Heaps    Set = 1 << Heap
	Dumps    Set = 1 << Dump
	All          = Traces | Profiles | Heaps | Dumps
)

// Has reports whether k is in the set. [None] is in every set.
func (s Set) Has(k Kind) bool { return k == None || s&(1<<k) != 0 }

// Names returns the names of the kinds in the set.
func (s Set) Names() (names []string) {
	for k, name := range []string{Trace: "traces", Stacks: "stack profiles", Heap: "heap snapshots", Dump: "memory dumps"} {
		if s&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return names
}
