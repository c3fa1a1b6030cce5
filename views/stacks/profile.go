package stacks

import (
	"context"
	"math"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
)

// ProfileStacks is the screen of the stacks of a profile, weighted under the chosen event.
type ProfileStacks struct{ *Stacks }

// NewProfileStacks returns the stacks of a stack profile.
func NewProfileStacks(e *ui.Env, sides ui.StackComparer) *ProfileStacks {
	return &ProfileStacks{NewStacks(e, sides)}
}

func (p *ProfileStacks) Needs() model.Facet { return model.FacetProfile }

func (p *ProfileStacks) Scopes() []keymap.Scope {
	s := p.Stacks.Scopes()
	return append(s[:len(s)-1:len(s)-1], keymap.ScopeProfile, keymap.ScopeStacks)
}

// profileTree builds the structure of the tree of all records.
func profileTree(ctx context.Context, key treeKey) (*callTree, error) {
	opt := key.options()
	opt.Class = key.prof.Classes
	stacks, leaves, pick := key.stacks, key.prof.Weights.Records.Node, []int32(nil)
	view, err := key.prof.Views.Of(ctx, key.stacks, key.filters, key.part)
	if err != nil {
		return nil, err
	}
	if view != nil {
		stacks, leaves, pick = view.Stacks, nil, []int32{}
		for r, n := range key.prof.Weights.Records.Node {
			if node, kept := view.Node(n); kept {
				leaves, pick = append(leaves, node), append(pick, int32(r))
			}
		}
	}
	t, err := calltree.NewLeafTree(ctx, stacks, leaves, opt)
	return &callTree{t, key, nil, pick}, err
}

// fineScale keeps six decimals of weights that are not integers.
const fineScale = 1e6

// weighProf weights every record and sums up the tree. Negative weights count as 0.
func weighProf(ctx context.Context, key foldKey) (*weighed, error) {
	w := &weighed{tree: key.tree, key: key, peak: model.NoTime}
	sel, _, err := key.prof.Selection(ctx)
	if err != nil {
		return nil, err
	}
	n := key.prof.Of.Weights.Records.Len()
	weights, own := make([]uint64, n), []uint64(nil)
	if sel != nil {
		w.unit = key.prof.Unit()
		if !amountsOf(weights, sel.Weight, 0) {
			w.unit.Scale = fineScale
			amountsOf(weights, sel.Weight, fineScale)
		}
		if sel.HasSelf() {
			own = make([]uint64, n)
			amountsOf(own, sel.Self, w.unit.Scale)
		}
	}
	w.Folded = key.tree.Fold(key.tree.picked(weights))
	if own != nil {
		w.WithOwn(key.tree.picked(own))
	}
	return w, nil
}

// amountsOf sets out to the weights of records, multiplied by scale unless that is 0; whole reports that none has a
// fraction.
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

// kind returns the kind and flags of a node's frame in a profile; both are zero elsewhere.
func (w *weighed) kind(n int32) (model.FrameKind, model.FrameFlags) {
	f, _ := w.Frame(n)
	d := w.tree.key.prof
	if d == nil || int(f) >= len(d.Weights.FrameKind) || f == 0 {
		return model.FrameUnknown, 0
	}
	return d.Weights.FrameKind[f], d.Weights.FrameFlags[f]
}

// sign returns the sign that distinguishes kernel and inlined frames.
func (w *weighed) sign(n int32) string {
	switch kind, flags := w.kind(n); {
	case kind == model.FrameKernel:
		return ui.KernelSign
	case flags&model.FrameInlined != 0 || w.dso(n) == ui.InlinedDSO:
		return ui.InlinedSign
	}
	return ""
}

// dso returns the binary of a node's frame, "" where unknown.
func (w *weighed) dso(n int32) string {
	f, _ := w.Frame(n)
	d := w.tree.key.prof
	if d == nil || f == 0 || int(f) >= len(d.Weights.FrameDSO) {
		return ""
	}
	return d.Weights.DSOs[d.Weights.FrameDSO[f]].Name
}

// signStyle returns the color next to the sign of a frame. Ordinary frames have the zero style.
func (p *Stacks) signStyle(n int32) tcell.Style {
	if p.Prof == nil {
		return tcell.Style{}
	}
	switch p.Now.sign(n) {
	case ui.KernelSign:
		return p.Style(themes.Warning)
	case ui.InlinedSign:
		return p.Style(themes.Note)
	}
	return tcell.Style{}
}

// frameStyle returns the colors of kernel and inlined frames in the graph, reversed so that they fill their frame, or
// those of what changed; nil for traces.
func (p *Stacks) frameStyle() func(uint64) (tcell.Style, bool) {
	if p.Now.changes != nil {
		return p.changeStyle
	}
	if p.Prof == nil {
		return nil
	}
	return func(id uint64) (tcell.Style, bool) {
		st := p.signStyle(int32(id))
		return st.Reverse(true), st != tcell.Style{}
	}
}

// profAmount returns a weight of the tree with its unit.
func (p *Stacks) profAmount(v uint64) string {
	if p.Now == nil {
		return ""
	}
	return p.Now.unit.Scaled(v, p.State.Exact)
}

// costTitle returns the cost as a column's title.
func (p *Stacks) costTitle() string {
	if p.Prof != nil {
		return "TOTAL"
	}
	return ui.CostTitle(p.Now.key.cost)
}

// costText returns the cost in words.
func (p *Stacks) costText() string {
	if p.Now.set != nil {
		return p.Now.set.Title
	}
	if p.Prof != nil {
		return p.Now.key.prof.MetricName()
	}
	return ui.CostWords(p.Now.key.cost)
}

// profTitle returns the event and the metric.
func (p *Stacks) profTitle() string {
	k := p.Prof.Key(&p.State)
	if p.Now != nil {
		k = p.Now.key.prof
	}
	if s := k.Scope(); s != "" {
		return k.Title() + ", " + s
	}
	return k.Title()
}

func (p *Stacks) profBound() string {
	if !p.State.Status.Final || p.Now.Total[0] == math.MaxUint64 {
		return "≥ "
	}
	return ""
}

// profEmpty returns why there is no tree, and what to do.
func (p *Stacks) profEmpty() []string {
	if p.Now == nil {
		return []string{"Building the tree …"}
	}
	return p.Prof.NoWeight(p.Env, p.Now.key.prof)
}

// showTargetFunction selects the function that another screen requested, and shows its callers and callees.
func (p *Stacks) showTargetFunction() {
	st := &p.State.Prof
	if p.Prof == nil || st.Requests <= p.functionsShown {
		return
	}
	if st.Target == "" || st.Within != p.State.Filters {
		p.functionsShown = st.Requests // it was requested for other stacks
		return
	}
	if !p.weights.Fresh() {
		return
	}
	p.functionsShown = st.Requests
	name := st.Target
	if !p.State.FullName {
		name = funcname.ShortenTemplates(name)
	}
	best := int32(0)
	for n := int32(1); n < int32(p.Now.Len()); n++ {
		if p.Now.Total[n] > 0 && (best == 0 || p.Now.Total[n] > p.Now.Total[best]) && p.Now.Name(n) == name {
			best = n
		}
	}
	if best == 0 {
		p.Say("the stacks shown do not have this function")
		return
	}
	p.touched = true
	p.selectNode(best)
	p.Popup(newAroundView(p, name))
}
