package spaa

import "github.com/memtui/memtui/loaders/internal/json"

// key is a known member of a record.
type key uint8

const (
	keyOther key = iota
	keyType
	keyFormat
	keyVersion
	keySourceTool
	keyFrameOrder
	keyEvents
	keyTimeRange
	keySource
	keyIDMode
	keyID
	keyName
	keyBuildID
	keyIsKernel
	keyFunc
	keyFuncResolved
	keyDSO
	keyIP
	keySymoff
	keySrcline
	keySrclineResolved
	keyInlined
	keyInlineDepth
	keyKind
	keyPID
	keyTID
	keyComm
	keyFrames
	keyStackType
	keyContext
	keyWeights
	keyExclusive
	keyRelated
	keyTimestamp
	keyCPU
	keyEvent
	keyPeriod
	keyStackID
	keyStart
	keyEnd
	keyUnit
	keyByStack
)

// names are the names of keys.
var names = [...]string{
	keyOther: "", keyType: "type", keyFormat: "format", keyVersion: "version", keySourceTool: "source_tool",
	keyFrameOrder: "frame_order", keyEvents: "events", keyTimeRange: "time_range", keySource: "source", keyIDMode: "stack_id_mode",
	keyID: "id", keyName: "name", keyBuildID: "build_id", keyIsKernel: "is_kernel",
	keyFunc: "func", keyFuncResolved: "func_resolved", keyDSO: "dso", keyIP: "ip", keySymoff: "symoff", keySrcline: "srcline",
	keySrclineResolved: "srcline_resolved", keyInlined: "inlined", keyInlineDepth: "inline_depth", keyKind: "kind",
	keyPID: "pid", keyTID: "tid", keyComm: "comm", keyFrames: "frames", keyStackType: "stack_type", keyContext: "context",
	keyWeights: "weights", keyExclusive: "exclusive", keyRelated: "related_stacks", keyTimestamp: "timestamp", keyCPU: "cpu",
	keyEvent: "event", keyPeriod: "period", keyStackID: "stack_id", keyStart: "start", keyEnd: "end", keyUnit: "unit",
	keyByStack: "by_stack",
}

// byLength are the keys by the length of their names.
var byLength = func() (out [32][]key) {
	for k := keyType; int(k) < len(names); k++ {
		out[len(names[k])] = append(out[len(names[k])], k)
	}
	return out
}()

// keyOf finds a name as written between quotes.
func keyOf(name []byte) key {
	if len(name) < len(byLength) {
		for _, k := range byLength[len(name)] {
			if string(name) == names[k] {
				return k
			}
		}
	}
	for _, c := range name {
		if c == '\\' {
			decoded, _ := json.Text(append(append([]byte{'"'}, name...), '"'))
			if string(decoded) != string(name) {
				return keyOf(decoded)
			}
			break
		}
	}
	return keyOther
}

// recordType is the type of a line.
type recordType uint8

const (
	typeUnknown recordType = iota
	typeHeader
	typeDSO
	typeFrame
	typeThread
	typeStack
	typeSample
	typeWindow
)

// typeOf finds the record type of a value.
func typeOf(value []byte) recordType {
	switch string(value) {
	case `"sample"`:
		return typeSample
	case `"stack"`:
		return typeStack
	case `"frame"`:
		return typeFrame
	case `"header"`:
		return typeHeader
	case `"dso"`:
		return typeDSO
	case `"thread"`:
		return typeThread
	case `"window"`:
		return typeWindow
	}
	if s, ok := json.Text(value); ok && len(s)+2 != len(value) {
		return typeOf(append(append([]byte{'"'}, s...), '"'))
	}
	return typeUnknown
}
