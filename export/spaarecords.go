package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// Records of SPAA, members in the order of the specification.
type (
	spaaHeader struct {
		Type       string      `json:"type"`
		Format     string      `json:"format"`
		Version    string      `json:"version"`
		SourceTool string      `json:"source_tool"`
		FrameOrder string      `json:"frame_order"`
		Events     []spaaEvent `json:"events"`
		TimeRange  *spaaRange  `json:"time_range,omitempty"`
		Source     *spaaSource `json:"source,omitempty"`
		IDMode     string      `json:"stack_id_mode"`
	}
	spaaEvent struct {
		Name     string        `json:"name"`
		Kind     string        `json:"kind"`
		Sampling spaaSampling  `json:"sampling"`
		Tracking *spaaTracking `json:"allocation_tracking,omitempty"`
	}
	spaaSampling struct {
		Mode      string  `json:"mode"`
		Primary   string  `json:"primary_metric"`
		Period    float64 `json:"sample_period,omitempty"`
		Frequency float64 `json:"frequency_hz,omitempty"`
	}
	spaaTracking struct {
		Frees      bool `json:"tracks_frees"`
		Timestamps bool `json:"has_timestamps"`
	}
	spaaRange struct {
		Start json.Number `json:"start"`
		End   json.Number `json:"end"`
		Unit  string      `json:"unit"`
	}
	spaaSource struct {
		Tool    string `json:"tool"`
		Command string `json:"command,omitempty"`
		Version string `json:"tool_version,omitempty"`
	}
	spaaDSO struct {
		Type    string `json:"type"`
		ID      uint32 `json:"id"`
		Name    string `json:"name"`
		BuildID string `json:"build_id,omitempty"`
		Kernel  bool   `json:"is_kernel"`
	}
	spaaThread struct {
		Type string `json:"type"`
		PID  int64  `json:"pid"`
		TID  int64  `json:"tid"`
		Comm string `json:"comm,omitempty"`
	}
	spaaFrame struct {
		Type     string  `json:"type"`
		ID       uint32  `json:"id"`
		Function string  `json:"func"`
		Resolved bool    `json:"func_resolved"`
		DSO      uint32  `json:"dso"`
		Source   *string `json:"srcline,omitempty"`
		Inlined  bool    `json:"inlined,omitempty"`
		Kind     string  `json:"kind"`
	}
	spaaStack struct {
		Type      string         `json:"type"`
		ID        string         `json:"id"`
		Frames    []uint32       `json:"frames"`
		StackType string         `json:"stack_type"`
		Context   spaaContext    `json:"context"`
		Weights   []spaaWeight   `json:"weights"`
		Exclusive *spaaExclusive `json:"exclusive,omitempty"`
	}
	// spaaPlace is the thread and CPU of a record, as far as known.
	spaaPlace struct {
		PID *int64  `json:"pid,omitempty"`
		TID *int64  `json:"tid,omitempty"`
		CPU *uint16 `json:"cpu,omitempty"`
	}
	spaaContext struct {
		Event string `json:"event"`
		spaaPlace
		Comm string `json:"comm,omitempty"`
	}
	spaaExclusive struct {
		Frame   uint32       `json:"frame"`
		Weights []spaaWeight `json:"weights"`
	}
	spaaWeight struct {
		Metric string      `json:"metric"`
		Value  json.Number `json:"value"`
		Unit   string      `json:"unit,omitempty"`
	}
	spaaSample struct {
		Type string      `json:"type"`
		Time json.Number `json:"timestamp"`
		spaaPlace
		Event   string      `json:"event"`
		Period  json.Number `json:"period"`
		StackID string      `json:"stack_id"`
	}
	spaaWindow struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Start json.Number     `json:"start"`
		End   json.Number     `json:"end"`
		Unit  string          `json:"unit"`
		Rows  []spaaWindowRow `json:"by_stack"`
	}
	spaaWindowRow struct {
		StackID string       `json:"stack_id"`
		Weights []spaaWeight `json:"weights"`
	}
)

// spaaUnit is the unit of all times written.
const spaaUnit = "seconds"

// seconds returns a time in the unit of the file, exactly.
func seconds(t model.Time) json.Number {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return json.Number(fmt.Sprintf("%s%d.%06d", sign, t/model.Second, t%model.Second))
}

func spaaBytes(metric string, n uint64) spaaWeight {
	return spaaWeight{metric, json.Number(strconv.FormatUint(n, 10)), "bytes"}
}

func spaaCount(metric string, n uint64) spaaWeight {
	return spaaWeight{metric, json.Number(strconv.FormatUint(n, 10)), ""}
}

// frameList returns the frames of a stack, leaf first.
func frameList(s *model.Stacks, leaf model.NodeID) (out []uint32) {
	for n := leaf; n != 0; n = s.Parent[n] {
		out = append(out, uint32(s.Frame[n]))
	}
	return out
}

// text returns a text as UTF-8, and records where it was not.
func (l *losses) text(s string) string {
	if !utf8.ValidString(s) {
		l.add("a name is not valid UTF-8: invalid bytes were replaced")
	}
	return s
}
