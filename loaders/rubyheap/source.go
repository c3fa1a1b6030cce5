package rubyheap

import (
	"bytes"
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

const formatName = "ruby-heap"

// Format returns the format of Ruby's heap dumps.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "Ruby heap dumps of ObjectSpace.dump_all: every object, what refers to it, and where it was allocated",
		Extensions: []string{".json", ".ndjson", ".dump"},
		Heap:       newSchema(),
		Sniff:      sniff,
		Load:       objects.Load(open),
		Info:       objects.Info(open),
		Validate:   validate,
	}
}

// sniff searches for lines of the dump, which output of the program may precede.
func sniff(head []byte) loaders.Confidence {
	whole := len(head) < loaders.SniffLength
	for first := true; len(head) > 0; first = false {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if isLine(line, ended || whole) {
			if first {
				return loaders.Sure
			}
			return loaders.Maybe
		}
		head = rest
	}
	return loaders.No
}

// isLine reports whether a line is one of a dump, judging by its beginning.
func isLine(line []byte, ended bool) bool {
	line = bytes.ReplaceAll(line[:min(len(line), 200)], []byte(" "), nil)
	if bytes.HasPrefix(line, []byte(`{"type":"ROOT","root":"`)) {
		return true
	}
	rest, ok := bytes.CutPrefix(line, beginObject)
	if !ok {
		return false
	}
	n := 0
	for n < len(rest) && n <= 16 && (rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'a' && rest[n] <= 'f') {
		n++
	}
	if n == 0 || n > 16 {
		return false
	}
	name, ok := bytes.CutPrefix(rest[n:], []byte(`","type":"`))
	if !ok {
		return false
	}
	word, _, _ := bytes.Cut(name, []byte(`"`))
	_, known := kindOf(word)
	return known || ended && (string(word) == "SHAPE" || string(word) == "NONE" || string(word) == "ZOMBIE" || string(word) == "MOVED")
}

// file is an open file.
type file struct{ *objects.File }

func open(ctx context.Context, src *loaders.Source) (*file, error) {
	f, err := objects.Open(ctx, src, objects.Form{Schema: &schema, Kinds: objects.Kinds{Group: kindGroup}, Start: newPass})
	if err != nil {
		return nil, err
	}
	return &file{f}, nil
}

// Describe implements [objects.Dumped].
func (f *file) Describe() model.Meta {
	return model.Meta{Path: f.Src.Path(), Name: f.Src.Name(), Format: formatName, Version: model.NoVersion,
		Size: f.Src.StoredSize(), Outer: f.Src.Outer()}
}

func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := open(ctx, src)
	if err != nil {
		return err
	}
	return f.Validate(ctx, report)
}
