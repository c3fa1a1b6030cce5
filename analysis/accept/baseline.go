package accept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

// schemaBaseline is the name of the object that holds known leaks.
const schemaBaseline = "memtui.baseline/1"

const (
	// GrownTimes is the factor by which a known leak may exceed its bytes in the baseline: one with more fails like a
	// new one.
	GrownTimes = 2
	// maxFrames is the number of frames of a stack that are compared, from the leaf: recorders cut deep ones at about
	// as many.
	maxFrames = 128
	// maxKnown is the maximum number of stacks in a baseline.
	maxKnown = 10_000
	// maxName is the number of bytes of a name that are compared.
	maxName = 1 << 10
)

// Baseline is the leaks of an earlier run.
type Baseline struct {
	name    string
	entries []known
	byStack map[string]int // entry by owner and stack
	byOwner map[string]int // entry by owner
}

// known is one leak. Names are as [stable] returns them.
type known struct {
	Owner  string     `json:"owner"`
	Bytes  uint64     `json:"bytes"`
	Count  uint64     `json:"count"`
	Stacks [][]string `json:"stacks"` // functions, leaf first
	any    bool       // it has other stacks that are not listed
	used   bool
}

// grew reports whether a leak has grown so much that it fails.
func grew(before, now uint64) bool {
	return now/GrownTimes > before || now/GrownTimes == before && now%GrownTimes > 0
}

// NewBaseline returns the leaks of a file as a baseline, except those that suppressions accept.
func NewBaseline(leaks []Leak, suppressions []*Suppressions) (*Baseline, error) {
	b := &Baseline{}
	total := 0
	for i := range leaks {
		l := &leaks[i]
		k := known{Owner: stable(l.Owner)}
		for j := range l.Sites {
			s := &l.Sites[j]
			if slices.ContainsFunc(suppressions, func(list *Suppressions) bool { return list.match(s.Frames) }) {
				continue
			}
			if total++; total > maxKnown {
				return nil, fmt.Errorf("more than %s stacks leak: too many for a baseline", model.Group(maxKnown))
			}
			k.Bytes, _ = model.SaturatingAdd(k.Bytes, s.Bytes)
			k.Count += s.Count
			k.Stacks = append(k.Stacks, stableStack(s.Frames))
		}
		if len(k.Stacks) > 0 {
			b.add(k)
		}
	}
	return b, nil
}

// add adds a leak, to the entry of its owner if there is one.
func (b *Baseline) add(k known) {
	if b.byStack == nil {
		b.byStack, b.byOwner = map[string]int{}, map[string]int{}
	}
	e, ok := b.byOwner[k.Owner]
	if !ok {
		e = len(b.entries)
		b.byOwner[k.Owner] = e
		b.entries = append(b.entries, known{Owner: k.Owner})
	}
	x := &b.entries[e]
	x.any = x.any || k.any
	x.Bytes, _ = model.SaturatingAdd(x.Bytes, k.Bytes)
	x.Count, _ = model.SaturatingAdd(x.Count, k.Count)
	for _, stack := range k.Stacks {
		key := stackKey(k.Owner, stack)
		if _, twice := b.byStack[key]; !twice {
			b.byStack[key] = e
			x.Stacks = append(x.Stacks, stack)
		}
	}
}

// Len returns the number of leaks.
func (b *Baseline) Len() int { return len(b.entries) }

// Write writes the baseline as JSON that is readable and suited for line diffs: one line per stack.
func (b *Baseline) Write(w io.Writer) error {
	out := struct {
		Schema string  `json:"schema"`
		Leaks  []known `json:"leaks"`
	}{schemaBaseline, append([]known{}, b.entries...)}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// find returns the entry that matches a stack of an owner, or a negative number.
func (b *Baseline) find(owner model.Frame, stack iter.Seq[model.Frame]) int {
	name := stable(owner)
	e, ok := b.byStack[stackKey(name, stableStack(stack))]
	if !ok {
		if e, ok = b.byOwner[name]; !ok || !b.entries[e].any {
			return -1
		}
	}
	b.entries[e].used = true
	return e
}

func stackKey(owner string, stack []string) string { return owner + "\n" + strings.Join(stack, "\n") }

// stableStack returns the functions of a stack, leaf first.
func stableStack(stack iter.Seq[model.Frame]) []string {
	out := []string{}
	for f := range stack {
		if out = append(out, stable(f)); len(out) == maxFrames {
			break
		}
	}
	return out
}

// stable returns a frame's name in a form that survives rebuilding the program: without lines, addresses and suffixes
// of compilers. A frame without a function has the name of its file.
func stable(f model.Frame) string {
	name := f.Function
	if name == "" && f.File != "" {
		name = "(" + path.Base(f.File) + ")"
	}
	return stableName(name)
}

func stableName(name string) string {
	name = model.Matched(name)
	for _, preset := range []string{"addresses", "hashes"} {
		if m, err := diff.ParseMask(preset); err == nil {
			name = m.Apply(name)
		}
	}
	name = strings.ToValidUTF8(name[:min(len(name), maxName)], "\ufffd")
	if name == "" {
		return "?"
	}
	return strings.ReplaceAll(name, "\n", " ")
}

// ReadBaseline reads a baseline, or a report of a trace as JSON. name is that of the file.
func ReadBaseline(name string, data []byte) (*Baseline, error) {
	var head struct {
		Schema string  `json:"schema"`
		Leaks  []known `json:"leaks"`
		Trace  *struct {
			Findings []reported `json:"findings"`
			reportedSites
		} `json:"trace"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, located(name, data, err)
	}
	b := &Baseline{name: name}
	switch {
	case head.Schema == schemaBaseline:
		for _, k := range head.Leaks {
			k.Owner, k.any = stableName(k.Owner), k.Stacks == nil // as people may write it
			for _, stack := range k.Stacks {
				for i, f := range stack {
					stack[i] = stableName(f)
				}
			}
			b.add(k)
		}
	case head.Schema == "memtui.report/1" && head.Trace != nil && head.Trace.Findings != nil:
		frames := head.Trace.byID()
		for i := range head.Trace.Findings {
			if f := &head.Trace.Findings[i]; f.Kind == "leak" {
				b.add(f.known(frames))
			}
		}
	case head.Schema == "":
		return nil, fmt.Errorf("%s is not a baseline, as it has no \"schema\": write one with check --write-baseline", name)
	default:
		return nil, fmt.Errorf("%s is not a baseline, but %q: write one with check --write-baseline, or a report of a trace with report -f json", name, head.Schema)
	}
	return b, nil
}

// located adds the line of an error in JSON.
func located(name string, data []byte, err error) error {
	offset := int64(math.MaxInt64)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		offset = syntax.Offset
	}
	if typ := (*json.UnmarshalTypeError)(nil); errors.As(err, &typ) {
		offset = typ.Offset
	}
	if offset > int64(len(data)) {
		return fmt.Errorf("%s: %w", name, err)
	}
	line := 1 + strings.Count(string(data[:offset]), "\n")
	return fmt.Errorf("%s: line %d: %w", name, line, err)
}

// reported is a finding of a report.
type reported struct {
	Kind   string        `json:"kind"`
	Owner  reportedFrame `json:"owner"`
	Stacks []uint64      `json:"stacks"`
	Bytes  uint64        `json:"bytes"`
	Count  uint64        `json:"count"`
}

type reportedFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
}

func (f reportedFrame) frame() model.Frame { return model.Frame{Function: f.Function, File: f.File} }

// reportedSites are the tables of a report that have the frames of stacks.
type reportedSites struct {
	Sites     []reportedSite `json:"sites"`
	LiveSites []reportedSite `json:"live_sites"`
	PeakSites []reportedSite `json:"peak_sites"`
	Leaks     struct {
		Sites []reportedSite `json:"sites"`
	} `json:"leaks"`
}

type reportedSite struct {
	Stack  uint64           `json:"stack"`
	Frames *[]reportedFrame `json:"frames"`
}

// byID returns the frames of all stacks that have any.
func (r *reportedSites) byID() map[uint64][]string {
	out := map[uint64][]string{}
	for _, table := range [][]reportedSite{r.Sites, r.LiveSites, r.PeakSites, r.Leaks.Sites} {
		for _, s := range table {
			if s.Frames == nil {
				continue
			}
			stack := []string{}
			for _, f := range (*s.Frames)[:min(len(*s.Frames), maxFrames)] {
				stack = append(stack, stable(f.frame()))
			}
			out[s.Stack] = stack
		}
	}
	return out
}

// known returns a finding as an entry. If the report was limited to few rows, some stacks are missing: then all stacks
// of the owner are known.
func (f *reported) known(frames map[uint64][]string) known {
	k := known{Owner: stable(f.Owner.frame()), Bytes: f.Bytes, Count: f.Count}
	for _, id := range f.Stacks {
		if stack, ok := frames[id]; ok {
			k.Stacks = append(k.Stacks, stack)
		} else {
			k.any = true
		}
	}
	return k
}
