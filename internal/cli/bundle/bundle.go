// Package bundle makes the files of evidence about a recording.
package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/evidence"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/redact"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
)

// CurveParts is the default number of groups that divide the curve of a page: as many as colors that can be
// distinguished.
const CurveParts = 5

// Parts returns the files of the evidence, but for the manifest. limit is that of rows, 0 for none.
func Parts(src *html.Source, limit int, flags, files []string) []evidence.Part {
	list := []evidence.Part{
		{Name: "report.html", About: "the whole report as one HTML page",
			Write: func(ctx context.Context, w io.Writer) ([]string, error) { return html.Write(ctx, w, src) }},
		{Name: "report.json", About: "the report as JSON", Write: func(_ context.Context, w io.Writer) ([]string, error) {
			var cut []string
			if limit > 0 {
				cut = append(cut, fmt.Sprintf("tables have at most %d rows; row_counts says how many there are", limit))
			}
			return cut, report.WriteJSON(w, src.Report)
		}},
	}
	list = append(list, StackParts(src)...)
	return append(list, evidence.Part{Name: "COMMANDS.txt", About: "the commands that reproduce it",
		Write: func(_ context.Context, w io.Writer) ([]string, error) {
			return nil, writeCommands(w, src, flags, files)
		}})
}

// WriteNames writes the table from stand-ins back to names.
func WriteNames(w io.Writer, r *redact.Redactor) error {
	for _, p := range r.Pairs() {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", p.StandIn, model.Clean(p.Name)); err != nil {
			return err
		}
	}
	return nil
}

// Without leaves flags and their values out.
func Without(flags []string, names ...string) []string {
	return uses.Kept(flags, func(name string) bool { return !slices.Contains(names, "--"+name) })
}

// WriteCommands writes the commands that print each view of a file, with a line on each.
func writeCommands(w io.Writer, src *html.Source, flags, files []string) error {
	put := func(about string, words ...string) error {
		_, err := fmt.Fprintf(w, "# %s\n%s\n\n", about, html.CommandLine(words))
		return err
	}
	say := func(about string, words ...string) error {
		return put(about, slices.Concat([]string{"memtui"}, words, uses.Understood(manual.CommandOf(words), flags), files)...)
	}
	var grouped []string
	if src.Trace != nil || src.Selection != nil {
		flags, grouped = Without(flags, "group", "stacked"), []string{"--group", analysis.ByOwner.String()}
	}
	divided := grouped
	if src.Trace != nil {
		divided = append(slices.Clip(grouped), "--stacked", strconv.Itoa(CurveParts))
	}
	screen, opened := "the full screen", files
	if src.Report.Stacks != nil && len(files) == 2 {
		if dir, whole := folderOf(files); whole {
			opened = []string{dir}
		} else {
			screen = "the full screen, which compares two files (a folder of only these two is opened as one recording)"
		}
	}
	err := errors.Join(
		put(screen, append([]string{"memtui"}, opened...)...), say("everything as text", "report"),
		say("the page", "report", "-f", "html", "-o", "report.html"),
		say("the report as JSON", append([]string{"report", "-f", "json"}, divided...)...),
		put("is the file complete and valid?", append([]string{"memtui", "validate"}, files...)...))
	for _, table := range src.Report.TableNames() {
		if src.Report.HasTable(table) && table != "blocks" && table != "born_blocks" &&
			(table != "groups" || grouped != nil) {
			words := []string{"report", "-f", "csv", "--table", table, "--limit", "0"}
			switch table {
			case "groups":
				words = append(words, grouped...)
			case "curve":
				words = append(words, divided...)
			}
			err = errors.Join(err, say("all rows of the table "+strings.ReplaceAll(table, "_", " "), words...))
		}
	}
	for _, f := range stackFiles(src) {
		words := slices.Concat([]string{"memtui", "convert", "--to", "folded"},
			Without(uses.Understood("convert", flags), "--by"), []string{"--by", f.by, "-o", f.name}, files)
		err = errors.Join(err, put(f.about, words...))
	}
	switch {
	case src.Report.Trace != nil:
		err = errors.Join(err, say("every block live at the instant", "report", "-f", "csv", "--table", "blocks", "--limit", "0"))
	case src.Report.Pages != nil:
		err = errors.Join(err, say("the pages, one character each", "pages", "--map"))
	case src.Report.Heap != nil:
		err = errors.Join(err, say("the objects that retain most memory", "heap", "dominators"),
			say("the objects of a type", "heap", "find", "--type", "NAME", "--kind", "object"))
	}
	return err
}

// folderOf returns the folder of some files, and whether it holds them and nothing else.
func folderOf(files []string) (dir string, whole bool) {
	dir = filepath.Dir(files[0])
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != len(files) {
		return dir, false
	}
	for i, f := range list { // sorted by name
		if !f.Type().IsRegular() || files[i] != filepath.Join(dir, f.Name()) {
			return dir, false
		}
	}
	return dir, true
}

// stackFile is a file of folded stacks: what weighs them, and how a command says that.
type stackFile struct {
	name, about string
	by          string // as --by takes it
}

// stackFiles returns the files of folded stacks that evidence about src has.
func stackFiles(src *html.Source) []stackFile {
	if src.Selection != nil {
		m := &src.Selection.Profile.Metrics[src.Selection.Metric]
		if m.NoSum() {
			return nil
		}
		metric := m.Name
		return []stackFile{{name: "stacks.folded", about: "stacks by " + model.Clean(metric), by: metric}}
	}
	if src.Trace == nil {
		return nil
	}
	return []stackFile{
		{"stacks-allocated.folded", "bytes allocated, by stack", "alloc_bytes"},
		{"stacks-live.folded", "bytes live at the instant, by stack", "live_bytes"},
		{"stacks-leaked.folded", "bytes never freed, by stack", "leaked_bytes"},
	}
}

// StackParts returns the folded stacks of a trace or a stack profile.
func StackParts(src *html.Source) []evidence.Part {
	var out []evidence.Part
	more := ", root first"
	if src.Report != nil && src.Report.File.Estimated() { // which the files cannot say themselves
		more += "; estimated from samples"
	}
	for _, f := range stackFiles(src) {
		out = append(out, evidence.Part{Name: f.name, About: f.about + more,
			Write: func(ctx context.Context, w io.Writer) ([]string, error) {
				return f.write(ctx, w, src)
			}})
	}
	return out
}

// write writes the stacks, and returns what was left out for lack of memory.
func (f stackFile) write(ctx context.Context, w io.Writer, src *html.Source) (cut []string, err error) {
	err = model.BudgetOf(ctx).Try(ctx, f.about, func(ctx context.Context) error {
		stacks, err := f.stacks(ctx, src)
		if err != nil {
			return err
		}
		lost, err := export.WriteFolded(ctx, w, stacks)
		for _, l := range lost {
			cut = append(cut, l.What)
		}
		return err
	})
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		return append(cut, short.Error()), nil
	}
	return cut, err
}

func (f stackFile) stacks(ctx context.Context, src *html.Source) (*export.Stacks, error) {
	if s := src.Selection; s != nil {
		return export.ProfileStacks(ctx, src.Profile, []*weights.Selection{s}, 0, model.NoTime, model.NoTime)
	}
	return export.TraceStacks(ctx, src.Profile, src.Trace, export.TraceOptions{At: src.At, Range: src.Range, By: f.by})
}
