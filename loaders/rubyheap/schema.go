package rubyheap

import "github.com/memtui/memtui/model"

// The kinds of rows.
const (
	kindRoot model.HeapKind = iota
	kindGroup
	kindObject
	kindClass
	kindModule
	kindIClass
	kindString
	kindSymbol
	kindRegexp
	kindArray
	kindHash
	kindStruct
	kindNumber
	kindFile
	kindData
	kindMatch
	kindIMemo
	kindNode
	kindOther
)

// kindOf returns the kind of a type of the interpreter; ok is false for one that is not known.
func kindOf(word []byte) (k model.HeapKind, ok bool) {
	switch string(word) {
	case "OBJECT":
		return kindObject, true
	case "CLASS":
		return kindClass, true
	case "MODULE":
		return kindModule, true
	case "ICLASS":
		return kindIClass, true
	case "STRING":
		return kindString, true
	case "SYMBOL":
		return kindSymbol, true
	case "REGEXP":
		return kindRegexp, true
	case "ARRAY":
		return kindArray, true
	case "HASH":
		return kindHash, true
	case "STRUCT":
		return kindStruct, true
	case "FLOAT", "BIGNUM", "COMPLEX", "RATIONAL":
		return kindNumber, true
	case "FILE":
		return kindFile, true
	case "DATA":
		return kindData, true
	case "MATCH":
		return kindMatch, true
	case "IMEMO":
		return kindIMemo, true
	case "NODE":
		return kindNode, true
	}
	return kindOther, false
}

// The axes other than the class.
const (
	axisSuper = iota + 1
	axisModule
	axisSite
	axisGeneration
	numAxes
)

// newSchema returns the schema of Ruby's heap dumps.
func newSchema() *model.HeapSchema { return &schema }

func set(key, one, many string, column bool, kinds ...model.HeapKind) model.HeapSet {
	return model.HeapSet{Key: key, One: one, Many: many, Kinds: model.KindsOf(kinds...), Naming: model.NamedByType, Column: column}
}

func kind(name, title string) model.HeapKindInfo {
	return model.HeapKindInfo{Name: name, Title: title, Naming: model.NamedByType}
}

func about(name string) model.HeapKindInfo {
	return model.HeapKindInfo{Name: name, Title: name, Naming: model.NamedByType, Marked: true, About: true}
}

// recordedByTracing is when dumps have where and when objects were allocated.
const recordedByTracing = "Ruby records it for what is allocated after ObjectSpace.trace_object_allocations_start"

var schema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		kindRoot:   {Name: "root", Title: "Root", Virtual: true},
		kindGroup:  {Name: "roots", Title: "roots", Naming: model.NamedByType, Virtual: true},
		kindObject: kind("object", "object"),
		kindClass:  about("class"),
		kindModule: about("module"),
		kindIClass: kind("included-module", "included module"),
		kindString: kind("string", "string"),
		kindSymbol: kind("symbol", "symbol"),
		kindRegexp: kind("regexp", "regular expression"),
		kindArray:  kind("array", "array"),
		kindHash:   kind("hash", "hash"),
		kindStruct: kind("struct", "struct"),
		kindNumber: kind("number", "number"),
		kindFile:   kind("file", "file"),
		kindData:   kind("data", "object of native code"),
		kindMatch:  kind("match", "match"),
		kindIMemo:  kind("imemo", "memory of the interpreter"),
		kindNode:   kind("node", "node of the parser"),
		kindOther:  kind("other", "object of another type"),
	},
	Sets: []model.HeapSet{
		set("objects", "object", "objects", true, kindObject, kindClass, kindModule, kindIClass, kindString,
			kindSymbol, kindRegexp, kindArray,
			kindHash, kindStruct, kindNumber, kindFile, kindData, kindMatch, kindIMemo, kindNode, kindOther),
		set("classes", "class or module", "classes and modules", true, kindClass, kindModule),
		set("strings", "string", "strings", false, kindString),
		set("collections", "array or hash", "arrays and hashes", false, kindArray, kindHash),
		set("internal", "internal object", "internal objects", false, kindIMemo, kindNode, kindIClass),
	},
	Axes: []model.HeapAxis{
		{Key: "type", One: "class", Many: "classes", Word: "class", Containers: []string{"Array", "Hash", "Set"}},
		axisSuper: {Key: "superclass", One: "superclass", Many: "superclasses", Word: "superclass",
			Runtime: []string{"Object", "BasicObject"}},
		axisModule: {Key: "module", One: "module", Many: "modules", Word: "module"},
		axisSite: {Key: "site", One: "allocation site", Many: "allocation sites", Word: "allocation site", ByRow: true, Unstated: true,
			Recorded: recordedByTracing},
		axisGeneration: {Key: "generation", One: "generation", Many: "generations", Word: "generation", ByRow: true, Unstated: true,
			Recorded: recordedByTracing},
	},
	Edges: []model.HeapEdgeInfo{{Name: "strong"}},
	Policies: []model.HeapPolicy{
		{Name: "all", Help: "all references in the dump keep memory alive: Ruby does not write weak ones"},
	},
	Garbage: true,
	IDs:     model.HeapIDForm{Prefix: "0x", Base: 16},
}
