package v8heap

import (
	"fmt"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const textBlock = 256 << 10 // bytes of texts that are allocated together

// readStrings reads the list of strings.
func (d *decoding) readStrings() error {
	if d.strings == 0 {
		return nil
	}
	c := d.cursor(d.strings)
	c.OnFault = func(f json.Fault) bool {
		return f.Code == json.BadEscape || f.Code == json.Control || f.Code == json.ExtraComma
	}
	b := textBlocks{}
	for first, last := true, c.Offset(); c.Element(&first); {
		text := []byte(nil)
		if c.Value() == json.String {
			text = c.Text()
		}
		if c.Dead() && len(text) == 0 {
			break
		}
		b.add(text)
		if len(b.ends) == 0 { // a block is full
			d.advance(c.Offset() - last)
			last = c.Offset()
			if d.src.Budget().Full(model.BudgetOfFile) {
				d.mu.Lock()
				d.layout.problem(model.Error, model.CodeMemory, model.NoOffset, 1, "%s",
					d.src.Budget().Problem(fmt.Sprintf("only the first %d strings were read", len(b.list))).Message)
				d.mu.Unlock()
				break
			}
		}
	}
	b.flush()
	d.texts = b.list
	return c.Err()
}

// textBlocks stores texts in blocks, so that they need little more than their bytes.
type textBlocks struct {
	list  []string
	block []byte
	ends  []int
}

func (b *textBlocks) add(text []byte) {
	b.block = append(b.block, text...)
	b.ends = append(b.ends, len(b.block))
	if len(b.block) >= textBlock {
		b.flush()
	}
}

func (b *textBlocks) flush() {
	all, from := string(b.block), 0
	for _, end := range b.ends {
		b.list = append(b.list, all[from:end])
		from = end
	}
	b.block, b.ends = b.block[:0], b.ends[:0]
}
