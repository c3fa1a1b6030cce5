package speedscope

import (
	"bytes"
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const formatName = "speedscope"

// Format returns the file format of speedscope.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "profiles of speedscope, which many profilers write",
		Extensions: []string{".speedscope.json", ".speedscope"},
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

// sniff looks for members that only these files have, in any order.
func sniff(head []byte) loaders.Confidence {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return loaders.No
	}
	has := func(text string) bool { return bytes.Contains(head, []byte(text)) }
	switch {
	case has(`speedscope.app/file-format-schema.json"`), has(`"speedscope@`) && has(`"exporter"`):
		return loaders.Sure
	case has(`"shared"`) && has(`"frames"`), has(`"profiles"`) && (has(`"evented"`) || has(`"sampled"`)):
		return loaders.Maybe
	}
	return loaders.No
}

func load(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
	r := newReader(ctx, src)
	err := r.read(store)
	return r.Finish(ctx, store, err == nil, err)
}

// info reads everything: names of profiles stand anywhere.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	r := newReader(ctx, src)
	var store model.Store
	if err := r.Finish(ctx, &store, true, r.read(nil)); err != nil {
		return nil, err
	}
	p := store.Current()
	p.Stacks, p.Weights = nil, nil
	return p, nil
}

func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	r := newReader(ctx, src)
	if err := r.read(nil); err != nil {
		return err
	}
	r.Report(report)
	return nil
}
