package model

import "sync"

// Store holds the newest revision of one file. Any goroutine may use it; readers never block writers for longer than a
// pointer swap. The zero Store is empty and ready.
type Store struct {
	mu      sync.Mutex
	current *Profile
	changed chan struct{}
}

// Publish makes p the current revision and numbers it. The caller must not change p afterwards.
func (s *Store) Publish(p *Profile) { s.Update(func(*Profile) *Profile { return p }) }

// Update replaces the current revision (nil at first) by the result of f, atomically. f must not change its argument:
// it copies the struct, changes the copy and returns it. Returning nil changes nothing.
func (s *Store) Update(f func(*Profile) *Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := f(s.current)
	if next == nil {
		return
	}
	next.Revision = 1
	if s.current != nil {
		next.Revision = s.current.Revision + 1
	}
	s.current = next
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Watch returns the current revision, nil before the first, and a channel that is closed when it is superseded.
func (s *Store) Watch() (*Profile, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.current, s.changed
}

// Current returns the current revision, nil before the first.
func (s *Store) Current() *Profile {
	p, _ := s.Watch()
	return p
}
