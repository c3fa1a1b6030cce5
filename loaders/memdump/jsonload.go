package memdump

import (
	"bytes"
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// JSON returns the JSON format.
func JSON() loaders.Format {
	return loaders.Format{
		Records:    model.FacetTimeline,
		Name:       jsonName,
		Summary:    "Memory Dump, JSON: measured curves with page layouts",
		Extensions: []string{".json"},
		Sniff:      sniffJSON,
		Load: func(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
			return loadJSON(ctx, src, store)
		},
		Info: func(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
			return infoJSON(ctx, src)
		},
		Validate: validateJSON,
	}
}

// sniffJSON recognizes an array of objects, or one object, that has a member of a series or none.
func sniffJSON(head []byte) loaders.Confidence {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if wide(head) {
		return loaders.Maybe
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	array := bytes.HasPrefix(text, []byte("["))
	if array {
		text = bytes.TrimLeft(text[1:], " \t\r\n")
	}
	switch {
	case array && (len(text) == 0 || text[0] == ']'):
		return loaders.Maybe
	case !bytes.HasPrefix(text, []byte("{")):
		return loaders.No
	case bytes.Contains(text, []byte(`"data"`)) && (bytes.Contains(text, []byte(`"timestamp"`)) || bytes.Contains(text, []byte(`"name"`))):
		return loaders.Sure
	}
	text = bytes.TrimLeft(text[1:], " \t\r\n")
	for _, name := range []string{`"id"`, `"name"`, `"color"`, `"visible"`, `"data"`, "}"} {
		if array && bytes.HasPrefix(text, []byte(name)) {
			return loaders.Maybe
		}
	}
	return loaders.No
}

func loadJSON(ctx context.Context, src *loaders.Source, store *model.Store) error {
	f, err := readJSON(ctx, src, false, nil)
	if err == nil {
		err = refuse(src, jsonName, len(f.a.series), f.found)
	}
	if err != nil {
		return err
	}
	p := assemble(describe(src, jsonName), f.a, jsonDecoder{src}, f.lost)
	p.Timeline.Points = points{src, func(ctx context.Context, to *sink) error {
		_, err := readJSON(ctx, src, false, to)
		return err
	}}
	store.Publish(p)
	return nil
}

// infoJSON counts the contents of small files; the beginning of large ones says nothing.
func infoJSON(ctx context.Context, src *loaders.Source) (*model.Profile, error) {
	if src.StoredSize() > 8*countable {
		return &model.Profile{Meta: describe(src, jsonName)}, nil
	}
	f, err := readJSON(ctx, src, false, nil)
	if err == nil {
		err = refuse(src, jsonName, len(f.a.series), f.found)
	}
	if err != nil {
		return nil, err
	}
	p := assemble(describe(src, jsonName), f.a, nil, f.lost)
	return &model.Profile{Meta: p.Meta, Problems: p.Problems, Lost: p.Lost}, nil
}

func validateJSON(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := readJSON(ctx, src, true, nil)
	if loaders.ReportRefusal(err, "", report) {
		return nil
	}
	if f == nil {
		return err
	}
	loaders.Report(f.found.list, report)
	return err
}
