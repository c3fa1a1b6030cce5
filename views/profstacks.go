package views

import (
	"context"
	"math"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// profStacks is the screen of stacks over the stacks of a profile, weighed under the chosen event.
type profStacks struct{ *stacks }

func newProfStacks(e *env) *profStacks { return &profStacks{newStacks(e)} }

func (p *profStacks) needs() model.Facet { return model.FacetProfile }

func (p *profStacks) scopes() []keymap.Scope {
	s := p.stacks.scopes()
	return append(s[:len(s)-1:len(s)-1], keymap.ScopeProfile, keymap.ScopeStacks)
}

// profTree builds the structure of the tree of all records.
func profTree(ctx context.Context, key treeKey) (*callTree, error) {
	opt := calltree.TreeOptions{Invert: key.invert, Collapse: key.collapse}
	if !key.full {
		opt.Name = widget.ShortenTemplates
	}
	opt.Class = key.prof.classes
	stacks, leaves, pick := key.stacks, key.prof.weights.Records.Node, []int32(nil)
	view, err := key.prof.views.of(ctx, key.stacks, key.chips, key.part)
	if err != nil {
		return nil, err
	}
	if view != nil {
		stacks, leaves, pick = view.Stacks, nil, []int32{}
		for r, n := range key.prof.weights.Records.Node {
			if node, kept := view.Node(n); kept {
				leaves, pick = append(leaves, node), append(pick, int32(r))
			}
		}
	}
	t, err := calltree.NewLeafTree(ctx, stacks, leaves, opt)
	return &callTree{t, key, nil, pick}, err
}

// fineScale keeps six digits behind the point of weights that are no integers.
const fineScale = 1e6

// weighProf weighs every record and sums up the tree. Weights below zero count as nothing.
func weighProf(ctx context.Context, key foldKey) (*weighed, error) {
	w := &weighed{tree: key.tree, key: key, peak: model.NoTime}
	sel, _, err := key.prof.selection(ctx)
	if err != nil {
		return nil, err
	}
	n := key.prof.of.weights.Records.Len()
	weights, own := make([]uint64, n), []uint64(nil)
	if sel != nil {
		w.unit = unitOf(&key.prof.of.weights.Metrics[key.prof.metric])
		if !amountsOf(weights, sel.Weight, 0) {
			w.unit.scale = fineScale
			amountsOf(weights, sel.Weight, fineScale)
		}
		if sel.HasSelf() {
			own = make([]uint64, n)
			amountsOf(own, sel.Self, w.unit.scale)
		}
	}
	w.Folded = key.tree.Fold(key.tree.picked(weights))
	if own != nil {
		w.WithOwn(key.tree.picked(own))
	}
	return w, nil
}

// amountsOf is what records weigh, times a scale where that is not 0; whole says that none of it has a fraction.
func amountsOf(out []uint64, of func(model.RecordID) (model.Number, bool), scale float64) (whole bool) {
	whole = true
	for r := range out {
		v, ok := of(model.RecordID(r))
		if n, small := v.Small(math.MaxUint64); small || !ok {
			out[r] = n
			if scale != 0 {
				out[r] = uint64(min(float64(n)*scale, math.MaxUint64/2))
			}
			continue
		}
		f := v.Float64()
		whole = whole && f == math.Trunc(f)
		var a model.Amount
		a.Add(v)
		out[r] = a.Uint64()
		if scale != 0 {
			out[r] = uint64(min(max(f, 0)*scale, math.MaxUint64/2))
		}
	}
	return whole
}

// Signs of frames that are no ordinary user code.
const (
	kernelSign  = "[k] "
	inlinedSign = "[i] "
)

// inlinedDSO is what perf calls the binary of inlined functions.
const inlinedDSO = "inlined"

// kind is what is known of a node's frame in a profile; both are zero elsewhere.
func (w *weighed) kind(n int32) (model.FrameKind, model.FrameFlags) {
	f, _ := w.Frame(n)
	d := w.tree.key.prof
	if d == nil || int(f) >= len(d.weights.FrameKind) || f == 0 {
		return model.FrameUnknown, 0
	}
	return d.weights.FrameKind[f], d.weights.FrameFlags[f]
}

// sign tells kernel and inlined frames apart from others.
func (w *weighed) sign(n int32) string {
	switch kind, flags := w.kind(n); {
	case kind == model.FrameKernel:
		return kernelSign
	case flags&model.FrameInlined != 0 || w.dso(n) == inlinedDSO:
		return inlinedSign
	}
	return ""
}

// dso is the binary of a node's frame, "" where nobody knows.
func (w *weighed) dso(n int32) string {
	f, _ := w.Frame(n)
	d := w.tree.key.prof
	if d == nil || f == 0 || int(f) >= len(d.weights.FrameDSO) {
		return ""
	}
	return d.weights.DSOs[d.weights.FrameDSO[f]].Name
}

// signStyle is the colour beside the sign of a frame; the zero style is that of ordinary ones.
func (p *stacks) signStyle(n int32) tcell.Style {
	if p.prof == nil {
		return tcell.Style{}
	}
	switch p.now.sign(n) {
	case kernelSign:
		return p.style(themes.Warning)
	case inlinedSign:
		return p.style(themes.Note)
	}
	return tcell.Style{}
}

// frameStyle is the colours of kernel and inlined frames in the graph, reversed so that they fill their frame; nil for traces.
func (p *stacks) frameStyle() func(uint64) (tcell.Style, bool) {
	if p.prof == nil {
		return nil
	}
	return func(id uint64) (tcell.Style, bool) {
		st := p.signStyle(int32(id))
		return st.Reverse(true), st != tcell.Style{}
	}
}

// profAmount is a weight of the tree with its unit.
func (p *stacks) profAmount(v uint64) string {
	if p.now == nil {
		return ""
	}
	return p.now.unit.scaled(v, p.state.Exact)
}

// costTitle is what is weighed as a column's title.
func (p *stacks) costTitle() string {
	if p.prof != nil {
		return "TOTAL"
	}
	return costColumn(p.now.key.cost)
}

// costText is what is weighed in words.
func (p *stacks) costText() string {
	if p.prof != nil {
		return p.now.key.prof.metricName()
	}
	return costWords(p.now.key.cost)
}

// profTitle says what is weighed.
func (p *stacks) profTitle() string {
	k := p.prof.key(&p.state)
	if p.now != nil {
		k = p.now.key.prof
	}
	if s := k.scope(); s != "" {
		return k.title() + ", " + s
	}
	return k.title()
}

func (p *stacks) profBound() string {
	if !p.state.Status.Final || p.now.Total[0] == math.MaxUint64 {
		return "≥ "
	}
	return ""
}

// profEmpty says why there is no tree, and what to do.
func (p *stacks) profEmpty() []string {
	if p.now == nil {
		return []string{"Putting stacks together …"}
	}
	return p.prof.noWeight(p.now.key.prof)
}

// noWeight says why nothing weighs anything.
func (d *profFile) noWeight(k profKey) []string {
	switch {
	case d.weights.Records.Len() == 0 && !d.profile.Complete:
		return []string{"No stack was read from this file so far.", "Problems says what was found in it."}
	case d.weights.Records.Len() == 0:
		return []string{"This file holds no stacks.", "Problems says what was found in it."}
	case k.none:
		return []string{"The event " + d.eventName(k.event) + " has no stacks.", "c weighs by the next event."}
	case k.chips != "":
		return []string{"No stack is left by the filters.", "Esc takes the last one back, ; lists them."}
	case k.window != noWindow:
		return []string{"The window holds no stacks of this event and metric.", "Esc shows the whole run again, c and m weigh otherwise."}
	case k.ranged:
		return []string{"No sample of the event is in the range.", "u forgets the range, c weighs by the next event."}
	}
	return []string{"No stack of " + d.eventName(k.event) + " has " + k.metricName() + ".", "c weighs by the next event, m by the next metric."}
}

// adoptSought goes to the function that another screen asked for, and shows what is around it.
func (p *stacks) adoptSought() {
	st := &p.state.Prof
	if p.prof == nil || st.Sent <= p.sought || !p.weights.fresh() {
		return
	}
	p.sought = st.Sent
	name := st.Sought
	if !p.state.FullName {
		name = widget.ShortenTemplates(name)
	}
	best := int32(0)
	for n := int32(1); n < int32(p.now.Len()); n++ {
		if p.now.Total[n] > 0 && (best == 0 || p.now.Total[n] > p.now.Total[best]) && p.now.Name(n) == name {
			best = n
		}
	}
	if best == 0 {
		p.say("this function is not among the stacks shown")
		return
	}
	p.touched = true
	p.selectNode(best)
	p.popup(newAroundView(p, name))
}
