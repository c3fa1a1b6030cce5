package fleet

import "strings"

// clauses begin lines of indented SQL.
var clauses = []string{"SELECT ", "FROM ", "WHERE ", "GROUP BY ", "ORDER BY ", "LIMIT ", "ANY LEFT JOIN ", "ANY INNER JOIN ",
	"LEFT JOIN ", "INNER JOIN ", "JOIN ", "AND "}

// Indented returns SQL with a line for each clause, indented by the depth of its query. Literals stay as they are.
func Indented(sql string) string {
	var out strings.Builder
	var nested []bool // of each open parenthesis: it holds a query
	depth := 0
	line := func() {
		out.WriteString("\n" + strings.Repeat("  ", depth))
	}
	for i := 0; i < len(sql); {
		rest := sql[i:]
		n := 1
		switch c := sql[i]; {
		case c == '\'':
			n = literal(rest)
		case c == '(':
			isQuery := strings.HasPrefix(rest, "(SELECT ")
			nested = append(nested, isQuery)
			if isQuery {
				out.WriteString("(")
				depth++
				line()
				i++
				out.WriteString("SELECT ")
				i += len("SELECT ")
				continue
			}
		case c == ')' && len(nested) > 0:
			if nested[len(nested)-1] {
				depth--
				line()
			}
			nested = nested[:len(nested)-1]
		case c == ' ' && (len(nested) == 0 || nested[len(nested)-1]):
			if clause := begins(rest[1:]); clause != "" {
				line()
				out.WriteString(clause)
				i += 1 + len(clause)
				continue
			}
		}
		out.WriteString(rest[:n])
		i += n
	}
	return out.String()
}

// begins returns the clause that a text begins with, "" for none.
func begins(text string) string {
	for _, c := range clauses {
		if strings.HasPrefix(text, c) {
			return c
		}
	}
	return ""
}

// literal returns the length of the literal at the beginning of a text. Backslashes in those of ClickHouse are never
// before a quote: quotes are numbers there.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '\'' {
			return i + 1
		}
	}
	return len(text)
}
