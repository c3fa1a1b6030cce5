package dump

import (
	"time"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// play starts or pauses playing in a direction.
func (p *Pages) play(dir int) {
	if p.Playing == dir {
		p.Playing = 0
		return
	}
	p.Playing = dir
	p.playGeneration++
	p.Say(p.Hint("playing: {pages.toggle} pauses"))
	p.tick(p.playGeneration)
}

// frameTime is the default time per layout while playing.
const frameTime = 120 * time.Millisecond

// tick shows the next layout in a moment.
func (p *Pages) tick(generation int) {
	p.Background(func() {
		wait := time.NewTimer(p.Frame)
		defer wait.Stop()
		select {
		case <-p.Ctx.Done():
			return
		case <-wait.C:
		}
		p.Post(func() { p.next(generation) })
	})
}

// next shows the next layout, unless playing has ended or the previous layout is not decoded yet.
func (p *Pages) next(generation int) {
	if p.Playing == 0 || generation != p.playGeneration {
		return
	}
	if p.Layouts.Load.Fresh() {
		list, n := p.Dump.Place(&p.State)
		if n += p.Playing; n < 0 || n >= len(list) {
			p.Playing = 0
			p.Changed()
			return
		}
		p.Emit(state.ChooseLayout{Layout: list[n], At: p.Dump.Time(list[n])})
	}
	p.tick(generation)
}

// stepLayout moves to a layout before or after the one at the instant.
func stepLayout(e *ui.Env, s *state.State, a keymap.Action) {
	by := map[keymap.Action]int{keymap.StepBack: -1, keymap.StepForward: 1, keymap.LeapBack: -10, keymap.LeapForward: 10}[a]
	list, n := e.Dump.Place(s)
	to := min(max(n+by, 0), len(list)-1)
	if len(list) == 0 || to == n || n < 0 && by < 0 {
		e.Say("no further layout")
		return
	}
	e.Emit(state.ChooseLayout{Layout: list[to], At: e.Dump.Time(list[to])})
}

// nextSeries moves to the layouts of the next series that has any.
func nextSeries(e *ui.Env, s *state.State) {
	n, from := len(e.Dump.Layouts), e.Dump.Series(s)
	for i := 1; i < n && from != state.NoSeries; i++ {
		if to := (from + i) % n; len(e.Dump.Layouts[to]) > 0 {
			e.Emit(state.ChooseSeries{Series: to})
			e.Say("layouts of " + widget.Clean(seriesName(&e.Dump.Timeline.Series[to], to)))
			return
		}
	}
	e.Say("no other series has layouts")
}
