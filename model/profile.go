// Package model defines what a memory profile is: the types that loaders fill, analysis queries and views show.
//
// A [Profile] is immutable once it is published through a [Store]; a half-loaded file is an ordinary profile with
// Complete == false. It consists of facets, nil if the file has none of the kind: a view declares the facets it needs,
// and a new format needs no new view. Columns hold no pointers. Invariants are documented at fields and checked by
// tests of every loader. The package imports the standard library only.
package model

// Profile is one revision of the contents of one file. All fields are read-only after [Store.Publish].
type Profile struct {
	Meta     Meta
	Revision int  // 1 for the first published revision, then rising by one
	Complete bool // the file was read to its end and nothing of it was lost

	Stacks      *Stacks       // symbols and the stack tree; nil until read, or if the format has none
	Allocations EventSource   // the events of an allocation trace; nil for other formats
	Heaps       HeapSource    // heap snapshots; nil for other formats
	Timeline    *Timeline     // measured curves; nil for other formats
	Pages       PageSource    // page layouts; nil if there are none
	Weights     *StackProfile // weighted stacks; nil for other formats

	Problems []Problem // what is damaged, guessed or uncertain, in the order found, one per code if possible
	Lost     int64     // input bytes (after decompression) that could not be used
}

// Meta is what a file states about itself in its headers.
type Meta struct {
	Path    string // as the user named it; "-" for standard input
	Name    string // last element of Path, for titles
	Format  string // "mlyze", …: the names that the command line uses
	Version int    // of the format, as the file states it; NoVersion if the format has none
	Size    int64  // bytes of the file as stored; for a pipe, those that arrived
	Outer   string // outer compression: "", "gzip", "zstd"

	Start    uint64 // absolute start, microseconds since 1970, when HasStart
	HasStart bool
	// InventedAddresses reports that the file has no addresses of blocks: those of its events are made up, and so is
	// which of several equal blocks is freed. What depends on them must not be shown, or marked.
	InventedAddresses bool
	// CoarseTimes reports that the file has the times of some events only: those in between are interpolated.
	CoarseTimes bool
	// NoThreads reports that the file has no threads: those of its events are all 0, and must not be shown.
	NoThreads bool
	// RecordsFrees reports that the file has the frees of its blocks: where it has none, none was freed.
	RecordsFrees bool
	// Sampled states how blocks were chosen for recording ("sampled every 512 KiB"), so that figures are estimates. It
	// is "" where all blocks were recorded, or the file does not state it.
	Sampled string

	// Sampling states the same in numbers, as far as they are known.
	Sampling Sampling

	// Live is the state of watching a growing file in a word or two: "live", "no response", "recorder killed". It is ""
	// if the file is not watched, or no longer.
	Live string

	// Ended is how the recorded program ended, in a few words: "ended by SIGSEGV", "exit status 3", "program ran on". It
	// is "" where that is not known, and for a program without an error.
	Ended string

	FrameNote string // how the order of frames was determined, in words; "" if there are no stacks
	Facts     []Fact // what only this format states, for `info` and the help screen
}

// NoVersion is the version of a format that has none.
const NoVersion = -1

// Fact is one line of `info`: a name in standard terms and its value, already formatted for people.
type Fact struct {
	Key   string // stable, snake_case: the key in JSON
	Label string
	Value string
	Int   int64 // the exact value if HasInt
	// HasInt reports that Value is a rendering of Int.
	HasInt bool
}

// Facet names one kind of content that a view may need.
type Facet uint16

const (
	FacetNone        Facet = 0
	FacetStacks      Facet = 1 << (iota - 1)
	FacetAllocations       // every allocation and free, in order
	FacetHeaps             // snapshots of an object graph
	FacetTimeline          // measured curves of a file that has nothing else: those of a trace are shown with it
	FacetPages             // page layouts
	FacetProfile           // weighted stacks
	FacetHeapFrames        // snapshots of an object graph that has frames
	FacetHeapThreads       // snapshots of an object graph with the threads of the program
	FacetHeapWaste         // snapshots of an object graph with the contents of its objects
)

// Has reports whether the profile offers every facet in f.
func (p *Profile) Has(f Facet) bool {
	if f&FacetStacks != 0 && p.Stacks == nil {
		return false
	}
	if f&FacetHeaps != 0 && p.Heaps == nil || f&FacetTimeline != 0 && (p.Timeline == nil || p.Allocations != nil) ||
		f&FacetPages != 0 && p.Pages == nil ||
		f&FacetProfile != 0 && p.Weights == nil {
		return false
	}
	if f&FacetHeapFrames != 0 {
		if p.Heaps == nil {
			return false
		}
		if _, ok := p.Heaps.Schema().Frames(); !ok {
			return false
		}
	}
	if f&(FacetHeapThreads|FacetHeapWaste) != 0 {
		_, threads := HeapFacet[HeapThreads](p.Heaps)
		_, waste := HeapFacet[HeapWaste](p.Heaps)
		if f&FacetHeapThreads != 0 && !threads || f&FacetHeapWaste != 0 && !waste {
			return false
		}
	}
	return f&FacetAllocations == 0 || p.Allocations != nil
}
