package uses

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/loaders"
)

// Input is a file on a command line: its name, its kind, and whether the command line selects a part of it as FILE#N.
type Input struct {
	Name     string
	Path     string // as the user names it
	Format   loaders.Format
	Numbered bool
}

// Check rejects flags that do not apply to a command, regardless of its input.
func Check(parsed *kong.Context) error {
	command := Path(parsed.Selected())
	for _, f := range given(parsed) {
		switch {
		case Means(command, f.Name) || !IsShared(parsed.Model, f) || harmless(f.Name):
		case command == "diff" && f.Name == "snapshot":
			return errors.New("diff: name the snapshots as BEFORE#0 AFTER#3, not with --snapshot")
		default:
			return fmt.Errorf("--%s: does not apply to %s; see memtui %[2]s --help", f.Name, command)
		}
	}
	return nil
}

// Possible rejects combinations of flags that do not apply to files of any kind. numbered reports that a file is named
// as FILE#N.
func Possible(parsed *kong.Context, numbered bool) error {
	if numbered && IsGiven(parsed, "snapshot") {
		return errors.New("--snapshot: FILE#N means the same: give one of them")
	}
	command := Path(parsed.Selected())
	sets := []kind.Set{traces, profiles, heaps, dumps}
	if pairs(command) {
		sets = append(sets, stacked)
	}
	var why error // another reason, which is more helpful than a wrong kind
	for _, of := range sets {
		if of&readBy(command) == 0 || numbered && of&(heaps|dumps) == 0 && (of == traces || !pairs(command)) {
			continue
		}
		wrong, err := refusal(parsed, of, numbered)
		if wrong == nil && err == nil {
			return nil
		}
		if err != nil {
			why = err
		}
	}
	if why != nil {
		return why
	}
	var last *kong.Flag
	all := readBy(command)
	for _, f := range given(parsed) {
		kinds := kindsOf(meant(command, f))
		if kinds == 0 {
			continue
		}
		if all&kinds == 0 && last != nil {
			return fmt.Errorf("--%s is for %s, --%s for %s: they do not apply to one file", last.Name,
				words(kindsOf(meant(command, last))), f.Name, words(kinds))
		}
		all, last = all&kinds, f
	}
	return nil
}

func words(of kind.Set) string { return strings.Join(of.Names(), " and ") }

// pairs reports whether a command reads two files, which may be a trace and a stack profile.
func pairs(command string) bool { return has("diff check open", command) }

// meant returns the uses of a flag for its value, or all uses if the value belongs to none.
func meant(command string, f *kong.Flag) (list []Use) {
	all := usesOf(command, f.Name)
	for _, u := range all {
		if u.Values == nil || slices.Contains(u.Values, fmt.Sprint(f.Target)) {
			list = append(list, u)
		}
	}
	return list
}

// refusal returns why the flags are rejected for files of these kinds: a flag that does not apply to them or, as the
// error, flags that do not apply together.
func refusal(parsed *kong.Context, of kind.Set, numbered bool) (wrong *kong.Flag, err error) {
	command := Path(parsed.Selected())
	for _, f := range given(parsed) {
		list := meant(command, f)
		switch known := len(usesOf(command, f.Name)) > 0; {
		case !known || harmless(f.Name):
			continue
		case kindsOf(list)&of == 0:
			return f, nil
		}
		needs := ""
		for _, u := range list {
			if u.Of&of == 0 {
				continue
			}
			if needs = u.With; satisfied(parsed, needs) {
				break
			}
		}
		if !satisfied(parsed, needs) {
			return nil, fmt.Errorf("--%s works only with %s", f.Name, alternatives(needs))
		}
	}
	if err := unmade(parsed, command, of); err != nil {
		return nil, err
	}
	chosen := func(name string) bool { return IsGiven(parsed, name) || name == "snapshot" && numbered }
	for _, c := range clashes() {
		if c.of&of == 0 || c.commands != "" && !has(c.commands, command) || !chosen(c.a) || !chosen(c.b) {
			continue
		}
		a := "--" + c.a
		if !IsGiven(parsed, c.a) {
			a = "FILE#N"
		}
		return nil, fmt.Errorf("%s and --%s cannot be combined: %s", a, c.b, c.why)
	}
	return nil, nil
}

// unmade rejects values that select the output of another flag which is not given.
func unmade(parsed *kong.Context, command string, of kind.Set) error {
	for _, n := range needs() {
		if n.of&of == 0 || n.command != command || !IsGiven(parsed, n.flag) {
			continue
		}
		values := map[string]string{}
		for _, f := range parsed.Flags() { // including values from settings
			if f.Name == n.flag || f.Name == n.other && f.Target.String() != f.Default {
				values[f.Name] = f.Target.String()
			}
		}
		if values[n.flag] == n.value && values[n.other] == "" {
			return fmt.Errorf("--%s %s needs --%s", n.flag, n.value, n.other)
		}
	}
	return nil
}

// satisfied reports whether one of the flags that another needs is given, with its value if it needs that.
func satisfied(parsed *kong.Context, needs string) bool {
	return needs == "" || slices.ContainsFunc(strings.Fields(needs), func(need string) bool {
		name, value, valued := strings.Cut(need, "=")
		return slices.ContainsFunc(given(parsed), func(f *kong.Flag) bool {
			return f.Name == name &&
				(!valued || f.Target.String() == value)
		})
	})
}

// alternatives returns the names of the flags, one of which another flag needs.
func alternatives(needs string) string {
	list := strings.Fields(needs)
	for i, need := range list {
		list[i] = "--" + strings.Replace(need, "=", " ", 1)
	}
	return strings.Join(list, " or ")
}

// Fits rejects flags that do not apply to files, by their formats alone, and resets such settings. formats are those
// that files may have. For two files that are compared a flag must apply to one.
func Fits(parsed *kong.Context, formats []loaders.Format, files ...Input) error {
	if parsed == nil {
		return nil
	}
	command, of, numbered := Path(parsed.Selected()), kind.Set(0), false
	for _, in := range files {
		k := kind.OfFormat(in.Format)
		if k == kind.None {
			return nil
		}
		if reads := readBy(command); !reads.Has(k) {
			return fmt.Errorf("%s holds no %s: its format is %s", in.Name,
				map[kind.Set]string{heaps: "heap snapshots", dumps: "page layouts"}[reads], in.Format.Name)
		}
		if in.Numbered && !numberable(command, k, len(files)) {
			return fmt.Errorf("%s holds no heap snapshots: its format is %s", in.Name, in.Format.Name)
		}
		of, numbered = of|1<<k, numbered || in.Numbered
	}
	wrong, err := refusal(parsed, of, numbered)
	if wrong != nil {
		return fmt.Errorf("--%s: %s", wrong.Name, unfit(command, wrong, files[0]))
	}
	if err != nil {
		return err
	}
	if err := idle(parsed, formats, files); err != nil {
		return err
	}
	return forget(parsed, of)
}

// particular lists flags that apply only to inputs of some formats of a kind, whose files leave something open.
var particular = []struct {
	flag  string
	about func(*loaders.Format) bool
	why   string // after the name of a file of another format
}{
	{"frame-order", func(f *loaders.Format) bool { return f.FrameOrder }, "states the order of its frames"},
	{"sizes", func(f *loaders.Format) bool { return f.Sizes != "" }, "states the sizes of its objects"},
	{"unit", func(f *loaders.Format) bool { return f.Unit }, "states the unit of its weights"},
	{"symbols", addresses, named}, {"sysroot", addresses, named}, {"debuginfod", addresses, named}, {"no-symbols", addresses, named},
	{"allocator-frames", func(f *loaders.Format) bool { return f.AllocatorFrames }, "has no frames that memtui leaves out"},
}

const named = "names its functions itself"

func addresses(f *loaders.Format) bool { return f.Addresses }

// idle rejects flags that apply to no file of the command line.
func idle(parsed *kong.Context, formats []loaders.Format, files []Input) error {
	if len(files) == 0 {
		return nil
	}
	for _, p := range particular {
		if IsGiven(parsed, p.flag) && !slices.ContainsFunc(files, func(in Input) bool { return p.about(&in.Format) }) {
			return fmt.Errorf("--%s: %s %s; the flag is for %s", p.flag, files[0].Name, p.why, formatsWith(formats, p.about))
		}
	}
	if IsGiven(parsed, "insecure") && Path(parsed.Selected()) != "fleet add" && !slices.ContainsFunc(files, func(in Input) bool { return strings.HasPrefix(in.Path, "https://") }) {
		return fmt.Errorf("--insecure: %s is not fetched; the flag is for URLs that begin with https://", files[0].Name)
	}
	return nil
}

// formatsWith returns the names of the formats that a flag applies to.
func formatsWith(formats []loaders.Format, about func(*loaders.Format) bool) string {
	var names []string
	for i := range formats {
		if about(&formats[i]) {
			names = append(names, formats[i].Name)
		}
	}
	if len(names) == 1 {
		return "the format " + names[0]
	}
	return "the formats " + strings.Join(names, ", ")
}

// forget resets the flags that do not apply to files of these kinds: their values came from settings.
func forget(parsed *kong.Context, of kind.Set) error {
	command := Path(parsed.Selected())
	for _, f := range parsed.Flags() {
		if list := usesOf(command, f.Name); len(list) == 0 || kindsOf(list)&of != 0 || harmless(f.Name) {
			continue
		}
		if err := f.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// numberable reports whether FILE#N is meaningful: in comparisons windows have numbers, too. The message of diff about
// traces is clearer.
func numberable(command string, k kind.Kind, files int) bool {
	return (heaps | dumps).Has(k) || command == "diff" || k == kind.Stacks && (command == "check" || files > 1)
}

// meantBy returns the available values, and the one that is near. If the value is a table's heading in reports, that is
// that table.
func meantBy(f *kong.Flag, tables []string) string {
	if f.Name == "table" {
		if name := TableHeaded(f.Target.String(), tables); name != "" {
			return "; did you mean " + name + "? Available: " + strings.Join(tables, ", ")
		}
	}
	return near.Available(f.Target.String(), tables)
}

// values returns the values of a flag that apply to a file.
func (in Input) values(u Use) []string {
	return slices.DeleteFunc(slices.Clone(u.Values), func(value string) bool {
		return u.Flag == "table" && value == report.CurvesTable && kind.OfFormat(in.Format) == kind.Stacks && !in.Format.Curves
	})
}

// unfit returns why a flag does not apply to a file.
func unfit(command string, f *kong.Flag, in Input) string {
	name, k := in.Name, kind.OfFormat(in.Format)
	for _, u := range usesOf(command, f.Name) {
		if u.Of.Has(k) && u.Values != nil {
			return fmt.Sprintf("unknown %s %q for %s (%s)%s", f.Name, f.Target.String(), k, name, meantBy(f, in.values(u)))
		}
	}
	switch flag := f.Name; {
	case k == kind.Stacks && flag == "min-age":
		return "a stack profile does not record how old blocks are"
	case k == kind.Trace && flag == "window":
		return name + " has no windows; --from and --to choose a range"
	case k == kind.Dump && flag == "by":
		return "only report --table and pages sort tables of memory dumps"
	case k == kind.Heap && has("from to", flag):
		return "heap tables show one snapshot; choose it with --snapshot or --at"
	case has("no-leaks baseline write-baseline suppressions", flag):
		return "only traces, leak reports and files of heap snapshots show what leaks, and " + name + " is not one of these"
	case flag == "cell":
		return name + " holds no blocks"
	case slices.ContainsFunc(steps(), func(u Use) bool { return u.Flag == flag }) || has("window group match depth", flag):
		return name + " is neither a trace nor a stack profile"
	case has("snapshot table", flag):
		return name + " holds no heap snapshots: it is " + k.String()
	}
	return fmt.Sprintf("does not apply to %s (%s)", k, name)
}
