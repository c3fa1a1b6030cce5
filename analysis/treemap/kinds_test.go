package treemap

import (
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

// Sources without a binary are in folders, libraries and programs are modules.
func TestFoldersAreNoModules(t *testing.T) {
	for _, c := range []struct {
		dso       string
		files     []string
		kinds     []Kind
		outermost string
	}{
		{"", []string{"/src/a.c", "/lib/libc.so.6"}, []Kind{Folder, Module}, "module_or_folder"},
		{"", []string{"/src/a.c", ""}, []Kind{Folder, Module}, "folder"},
		{"/bin/app", []string{"/src/a.c"}, []Kind{Module}, "module"},
	} {
		s := &model.Stacks{Functions: []string{""}, Files: c.files}
		for i := range c.files {
			s.FrameFunc, s.FrameFile = append(s.FrameFunc, 0), append(s.FrameFile, model.FileID(i))
			if s.FrameLine = append(s.FrameLine, model.NoLine); c.dso != "" {
				s.FrameDSO, s.DSOs = append(s.FrameDSO, 0), []model.DSO{{Name: c.dso}}
			}
		}
		b, kinds := Builder{}, []Kind{}
		for f := range c.files {
			kinds = append(kinds, stepsOf(s, model.FrameID(f))[0].Kind)
			b.add(b.function(s, model.FrameID(f)), After, 1, 0)
		}
		if outermost := b.Tree().Outermost(); !slices.Equal(kinds, c.kinds) || outermost != c.outermost {
			t.Errorf("%q: %v, %s", c.files, kinds, outermost)
		}
	}
}
