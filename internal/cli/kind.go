package cli

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// kind is what a file records. It decides which questions can be asked about the file.
type kind uint8

const (
	kindNone   kind = iota // nothing that is known yet
	kindTrace              // allocations, one by one
	kindStacks             // stacks with weights
	kindHeap               // heap snapshots
	kindDump               // curves and page layouts
)

// kindOf returns what a profile records. Everything that differs by kind asks this function, so that all of it agrees where a file could
// be taken for two.
func kindOf(p *model.Profile) kind {
	switch {
	case p == nil:
		return kindNone
	case p.Weights != nil:
		return kindStacks
	case p.Heaps != nil:
		return kindHeap
	case p.Timeline != nil:
		return kindDump
	case p.Allocations != nil:
		return kindTrace
	}
	return kindNone
}

// kindOfFormat returns what files of a format record, kindNone where only reading one tells.
func kindOfFormat(f loaders.Format) kind {
	if f.Heap != nil {
		return kindHeap
	}
	switch f.Name {
	case "mlyze":
		return kindTrace
	case "spaa":
		return kindStacks
	case "memdump-json", "memdump-mb":
		return kindDump
	}
	return kindNone
}

func (k kind) String() string {
	return [...]string{"", "a trace", "a stack profile", "heap snapshots", "a memory dump"}[k]
}

// kinds is a set of them.
type kinds uint8

const (
	ofTraces kinds = 1 << kindTrace
	ofStacks kinds = 1 << kindStacks
	ofHeaps  kinds = 1 << kindHeap
	ofDumps  kinds = 1 << kindDump
	ofAll          = ofTraces | ofStacks | ofHeaps | ofDumps
)

// has reports whether k is in the set. What is not known yet is in every set.
func (s kinds) has(k kind) bool { return k == kindNone || s&(1<<k) != 0 }

// list names the kinds in the set.
func (s kinds) list() (names []string) {
	for k, name := range []string{kindTrace: "traces", kindStacks: "stack profiles", kindHeap: "heap snapshots", kindDump: "memory dumps"} {
		if s&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return names
}
