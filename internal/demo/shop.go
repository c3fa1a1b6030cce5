package demo

import (
	"context"
	"math/rand/v2"
	"time"
)

// Memory is what a workload takes blocks from.
type Memory interface {
	Take(n int) []byte
	Drop(b []byte)
	Flush() // called now and then
}

// Work runs a small shop on memory until ctx is done. It leaks: of eight sessions one is never closed. Its cache of
// pages is full after a few seconds, and requests free what they allocate.
func Work(ctx context.Context, memory Memory) {
	s := shop{Memory: memory, random: rand.New(rand.NewPCG(1, 2)), open: map[int][]byte{}}
	pulse := time.NewTicker(5 * time.Millisecond)
	defer pulse.Stop()
	for {
		for range 8 {
			s.serve()
		}
		s.Flush()
		select {
		case <-pulse.C:
		case <-ctx.Done():
			return
		}
	}
}

const (
	cachedPages = 600
	sessionLife = 400 // requests
)

type shop struct {
	Memory
	random   *rand.Rand
	requests int
	open     map[int][]byte // sessions, by the request that opened them
	pages    [][]byte
}

// serve serves one request.
func (s *shop) serve() {
	s.requests++
	body := s.readRequest()
	if s.requests%2 == 0 {
		s.openSession()
	}
	if old := s.requests - sessionLife; old%16 != 0 { // the abandoned ones
		s.closeSession(old)
	}
	s.render()
	s.Drop(body)
}

func (s *shop) readRequest() []byte { return s.Take(500 + s.random.IntN(3000)) }

func (s *shop) openSession() { s.open[s.requests] = s.Take(1200 + s.random.IntN(800)) }

func (s *shop) closeSession(n int) {
	if session, ok := s.open[n]; ok {
		s.Drop(session)
		delete(s.open, n)
	}
}

// render makes a page, and keeps it in the place of a random one once the cache is full.
func (s *shop) render() {
	parts := s.Take(200 + s.random.IntN(400))
	defer s.Drop(parts)
	if s.random.IntN(4) > 0 {
		return
	}
	s.cachePage()
}

func (s *shop) cachePage() {
	page := s.Take(2000 + s.random.IntN(4000))
	if len(s.pages) < cachedPages {
		s.pages = append(s.pages, page)
		return
	}
	i := s.random.IntN(len(s.pages))
	s.Drop(s.pages[i])
	s.pages[i] = page
}
