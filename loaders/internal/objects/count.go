package objects

import (
	"context"
	"sync"
	"time"

	"github.com/memtui/memtui/model"
)

// Sort is what the type of an object depends on: with the name of its class, if that is known, nothing else matters.
type Sort struct {
	Kind  model.HeapKind
	Name  uint32 // among the unit's names; 0 for none
	Class uint64 // identity of the class, 0 for none
}

// unread names the type of objects whose class comes later in the file.
const unread = "(class not read yet)"

// counting counts objects by type while a file is read, for those who do not want to wait for the heap. A nil one does
// nothing.
type counting struct {
	pass   Pass
	schema *model.HeapSchema
	report func(*model.Heap)

	mu       sync.Mutex
	sums     map[countKey]*model.HeapTally
	classes  map[uint64]className
	reported time.Time
}

// countKey is a [Sort] whose name does not depend on the goroutine.
type countKey struct {
	kind  model.HeapKind
	name  string
	class uint64
}

// className is the name of a class, and where its line is: of several with one identity the first counts.
type className struct {
	name string
	at   int64
}

func newCounting(ctx context.Context, pass Pass, schema *model.HeapSchema) *counting {
	report := model.CountedReport(ctx)
	if report == nil {
		return nil
	}
	return &counting{pass: pass, schema: schema, report: report, sums: map[countKey]*model.HeapTally{}, classes: map[uint64]className{}}
}

// add counts the objects of a unit, and reports all that were counted if the last report is a while ago.
func (c *counting) add(u *Unit) {
	if c == nil {
		return
	}
	sums := c.sum(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sums == nil {
		return
	}
	for i := range u.Class {
		if name := c.pass.ClassName(u, i); name != "" {
			at := u.From + int64(u.line[i])
			if known, ok := c.classes[u.IDs[i]]; !ok || at < known.at {
				c.classes[u.IDs[i]] = className{name, at}
			}
		}
	}
	for sort, x := range sums {
		key := countKey{sort.Kind, u.Names.Text(sort.Name), sort.Class}
		if all := c.sums[key]; all != nil {
			all.Add(x)
		} else {
			c.sums[key] = x
		}
	}
	if len(c.sums) > model.MaxCounted || len(c.classes) > model.MaxCounted { // damaged files have any number
		c.sums, c.classes = nil, nil
	} else if now := time.Now(); now.Sub(c.reported) >= model.CountedEvery {
		c.reported = now
		c.tell(false)
	}
}

// sum adds up the objects of a unit.
func (c *counting) sum(u *Unit) map[Sort]*model.HeapTally {
	sums := map[Sort]*model.HeapTally{}
	last, x := Sort{}, (*model.HeapTally)(nil)
	for i, size := range u.Size {
		if sort := c.pass.Sort(u, i); x == nil || sort != last {
			last = sort
			if x = sums[sort]; x == nil {
				x = &model.HeapTally{Kind: uint32(sort.Kind)}
				sums[sort] = x
			}
		}
		x.Count++
		x.Managed, _ = model.SaturatingAdd(x.Managed, size)
	}
	return sums
}

// end reports everything that was counted: all lines are read.
func (c *counting) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sums != nil {
		c.tell(true)
	}
	c.sums, c.classes = nil, nil
}

// tell reports what was counted. The caller holds the lock.
func (c *counting) tell(all bool) {
	types := model.NewCountedTypes(c.schema)
	for key, x := range c.sums {
		name := c.classes[key.class].name
		if name == "" {
			if name = unread; all || key.class == 0 {
				name = c.pass.TypeName(key.kind, key.name)
			}
		}
		types.Add(key.kind, name, "", x)
	}
	c.report(types.Heap())
}
