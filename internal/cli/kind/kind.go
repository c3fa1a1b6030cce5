// Package kind says what files record, which decides what can be asked about them.
package kind

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Kind is what a file records.
type Kind uint8

// The kinds of files.
const (
	None   Kind = iota // nothing that is known yet
	Trace              // allocations, one by one
	Stacks             // stacks with weights
	Heap               // heap snapshots
	Dump               // curves and page layouts
)

// Of returns what a profile records. Everything that differs by kind asks this function, so that all of it agrees where
// a file could be taken for two.
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

// OfFormat returns what files of a format record, None where only reading one tells.
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

// Sets of one kind, and that of all.
const (
	Traces   Set = 1 << Trace
	Profiles Set = 1 << Stacks
	Heaps    Set = 1 << Heap
	Dumps    Set = 1 << Dump
	All          = Traces | Profiles | Heaps | Dumps
)

// Has reports whether k is in the set. What is not known yet is in every set.
func (s Set) Has(k Kind) bool { return k == None || s&(1<<k) != 0 }

// Names names the kinds in the set.
func (s Set) Names() (names []string) {
	for k, name := range []string{Trace: "traces", Stacks: "stack profiles", Heap: "heap snapshots", Dump: "memory dumps"} {
		if s&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return names
}
