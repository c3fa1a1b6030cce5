package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/check"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// LeakFlags select the leaks that make a check fail.
type LeakFlags struct {
	NoLeaks       arg.LeastLeak `optvalue:"SIZE" help:"Fail on leaks: findings of kind leak in traces, types that grow from snapshot to snapshot in heap snapshots, all leaks but those still reachable in leak reports. =SIZE ignores leaks smaller than that. --baseline and --suppressions name leaks to accept."`
	Baseline      string        `placeholder:"FILE" help:"With --no-leaks: the leaks in FILE are known, unless they grew to more than twice their bytes. FILE is what --write-baseline or report -f json wrote for an earlier run."`
	WriteBaseline string        `placeholder:"FILE" help:"Write the leaks of this run to FILE, for --baseline."`
	Suppressions  []string      `sep:"none" placeholder:"FILE" help:"With --no-leaks: accept the leaks that FILE names, in lines leak:pattern as for LeakSanitizer, or in blocks as for Valgrind. May be repeated."`
}

// Wanted reports whether leaks are checked.
func (f *LeakFlags) Wanted() bool { return f.NoLeaks.Given || f.WriteBaseline != "" }

// Gate is the content of the files in the flags about leaks.
type Gate struct {
	*LeakFlags
	rules accept.Rules
	notes []string
}

// Output is where a check writes, in addition to its verdict.
type Output struct {
	Note  func(text string) // prints a remark
	Write func(path string, write func(io.Writer) error) error
}

// maxAccepted is the maximum size of files of baselines and suppressions.
const maxAccepted = 256 << 20

// ReadGate reads the files that the flags name. Errors in them are usage errors.
func (f *LeakFlags) ReadGate() (*Gate, error) {
	if f.Baseline != "" && !f.NoLeaks.Given {
		return nil, fail.Usage(errors.New("--baseline works only with --no-leaks"))
	}
	if f.WriteBaseline == "-" {
		return nil, fail.Usage(errors.New("--write-baseline: standard output is for the verdict; name a file"))
	}
	if len(f.Suppressions) > 0 && !f.Wanted() {
		return nil, fail.Usage(errors.New("--suppressions works only with --no-leaks"))
	}
	g := &Gate{LeakFlags: f, rules: accept.Rules{Least: f.NoLeaks.Bytes}, notes: []string{}}
	if f.Baseline != "" {
		data, err := readAccepted(f.Baseline)
		if err != nil {
			return nil, err
		}
		if g.rules.Baseline, err = accept.ReadBaseline(f.Baseline, data); err != nil {
			return nil, fail.Usage(fmt.Errorf("--baseline: %w", err))
		}
	}
	for _, name := range f.Suppressions {
		data, err := readAccepted(name)
		if err != nil {
			return nil, err
		}
		s, err := accept.ReadSuppressions(name, string(data))
		if err != nil {
			return nil, fail.Usage(fmt.Errorf("--suppressions: %w", err))
		}
		g.rules.Suppressions = append(g.rules.Suppressions, s)
		if note := s.Note(); note != "" {
			g.notes = append(g.notes, note)
		}
	}
	return g, nil
}

// readAccepted reads a file of accepted leaks.
func readAccepted(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fail.Input(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAccepted+1))
	switch {
	case err != nil:
		return nil, fail.Input(err)
	case len(data) > maxAccepted:
		return nil, fail.Usage(fmt.Errorf("%s is larger than %s, the limit for lists of leaks", name, model.Bytes(maxAccepted)))
	}
	return data, nil
}

// leaks returns the leaks that a file has. Kinds of files that find none were refused before.
func (m *File) leaks(ctx context.Context) ([]accept.Leak, error) {
	switch kind.Of(m.Profile) {
	case kind.Heap:
		return m.heapLeaks(ctx)
	case kind.Stacks:
		if !accept.RecordsLeaks(m.Profile.Weights) {
			return nil, m.unanswered("no-leaks", "leak reports of sanitizers and memcheck do, as do traces")
		}
		return accept.OfReport(ctx, m.Profile, m.Libraries)
	}
	if status := m.Trace.Status(); status.FreesNever && status.Events > 0 {
		return nil, fail.Usage(fmt.Errorf("--no-leaks: %s records no frees, so it does not show what leaks", m.Profile.Meta.Name))
	}
	return accept.OfTrace(ctx, m.Trace, m.Profile, m.Libraries)
}

// Judge returns the leaks that are not accepted, and writes the baseline if requested. The result is nil if only that
// is.
func (g *Gate) Judge(ctx context.Context, m *File, out Output) (*check.Leaks, error) {
	for _, note := range g.notes {
		out.Note(model.Clean(note))
	}
	leaks, err := m.leaks(ctx)
	if err != nil {
		return nil, err
	}
	if g.WriteBaseline != "" {
		b, err := accept.NewBaseline(leaks, g.rules.Suppressions)
		if err == nil {
			err = out.Write(g.WriteBaseline, b.Write)
		}
		if err != nil {
			return nil, err
		}
		out.Note(model.Clean(g.WriteBaseline) + ": " + model.Counted(uint64(b.Len()), "known leak") + " written")
	}
	if !g.NoLeaks.Given {
		return nil, nil
	}
	result, err := g.rules.Judge(ctx, leaks)
	if err != nil {
		return nil, err
	}
	notes := g.notes
	if late, err := m.late(ctx, g.rules.Least); err != nil {
		return nil, err
	} else if late != "" {
		notes = append(slices.Clip(notes), late)
		out.Note(late)
	}
	return check.NewLeaks(&result, g.rules.Least, notes, m.Limit), nil
}

// latePart is the least part of the peak that a note is about.
const latePart = 10

// late returns a note about memory of a trace that grew during the run and was freed at its end, which is no leak; "" if
// that is less than least bytes, or little of the peak.
func (m *File) late(ctx context.Context, least uint64) (string, error) {
	if kind.Of(m.Profile) != kind.Trace {
		return "", nil
	}
	peak, _, err := m.Trace.Peak(ctx, analysis.FullRange)
	if err != nil {
		return "", err
	}
	list, err := m.Trace.Verdicts(ctx, analysis.ByStack, "")
	bytes, blocks := uint64(0), uint64(0)
	for i := range list {
		if v := &list[i]; v.Kind == verdict.Late {
			bytes, _ = model.SaturatingAdd(bytes, v.LateBytes)
			blocks += v.Late
		}
	}
	if err != nil || blocks == 0 || bytes < max(least, peak.Bytes/latePart) {
		return "", err
	}
	text := fmt.Sprintf("%v in %s grew during the run and were freed at its end, which is no leak: --max-growth limits growth",
		model.Bytes(bytes), model.Blocks(blocks))
	if m.Profile.Meta.Sampled != "" {
		text = model.AsEstimates(text)
	}
	return text, nil
}
