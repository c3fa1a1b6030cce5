package rubyheap

import (
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// finish adds a parsed line to a unit.
func (p *parser) finish(u *objects.Unit, at int64, cut bool) {
	l := &p.line
	switch kind := string(l.kind); {
	case kind == "ROOT" && l.root != nil:
		refs, _ := u.Refs()
		u.Roots = append(u.Roots, objects.Root{Group: p.names.Add(l.root), Refs: append([]uint64(nil), refs[1:]...)})
		u.Drop()
	case kind == "SHAPE":
		if l.shapeNumber {
			p.shapes[l.shapeID] = shape{l.parentID, string(model.KeptName(l.edge))}
		}
		u.Drop()
	case kind == "NONE":
		p.empty++
		u.Drop()
	case l.id == 0 || kind == "":
		u.Drop()
		if cut {
			return // that was reported already
		}
		if l.odd {
			u.Problem(model.Error, "line", at, "a line is damaged: neither the address nor the type of its object is known")
			return
		}
		p.foreign(u, at, cut)
		return
	default:
		p.object(u, at)
	}
	if l.odd {
		u.Problem(model.Warning, "salvaged-line", at,
			"a line is not JSON, usually because Ruby does not escape names: the rest of the line was read")
	}
}

// object adds an object.
func (p *parser) object(u *objects.Unit, at int64) {
	l := &p.line
	o := objects.Object{ID: l.id, Class: l.class, Size: l.size}
	o.Kind, _ = kindOf(l.kind)
	refs, labels := u.Refs()
	if o.Kind != kindIMemo && o.Kind != kindNode {
		refs[0] = l.class
	} else {
		o.Class = 0
	}
	p.label1(o.Kind, refs, labels)
	if l.super != 0 { // included modules have one as well: they are between a class and what it inherits from
		p.supers = append(p.supers, super{l.id, l.super})
	}
	switch o.Kind {
	case kindClass, kindModule:
		switch {
		case l.name != nil:
			o.Name = p.names.Add(l.name)
		case l.realClass != nil:
			o.Name = p.names.Add([]byte("#<Class:" + string(l.realClass) + ">"))
		}
	case kindIMemo, kindNode, kindData:
		o.Name = p.names.Add(l.inner)
	case kindOther:
		o.Name = p.names.Add(l.kind)
	case kindObject:
		if l.hasShape {
			o.Extra[extraShape] = uint32(min(l.shape, 1<<31)) + 1
		}
	}
	o.Extra[extraSite] = p.siteName()
	if l.hasGeneration {
		o.Extra[extraGeneration] = uint32(min(l.generation, 1<<31)) + 1
	}
	u.Add(&o, at, numExtra)
}

// label1 sets the labels that the line itself determines: elements, if all of them are objects, the superclass and the
// like.
func (p *parser) label1(kind model.HeapKind, refs []uint64, labels []model.EdgeLabel) {
	l := &p.line
	switch kind {
	case kindClass, kindModule, kindIClass:
		nameFirst(refs, labels, l.super, p.label.super)
	case kindHash:
		nameFirst(refs, labels, l.value, p.label.value)
	case kindString:
		if l.shared && len(refs) == 2 {
			labels[1] = p.label.shared
		}
	case kindArray:
		if l.shared || !l.hasLength || l.length != uint64(len(refs)-1) {
			if l.shared && len(refs) == 2 {
				labels[1] = p.label.shared
			}
			return
		}
		for i := range labels[1:] {
			labels[i+1] = objects.IndexLabel(i)
		}
	}
}

// nameFirst labels the first reference to an object, except that to the class.
func nameFirst(refs []uint64, labels []model.EdgeLabel, id uint64, label model.EdgeLabel) {
	if id == 0 {
		return
	}
	for i := 1; i < len(refs); i++ {
		if refs[i] == id {
			labels[i] = label
			return
		}
	}
}
