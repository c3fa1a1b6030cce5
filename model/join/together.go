package join

import (
	"sync"

	"github.com/memtui/memtui/model"
)

// Together is the profile of several files. What is found in one of them later, while its snapshots are decoded, is
// added to it with the name of the file.
type Together struct {
	Store *model.Store
	quit  chan struct{}

	mu    sync.Mutex
	files []*model.Store
	added []*model.Profile // of each file: what the profile has already
}

// NewTogether returns the profile of files, which has their problems already, and follows them until it is closed.
func NewTogether(whole *model.Profile, files []*model.Store) *Together {
	t := &Together{Store: &model.Store{}, quit: make(chan struct{}), files: files}
	for _, file := range files {
		t.added = append(t.added, file.Current())
	}
	t.Store.Publish(whole)
	for _, file := range t.files {
		go t.follow(file)
	}
	return t
}

func (t *Together) follow(file *model.Store) {
	for {
		_, changed := file.Watch()
		t.Renew()
		select {
		case <-changed:
		case <-t.quit:
			return
		}
	}
}

// Close ends following the files.
func (t *Together) Close() { close(t.quit) }

// Renew adds what was found since the last time.
func (t *Together) Renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, file := range t.files {
		before, now := t.added[i], file.Current()
		if now == before {
			continue
		}
		t.added[i] = now
		t.Store.Update(func(old *model.Profile) *model.Profile { return withLater(old, before, now) })
	}
}

// withLater returns the profile of several files with what is known of one of them now, and was not before.
func withLater(whole, before, now *model.Profile) *model.Profile {
	next := *whole
	next.Lost += now.Lost - before.Lost
	next.Complete = next.Complete && now.Complete
	for _, q := range now.Problems {
		for _, p := range before.Problems {
			if p.Code == q.Code && p.Severity == q.Severity && p.Message == q.Message {
				q.Count -= p.Count
			}
		}
		if q.Count > 0 {
			q.Message = now.Meta.Name + ": " + q.Message
			next.Problems = model.AddProblem(next.Problems, q)
		}
	}
	return &next
}
