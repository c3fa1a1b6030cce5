package mlyze

import (
	"context"
	"errors"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// validate reports every broken rule of the format: those of the header, the metadata, and the events.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	v := &validator{report: report, budget: src.Budget()}
	o, err := begin(ctx, src)
	var broken *loaders.FormatError
	if errors.As(err, &broken) {
		rule := "magic"
		if broken.Field == "header" {
			rule = "header-truncated"
		}
		v.found.add(model.Error, rule, broken.Offset, broken.Err.Error())
		v.emit()
		return nil
	}
	if err != nil {
		return err
	}
	if err := v.open(o); err != nil {
		return err
	}
	r := o.trace.newReplay(ctx, func(b *model.EventBatch) error {
		v.take(b.Problems)
		return nil
	})
	r.watch = v.event
	v.tables, v.live = o.tables, map[uint64]uint64{}
	err = r.run()
	v.emit()
	return err
}

// validator collects violations.
type validator struct {
	report    func(loaders.Violation)
	found     findings
	tables    *tables
	live      map[uint64]uint64 // sizes by address
	sum       uint64            // bytes allocated
	budget    *model.Budget     // of memory, nil for no bound
	untracked bool              // live does not fit it
}

// open checks everything before the events.
func (v *validator) open(o *opening) error {
	err := o.readTables(false)
	o.deliver()
	if err == nil {
		err = o.decideBatched()
	}
	if err != nil {
		return err
	}
	if _, _, err := o.tables.buildStacks(o.ctx, loaders.FrameOrderAuto, &o.found, o.src.Budget()); err != nil {
		return err
	}
	v.take(o.found.list)
	return nil
}

func (v *validator) take(list []model.Problem) {
	for _, p := range list {
		v.found.addN(p.Severity, p.Code, p.Offset, p.Message, p.Count)
	}
}

// emit reports what was found, except notes, which break no rule.
func (v *validator) emit() {
	loaders.Report(v.found.list, v.report)
}

// event checks one event that decodes: its references, and its effect on live blocks.
func (v *validator) event(e *model.Event, offset int64, _ uint64) {
	switch e.Kind {
	case model.Alloc:
		v.alloc(e, offset)
	case model.Free:
		if _, ok := v.live[e.Addr]; !ok && e.Addr != 0 && !v.untracked {
			v.found.add(model.Warning, "unmatched-free", offset, "a FREE has an address without a live block")
		}
		delete(v.live, e.Addr)
	case model.Marker:
		if _, ok := v.tables.funcs.get(e.ID); !ok && !v.tables.partial() {
			v.found.add(dangling(len(v.tables.funcs.index)), "dangling-marker", offset,
				"a MARKER has a name id that functions does not define")
		}
	}
}

func (v *validator) alloc(e *model.Event, offset int64) {
	if _, ok := v.tables.stacks[e.ID]; !ok && !v.tables.partial() {
		v.found.add(dangling(len(v.tables.stacks)), "dangling-stack", offset, "an ALLOC has a stack id that stack_traces does not define")
	}
	sum, fits := model.SaturatingAdd(v.sum, e.Size)
	if !fits {
		v.found.add(model.Warning, "sum-overflow", offset, "the sum of all sizes does not fit 64 bits")
	}
	v.sum = sum
	if e.Addr == 0 || v.untracked {
		return
	}
	if _, ok := v.live[e.Addr]; ok {
		v.found.add(model.Warning, "overwritten", offset, "an ALLOC has the address of a live block")
	}
	if v.live[e.Addr] = e.Size; len(v.live)%checkEvery == 0 && v.budget.Full(model.BudgetOfFile) {
		v.found.leave(v.budget, "addresses were not checked against live blocks after byte %d", offset)
		v.live, v.untracked = nil, true
	}
}
