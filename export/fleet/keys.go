package fleet

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/redact"
	"github.com/memtui/memtui/model"
)

// Recipe stack_v1: the key of a stack is the first eight bytes of the SHA-256 of its frames, leaf first, each followed
// by a zero byte. A frame is its function, a tab, and the base name of its file, without the version of a shared
// library; without a file it is the function alone, and lines are left out. Frames whose function is unknown, or an address, are "?", several of them in a row one.

// unknown is the text of frames without a name.
const unknown = "?"

// address matches texts that are not the name of a function.
var address = calltree.Expression(`^(\?+|<.*unknown.*>|<no name>|\(?(unknown|nil)\)?|0x[0-9a-fA-F]+|.*\+0x[0-9a-fA-F]+)$`)

// release matches the version of a shared library, which differs between machines.
var release = calltree.Expression(`\.so(\.[0-9.]+)$`)

// keyOf returns the first eight bytes of a digest as a number.
func keyOf(digest []byte) uint64 { return binary.BigEndian.Uint64(digest) }

func hexadecimal(digest []byte) string { return hex.EncodeToString(digest) }

// valid returns text that every engine stores: UTF-8 without control characters.
func valid(s string) string { return model.Clean(strings.ToValidUTF8(s, "\uFFFD")) }

// kept returns the names that reveal nothing.
var kept = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, name := range redact.Kept() {
		out[name] = true
	}
	return out
})

// namer writes names, or words in place of them.
type namer struct{ secret []byte }

// name returns a name, or a word that is the same wherever the secret is.
func (n namer) name(s string) string {
	if n.secret == nil || s == "" {
		return valid(s)
	}
	if kept()[s] {
		return s
	}
	mac := hmac.New(sha256.New, n.secret)
	mac.Write([]byte(s))
	return "name-" + hexadecimal(mac.Sum(nil)[:8])
}

// keys are the keys of the stacks of a recording.
type keys struct {
	stacks *model.Stacks
	names  namer
	sites  *calltree.SiteNames
	owners *calltree.Owners
	ofLeaf map[model.NodeID]uint64
	frames map[model.FrameID]string
	known  map[uint64]bool
	list   []fleet.Stack
}

func newKeys(s *model.Stacks, n namer) *keys {
	return &keys{stacks: s, names: n, sites: calltree.NewSiteNames(s), owners: calltree.NewOwners(s, nil),
		ofLeaf: map[model.NodeID]uint64{}, frames: map[model.FrameID]string{}, known: map[uint64]bool{}}
}

// StacksOf returns the stacks of a recording that have a key.
func StacksOf(s *model.Stacks, key fleet.Key) (ids []model.StackID) {
	k := newKeys(s, namer{})
	for id, leaf := range s.Leaf {
		if k.ofNode(leaf) == uint64(key) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ofStack returns the key of a stack of a trace. Those that the file does not define have one unknown frame.
func (k *keys) ofStack(id model.StackID) uint64 {
	leaf, _ := k.stacks.Node(id)
	return k.ofNode(leaf)
}

// ofNode returns the key of the stack with a leaf.
func (k *keys) ofNode(leaf model.NodeID) uint64 {
	if key, ok := k.ofLeaf[leaf]; ok {
		return key
	}
	var frames, modules []string
	for n := leaf; n != 0; n = k.stacks.Parent[n] {
		frame := k.frame(k.stacks.Frame[n])
		if frame != unknown || len(frames) == 0 || frames[len(frames)-1] != unknown {
			frames, modules = append(frames, frame), append(modules, k.module(k.stacks.Frame[n]))
		}
	}
	if len(frames) == 0 {
		frames, modules = []string{unknown}, []string{""}
	}
	hash := sha256.New()
	for _, f := range frames {
		hash.Write([]byte(f))
		hash.Write([]byte{0})
	}
	key := keyOf(hash.Sum(nil))
	k.ofLeaf[leaf] = key
	if !k.known[key] {
		k.known[key] = true
		k.list = append(k.list, k.stack(key, leaf, frames, modules))
	}
	return key
}

// stack returns the row of a stack.
func (k *keys) stack(key uint64, leaf model.NodeID, frames, modules []string) fleet.Stack {
	out := fleet.Stack{Stack: key, Recipe: fleet.Recipe, Function: unknown, Frames: frames, Modules: modules}
	if leaf == 0 {
		return out
	}
	frame := k.stacks.Frame[k.named(leaf)]
	out.Function, out.File = fleet.Frame(k.frame(frame))
	out.Module = k.module(frame)
	if out.Function == unknown && out.File == "" {
		out.File = out.Module
	}
	return out
}

// named returns the frame that a stack is named after: its owner, which says more than a function of a library that is in
// every program, or where all of it is libraries the first frame that is not an allocator. What users count as libraries
// in addition differs between machines, so it does not matter here.
func (k *keys) named(leaf model.NodeID) model.NodeID {
	if owner := k.owners.Node(leaf); k.frame(k.stacks.Frame[owner]) != unknown {
		return owner
	}
	return k.sites.Node(leaf)
}

// module returns the base name of the binary of a frame, "" if it is unknown.
func (k *keys) module(id model.FrameID) string {
	return k.names.name(base(calltree.FrameModule(k.stacks, id)))
}

// frame returns the text of a frame.
func (k *keys) frame(id model.FrameID) string {
	text, ok := k.frames[id]
	if ok {
		return text
	}
	f := k.stacks.At(id)
	text = unknown
	if function := model.Matched(f.Function); function != "" && !address().MatchString(function) {
		text = k.names.name(function)
		if file := base(f.File); file != "" {
			text += fleet.Separator + k.names.name(file)
		}
	}
	k.frames[id] = text
	return text
}

// base returns the last part of a path of any system, without the version of a shared library.
func base(file string) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if m := release().FindStringSubmatchIndex(model.Matched(file)); m != nil {
		file = file[:m[2]]
	}
	return file
}

// Word returns a name as rows have it: itself without a secret, else the word in place of it.
func Word(secret []byte, name string) string { return namer{secret}.name(name) }
