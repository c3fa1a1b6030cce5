package calltree

import (
	"regexp"
	"testing"

	"github.com/memtui/memtui/model"
)

// TestOwners gives stacks from the leaf on and asks which of their frames owns the memory.
func TestOwners(t *testing.T) {
	type frame struct{ function, file string }
	for _, tt := range []struct {
		name   string
		frames []frame
		want   string
	}{
		{"C", []frame{{"malloc", ""}, {"strdup", ""}, {"load_config", "config.c"}, {"main", ""}}, "load_config"},
		{"loader", []frame{{"0x7f7a44ea57b9", "/lib/x86_64-linux-gnu/libstdc++.so.6"}, {"call_init", "./elf/dl-init.c"}}, "0x7f7a44ea57b9"},
		{"C++", []frame{
			{"operator new(unsigned long)", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"},
			{"std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned long)", ""},
			{"void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&)", ""},
			{"__uninitialized_copy", "/usr/include/c++/12/bits/stl_uninitialized.h"},
			{"std::string cache::LruCache<std::string>::get(std::string const&)", "/src/cache.cc"},
		}, "std::string cache::LruCache<std::string>::get(std::string const&)"},
		{"wrappers of malloc", []frame{{"malloc", ""}, {"zmalloc", "zmalloc.c"}, {"util::xmalloc(unsigned long)", "/src/util.cc"}, {"malloc_stats_print", "/src/a.c"}}, "malloc_stats_print"},
		{"C++ that only takes a string", []frame{{"malloc", ""}, {"parse(std::string const&)", "/src/a.cc"}}, "parse(std::string const&)"},
		{"an operator of its own", []frame{{"operator new(unsigned long)", ""}, {"Pool::operator new(unsigned long)", "/src/pool.cc"}}, "Pool::operator new(unsigned long)"},
		{"a call operator", []frame{{"malloc", ""}, {"operator()", "/src/a.cc"}}, "operator()"},
		{"Rust", []frame{
			{"__rust_alloc", ""}, {"alloc::raw_vec::RawVec<T,A>::grow_one", "/rustc/90b35a/library/alloc/src/raw_vec.rs"},
			{"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", ""}, {"shop::cart::add", "src/cart.rs"},
		}, "shop::cart::add"},
		{"Rust of its own", []frame{{"__rust_alloc", ""}, {"<shop::Cart as core::clone::Clone>::clone", "src/cart.rs"}}, "<shop::Cart as core::clone::Clone>::clone"},
		{"Go", []frame{{"runtime.mallocgc", ""}, {"strings.(*Builder).grow", ""}, {"encoding/json.Marshal", ""}, {"example.com/shop/cart.(*Cart).Add", ""}}, "example.com/shop/cart.(*Cart).Add"},
		{"Go's main", []frame{{"runtime.makeslice", ""}, {"main.load", ""}}, "main.load"},
		{"Python", []frame{
			{"_PyObject_GC_NewVar", "/build/Modules/gcmodule.c"}, {"bytearray___init__", "Objects/clinic/bytearrayobject.c.h"}, {"list_append", "/build/Objects/listobject.c"}, {"_PyEval_EvalFrameDefault", ""}, {"collect", "/srv/app/audit.py"},
		}, "collect"},
		{"a recorder's library", []frame{
			{"new_arena", "/build/Objects/obmalloc.c"}, {"memtui-hook.so+0x9654", "/tmp/memtui-record-359/memtui-hook.so"}, {"load", "/srv/app/shop.py"},
		}, "load"},
		{"a recorder's library among others", []frame{
			{"_PyObject_Malloc", "/build/Objects/obmalloc.c"}, {"memtui-hook.so+0x9176", "/tmp/memtui-record-359/memtui-hook.so"}, {"new_keys_object", "/build/Objects/dictobject.c"},
		}, "new_keys_object"},
		{"Node", []frame{{"malloc", ""}, {"v8::internal::Heap::AllocateRaw(int)", ""}, {"node::Buffer::New(v8::Isolate*, unsigned long)", ""}, {"emit", "node:events"}, {"handle", "/srv/app.js"}}, "handle"},
		{"a library of the user's", []frame{{"malloc", ""}, {"g_strdup_acme", "/opt/acme/lib.c"}, {"serve", "/src/serve.c"}}, "serve"},
		{"nothing but libraries", []frame{{"malloc", ""}, {"std::locale::classic()", ""}}, "std::locale::classic()"},
	} {
		s := model.NewStacks()
		node := model.NodeID(0)
		for i := len(tt.frames) - 1; i >= 0; i-- {
			f := tt.frames[i]
			s.Functions, s.Files = append(s.Functions, f.function), append(s.Files, f.file)
			s.FrameFunc, s.FrameFile = append(s.FrameFunc, model.FuncID(len(s.Functions)-1)), append(s.FrameFile, model.FileID(len(s.Files)-1))
			s.FrameLine = append(s.FrameLine, model.NoLine)
			s.Parent, s.Frame, s.Depth = append(s.Parent, node), append(s.Frame, model.FrameID(len(s.FrameFunc)-1)), append(s.Depth, s.Depth[node]+1)
			node = model.NodeID(len(s.Parent) - 1)
		}
		s.Leaf = map[model.StackID]model.NodeID{7: node}
		got, ok := NewOwners(s, regexp.MustCompile("/opt/acme/")).Frame(7)
		if !ok || got.Function != tt.want {
			t.Errorf("%s: %q owns it, want %q", tt.name, got.Function, tt.want)
		}
	}
	if _, ok := NewOwners(nil, nil).Frame(7); ok {
		t.Error("a stack without symbols has an owner")
	}
}

// TestPlaces compares where blocks are allocated: what calls the owner does not matter, all from it to the leaf does.
func TestPlaces(t *testing.T) {
	s := model.NewStacks()
	s.Leaf = map[model.StackID]model.NodeID{}
	stacks := [][]string{{"main", "start", "dial", "malloc"}, {"main", "retry", "dial", "malloc"}, {"main", "retry", "dial", "operator new", "malloc"}, {"main", "retry", "malloc"}}
	ids := map[string]model.FuncID{}
	for i, functions := range stacks {
		node := model.NodeID(0)
		for _, name := range functions {
			if ids[name] == 0 {
				s.Functions = append(s.Functions, name)
				ids[name] = model.FuncID(len(s.Functions) - 1)
			}
			s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, ids[name]), append(s.FrameFile, 0), append(s.FrameLine, int64(i))
			s.Parent, s.Frame, s.Depth = append(s.Parent, node), append(s.Frame, model.FrameID(len(s.FrameFunc)-1)), append(s.Depth, s.Depth[node]+1)
			node = model.NodeID(len(s.Parent) - 1)
		}
		s.Leaf[model.StackID(i)] = node
	}
	o := NewOwners(s, nil)
	for i := range stacks {
		if same := o.Place(model.StackID(i)) == o.Place(0); same != (i < 2) || o.Place(model.StackID(i)) == "" {
			t.Errorf("%q is the place of %q: %v", stacks[i], stacks[0], same)
		}
	}
	if o.Place(99) != "" || NewOwners(nil, nil).Place(0) != "" {
		t.Error("an unknown stack has a place")
	}
}

func TestInModule(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"main", "/bin/app", "main in app"}, {"main", "/src/app.cpp", "main"}, {"deflate", "/lib/libz.so.1.3", "deflate in libz.so.1.3"},
		{"0x22dd in shop", "/home/shop", "0x22dd in shop"}, {"shop+0x22dd", "/home/shop", "shop+0x22dd"}, {"0x7fd8", "/lib/x/libstdc++.so.6", "0x7fd8 in libstdc++.so.6"}, {NoFunction, "libz.so", NoFunction + " in libz.so"},
		{"0x7fd8", "", "0x7fd8"},
	} {
		if got := InModule(tt.name, tt.file); got != tt.want {
			t.Errorf("%q of %q is %q, not %q", tt.name, tt.file, got, tt.want)
		}
	}
}
