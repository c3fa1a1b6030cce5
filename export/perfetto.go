package export

import (
	"bufio"
	"context"
	"io"
	"math"

	"github.com/memtui/memtui/model"
)

// Field numbers of Perfetto's messages, which its published .proto files name.
const (
	traceField = 1 // Trace.packet

	packetClocks     = 6  // TracePacket.clock_snapshot
	packetTime       = 8  // in nanoseconds
	packetSequence   = 10 // trusted_packet_sequence_id
	packetEvent      = 11 // track_event
	packetInterned   = 12 // interned_data
	packetFlags      = 13 // sequence_flags
	packetProfile    = 37 // profile_packet
	packetGraph      = 56 // heap_graph
	packetTrack      = 60 // track_descriptor
	packetFirst      = 87 // first_packet_on_sequence
	flagsCleared     = 1  // SEQ_INCREMENTAL_STATE_CLEARED
	flagsNeeded      = 2  // SEQ_NEEDS_INCREMENTAL_STATE
	clocksClock      = 1  // ClockSnapshot.clocks
	clockID          = 1
	clockTime        = 2
	clockRealTime    = 1 // BuiltinClock
	clockRealCoarse  = 2
	clockBoot        = 6 // that of all times; those between the two run alike
	trackID          = 1 // TrackDescriptor.uuid
	trackName        = 2
	trackProcess     = 3
	trackParent      = 5
	trackCounter     = 8
	processID        = 1 // ProcessDescriptor.pid
	processName      = 6
	counterUnit      = 3 // CounterDescriptor.unit
	unitCount        = 2
	unitBytes        = 3
	eventNotes       = 4 // TrackEvent.debug_annotations
	eventType        = 9
	eventTrack       = 11
	eventCategory    = 22
	eventName        = 23
	eventCounter     = 30
	eventFloat       = 44 // double_counter_value
	typeInstant      = 3
	typeCounter      = 4
	noteNumber       = 3 // DebugAnnotation.uint_value
	noteName         = 10
	internedID       = 1 // InternedString.iid
	internedText     = 2
	perfettoSequence = 1 // the only sequence of packets that is written
	perfettoPID      = 1 // files do not record the number of the process
)

// perfettoPacket is about how large a packet is: importers read packets whole.
const perfettoPacket = 64 << 10

// perfetto writes packets.
type perfetto struct {
	ctx    context.Context
	out    *bufio.Writer
	p      *model.Profile
	buf    []byte
	packet []byte
	tracks uint64 // written; they are numbered from 1, that of the process
	lost   losses
}

func newPerfetto(ctx context.Context, w io.Writer, p *model.Profile) *perfetto {
	return &perfetto{ctx: ctx, out: bufio.NewWriterSize(w, 1<<16), p: p}
}

// write calls steps until one fails, and returns what is lost.
func (o *perfetto) write(steps ...func() error) ([]Loss, error) {
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return o.lost.list, o.out.Flush()
}

// at writes a packet at a time; fill appends its contents.
func (o *perfetto) at(t model.Time, fill func([]byte) []byte) error {
	b := appendProtoNumber(o.packet[:0], packetTime, o.nanos(t))
	b = appendProtoNumber(b, packetSequence, perfettoSequence)
	b = appendProtoNumber(b, packetFlags, flagsNeeded)
	o.packet = fill(b)
	return o.put()
}

// put writes the packet.
func (o *perfetto) put() error {
	o.buf = appendProtoMessage(o.buf[:0], traceField, func(b []byte) []byte { return append(b, o.packet...) })
	if _, err := o.out.Write(o.buf); err != nil {
		return err
	}
	return o.ctx.Err()
}

// nanos returns a time in the unit of Perfetto.
func (o *perfetto) nanos(t model.Time) uint64 {
	if uint64(max(t, 0)) > math.MaxInt64/1000 {
		o.lost.add("a time exceeds 292 years: it is written as 292 years")
		return math.MaxInt64
	}
	return uint64(max(t, 0)) * 1000
}

// number returns a figure that fits a signed number of 64 bits.
func (o *perfetto) number(n uint64) uint64 {
	if n > math.MaxInt64 {
		o.lost.add("a figure exceeds 2^63: it is written as 2^63")
	}
	return min(n, math.MaxInt64)
}

// begin writes the clocks and the process, whose name is that of the file.
func (o *perfetto) begin() error {
	start := uint64(0)
	if o.p.Meta.HasStart && o.p.Meta.Start <= math.MaxInt64/1000 {
		start = o.p.Meta.Start * 1000
	}
	b := appendProtoNumber(o.packet[:0], packetTime, 0)
	b = appendProtoNumber(b, packetSequence, perfettoSequence)
	b = appendProtoNumber(b, packetFlags, flagsCleared)
	b = appendProtoNumber(b, packetFirst, 1)
	o.packet = appendProtoMessage(b, packetClocks, func(b []byte) []byte {
		for id := uint64(clockRealTime); id <= clockBoot; id++ {
			b = appendProtoMessage(b, clocksClock, func(b []byte) []byte {
				t := uint64(0)
				if id <= clockRealCoarse {
					t = start
				}
				return appendProtoNumber(appendProtoNumber(b, clockID, id), clockTime, t)
			})
		}
		return b
	})
	if err := o.put(); err != nil {
		return err
	}
	name := model.Clean(o.p.Meta.Name)
	_, err := o.track(name, func(b []byte) []byte {
		return appendProtoMessage(b, trackProcess, func(b []byte) []byte {
			return appendProtoText(appendProtoNumber(b, processID, perfettoPID), processName, name)
		})
	})
	return err
}

// track writes a track below that of the process, and returns its number. describe appends what is special about it.
func (o *perfetto) track(name string, describe func([]byte) []byte) (id uint64, err error) {
	o.tracks++
	id = o.tracks
	return id, o.at(0, func(b []byte) []byte {
		return appendProtoMessage(b, packetTrack, func(b []byte) []byte {
			b = appendProtoText(appendProtoNumber(b, trackID, id), trackName, name)
			if id > 1 {
				b = appendProtoNumber(b, trackParent, 1)
			}
			return describe(b)
		})
	})
}

// counter writes a track of a counter.
func (o *perfetto) counter(name string, unit uint64) (id uint64, err error) {
	return o.track(name, func(b []byte) []byte {
		return appendProtoMessage(b, trackCounter, func(b []byte) []byte { return appendProtoNumber(b, counterUnit, unit) })
	})
}

// count writes a value of a counter.
func (o *perfetto) count(track uint64, t model.Time, value uint64) error {
	return o.event(track, t, typeCounter, func(b []byte) []byte { return appendProtoNumber(b, eventCounter, o.number(value)) })
}

// event writes an event on a track.
func (o *perfetto) event(track uint64, t model.Time, kind uint64, fill func([]byte) []byte) error {
	return o.at(t, func(b []byte) []byte {
		return appendProtoMessage(b, packetEvent, func(b []byte) []byte {
			return fill(appendProtoNumber(appendProtoNumber(b, eventType, kind), eventTrack, track))
		})
	})
}

// perfettoNote is a figure of an event.
type perfettoNote struct {
	name  string
	value uint64
}

// instant writes an event without a duration.
func (o *perfetto) instant(track uint64, t model.Time, category, name string, notes ...perfettoNote) error {
	return o.event(track, t, typeInstant, func(b []byte) []byte {
		b = appendProtoText(appendProtoText(b, eventCategory, category), eventName, model.Clean(name))
		for _, n := range notes {
			b = appendProtoMessage(b, eventNotes, func(b []byte) []byte {
				return appendProtoNumber(appendProtoText(b, noteName, n.name), noteNumber, n.value)
			})
		}
		return b
	})
}

// interned appends a text and its number.
func interned(b []byte, field int, id uint64, text string) []byte {
	return appendProtoMessage(b, field, func(b []byte) []byte {
		return appendProtoText(appendProtoNumber(b, internedID, id), internedText, text)
	})
}
