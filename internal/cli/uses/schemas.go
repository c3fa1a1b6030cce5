package uses

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// EdgePolicies returns the names of the policies of all formats, and their help.
func EdgePolicies(formats []loaders.Format) (names, help string) {
	var list, texts []string
	for _, f := range formats {
		if f.Heap == nil {
			continue
		}
		for i, p := range f.Heap.Policies {
			if !slices.Contains(list, p.Name) {
				list = append(list, p.Name)
			}
			text := p.Name + " (" + p.Help + ")"
			if i == 0 {
				text = f.Name + ": " + p.Name + ", the default (" + p.Help + ")"
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(list, ","), strings.Join(texts, "; ")
}

// SizeHelp returns the help about the sizes of objects in the formats that leave them open.
func SizeHelp(formats []loaders.Format) string {
	var texts []string
	for _, f := range formats {
		if f.Sizes != "" {
			texts = append(texts, f.Name+": "+f.Sizes)
		}
	}
	return strings.Join(texts, "; ")
}

// Dumpers returns the languages that have a dumper, and the help about them.
func Dumpers(formats []loaders.Format) (languages, help string) {
	var list, texts []string
	for _, f := range formats {
		if d := f.Dumper; d.Language != "" {
			list, texts = append(list, d.Language), append(texts, d.Language+": "+d.Help)
		}
	}
	return strings.Join(list, ","), strings.Join(texts, "; ")
}

// RowKinds returns the names of the kinds of rows of all formats that can be searched.
func RowKinds(formats []loaders.Format) string {
	var list []string
	for _, f := range formats {
		if f.Heap == nil {
			continue
		}
		for k := range f.Heap.Kinds {
			if name := f.Heap.Kinds[k].Name; !f.Heap.Kinds[k].Virtual && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return strings.Join(list, ",")
}

// FlagAxis is the key of the axis that has a flag of its own in addition to --where: heapFindCmd's Repr.
const FlagAxis = "repr"

// AxisKeys returns the names of axes in flags.
func AxisKeys(axes []model.HeapAxis) (keys []string) {
	for i := range axes {
		keys = append(keys, axes[i].Key)
	}
	return keys
}

// AxisHelp returns the help about the axes of types in each format, and about the axis with a flag of its own.
func AxisHelp(formats []loaders.Format) (axes, flag string) {
	var list, texts []string
	for _, f := range formats {
		if f.Heap == nil || len(f.Heap.Axes) < 2 {
			continue
		}
		list = append(list, f.Name+": "+strings.Join(AxisKeys(f.Heap.Axes[1:]), ", "))
		if i, ok := f.Heap.AxisNamed(FlagAxis); ok {
			texts = append(texts, fmt.Sprintf("For %s: part of the type's %s; the same as --where %s=TEXT.", f.Name,
				f.Heap.Axes[i].Word, FlagAxis))
		}
	}
	return strings.Join(list, "; "), cmp.Or(strings.Join(texts, " "), "The same as --where "+FlagAxis+"=TEXT.")
}
