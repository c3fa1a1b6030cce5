package traceindex

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
)

// ready reports whether a question can be answered before the complete index file is verified: from what was verified
// when it was opened, or is verified when it is read.
type ready func(ix *fileIndex) bool

func anyTime(*fileIndex) bool { return true }

func verifiedOnly(*fileIndex) bool { return false }

func when(is bool) ready { return func(*fileIndex) bool { return is } }

// kept is for questions about the complete run: is reports whether it is one.
func kept(is bool) ready { return func(ix *fileIndex) bool { return is && ix.whole.knows() } }

// keptSites is for rows of the complete run, at its end or at its peak, with their peaks or without.
func keptSites(q *analysis.Query, peaks bool) ready {
	return func(ix *fileIndex) bool {
		if !q.Range.IsFull() || !q.Cell.IsAll() || !ix.whole.knows() {
			return false
		}
		at := int(q.At.Events)
		return (q.At == analysis.End || at > 0 && at == ix.whole.peak().events) && (!peaks || ix.keepsPass(q.By, nil))
	}
}

func keptHistory(by analysis.Group, only calltree.Filter, keys []analysis.Key) ready {
	return func(ix *fileIndex) bool { return only == "" && ix.keepsPass(by, keys) }
}

// keepsPass reports whether the pass of a group is kept, with the histories of keys.
func (ix *fileIndex) keepsPass(by analysis.Group, keys []analysis.Key) bool {
	p := ix.Groups.PassIn(by, nil)
	return p != nil && p.Fold == nil && p.Events == ix.events() && p.Follows(keys)
}

func keptLives(keys []analysis.Key) ready {
	return func(ix *fileIndex) bool {
		_, ok := ix.whole.livesOf(keys)
		return ok && ix.keepsPass(analysis.ByStack, nil)
	}
}

func keptHeld(key analysis.Key) ready {
	return func(ix *fileIndex) bool {
		p := ix.whole.peak()
		return p != nil && p.index(key) >= 0
	}
}
