package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// target is a file as the user names it, and the snapshot selected in it, nil for none.
type target struct {
	path     string
	snapshot *int
	numbered bool // the name has the number
}

// target splits FILE#N, unless a file has that very name. Without a number in the name, --snapshot applies.
func (a *app) target(name string) target {
	path, number, ok := arg.CutLast(name, '#')
	if n, err := strconv.Atoi(number); ok && err == nil {
		if _, err := os.Lstat(name); err != nil {
			return target{path, &n, true}
		}
	}
	return target{name, a.flags.Snapshot, false}
}

// numbered reports whether a command line names a file as FILE#N.
func (a *app) numbered(command *kong.Node) bool {
	for _, p := range command.Positional {
		switch names := p.Target.Interface().(type) {
		case string:
			if a.target(names).numbered {
				return true
			}
		case []string:
			if slices.ContainsFunc(names, func(name string) bool { return a.target(name).numbered }) {
				return true
			}
		}
	}
	return false
}

// snapshot returns the number of the snapshot that the user selects: by number, from the end, or by an instant. The
// default is the last complete one. ok is false if there is none and the user selects none.
func (a *app) snapshot(p *model.Profile, asked *int) (n int, ok bool, err error) {
	count := p.Heaps.Len()
	if asked == nil && a.flags.At.Given() {
		n, err := a.snapshotAt(p)
		return n, err == nil, err
	}
	if asked == nil {
		n := report.LastCompleteSnapshot(p.Heaps)
		return n, n >= 0, nil
	}
	n = *asked
	if n < 0 {
		n += count
	}
	if n < 0 || n >= count {
		return 0, false, fail.Usage(fmt.Errorf("%s has no snapshot %d: it has %d, counted from 0", p.Meta.Name,
			*asked, count))
	}
	return n, true, nil
}

// snapshotAt returns the last complete snapshot at or before --at. The peak is the largest one.
func (a *app) snapshotAt(p *model.Profile) (int, error) {
	largest, last, most := model.NoTime, model.NoTime, model.NoCount
	for i := range p.Heaps.Len() {
		info := p.Heaps.Info(i)
		last = max(last, info.Time)
		if info.Complete && info.Bytes > most {
			largest, most = info.Time, info.Bytes
		}
	}
	if last == model.NoTime {
		return 0, fail.Usage(fmt.Errorf("--at: %s does not record when its snapshots were taken; use --snapshot", p.Meta.Name))
	}
	at, err := arg.TimeIn(a.flags.At, model.Axis{End: last, Peak: largest})
	if err != nil {
		return 0, err
	}
	for i := p.Heaps.Len() - 1; i >= 0; i-- {
		if info := p.Heaps.Info(i); info.Complete && info.Time != model.NoTime && info.Time <= at {
			return i, nil
		}
	}
	return 0, fail.Usage(fmt.Errorf("--at: %s has no complete snapshot up to %s", p.Meta.Name, at))
}

// edges returns the edge policy that flags select, among those of the file's snapshots.
func (a *app) edges(p *model.Profile) (heapgraph.Policy, error) {
	s := p.Heaps.Schema()
	if a.flags.Edges == "" {
		return 0, nil
	}
	if i, ok := s.PolicyNamed(a.flags.Edges); ok {
		return heapgraph.Policy(i), nil
	}
	var names []string
	for i := range s.Policies {
		names = append(names, s.Policies[i].Name)
	}
	return 0, fail.Usage(fmt.Errorf("--edges: %s has no policy %q; available: %s", p.Meta.Name, a.flags.Edges,
		strings.Join(names, ", ")))
}
