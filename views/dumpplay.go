package views

import (
	"time"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// play begins or pauses playing in a direction.
func (p *dumpPages) play(dir int) {
	if p.playing == dir {
		p.playing = 0
		return
	}
	p.playing = dir
	p.games++
	p.say("playing: Space or R pauses")
	p.tick(p.games)
}

// frameTime is how long a layout is shown while playing, usually.
const frameTime = 120 * time.Millisecond

// tick shows the next layout in a moment.
func (p *dumpPages) tick(game int) {
	p.background(func() {
		wait := time.NewTimer(p.frame)
		defer wait.Stop()
		select {
		case <-p.ctx.Done():
			return
		case <-wait.C:
		}
		p.post(func() { p.next(game) })
	})
}

// next goes on playing, unless it ended or the layout before is not there yet.
func (p *dumpPages) next(game int) {
	if p.playing == 0 || game != p.games {
		return
	}
	if p.layouts.load.fresh() {
		list, n := p.dump.place(&p.state)
		if n += p.playing; n < 0 || n >= len(list) {
			p.playing = 0
			p.changed()
			return
		}
		p.emit(chooseLayout{list[n], p.dump.time(list[n])})
	}
	p.tick(game)
}

// stepLayout goes to a layout before or after the one at the instant.
func stepLayout(e *env, s *State, a keymap.Action) {
	by := map[keymap.Action]int{keymap.StepBack: -1, keymap.StepForward: 1, keymap.LeapBack: -10, keymap.LeapForward: 10}[a]
	list, n := e.dump.place(s)
	to := min(max(n+by, 0), len(list)-1)
	if len(list) == 0 || to == n || n < 0 && by < 0 {
		e.say("there is no layout any further")
		return
	}
	e.emit(chooseLayout{list[to], e.dump.time(list[to])})
}

// nextSeries goes to the layouts of the next series that has some.
func nextSeries(e *env, s *State) {
	n, from := len(e.dump.layouts), e.dump.series(s)
	for i := 1; i < n && from != noSeries; i++ {
		if to := (from + i) % n; len(e.dump.layouts[to]) > 0 {
			e.emit(chooseSeries{to})
			e.say("layouts of " + widget.Clean(seriesName(&e.dump.timeline.Series[to], to)))
			return
		}
	}
	e.say("no other series has layouts")
}
