package v8profile

import (
	"bytes"
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const (
	heapName = "v8-heapprofile"
	cpuName  = "v8-cpuprofile"
)

// Heap returns the format of sampling heap profiles.
func Heap() loaders.Format {
	return format(heapName, "sampling heap profiles of V8 (Node.js, Chrome, Deno)", ".heapprofile")
}

// CPU returns the format of CPU profiles.
func CPU() loaders.Format {
	return format(cpuName, "CPU profiles of V8 (Node.js, Chrome, Deno)", ".cpuprofile")
}

func format(name, summary, extension string) loaders.Format {
	return loaders.Format{
		Name: name, Summary: summary, Extensions: []string{extension},
		Sniff: func(head []byte) loaders.Confidence { return sniff(head, name) },
		Load: func(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
			r := newReader(ctx, src, name)
			err := r.read(store)
			return r.Finish(ctx, store, err == nil, err)
		},
		Info: func(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
			r := newReader(ctx, src, name)
			var store model.Store
			if err := r.Finish(ctx, &store, true, r.read(nil)); err != nil {
				return nil, err
			}
			p := store.Current()
			p.Stacks, p.Weights = nil, nil
			return p, nil
		},
		Validate: func(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
			r := newReader(ctx, src, name)
			if err := r.read(nil); err != nil {
				return err
			}
			r.Report(report)
			return nil
		},
	}
}

// sniff looks for the members of nodes, in a file that begins as these do.
func sniff(head []byte, name string) loaders.Confidence {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	i := json.Blank(head, 0)
	if i == len(head) || head[i] != '{' {
		return loaders.No
	}
	has := func(member string) bool { return bytes.Contains(head, []byte(`"`+member+`"`)) }
	first := false
	for _, member := range []string{"head", "nodes", "samples", "timeDeltas", "startTime", "endTime", "title", "typeId", "uid", "timestamps"} {
		first = first || bytes.HasPrefix(head[json.Blank(head, i+1):], []byte(`"`+member+`"`))
	}
	heap := has("selfSize")
	cpu := !heap && (has("hitCount") || has("timeDeltas") || has("callFrame") && has("nodes") || has("positionTicks"))
	switch {
	case !first || !heap && !cpu || heap != (name == heapName):
		return loaders.No
	case has("callFrame") || has("functionName"):
		return loaders.Sure
	}
	return loaders.Maybe
}
