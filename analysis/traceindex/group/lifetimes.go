package group

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Lifetimes summarizes lifetimes of blocks.
type Lifetimes struct {
	analysis.Lives
	lives   []model.Time // of freed blocks
	threads []uint16
}

// Thread notes the thread that allocated a block.
func (l *Lifetimes) Thread(t uint16) { l.threads = AddThread(l.threads, t) }

// Died counts a freed block.
func (l *Lifetimes) Died(lifetime model.Time) {
	l.Lives.Died(lifetime)
	l.lives = append(l.lives, lifetime)
}

// Add adds the lifetimes of later blocks.
func (l *Lifetimes) Add(o Lifetimes) {
	l.Lives.Add(&o.Lives)
	l.lives = append(l.lives, o.lives...)
	for _, t := range o.threads {
		l.Thread(t)
	}
}

// Sum returns the summary, with the threads or without.
func (l *Lifetimes) Sum(threads bool) analysis.Lifetimes {
	out := analysis.Lifetimes{Lives: l.Lives}
	if threads {
		out.Threads = l.threads
		slices.Sort(out.Threads)
	}
	n := len(l.lives)
	if n == 0 {
		return out
	}
	sum := 0.0
	for _, t := range l.lives {
		sum += float64(t)
	}
	slices.Sort(l.lives)
	out.Min, out.Median, out.Mean = l.lives[0], l.lives[n/2], sum/float64(n)
	return out
}
