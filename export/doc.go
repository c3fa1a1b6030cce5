// Package export writes profiles as files of other programs. What a format cannot hold is not dropped silently: writers
// return it as [Loss].
package export

// Loss is a part of a profile that the written file lacks, or has in another form.
type Loss struct {
	What  string // a clause: "a curve has no color: #000000 was written"
	Count int    // how often, at least 1
}

// losses collects what is lost, merging equal ones.
type losses struct{ list []Loss }

func (l *losses) add(what string) {
	for i := range l.list {
		if l.list[i].What == what {
			l.list[i].Count++
			return
		}
	}
	l.list = append(l.list, Loss{what, 1})
}
