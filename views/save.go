package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// SampleName names the file in commands that save a built-in sample, which has no path.
const SampleName = "sample"

// SaveQuery is a request to save what is on screen to a file.
type SaveQuery struct {
	Words   []string // the command that prints it, without the name of the program
	Path    string   // whose suffix chooses the format
	Replace bool     // an existing file

	Stacks []model.StackID // of the rows shown, if these are not all: what a file of stacks contains
	Table  *ShownTable     // that the screen shows: what text, Markdown and CSV contain; nil for none
}

// ShownTable is a table as a screen shows it.
type ShownTable struct {
	Title string // the file and the screen
	About string // the instant, and what restricts the rows
	Heads []ui.SavedHead
	Left  int // rows that are left out

	// Rows returns the texts of the rows, those for programs if plain is set. It is called on any goroutine, at most once.
	Rows func(ctx context.Context, plain bool) ([][]string, error)
}

// SaveFunc writes the file. If the context ends, no file is written.
type SaveFunc func(context.Context) (Saved, error)

// Saved is what was written.
type Saved struct {
	Bytes int64
	Notes []string // what was left out
	Shown bool     // it has the rows and columns of the screen
}

// replaceMark after a name lets an existing file be replaced.
const replaceMark = "!"

// askSave asks where to save what is on screen.
func (a *app) askSave() {
	if err := a.maySave(); err != nil {
		a.say(err.Error())
		return
	}
	name := SampleName
	if p := a.o.Store.Current(); p != nil && p.Meta.Name != "" {
		name = filepath.Base(model.Clean(p.Meta.Name))
		name = cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name)
	}
	a.prompt = &prompt{accept: a.save}
	a.prompt.Beside = true
	a.prompt.Prompt, a.prompt.Hint = "save: ", ".md .csv .json .html .folded .pb.gz"
	a.prompt.SetText(name + "-" + string(a.current().Action()) + ".txt")
	a.recall(a.prompt)
}

// maySave returns why nothing can be saved now.
func (a *app) maySave() error {
	switch {
	case a.o.Save == nil:
		return errors.New("this view cannot be saved here")
	case a.saving != nil:
		return errors.New(a.Hint("another file is still being written: {stop-loading} cancels it"))
	}
	return nil
}

// save writes what is on screen in the background, and shows a message when it is done. An invalid name is an error.
func (a *app) save(text string) error {
	if err := a.maySave(); err != nil {
		return err
	}
	typed, replace := strings.CutSuffix(strings.TrimSpace(text), replaceMark)
	if typed == "" {
		return errors.New("type the name of a file")
	}
	a.showState() // keys that were typed ahead count, too
	file := a.o.Command
	if len(file) == 0 {
		file = []string{SampleName}
	}
	words := a.savedCommand(file)
	q := SaveQuery{Path: a.homePath(typed), Replace: replace, Table: a.shownTable()}
	if len(words) > 0 {
		q.Words = words[1:]
	} else if q.Table == nil {
		return errors.New(a.noCommand())
	}
	if s, ok := a.current().(ui.Stacked); ok {
		q.Stacks, _ = s.ShownStacks()
	}
	write, err := a.o.Save(q)
	if err != nil {
		return errors.New(model.Clean(err.Error()))
	}
	about := ""
	if why := a.unlike(); why != "" {
		about = "; " + why
	}
	a.saveBy(write, typed, about)
	return nil
}

// saveBy writes a file in the background; about is appended to the message when it is done.
func (a *app) saveBy(write SaveFunc, name, about string) {
	ctx, cancel := context.WithCancel(a.Ctx)
	a.saving = cancel
	when := ""
	if a.loading() {
		when = " when everything is read"
	}
	a.say("saving " + model.Clean(name) + when + " …")
	a.Background(func() {
		saved, err := write(ctx)
		a.Post(func() {
			cancel()
			a.saving = nil
			switch {
			case err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled):
				a.say("not saved: " + model.Clean(name) + " is not written")
			case err != nil:
				a.say("not saved: " + model.Clean(err.Error()))
			default:
				if saved.Shown {
					about = ""
				}
				a.say(fmt.Sprintf("saved %s bytes to %s%s", model.Group(uint64(saved.Bytes)), model.Clean(name),
					about+notes(saved.Notes)))
			}
		})
	})
}

// notes returns what a file lacks as the end of a sentence.
func notes(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "; " + model.Clean(strings.Join(list, "; "))
}

// unlike returns how the rows that the command of the screen prints differ from those of the table, or "".
func (a *app) unlike() string {
	list := []string{a.unfiltered(), a.unordered()}
	return strings.Join(slices.DeleteFunc(list, func(why string) bool { return why == "" }), "; ")
}

// unfiltered returns that the command of the screen prints rows which a filter hides on screen, or "".
func (a *app) unfiltered() string {
	words := a.command([]string{"FILE"})
	if _, ok := a.current().(ui.Finder); ok || a.filterText() == "" || state.HasFilter(words) || len(words) == 0 {
		return ""
	}
	return "the command prints all rows, also those that the filter hides"
}

// filterText returns what rows of the screen are filtered by.
func (a *app) filterText() string {
	if b, ok := a.current().(ui.Searcher); ok {
		return b.SearchText()
	}
	return a.state.Filter
}

// stopsSaving ends the writing of a file where an action asks for that.
func (a *app) stopsSaving(act keymap.Action) bool {
	if a.saving == nil || act != keymap.StopLoading {
		return false
	}
	a.saving()
	a.say("canceling the save …")
	return true
}

// mostSaved limits the rows of a table that is saved as it is shown: their texts are in memory together. chunkSaved is
// how many of them are made at once, between the frames of the screen.
const (
	mostSaved  = 100_000
	chunkSaved = 500
)

// tableScreens are the screens that are one table, whose columns their commands do not print alike. Others are more than
// a table, or their commands print its columns.
var tableScreens = []keymap.Action{keymap.ShowSites, keymap.ShowLeaks, keymap.ShowProblems}

// shownTable returns the table that the screen consists of, nil for other screens.
func (a *app) shownTable() *ShownTable {
	l, ok := a.current().(ui.Lister)
	if !ok || len(a.overlays) > 0 || !slices.Contains(tableScreens, a.current().Action()) {
		return nil
	}
	list := l.FocusedList()
	if list == nil || list.Len() == 0 {
		return nil
	}
	source, ok := list.Table.(ui.Savable)
	if !ok {
		return nil
	}
	table := source.Frozen()
	var shown []int
	out := &ShownTable{Title: a.current().Name(), About: a.instantText(), Left: max(table.Len()-mostSaved, 0)}
	if p := a.state.Profile; p != nil && p.Meta.Name != "" {
		out.Title = model.Clean(p.Meta.Name) + "  " + out.Title
	}
	if a.sidesShown() {
		out.About = a.sidesOf(math.MaxInt16)
	}
	for _, more := range append([]string{a.current().About()}, a.restrictedBy()...) {
		if more != "" {
			out.About += " · " + more
		}
	}
	for i, h := range table.Heads() {
		if !h.Unseen && table.Cell(0, i).Kind == widget.TextCell {
			shown, out.Heads = append(shown, i), append(out.Heads, h)
		}
	}
	out.Rows = func(ctx context.Context, plain bool) ([][]string, error) {
		return a.savedRows(ctx, table, shown, plain)
	}
	return out
}

// restrictedBy returns what the rows of the screen are filtered by.
func (a *app) restrictedBy() (list []string) {
	for _, r := range a.restrictions() {
		list = append(list, r.text)
	}
	if text := a.filterText(); text != "" {
		list = append(list, "filter "+text)
	}
	return list
}

// savedRows returns the texts of some columns, made on the event loop a few rows at a time.
func (a *app) savedRows(ctx context.Context, table ui.SavedTable, cols []int, plain bool) (rows [][]string, err error) {
	n := min(table.Len(), mostSaved)
	for len(rows) < n {
		done := make(chan [][]string, 1)
		from, to := len(rows), min(len(rows)+chunkSaved, n)
		a.Post(func() { done <- textsOf(table, from, to, cols, plain) })
		select {
		case more := <-done:
			rows = append(rows, more...)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return rows, nil
}

// textsOf returns the texts of some columns of some rows.
func textsOf(table ui.SavedTable, from, to int, cols []int, plain bool) (rows [][]string) {
	for row := from; row < to; row++ {
		texts := make([]string, len(cols))
		for i, col := range cols {
			if plain {
				texts[i] = table.Plain(row, col)
			} else {
				texts[i] = table.Cell(row, col).Text
			}
		}
		rows = append(rows, texts)
	}
	return rows
}
