package v8heap

import (
	"fmt"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const ownTexts = 64 << 10 // bytes of texts that are not in the file

const textBlock = 256 << 10 // bytes of texts between two looks at what else goes on

// readStrings reads the list of strings.
func (d *decoding) readStrings() error {
	if d.strings == 0 {
		return nil
	}
	c := d.cursor(d.strings)
	c.OnFault = func(f json.Fault) bool {
		return f.Code == json.BadEscape || f.Code == json.Control || f.Code == json.ExtraComma
	}
	if n := d.stringsEnd - d.strings; n > 0 && d.src.Budget().Fits(n) {
		d.texts.All = make([]byte, 0, n+ownTexts) // decoded they are hardly ever longer
	}
	reported := c.Offset()
	for first := true; c.Element(&first); {
		text := []byte(nil)
		if c.Value() == json.String {
			text = c.Text()
		}
		if c.Dead() && len(text) == 0 {
			break
		}
		d.texts.Add(text)
		if c.Offset()-reported < textBlock {
			continue
		}
		d.advance(c.Offset() - reported)
		reported = c.Offset()
		if d.src.Budget().Full(model.BudgetOfFile) {
			d.mu.Lock()
			d.layout.problem(model.Error, model.CodeMemory, model.NoOffset, 1, "%s",
				d.src.Budget().Problem(fmt.Sprintf("only the first %d strings were read", d.texts.Len())).Message)
			d.mu.Unlock()
			break
		}
	}
	return c.Err()
}
