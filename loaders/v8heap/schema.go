package v8heap

import "github.com/memtui/memtui/model"

// The kinds of rows, which are the types of nodes.
const (
	kindHidden model.HeapKind = iota
	kindArray
	kindString
	kindObject
	kindCode
	kindClosure
	kindRegExp
	kindNumber
	kindNative
	kindSynthetic
	kindConcatenated
	kindSliced
	kindSymbol
	kindBigInt
	kindShape
	kindWasm
	kindOther
	numKinds
)

// kinds are the kinds of rows for types of nodes, and their classes if those are not the rows' names.
var kinds = [numKinds]struct{ name, class string }{
	kindHidden:       {"hidden", "(system)"},
	kindArray:        {"array", "(array)"},
	kindString:       {"string", "(string)"},
	kindObject:       {"object", ""},
	kindCode:         {"code", "(compiled code)"},
	kindClosure:      {"closure", "Function"},
	kindRegExp:       {"regexp", "RegExp"},
	kindNumber:       {"number", "(number)"},
	kindNative:       {"native", ""},
	kindSynthetic:    {"synthetic", "(synthetic)"},
	kindConcatenated: {"concatenated string", "(concatenated string)"},
	kindSliced:       {"sliced string", "(sliced string)"},
	kindSymbol:       {"symbol", "(symbol)"},
	kindBigInt:       {"bigint", "(bigint)"},
	kindShape:        {"object shape", "(object shape)"},
	kindWasm:         {"wasm object", "(wasm object)"},
	kindOther:        {"other", "(other)"},
}

// The axes other than the class.
const (
	axisNode = iota + 1
	axisDetached
	axisSite
	axisStack
	axisTime
	numAxes
)

// The kinds of references. Those from edgeInner are variants of the file's kinds that policies leave out.
const (
	edgeProperty model.HeapEdgeKind = iota
	edgeElement
	edgeContext
	edgeInternal
	edgeHidden
	edgeShortcut
	edgeOther
	edgeWeak
	edgeInner   // a shortcut of a row other than the root
	edgeSelf    // of a row to itself
	edgeTable   // of the table of a WeakMap to a value
	edgeOutside // from outside of the page into it
	numEdges
)

var edgeNames = map[string]model.HeapEdgeKind{
	"property": edgeProperty, "element": edgeElement, "context": edgeContext, "internal": edgeInternal, "hidden": edgeHidden,
	"shortcut": edgeShortcut, "weak": edgeWeak,
}

const plainSkips = model.HeapEdgeKinds(1<<edgeWeak | 1<<edgeInner)

// The policies.
const (
	policyDevTools = iota
	policyPlain
)

// newSchema returns the schema of V8's heap snapshots.
func newSchema() *model.HeapSchema { return &schema }

func kindsOfNodes() []model.HeapKindInfo {
	list := make([]model.HeapKindInfo, numKinds)
	for k, x := range kinds {
		named := model.KindsOf(kindClosure, kindSynthetic, kindCode, kindShape, kindHidden, kindNative, kindObject).Has(model.HeapKind(k))
		list[k] = model.HeapKindInfo{Name: dashed(x.name), Title: x.name, Naming: model.NamedByType, Named: named}
	}
	list[kindSynthetic].Virtual = true
	list[kindClosure].Title, list[kindClosure].Marked = "function", true
	list[kindCode].Title, list[kindCode].Marked = "compiled code", true
	list[kindShape].Marked = true
	return list
}

// dashed returns a name as in flags.
func dashed(name string) string {
	b := []byte(name)
	for i := range b {
		if b[i] == ' ' {
			b[i] = '-'
		}
	}
	return string(b)
}

// recordedStacks is when files have the stacks of allocations.
const recordedStacks = "V8 records it in allocation timelines (.heaptimeline) with stacks, which DevTools and HeapProfiler.startTrackingHeapObjects with trackAllocations make"

var schema = model.HeapSchema{
	Kinds: kindsOfNodes(),
	Sets: []model.HeapSet{
		{Key: "objects", One: "object", Many: "objects", Naming: model.NamedByType, Column: true, Kinds: 1<<numKinds - 1},
		{Key: "js_objects", One: "JavaScript object", Many: "JavaScript objects", Naming: model.NamedByType, Column: true,
			Kinds: model.KindsOf(kindObject, kindClosure, kindRegExp)},
		{Key: "strings", One: "string", Many: "strings", Naming: model.NamedByType, Column: true,
			Kinds: model.KindsOf(kindString, kindConcatenated, kindSliced)},
	},
	Axes: []model.HeapAxis{
		{Key: "type", One: "class", Many: "classes", Word: "class",
			Containers: []string{"Array", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "(array)",
				"(object elements)", "(object properties)"}},
		axisNode: {Key: "node-type", One: "node type", Many: "node types", Word: "node type", Distinct: true,
			Runtime: []string{"code", "hidden", "object shape", "synthetic"}},
		axisDetached: {Key: "detachedness", One: "detachedness", Many: "kinds of detachedness", Word: "detachedness",
			ByRow: true, Unstated: true},
		axisSite: {Key: "site", One: "site", Many: "sites", Word: "allocation site", ByRow: true, Unstated: true,
			Recorded: recordedStacks},
		axisStack: {Key: "stack", One: "stack", Many: "stacks", Word: "allocation stack", ByRow: true, Unstated: true,
			Recorded: recordedStacks},
		axisTime: {Key: "allocated", One: "time of allocation", Many: "times of allocation", Word: "time of allocation",
			ByRow: true, Unstated: true, Recorded: "V8 records it in allocation timelines (.heaptimeline), not in snapshots"},
	},
	Edges: []model.HeapEdgeInfo{
		edgeProperty: {Name: "property"},
		edgeElement:  {Name: "element"},
		edgeContext:  {Name: "context"},
		edgeInternal: {Name: "internal"},
		edgeHidden:   {Name: "hidden"},
		edgeShortcut: {Name: "shortcut"},
		edgeOther:    {Name: "other"},
		edgeWeak:     {Name: "weak", Marked: true},
		edgeInner:    {Name: "inner shortcut", Marked: true},
		edgeSelf:     {Name: "to itself", Marked: true},
		edgeTable:    {Name: "by the WeakMap's table", Marked: true},
		edgeOutside:  {Name: "from outside the page", Marked: true},
	},
	Policies: []model.HeapPolicy{
		policyDevTools: {Name: "devtools", Lost: true, Moved: true, Skip: plainSkips | 1<<edgeSelf | 1<<edgeTable | 1<<edgeOutside,
			Help: "as Chrome DevTools: weak references, and references of the runtime to what the program's globals reach, do not keep memory alive; the size of an object includes the arrays that it alone owns"},
		policyPlain: {Name: "plain", About: "plain edges", Note: "retained through all references but weak ones",
			Lost: true, Skip: plainSkips,
			Help: "all references but weak ones keep memory alive; sizes as the file states them"},
	},
	Garbage: true,
	IDs:     model.HeapIDForm{Prefix: "@", Base: 10},
}
