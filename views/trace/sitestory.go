package trace

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// siteStory describes one group in sentences: what it allocated, whether it leaks and why, and how long its blocks
// lived. Every table of groups describes a group in the same words.
type siteStory struct {
	env      *ui.Env
	verdicts *ui.Lazy[verdictKey, *verdictSet]
	lives    *ui.Lazy[lifeKey, livesTo]
}

// lifeKey determines the lifetimes of one group's blocks.
type lifeKey struct {
	revision uint64
	by       analysis.Group
	key      analysis.Key
	over     analysis.Range
	only     calltree.Filter
}

// livesTo is lifetimes, and until when a recording went of which they are.
type livesTo struct {
	analysis.Lifetimes
	to model.Time
}

// groupAmong is a group with what its figures are shares of.
type groupAmong struct {
	*analysis.Site
	by      analysis.Group
	only    calltree.Filter
	live    uint64 // bytes of all groups
	noPeaks bool   // its peak is unknown yet
}

func newSiteStory(e *ui.Env) siteStory {
	return siteStory{
		env:      e,
		verdicts: ui.NewDeepLazy(e, func(ctx context.Context, k verdictKey) (*verdictSet, error) { return askVerdicts(ctx, e.Trace, k) }),
		lives: ui.NewDeepLazy(e, func(ctx context.Context, k lifeKey) (livesTo, error) {
			to := e.Trace.Status().Duration
			l, err := e.Trace.Lifetimes(ctx, k.by, k.key, k.over, k.only)
			return livesTo{l, to}, err
		}),
	}
}

// askLives asks how long the blocks of a group lived, when everything is read.
func (t *siteStory) askLives(s *state.State, g groupAmong) {
	if revision, ok := s.Deep(); ok {
		t.lives.Ask(lifeKey{revision, g.by, g.Key, s.Range, g.only})
	}
}

// askVerdicts asks for the verdicts about all groups.
func (t *siteStory) askVerdicts(s *state.State, by analysis.Group, only calltree.Filter) {
	if revision, ok := s.Deep(); ok {
		t.verdicts.Ask(verdictKey{revision, by, only, s.JudgedTo()})
	}
}

// verdictOf returns the verdict about a group, none before it is known.
func (t *siteStory) verdictOf(by analysis.Group, only calltree.Filter, k analysis.Key) verdict.Verdict {
	said, _ := t.verdicts.Get()
	return said.of(by, only, k)
}

// judged returns the newest verdicts, nil before there are any.
func (t *siteStory) judged() *verdictSet {
	said, _ := t.verdicts.Get()
	return said
}

// facts returns the sentences about a group.
func (t *siteStory) facts(s *state.State, g groupAmong) []string {
	facts := []string{amounts(s, g)}
	said := t.verdictOf(g.by, g.only, g.Key)
	if text := ui.VerdictSentence(said); text != "" {
		if of := t.judged().about(); of != "" {
			text = "over the " + of + ": " + text
		} else if !s.Range.IsFull() {
			text = "over the whole run " + text
		}
		facts = append(facts, t.env.VerdictSign(said.Kind)+" "+text)
	}
	return append(facts, t.lifetimes(s, g.Site))
}

// amounts returns a group's figures in a sentence.
func amounts(s *state.State, g groupAmong) string {
	f := ui.FiguresOf(s, true)
	atMost := ""
	if s.Status.Unfreed {
		atMost = "≤ "
	}
	mean := ""
	if g.AllocCount > 1 && !s.Sampled() {
		mean = ", " + f.Bytes(g.MeanSize()) + " on average"
	}
	peak := ""
	if !g.noPeaks {
		peak = " · peak " + f.Bytes(g.PeakBytes)
	}
	over := ""
	if g.OverwrittenCount > 0 {
		over = " · overwritten " + f.Bytes(g.OverwrittenBytes) + " in " + model.Blocks(g.OverwrittenCount)
	}
	off := func(bytes, samples uint64) string {
		if !s.Sampled() || samples == 0 {
			return ""
		}
		return " " + s.Sampling().ErrorText(bytes, samples)
	}
	return fmt.Sprintf("live %s%s%s in %s (%s of all)%s · total %s%s in %s%s%s", atMost, f.Bytes(g.LiveBytes),
		off(g.LiveBytes, g.LiveCount), model.Blocks(g.LiveCount), ui.ShareText(ui.ShareOf(g.LiveBytes, g.live)), peak,
		f.Bytes(g.AllocBytes), off(g.AllocBytes, g.AllocCount), model.Blocks(g.AllocCount), mean, over)
}

// lifetimes returns how long the blocks of the most recently requested group lived, and who allocated them.
func (t *siteStory) lifetimes(s *state.State, site *analysis.Site) string {
	if _, ok := s.Deep(); !ok {
		return "lifetimes: when everything is read"
	}
	if t.lives.Failure() != nil {
		return "lifetimes: unknown"
	}
	l, ok := t.lives.Get()
	if !ok || !t.lives.Fresh() {
		return "lifetimes: summing…"
	}
	text, never := "none was freed", "never freed"
	if s.Status.Unfreed {
		text, never = "no free is known", "without a known free"
	}
	switch {
	case l.Freed > 0 && l.Min == l.Longest:
		text = fmt.Sprintf("%s freed after %v", model.Group(l.Freed), l.Min)
	case l.Freed > 0:
		text = fmt.Sprintf("%s freed after %v to %v, median %v", model.Group(l.Freed), l.Min, l.Longest, l.Median)
	}
	if site.Temporary > 0 && !s.Sampled() { // two events in a row are those of two samples
		text += fmt.Sprintf(", %s of all by the very next event", ui.ShareText(site.TemporaryShare()))
	}
	if l.NeverFreed > 0 {
		text += fmt.Sprintf("; %s %s (%s)", model.Group(l.NeverFreed), never, ui.ShareText(ui.ShareOf(l.NeverFreed, l.Freed+l.NeverFreed)))
	}
	if t := ui.ThreadsText(l.Threads); t != "" {
		text += "; " + t
	}
	if s.Live() {
		text = "over the first " + l.to.String() + ": " + text
	}
	return text
}
