package hprof

import "github.com/memtui/memtui/model"

// The kinds of rows.
const (
	kindRoot model.HeapKind = iota
	kindClass
	kindInstance
	kindObjects
	kindPrimitives
)

// The axes other than the class.
const (
	axisLoader = iota + 1
	axisPackage
	axisSuper
	numAxes
)

// The kinds of references.
const (
	edgeStrong model.HeapEdgeKind = iota
	edgeSoft
	edgeWeak
	edgePhantom
	edgeFinal
)

// The sets that snapshots count, by their index in the schema.
const (
	setObjects = iota
	setClasses
	setInstances
	setObjectArrays
	setPrimitiveArrays
	numSets
)

const weakEdges = model.HeapEdgeKinds(1<<edgeWeak | 1<<edgePhantom | 1<<edgeFinal)

// newSchema returns the schema of heap dumps of Java.
func newSchema() *model.HeapSchema { return &schema }

var schema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		kindRoot:       {Name: "root", Title: "Root", Virtual: true},
		kindClass:      {Name: "class", Title: "class", Naming: model.NamedByType, Marked: true, About: true},
		kindInstance:   {Name: "instance", Title: "instance", Naming: model.NamedByType},
		kindObjects:    {Name: "object-array", Title: "array of objects", Naming: model.NamedByType},
		kindPrimitives: {Name: "primitive-array", Title: "array of values", Naming: model.NamedByType},
	},
	Sets: []model.HeapSet{
		setObjects: {Key: "objects", One: "object", Many: "objects", Naming: model.NamedByType, Column: true,
			Kinds: model.KindsOf(kindClass, kindInstance, kindObjects, kindPrimitives)},
		setClasses: {Key: "class_objects", One: "class object", Many: "class objects", Kinds: model.KindsOf(kindClass),
			Naming: model.NamedByType, Column: true},
		setInstances: {Key: "instances", One: "instance", Many: "instances", Kinds: model.KindsOf(kindInstance),
			Naming: model.NamedByType},
		setObjectArrays: {Key: "object_arrays", One: "array of objects", Many: "arrays of objects",
			Kinds: model.KindsOf(kindObjects), Naming: model.NamedByType},
		setPrimitiveArrays: {Key: "primitive_arrays", One: "array of values", Many: "arrays of values",
			Kinds: model.KindsOf(kindPrimitives), Naming: model.NamedByType},
	},
	Axes: []model.HeapAxis{
		{Key: "type", One: "class", Many: "classes", Word: "class", Containers: []string{"*[]", "java.util.*", "java.lang.ref.*"}},
		axisLoader:  {Key: "loader", One: "class loader", Many: "class loaders", Word: "class loader", Distinct: true},
		axisPackage: {Key: "package", One: "package", Many: "packages", Word: "package"},
		axisSuper: {Key: "superclass", One: "superclass", Many: "superclasses", Word: "superclass",
			Runtime: []string{"java.lang.Object"}},
	},
	Edges: []model.HeapEdgeInfo{
		edgeStrong:  {Name: "strong"},
		edgeSoft:    {Name: "soft", Marked: true},
		edgeWeak:    {Name: "weak", Marked: true},
		edgePhantom: {Name: "phantom", Marked: true},
		edgeFinal:   {Name: "final", Marked: true},
	},
	Policies: []model.HeapPolicy{
		{Name: "strong", Skip: weakEdges | 1<<edgeSoft,
			Help: "soft, weak, phantom and final references keep alive only what nothing else reaches"},
		{Name: "soft", About: "and soft references", Note: "retained, soft references included", Skip: weakEdges,
			Help: "soft references also keep memory alive, as they do until memory runs short"},
		{Name: "all", About: "all edges", Note: "retained through all references",
			Help: "all references keep memory alive, including weak ones"},
	},
	Garbage: true,
	IDs:     model.HeapIDForm{Prefix: "0x", Base: 16, Moves: true},
}
