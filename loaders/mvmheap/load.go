package mvmheap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	formatName = "mvmheap"
	magicStem  = "MoarHeapDumpv"
	magic      = magicStem + "003" // of the newest version; all have the same length
)

// Format returns the .mvmheap format, versions 2 and 3.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "MoarVM heap snapshots: every object of a Raku program, and what refers to it",
		Extensions: []string{".mvmheap"},
		Heap:       Schema(),
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

func sniff(head []byte) loaders.Confidence {
	switch {
	case bytes.HasPrefix(head, []byte(magicStem)), textual(head):
		return loaders.Sure
	case len(head) > 4 && strings.HasPrefix(magic, string(head)):
		return loaders.Sure // cut within its magic bytes
	}
	return loaders.No
}

// textual recognizes version 1.
func textual(head []byte) bool {
	for bytes.HasPrefix(head, []byte("#")) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
	for _, word := range []string{"strings: [", "static_frames: ", "snapshot 0\n", "collectables: "} {
		if bytes.HasPrefix(head, []byte(word)) {
			return true
		}
	}
	return false
}

// Reasons why a file is useless as a whole.
var (
	errMagic   = errors.New("the file does not begin with " + magicStem)
	errVersion = errors.New("only versions 2 and 3 can be read")
	errTextual = errors.New("this is version 1, a text format of 2016 and 2017; only versions 2 and 3 can be read")
	errNothing = errors.New("the file holds no snapshot: its recorder crashed or was killed while it wrote the first one")
)

// open finds the snapshots of a file.
func open(ctx context.Context, src *loaders.Source) (*file, *window, error) {
	w, err := newWindow(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	f := &file{src: src, size: w.size, large: maxLarge}
	if f.version, err = f.readMagic(w); err != nil {
		return nil, nil, err
	}
	if f.version == 2 {
		err = (&walker2{f: f, w: w}).walk()
	} else if err = f.find(w); err == nil {
		err = f.readMeta(w)
	}
	if err == nil && len(f.snaps) == 0 {
		err = f.refuse(w.size, "", errNothing)
	}
	if err != nil {
		return nil, nil, err
	}
	f.tables.init(f)
	return f, w, nil
}

func (f *file) readMagic(w *window) (version int, err error) {
	head := bytes.Clone(w.peek(0, loaders.SniffLength))
	switch {
	case w.err != nil:
		return 0, w.err
	case textual(head):
		return 0, f.refuse(0, "version", errTextual)
	case len(head) < len(magic) && strings.HasPrefix(magic, string(head)):
		return 0, f.refuse(int64(len(head)), "magic", errNothing)
	case len(head) < len(magic) || !bytes.HasPrefix(head, []byte(magicStem)):
		return 0, f.refuse(0, "magic", errMagic)
	}
	switch string(head[:len(magic)]) {
	case magic:
		return 3, nil
	case magicStem + "002":
		return 2, nil
	}
	return 0, f.refuse(int64(len(magicStem)), "version", fmt.Errorf("version %q: %w", head[len(magicStem):len(magic)], errVersion))
}

// find finds the snapshots of a file of version 3: through its tables of contents, or else from the beginning.
func (f *file) find(w *window) error {
	err := f.readOuter(w)
	if w.err != nil {
		return w.err
	}
	if err == nil {
		return nil
	}
	r := walker{f: f, w: w}
	if walkErr := r.walk(); walkErr != nil {
		return walkErr
	}
	var bad *errTOC
	if r.clean && errors.As(err, &bad) {
		f.problem(model.Error, "toc", bad.offset, "%v; the file was read from the start instead", bad)
	}
	return nil
}

// load publishes the file once: everything else is read on request.
func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	f, _, err := open(ctx, src)
	if err != nil {
		return err
	}
	for i := range f.snaps {
		if s := &f.snaps[i]; !s.complete && !f.explained() {
			f.problem(model.Error, "row-count", s.first(), "snapshot %d lacks some of its columns", i)
		}
	}
	f.kept = opt.Kept
	f.state.Publish(store, &model.Profile{
		Meta: f.describe(), Heaps: f, Problems: f.problems, Lost: f.lost, Complete: !f.explained() && f.lost == 0,
	})
	return nil
}

// explained reports whether an error was found already.
func (f *file) explained() bool {
	for _, p := range f.problems {
		if p.Severity == model.Error {
			return true
		}
	}
	return false
}
