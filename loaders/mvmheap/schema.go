package mvmheap

import "github.com/memtui/memtui/model"

// The kinds of rows, numbered as in the format.
const (
	KindUnknown       model.HeapKind = 0
	KindObject        model.HeapKind = 1
	KindTypeObject    model.HeapKind = 2
	KindSTable        model.HeapKind = 3
	KindFrame         model.HeapKind = 4
	KindPermRoots     model.HeapKind = 5
	KindInstanceRoots model.HeapKind = 6
	KindCStackRoots   model.HeapKind = 7
	KindThreadRoots   model.HeapKind = 8
	KindRoot          model.HeapKind = 9
	KindInterGenRoots model.HeapKind = 10
	KindCallStack     model.HeapKind = 11
)

// The axis other than the name of types.
const axisRepr = 1

// The sets that metadata counts, by their index in the schema.
const (
	setObjects = iota
	setTypeObjects
	setSTables
	setFrames
	numSets
)

// The policies of a snapshot's references, by their index in the schema.
const (
	// RootEdges leaves out references that leave inter-generational roots unless nothing else reaches their target:
	// those roots list old objects that point at young ones, and keep nothing alive.
	RootEdges = iota
	// AllEdges uses every reference as recorded.
	AllEdges
)

// Schema returns the schema of MoarVM's snapshots.
func Schema() *model.HeapSchema { return &schema }

var schema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		KindUnknown:       {Name: "unknown", Title: "<unknown>", Virtual: true},
		KindObject:        {Name: "object", Title: "object", Naming: model.NamedByType},
		KindTypeObject:    {Name: "type-object", Title: "type object", Naming: model.NamedByType, Marked: true},
		KindSTable:        {Name: "stable", Title: "STable", Naming: model.NamedByType, Marked: true, Meta: true},
		KindFrame:         {Name: "frame", Title: "frame", Naming: model.NamedByFrame},
		KindPermRoots:     {Name: "permanent-roots", Title: "Permanent Roots", Virtual: true},
		KindInstanceRoots: {Name: "instance-roots", Title: "VM Instance Roots", Virtual: true},
		KindCStackRoots:   {Name: "c-stack-roots", Title: "C Stack Roots", Virtual: true},
		KindThreadRoots:   {Name: "thread-roots", Title: "Thread Roots", Virtual: true},
		KindRoot:          {Name: "root", Title: "Root", Virtual: true},
		KindInterGenRoots: {Name: "inter-generational-roots", Title: "Inter-generational Roots", Virtual: true},
		KindCallStack:     {Name: "call-stack-roots", Title: "Call Stack Roots", Virtual: true},
	},
	Sets: []model.HeapSet{
		setObjects: {Key: "objects", One: "object", Many: "objects", Kinds: model.KindsOf(KindObject),
			Naming: model.NamedByType, Column: true},
		setTypeObjects: {Key: "type_objects", One: "type object", Many: "type objects",
			Kinds: model.KindsOf(KindTypeObject), Naming: model.NamedByType},
		setSTables: {Key: "stables", One: "STable", Many: "STables", Kinds: model.KindsOf(KindSTable), Naming: model.NamedByType},
		setFrames: {Key: "frames", One: "frame", Many: "frames", Kinds: model.KindsOf(KindFrame),
			Naming: model.NamedByFrame, Column: true},
	},
	Axes: []model.HeapAxis{
		{Key: "type", One: "type", Many: "types", Word: "type"},
		axisRepr: {Key: "repr", One: "REPR", Many: "REPRs", Word: "representation", Distinct: true, Runtime: runtimeReprs},
	},
	Edges: []model.HeapEdgeInfo{{Name: "reference"}},
	Policies: []model.HeapPolicy{
		RootEdges: {Name: "roots", SkipFrom: model.KindsOf(KindInterGenRoots),
			Help: "inter-generational roots keep alive only what nothing else reaches"},
		AllEdges: {Name: "all", About: "all edges", Note: "retained through all references",
			Help: "all references keep memory alive, including those of inter-generational roots"},
	},
	Split: true,
}

// runtimeReprs are the representations of bytecode, of code compiled from it, of symbol tables and of grammars'
// automata: programs have many of them from the start, and make few themselves.
var runtimeReprs = []string{"MVMCompUnit", "MVMStaticFrame", "MVMStaticFrameSpesh", "MVMSpeshCandidate",
	"MVMSpeshLog", "MVMSpeshPluginState",
	"MVMCode", "SCRef", "NFA", "KnowHOWREPR", "KnowHOWAttribute"}
