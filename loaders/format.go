// Package loaders turns files into profiles of the model: what a format is, how one is recognized, where bytes come
// from. Each format is a folder of its own; loaders/all lists them. A loader never fails for damage after something
// usable: it reports a problem and goes on.
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

// FrameOrder says which end of a file's stacks is the leaf, where the format leaves that open.
type FrameOrder uint8

const (
	FrameOrderAuto FrameOrder = iota // by evidence
	LeafFirst
	RootFirst
)

// HeapSizes says where the sizes of objects come from, where a heap dump leaves that open.
type HeapSizes uint8

const (
	SizesAuto   HeapSizes = iota // distances between objects where those tell, else their layout
	SizesLayout                  // computed from fields and elements
)

// Options are the user's answers to what files leave open. The zero value decides everything by evidence.
type Options struct {
	FrameOrder FrameOrder

	// AllocatorFrames keeps the frames of the allocator itself, with which every stack of its profiles ends.
	AllocatorFrames bool
	Symbols         Symbols
	Unit            string // of weights that a file gives without one; "" where the user says nothing
	Sizes           HeapSizes
	Kept            sections.Keeper // where decoded snapshots stay for the next run; nil for nowhere
}

// Confidence says how sure a format is that a file is its own.
type Confidence uint8

const (
	No Confidence = iota
	Maybe
	Sure
)

// Violation is one broken rule of a format, or several of the same kind: then Offset and Line are those of the first.
type Violation struct {
	Rule     string // stable kebab-case name
	Severity model.Severity
	Message  string // may hold bytes of the file: clean it before printing
	Offset   int64  // after decompression, -1 when it has none
	Line     int64  // in text formats, 0 otherwise
	Count    int64  // at least 1
}

// Format is one file format. Its functions keep nothing between calls and may run on any goroutine.
type Format struct {
	Name       string   // of the command line's contract
	Summary    string   // for people, one line
	Extensions []string // with the dot; a hint for messages, never evidence

	// Records is what every file of the format has: model.FacetAllocations, FacetProfile or FacetTimeline. Where Heap
	// is set that says it; FacetNone where only reading a file tells.
	Records model.Facet

	// Heap says what heap snapshots of the format can be made of, for help and flags; nil where it has none. A file's
	// own schema is that of its [model.HeapSource].
	Heap *model.HeapSchema

	// Sizes says that Options.Sizes means something: files leave open where the sizes of objects come from.
	Sizes bool

	// Unit says that Options.Unit means something: files give weights without one.
	Unit bool
	// Addresses says that Options.Symbols means something: files hold addresses, and may leave open what stands there.
	Addresses bool
	// AllocatorFrames says that Options.AllocatorFrames means something.
	AllocatorFrames bool

	// Sniff judges the first bytes, at most [SniffLength] and fewer for short files, after decompression.
	Sniff func(head []byte) Confidence
	// Load publishes what it can as soon as it can: first a profile with Meta and sources, later the tables. It returns
	// when headers and tables are read and never decodes all events. The profile's sources read src until it is closed.
	Load func(ctx context.Context, src *Source, opt Options, store *model.Store) error
	// Info reads headers only. The profile has Meta and Problems and no facets.
	Info func(ctx context.Context, src *Source, opt Options) (*model.Profile, error)
	// Validate reports every broken rule, those of one kind together. An error means that reading failed, not the file.
	Validate func(ctx context.Context, src *Source, report func(Violation)) error
}

// SniffLength is how many bytes formats get to see for recognizing a file.
const SniffLength = 4096

// Detect returns the format that is surest of src, the earlier one of equals. It waits for the first bytes of a pipe.
// An empty input gives [ErrEmpty], an unknown one [ErrUnknownFormat].
func Detect(src *Source, formats []Format) (Format, error) {
	head := make([]byte, SniffLength)
	n, err := src.ReadAt(head, 0)
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

// emptyError tells an empty file from a compressed one of which nothing could be decompressed.
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

// Symbols says where the code at addresses is looked for. The zero value looks on this machine, and never asks the
// network.
type Symbols struct {
	Off     bool         // nothing is looked up
	Dirs    []string     // folders that are looked in first
	Sysroot string       // where the recorded machine's files lie, "" for this machine's own
	Names   NameCache    // keeps what was found, nil for nothing
	Fetcher DebugFetcher // gets files that are not there, nil for nothing
}

// DebugFetcher gets files by build id from elsewhere. Kind is "debuginfo" or "executable". What check, which is told
// where the file lies, does not accept is not kept. The caller opens the file and calls done. fs.ErrNotExist says that
// there is none.
type DebugFetcher interface {
	Fetch(ctx context.Context, buildID, kind string, check func(path string) error) (path string, done func(), err error)
}

// NameCache keeps what is known about binaries between runs. Its keys are file names of letters, digits and dashes.
// Whatever it returns must be what the user's own earlier run stored, as it is believed.
type NameCache interface {
	Load(key string) ([]byte, error)
	Store(key string, data []byte) error
}
