// Package fleet asks about many recordings at once: which sites leak on how many hosts, what a version made worse, which
// host is the odd one. It has the rows of the tables that recordings become, the questions, their SQL for engines, and
// the same answers computed from rows.
//
// A host counts by its newest recording, and figures are maxima within a recording or count distinct names, so that a
// recording which was added twice changes no answer. Where a recording lacks a figure, its row of recordings has none, and questions about the figure leave it
// out; in the rows of its sites the figure is 0.
package fleet

// Recipe is the version of how stacks get their keys. Keys of different recipes must not be compared.
const Recipe = "stack_v1"

// Recording is a row of the table recordings: one file.
type Recording struct {
	Recording uint64   `parquet:"recording"` // the first eight bytes of ID; what other tables refer to
	ID        string   `parquet:"id"`        // SHA-256 of the file's content, in hexadecimal
	Recipe    string   `parquet:"recipe"`
	Service   string   `parquet:"service"`
	Version   string   `parquet:"version"`
	Host      string   `parquet:"host"`
	Labels    []string `parquet:"labels,list"` // "key=value", sorted
	Date      string   `parquet:"date"`        // day of the start, UTC: 2026-11-23
	Start     int64    `parquet:"start_us"`    // microseconds since 1970; of the file where the recording states none
	Duration  int64    `parquet:"duration_us"`
	Format    string   `parquet:"format"`
	URI       string   `parquet:"uri"` // where the file is; "" if redacted
	Events    uint64   `parquet:"events"`
	Complete  bool     `parquet:"complete"`
	Sampled   bool     `parquet:"sampled"` // figures are estimates
	Alloc     *uint64  `parquet:"alloc_bytes"`
	Live      *uint64  `parquet:"live_bytes"` // at the end
	Peak      *uint64  `parquet:"peak_bytes"`
	Leaked    *uint64  `parquet:"leaked_bytes"`
	PeakAt    int64    `parquet:"peak_at_us"`
	Dated     string   `parquet:"dated"` // where the start is from: ByRecording, ByUser or ByFile
	Lacks     string   `parquet:"lacks"` // why figures are missing: LacksFrees, LacksMemory or ""
}

// Where the start of a recording is from.
const (
	ByRecording = "recording"
	ByUser      = "user"
	ByFile      = "file" // when it was last written
)

// Why a recording has no figures of live memory.
const (
	LacksFrees  = "frees"  // it has no FREE events, so that everything seems to live
	LacksMemory = "memory" // it is of something else, such as processor time
)

// Site is a row of the table sites: what one stack of one recording allocates.
type Site struct {
	Service     string `parquet:"service,dict"`
	Stack       uint64 `parquet:"stack"`
	Version     string `parquet:"version,dict"`
	Host        string `parquet:"host,dict"`
	Recording   uint64 `parquet:"recording"`
	Alloc       uint64 `parquet:"alloc_bytes"`
	AllocCount  uint64 `parquet:"alloc_count"`
	Live        uint64 `parquet:"live_bytes"` // at the end
	LiveCount   uint64 `parquet:"live_count"`
	Peak        uint64 `parquet:"peak_bytes"` // at the peak of the recording
	Leaked      uint64 `parquet:"leaked_bytes"`
	LeakedCount uint64 `parquet:"leaked_count"`
	Temporary   uint64 `parquet:"temporary_count"`
}

// Stack is a row of the table stacks.
type Stack struct {
	Stack    uint64   `parquet:"stack"`
	Recipe   string   `parquet:"recipe"`
	Function string   `parquet:"function"` // the owner: the first one that is neither an allocator nor of a library
	File     string   `parquet:"file"`     // its base name, that of the module if the function is unknown
	Module   string   `parquet:"module"`
	Frames   []string `parquet:"frames,list"`  // leaf first, as the key is made of them: the function, a tab, the file
	Modules  []string `parquet:"modules,list"` // of each frame, "" if unknown
}

// Leak is a row of the table leaks: the verdict about a stack that has live blocks at the end.
type Leak struct {
	Service    string  `parquet:"service,dict"`
	Stack      uint64  `parquet:"stack"`
	Version    string  `parquet:"version,dict"`
	Host       string  `parquet:"host,dict"`
	Recording  uint64  `parquet:"recording"`
	Verdict    string  `parquet:"verdict,dict"`
	Confidence float64 `parquet:"confidence"`
	Growth     float64 `parquet:"growth_bytes_per_second"`
	Bytes      uint64  `parquet:"bytes"`
	Count      uint64  `parquet:"count"`
	Oldest     int64   `parquet:"oldest_us"`
	Median     int64   `parquet:"median_age_us"`
}

// Point is a row of the table curve: the live bytes within a part of the recording that ends at a time.
type Point struct {
	Service   string `parquet:"service,dict"`
	Recording uint64 `parquet:"recording"`
	Series    string `parquet:"series,dict"` // of a memory dump
	At        int64  `parquet:"at_us"`
	Min       uint64 `parquet:"min_bytes"`
	Max       uint64 `parquet:"max_bytes"`
	Last      uint64 `parquet:"last_bytes"`
}

// Type is a row of the table types: the objects of one type in the last complete snapshot of a heap.
type Type struct {
	Service   string `parquet:"service,dict"`
	Recording uint64 `parquet:"recording"`
	Snapshot  int64  `parquet:"snapshot"`
	Name      string `parquet:"type"`
	Count     uint64 `parquet:"count"`
	Bytes     uint64 `parquet:"bytes"`
}

// Page is a row of the table pages: the pages of one type in the last layout of each curve of a memory dump.
type Page struct {
	Service   string `parquet:"service,dict"`
	Recording uint64 `parquet:"recording"`
	Layout    int64  `parquet:"layout"`
	Series    string `parquet:"series,dict"`
	Name      string `parquet:"type"`
	Pages     uint64 `parquet:"pages"`
	Bytes     uint64 `parquet:"bytes"`
	Used      uint64 `parquet:"used_bytes"`
}

// Item returns the name of the pages within a recording.
func (p *Page) Item() string { return p.Series + ": " + p.Name }

// Batch holds the rows of recordings.
type Batch struct {
	Recordings []Recording
	Sites      []Site
	Stacks     []Stack
	Leaks      []Leak
	Curve      []Point
	Types      []Type
	Pages      []Page
}

// Append adds the rows of another batch.
func (b *Batch) Append(o *Batch) {
	b.Recordings, b.Sites, b.Stacks = append(b.Recordings, o.Recordings...), append(b.Sites, o.Sites...), append(b.Stacks, o.Stacks...)
	b.Leaks, b.Curve = append(b.Leaks, o.Leaks...), append(b.Curve, o.Curve...)
	b.Types, b.Pages = append(b.Types, o.Types...), append(b.Pages, o.Pages...)
}
