// Package loaders reads files into profiles of the model: it defines what a format is, recognizes it, and provides the
// bytes. Each format has its own folder; loaders/all lists them. A loader never fails because of damage after something
// usable: it reports a problem and continues.
package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// FrameOrder states which end of a file's stacks is the leaf, if the format leaves that open.
type FrameOrder uint8

const (
	FrameOrderAuto FrameOrder = iota // by evidence
	LeafFirst
	RootFirst
)

// HeapSizes states where the sizes of objects come from, if a heap dump leaves that open.
type HeapSizes uint8

const (
	SizesAuto   HeapSizes = iota // distances between objects where known, otherwise their layout
	SizesLayout                  // computed from fields and elements
)

// Options are the user's answers to what files leave open. The zero value determines everything from the file.
type Options struct {
	FrameOrder FrameOrder

	// AllocatorFrames keeps the frames of the allocator itself, which are the leaves of every stack.
	AllocatorFrames bool
	Symbols         Symbols
	Unit            string // unit of weights that a file states without one; "" if the user gave none
	Sizes           HeapSizes
	Kept            sections.Cache // stores decoded snapshots and names for the next run; nil for no store
}

// Confidence is how sure a format is that it can read a file.
type Confidence uint8

const (
	No Confidence = iota
	Maybe
	Sure
)

// Violation is one broken rule of a format, or several of the same kind: Offset and Line are those of the first.
type Violation struct {
	Rule     string // stable kebab-case name
	Severity model.Severity
	Message  string // may contain bytes of the file: clean it before printing
	Offset   int64  // after decompression, -1 if it has none
	Line     int64  // in text formats, 0 otherwise
	Count    int64  // at least 1
}

// Format is one file format. Its functions keep no state between calls and may run on any goroutine.
type Format struct {
	Name       string   // as on the command line
	Summary    string   // for people, one line
	Extensions []string // with the dot; a hint for messages, never evidence

	// Records is the facet of every file of the format: model.FacetAllocations, FacetProfile or FacetTimeline. If Heap
	// is set, the files hold heaps; FacetNone if only reading a file determines it.
	Records model.Facet

	// Heap describes the heap snapshots of the format, for help and flags; nil if it has none. A file's own schema is
	// that of its [model.HeapSource].
	Heap *model.HeapSchema

	// FrameOrder reports that Options.FrameOrder has an effect: files leave open which end of a stack is the leaf.
	FrameOrder bool

	// Sizes says where the sizes of objects come from, for help, where files leave that open and Options.Sizes has an
	// effect; "" elsewhere.
	Sizes string

	// Unit reports that Options.Unit has an effect: files have weights without a unit.
	Unit bool
	// Addresses reports that Options.Symbols has an effect: files have addresses, possibly without symbols.
	Addresses bool
	// Curves reports that stack profiles of this format have curves in addition to stacks.
	Curves bool
	// Keeps reports that Options.Kept has an effect though files have no heaps.
	Keeps bool
	// AllocatorFrames reports that Options.AllocatorFrames has an effect.
	AllocatorFrames bool

	// Copy writes the records of a file again, unchanged, and returns what it left out; nil if only the model of the
	// file can be written.
	Copy func(ctx context.Context, src *Source, w io.Writer) ([]model.Problem, error)
	// Dumper is a program that writes files of the format, where a language has none; the zero Dumper for none.
	Dumper Dumper

	// Sniff judges the first bytes, after decompression: at most [SniffLength], fewer for short files.
	Sniff func(head []byte) Confidence
	// Load publishes what it can as soon as it can: first a profile with Meta and sources, later the tables. It returns
	// when headers and tables are read, and never decodes all events. The profile's sources read src until src is
	// closed.
	Load func(ctx context.Context, src *Source, opt Options, store *model.Store) error
	// Info reads headers only. The profile has Meta and Problems and no facets.
	Info func(ctx context.Context, src *Source, opt Options) (*model.Profile, error)
	// Validate reports every broken rule, grouped by kind. An error means that reading failed, not that the file is
	// invalid.
	Validate func(ctx context.Context, src *Source, report func(Violation)) error
}

// Dumper is a program that writes dumps of programs in a language.
type Dumper struct {
	Language string // as on the command line, "" for none
	Help     string // how to use it
	Source   []byte // read-only
}

// SniffLength is the number of bytes given to formats to recognize a file.
const SniffLength = 4096

// Detect returns the format with the highest confidence for src, the earlier one of equals. It waits for the first
// bytes of a pipe. An empty input returns [ErrEmpty], an unknown one [ErrUnknownFormat].
func Detect(src *Source, formats []Format) (Format, error) {
	head := make([]byte, SniffLength)
	least := len(head)
	if src.Followed() {
		least = 1 // it may stay short for long
	}
	n, err := src.ReadAtLeast(head, 0, least)
	if err != nil && !errors.Is(err, io.EOF) {
		return Format{}, fmt.Errorf("%s: %w", src.Path(), err)
	}
	if n == 0 {
		return Format{}, emptyError(src)
	}
	best, sure := Format{}, No
	for _, f := range formats {
		if c := f.Sniff(head[:n]); c > sure {
			best, sure = f, c
		}
	}
	if sure == No {
		if what := foreignKind(head[:n]); what != "" {
			return Format{}, fmt.Errorf("%s: %w: %s", src.Path(), ErrUnknownFormat, what)
		}
		return Format{}, unknownError(src, formats)
	}
	return best, nil
}

// emptyError distinguishes an empty file from a compressed one that could not be decompressed at all.
func emptyError(src *Source) error {
	if p := src.Problems(); len(p) > 0 {
		return fmt.Errorf("%s: %s", src.Path(), p[0].Message)
	}
	return fmt.Errorf("%s: %w", src.Path(), ErrEmpty)
}

func unknownError(src *Source, formats []Format) error {
	var known []string
	hint := ""
	for _, f := range formats {
		known = append(known, f.Name)
		for _, ext := range f.Extensions {
			if strings.EqualFold(filepath.Ext(src.Path()), ext) {
				hint = "; its name says " + f.Name + ", its content does not"
			}
		}
	}
	return fmt.Errorf("%s: %w (known: %s)%s", src.Path(), ErrUnknownFormat, strings.Join(known, ", "), hint)
}

// Symbols configures where code at addresses is looked up. The zero value searches this machine, and never the network.
type Symbols struct {
	Off     bool         // nothing is looked up
	Dirs    []string     // folders that are searched first
	Sysroot string       // folder with the recorded machine's files, "" for this machine's
	Names   NameCache    // stores results, nil for no store
	Fetcher DebugFetcher // fetches missing files, nil for no fetching
}

// DebugFetcher fetches files by build id. Kind is "debuginfo" or "executable". check is called with the path of the
// file; a file that it does not accept is not kept. The caller opens the file and calls done. fs.ErrNotExist reports
// that there is none.
type DebugFetcher interface {
	Fetch(ctx context.Context, buildID, kind string, check func(path string) error) (path string, done func(), err error)
}

// NameCache stores data about binaries between runs. Its keys are file names of letters, digits and dashes. It must
// return only what the user's own earlier run stored, as its contents are trusted.
type NameCache interface {
	Load(key string) ([]byte, error)
	Store(key string, data []byte) error
}
