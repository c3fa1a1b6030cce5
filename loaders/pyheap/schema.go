package pyheap

import "github.com/memtui/memtui/model"

// The kinds of rows.
const (
	kindRoot model.HeapKind = iota
	kindGroup
	kindLine
	kindCall
	kindObject
	kindClass
	kindModule
	kindFunction
	kindCode
	kindText
	kindNumber
	kindCollection
)

// The only axis other than the type.
const axisModule = 1

// kinds are the kinds of rows by type; other types are objects.
var kinds = map[string]model.HeapKind{
	"type": kindClass, "module": kindModule, "function": kindFunction, "builtin_function_or_method": kindFunction, "code": kindCode,
	"str": kindText, "bytes": kindText, "bytearray": kindText, "int": kindNumber, "float": kindNumber,
	"complex": kindNumber, "bool": kindNumber,
	"list": kindCollection, "tuple": kindCollection, "dict": kindCollection, "set": kindCollection, "frozenset": kindCollection,
	"collections.deque": kindCollection, "collections.OrderedDict": kindCollection, "collections.defaultdict": kindCollection,
}

// newSchema returns the schema of Python's heap dumps.
func newSchema() *model.HeapSchema { return &schema }

func set(key, one, many string, column bool, kinds ...model.HeapKind) model.HeapSet {
	return model.HeapSet{Key: key, One: one, Many: many, Kinds: model.KindsOf(kinds...), Naming: model.NamedByType, Column: column}
}

func about(name string) model.HeapKindInfo {
	return model.HeapKindInfo{Name: name, Title: name, Naming: model.NamedByType, Marked: true, About: true}
}

var schema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		kindRoot:       {Name: "root", Title: "Root", Virtual: true},
		kindGroup:      {Name: "roots", Title: "roots", Naming: model.NamedByType, Virtual: true},
		kindLine:       {Name: "root-line", Title: "root", Naming: model.NamedByType, Virtual: true},
		kindCall:       {Name: "frame", Title: "frame", Naming: model.NamedByFrame, Virtual: true},
		kindObject:     {Name: "object", Title: "object", Naming: model.NamedByType},
		kindClass:      about("class"),
		kindModule:     about("module"),
		kindFunction:   about("function"),
		kindCode:       about("code"),
		kindText:       {Name: "text", Title: "text or bytes", Naming: model.NamedByType},
		kindNumber:     {Name: "number", Title: "number", Naming: model.NamedByType},
		kindCollection: {Name: "collection", Title: "collection", Naming: model.NamedByType},
	},
	Sets: []model.HeapSet{
		set("objects", "object", "objects", true, kindObject, kindClass, kindModule, kindFunction, kindCode, kindText,
			kindNumber, kindCollection),
		set("classes", "class object", "class objects", true, kindClass),
		set("collections", "collection", "collections", true, kindCollection),
		set("texts", "string or bytes object", "strings and bytes", false, kindText),
		{Key: "frames", One: "frame", Many: "frames", Kinds: model.KindsOf(kindCall), Naming: model.NamedByFrame},
	},
	Axes: []model.HeapAxis{
		{Key: "type", One: "type", Many: "types", Word: "type",
			Containers: []string{"list", "dict", "tuple", "set", "frozenset", "collections.*", "*.deque",
				"*.OrderedDict", "*.defaultdict", "weakref*"}},
		axisModule: {Key: "module", One: "module", Many: "modules", Word: "module"},
	},
	Edges: []model.HeapEdgeInfo{{Name: "strong"}},
	Policies: []model.HeapPolicy{
		{Name: "all", Help: "all references in the dump keep memory alive: weak ones are not written"},
	},
	Garbage: true,
	Fields:  "__dict__",
	IDs:     model.HeapIDForm{Prefix: "@", Base: 10},
}
