package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// SampleName names the file in commands that save a built-in sample, which has no path.
const SampleName = "sample"

// SaveQuery is a request to save what is on screen to a file.
type SaveQuery struct {
	Words   []string // the command that prints it, without the name of the program
	Path    string   // whose suffix chooses the format
	Replace bool     // an existing file

	Stacks []model.StackID // of the rows shown, if these are not all: what a file of stacks contains
}

// SaveFunc writes the file. If the context ends, no file is written.
type SaveFunc func(context.Context) (Saved, error)

// Saved is what was written.
type Saved struct {
	Bytes int64
	Notes []string // what was left out
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
	if len(words) == 0 {
		return errors.New(a.noCommand())
	}
	q := SaveQuery{Words: words[1:], Path: a.homePath(typed), Replace: replace}
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
