package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// EvidenceQuery asks for a folder or archive about the file, as it is on screen.
type EvidenceQuery struct {
	Place    string         // to write
	Redact   bool           // names are replaced
	Question state.Question // the part of the file: the instant, the range, the snapshot …

	Difference []string // the command that prints the comparison on screen; nil where there is none
	Without    bool     // a comparison is on screen that no command prints
}

// redactWord before a name requests evidence without names.
const redactWord = "redact "

// askEvidence asks where to write evidence.
func (a *app) askEvidence() {
	if a.o.Evidence == nil {
		a.say("evidence about this input cannot be written")
		return
	}
	name := "sample"
	if p := a.o.Store.Current(); p != nil && p.Meta.Name != "" {
		name = p.Meta.Name
	}
	a.prompt = &prompt{accept: a.writeEvidence}
	a.prompt.Beside = true
	a.prompt.Prompt, a.prompt.Hint = "evidence: ", "or a folder; redact X: no names"
	a.prompt.SetText(model.Clean(name) + "-evidence.tar.gz")
	a.recall(a.prompt)
}

// writeEvidence writes in the background, and shows a message when it is done.
func (a *app) writeEvidence(text string) error {
	q := EvidenceQuery{Place: strings.TrimSpace(text), Question: a.evidenceQuestion(), Difference: a.differenceCommand()}
	q.Without = a.comparing() && q.Difference == nil
	q.Place, q.Redact = strings.CutPrefix(q.Place, redactWord)
	if q.Place = strings.TrimSpace(q.Place); q.Place == "" || q.Place == strings.TrimSpace(redactWord) {
		return fmt.Errorf("type the name of a folder or an archive")
	}
	a.say("writing evidence to " + model.Clean(q.Place) + " …")
	write, ctx := a.o.Evidence, a.Ctx
	a.Background(func() {
		err := write(ctx, q)
		a.Post(func() { a.evidenceWritten(ctx, q, err) })
	})
	return nil
}

func (a *app) evidenceWritten(ctx context.Context, q EvidenceQuery, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.say("no evidence: " + model.Clean(err.Error()))
	case q.Redact:
		a.say("evidence without names is in " + model.Clean(q.Place) + q.without(q.Difference != nil) + a.filtersIgnored())
	default:
		a.say("evidence is in " + model.Clean(q.Place) + q.without(false) + a.filtersIgnored())
	}
}

// without returns a note that the comparison on screen is left out, as it is from a redacted one.
func (q *EvidenceQuery) without(redacted bool) string {
	if redacted || q.Without {
		return ", without the difference"
	}
	return ""
}

// filtersIgnored returns a note that evidence ignores filters, if there are any.
func (a *app) filtersIgnored() string {
	if a.state.Filters == "" && a.state.Cell.IsAll() {
		return ""
	}
	return ", of all stacks and blocks: filters are not applied"
}

// differenceCommand returns the command that prints the comparison on screen; nil if there is none, or none that can
// read the files again.
func (a *app) differenceCommand() []string {
	if _, ok := a.current().(ui.Commander); ok && len(a.o.Command) > 0 && a.comparing() {
		if words := a.command(a.o.Command); len(words) > 1 && words[1] == "diff" && !slices.Contains(words, "-") {
			return words
		}
	}
	return nil
}

// evidenceQuestion returns the question of the screens.
func (a *app) evidenceQuestion() (q state.Question) {
	if q, ok := a.kind().evidence(); ok {
		return q
	}
	return a.timeQuestion()
}
