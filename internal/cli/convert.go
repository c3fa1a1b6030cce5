package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/output"
	"github.com/memtui/memtui/model"
)

type convertCmd struct {
	File []string `arg:"" help:"A file to read, or - for standard input, then the file to write; an existing one is replaced. Its suffix chooses the format, unless --to names it. None, or -, is standard output. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`

	Output   string `short:"o" placeholder:"FILE" help:"The file to write, instead of OUT: all others are read."`
	Samples  bool   `help:"For traces written as .spaa: also write a sample for every allocation, with its time."`
	Compress string `enum:"blocks," default:"" placeholder:"HOW" help:"blocks: compress in blocks of 64 KiB with a table of them, so that memtui reads any part without decompressing the rest: with zstd or, if OUT ends in .lz4, with LZ4."`
	Table    string `enum:"types,frames,dominators," default:"" placeholder:"NAME" help:"For heap snapshots: types (the default), frames, or dominators, the complete tree."`
	arg.CutFlags
	arg.StepFlags
}

// Help returns the table of targets, and the flags that select figures.
func (c *convertCmd) Help() string {
	var out strings.Builder
	out.WriteString("OUT can be:\n\n")
	for _, t := range targets() {
		fmt.Fprintf(&out, "  %-12s  %-29s  %s\n", t.name, strings.Join(t.suffixes, " "), t.what)
	}
	return out.String() + "\nEach may be compressed: append .gz, .zst or .lz4 to the suffix. Stacks come from traces and stack profiles. For traces --by chooses their weight: " + strings.Join(export.TraceMetrics(), ", ") +
		". Live figures are those at --at (then live_bytes is the default), the others those from --from to --to; leaks are at least --min-age old. " +
		"For profiles --by is any metric of --event; over a range the weights are those of its samples. " +
		"A part of a trace is the range from --from to --to and, within it, the blocks that --function through --thread select; blocks live at --from are kept. " +
		"--to may be given twice, for the format and for the end of the range. Every row is written, whatever --limit is."
}

// misplaced returns why --from or --to is not what a command takes there, nil if it is: convert takes formats, too.
func misplaced(g *globals, command string) error {
	if command == "fleet" {
		return nil
	}
	if err := g.From.NoTime(); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	for _, word := range g.To.Words {
		switch isFormat := formatNamed(word) != ""; {
		case isFormat && command != "convert":
			return fmt.Errorf("--to: invalid time %q; only convert takes a format there", formatNamed(word))
		case !isFormat:
			return fmt.Errorf("--to: %w; convert also takes a format here: see memtui convert --help", g.To.NoTime())
		}
	}
	return nil
}

// formatNamed returns the format of convert that a word names, "" for none.
func formatNamed(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if slices.ContainsFunc(targets(), func(t format) bool { return t.name == word }) {
		return word
	}
	return ""
}

// format is an output format of convert.
type format struct {
	name     string   // its name for --to
	suffixes []string // of OUT, the usual one first
	what     string   // what is written, by kind of file
	// begin checks the request, and returns its writer.
	begin  func(context.Context, *conversion) (writer, error)
	stacks bool // flags filter its stacks
}

// writer writes a file and returns what it lacks.
type writer func(context.Context, io.Writer) ([]export.Loss, error)

// conversion is the input of a conversion, with the flags that select parts of it.
type conversion struct {
	*app
	c      *convertCmd
	target format
	s      *session
	p      *model.Profile
}

// targets returns all formats that convert writes: the data of --to, the suffixes, and the help.
func targets() []format {
	return []format{
		{"mb", []string{".mb"}, "memory dumps", dumpAs(export.WriteMB), false},
		{"json", []string{".json"}, "memory dumps", dumpAs(export.WriteDumpJSON), false},
		{"spaa", []string{".spaa"}, "stack profiles; traces are converted to them", beginSPAA, false},
		{"folded", []string{".folded", ".collapsed"}, "stacks, for flamegraph.pl and others", stacksAs(export.WriteFolded), true},
		{"speedscope", []string{".speedscope.json", ".speedscope"}, "stacks, for speedscope", stacksAs(export.WriteSpeedscope), true},
		{"pprof", []string{".pprof", ".pb.gz"}, "stacks, for go tool pprof", stacksAs(export.WritePprof), true},
		{"heapprofile", []string{".heapprofile"}, "stacks, for Chrome DevTools", stacksAs(export.WriteHeapProfile), true},
		{"heapsnapshot", []string{".heapsnapshot"}, "heap snapshots, for Chrome DevTools", beginHeapSnapshot, false},
		{"perfetto", []string{".pftrace", ".perfetto-trace"}, "traces, heap snapshots, curves, for ui.perfetto.dev", beginPerfetto, false},
		{"csv", []string{".csv"}, "stacks; a table of a snapshot", rowsAs(export.WriteStacksCSV, export.WriteHeapCSV), true},
		{"ndjson", []string{".ndjson", ".jsonl"}, "the same, one JSON object per line",
			rowsAs(export.WriteStacksNDJSON, export.WriteHeapNDJSON), true},
		{"mlyze", []string{".mlyze"}, "part of a trace", beginTrace, false},
	}
}

// targetNames returns all names for --to.
func targetNames() string {
	var names []string
	for _, t := range targets() {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

// split separates the input files from the output file: the last of several without --output. A file that exists and
// whose name has no suffix of a format is taken as another input.
func (c *convertCmd) split() (in []string, out string, err error) {
	last := len(c.File) - 1
	_, missing := os.Stat(c.File[last])
	switch {
	case c.Output != "" && last > 0 && missing != nil && suffixed(strings.ToLower(c.File[last])) != "":
		return nil, "", fail.Usage(errors.New("convert: give the output file as OUT or with --output, not both"))
	case c.Output != "":
		return c.File, c.Output, nil
	case last == 0:
		return c.File, "-", nil
	}
	in, out = c.File[:last], c.File[last]
	if missing == nil && len(in) > 1 && out != "-" &&
		suffixed(strings.TrimSuffix(strings.ToLower(out), output.Suffix(out))) == "" {
		return nil, "", fail.Usage(fmt.Errorf("convert: %s exists and would be replaced: give the file to write with --output where several are read", out))
	}
	return in, out, nil
}

// destination returns the target that the user asks for, and the compression around it.
func destination(out string, to ...string) (t format, outer string, err error) {
	name := strings.ToLower(filepath.Base(out))
	if longest := suffixed(name); longest == "" {
		outer = output.Suffix(name)
		name = strings.TrimSuffix(name, outer)
	}
	suffix, named := suffixed(name), ""
	if len(to) > 0 {
		named = formatNamed(to[len(to)-1])
	}
	for _, t := range targets() {
		if named == t.name || named == "" && slices.Contains(t.suffixes, suffix) {
			return t, outer, nil
		}
	}
	return t, "", fail.Usage(errors.New("convert: the name of OUT has no known suffix: end it in .mb, .spaa, .folded and so on, or give --to one of " + targetNames()))
}

// suffixed returns the longest suffix of a name that selects a target, "" for none.
func suffixed(name string) (longest string) {
	for _, t := range targets() {
		for _, s := range t.suffixes {
			if strings.HasSuffix(name, s) && len(s) > len(longest) {
				longest = s
			}
		}
	}
	return longest
}

// Run writes a file in another format, and reports what that format cannot represent.
func (c *convertCmd) Run(ctx context.Context, a *app) error {
	in, out, err := c.split()
	if err != nil {
		return err
	}
	t, outer, err := destination(out, a.flags.To.Words...)
	if err != nil {
		return err
	}
	for _, file := range in {
		if output.Same(a.target(file).path, out) {
			return fail.Usage(fmt.Errorf("convert: %s is the input, too: choose another output file", out))
		}
	}
	if err := c.check(t, a.isGiven("edges")); err != nil {
		return err
	}
	if c.Compress != "" && (outer == ".gz" || strings.HasSuffix(strings.ToLower(out), ".gz")) {
		return fail.Usage(errors.New("--compress blocks: gzip has no blocks that can be read one by one: end OUT in .zst or .lz4"))
	}
	s, err := a.recording(ctx, in)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.profile(ctx)
	if err != nil {
		return err
	}
	write, err := t.begin(ctx, &conversion{a, c, t, s, p})
	if err != nil {
		return err
	}
	a.warn(p)
	var lost []export.Loss
	err = a.writeFile(out, func(w io.Writer) error {
		return output.Compressed(w, outer, c.Compress != "", func(w io.Writer) error {
			return s.src.Guard(func() (err error) {
				lost, err = write(ctx, w)
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	if p.Meta.Sampled != "" && t.name != "mlyze" {
		lost = append(lost, export.Loss{What: model.Estimates(p.Meta.Sampled) + ", and no row of " + t.name + " says so", Count: 1})
	}
	a.losses(lost)
	return nil
}

// check finds flags that do not apply to a target. edges reports that references are chosen.
func (c *convertCmd) check(t format, edges bool) error {
	if edges && c.Table != "dominators" && t.name != "heapsnapshot" && t.name != "perfetto" {
		return fail.Usage(errors.New("--edges works only with heapsnapshot, perfetto and --table dominators"))
	}
	if c.Samples && t.name != "spaa" {
		return fail.Usage(errors.New("--samples: only .spaa has samples"))
	}
	if c.Table != "" && t.name != "csv" && t.name != "ndjson" {
		return fail.Usage(errors.New("--table: only csv and ndjson hold tables"))
	}
	if name := c.StepFlags.Given(); name != "" && !t.stacks {
		return fail.Usage(fmt.Errorf("%s: as %s, stacks are always written complete; to choose blocks by their stacks, write .mlyze with --through", name, t.name))
	}
	if name := c.CutFlags.Given(); name != "" && t.name != "mlyze" {
		return fail.Usage(fmt.Errorf("--%s works with .mlyze only: write the part as .mlyze first, then convert that to %s", name, t.name))
	}
	return nil
}

// cannot returns the reason why a target cannot represent that kind of file.
func (c *conversion) cannot(why string) error {
	return fail.Usage(fmt.Errorf("convert cannot write %s (see memtui convert --help): %s is %s: %s", c.target.name,
		c.p.Meta.Name, c.p.Meta.Format, why))
}

// refuseTimes returns an error if an instant or a range was requested for a target that has none.
func (c *conversion) refuseTimes() error {
	if f := c.flags; f.To.Given() || f.From.Given() || f.At.Given() {
		return fail.Usage(fmt.Errorf("convert writes complete files as %s: --at, --from and --to TIME do not apply", c.target.name))
	}
	return nil
}

// dumpAs writes memory dumps.
func dumpAs(write func(context.Context, io.Writer, *model.Profile) ([]export.Loss, error)) func(context.Context,
	*conversion) (writer, error) {
	return func(_ context.Context, c *conversion) (writer, error) {
		if kind.Of(c.p) != kind.Dump {
			if c.p.Timeline != nil {
				return nil, c.cannot("a memory dump gives each point of a curve a time of day, which this file does not record")
			}
			return nil, c.cannot("a memory dump holds curves and page layouts, and this file has neither")
		}
		if c.s.snapshot != nil {
			return nil, fail.Usage(errors.New("convert writes complete files, not a single layout"))
		}
		if err := c.refuseTimes(); err != nil {
			return nil, err
		}
		return func(ctx context.Context, w io.Writer) ([]export.Loss, error) { return write(ctx, w, c.p) }, nil
	}
}

// losses prints what was left out of the output file.
func (a *app) losses(lost []export.Loss) {
	for _, l := range lost {
		times := ""
		if l.Count > 1 {
			times = ", " + model.Group(uint64(l.Count)) + " times"
		}
		fmt.Fprintf(a.env.Stderr, "memtui: note: %s%s\n", model.Clean(l.What), times)
	}
}

// writeFile lets f write a file, which replaces an existing one only once it is complete. - is standard output.
func (a *app) writeFile(path string, f func(io.Writer) error) error {
	if path == "-" {
		return f(a.out)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fail.Input(err)
		}
		return inputFailure(firstError(f(out), out.Close()))
	}
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fail.Input(named(path, "", err))
	}
	a.ending.begin(out.Name())
	defer a.ending.unfinished.Delete(out.Name())
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = firstError(f(buffered), a.verifyUses(), buffered.Flush(), out.Chmod(output.Permission(path)), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return inputFailure(firstError(named(path, out.Name(), err), os.Remove(out.Name())))
	}
	return nil
}

// named returns an error about the temporary file that becomes another one as one about that. With "" as the temporary
// name, it could not be made.
func named(path, temporary string, err error) error {
	var of *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &of) && (temporary == "" || of.Path == temporary):
		return fmt.Errorf("%s: %w", path, of.Err)
	case errors.As(err, &renamed) && renamed.Old == temporary:
		return fmt.Errorf("%s: %w", path, renamed.Err)
	}
	return err
}

// inputFailure returns err with the status of a file that cannot be used.
func inputFailure(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fail.Input(err)
}
