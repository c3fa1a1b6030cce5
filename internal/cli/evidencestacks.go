package cli

import (
	"context"
	"io"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/evidence"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/model"
)

// stackFile is a file of folded stacks: what weighs them, and how a command says that.
type stackFile struct {
	name, about string
	by          string // as --by takes it
}

// stackFiles are the files of folded stacks that evidence about src has.
func stackFiles(src *html.Source) []stackFile {
	if src.Selection != nil {
		metric := src.Selection.Profile.Metrics[src.Selection.Metric].Name
		if weights.NoSum(metric) {
			return nil
		}
		return []stackFile{{name: "stacks.folded", about: "stacks by " + model.Clean(metric), by: metric}}
	}
	if src.Trace == nil {
		return nil
	}
	return []stackFile{
		{"stacks-allocated.folded", "bytes allocated, by stack", "alloc_bytes"}, {"stacks-live.folded", "bytes live at the instant, by stack", "live_bytes"},
		{"stacks-leaked.folded", "bytes never freed, by stack", "leaked_bytes"},
	}
}

// stackParts are the folded stacks of a trace or a stack profile.
func stackParts(src *html.Source) []evidence.Part {
	var out []evidence.Part
	for _, f := range stackFiles(src) {
		out = append(out, evidence.Part{Name: f.name, About: f.about + ", root first", Write: func(ctx context.Context, w io.Writer) ([]string, error) {
			stacks, err := f.stacks(ctx, src)
			if err != nil {
				return nil, err
			}
			lost, err := export.WriteFolded(ctx, w, stacks)
			var cut []string
			for _, l := range lost {
				cut = append(cut, l.What)
			}
			return cut, err
		}})
	}
	return out
}

func (f stackFile) stacks(ctx context.Context, src *html.Source) (*export.Stacks, error) {
	if s := src.Selection; s != nil {
		return export.ProfileStacks(ctx, src.Profile, []*weights.ProfileSelection{s}, 0, model.NoTime, model.NoTime)
	}
	return export.TraceStacks(ctx, src.Profile, src.Trace, export.TraceOptions{At: src.At, Range: src.Range, By: f.by})
}
