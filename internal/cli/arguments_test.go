package cli

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fleet"
)

// Every command runs in one of the ways that execute knows, and the grammar uses nothing of the parser that arg.Parse
// leaves out: hooks, validators, variables of the environment, and flags that exclude or need each other.
func TestGrammarNeedsWhatIsChecked(t *testing.T) {
	a := &app{}
	parser, err := kong.New(&grammar{}, kong.Name("memtui"), grammarVars(a.inputs()))
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range parser.Model.Leaves(false) {
		command := node.Target.Addr().Interface()
		_, plain := command.(interface{ Run(*app) error })
		_, program := command.(arg.Runner[*app])
		if _, host := command.(arg.Runner[*fleet.Host]); !plain && !program && !host {
			t.Errorf("%s cannot be run", node.Path())
		}
	}
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		var target reflect.Value
		switch x := node.(type) {
		case *kong.Application:
			target = x.Target
		case *kong.Node:
			target = x.Target
		case *kong.Flag:
			target = x.Target
			if len(x.Xor)+len(x.And)+len(x.LastWins)+len(x.Tag.Envs) > 0 {
				t.Errorf("--%s has rules that are not checked", x.Name)
			}
		case *kong.Value:
			target = x.Target
		}
		if !target.IsValid() || target.Type().String() == "kong.helpFlag" { // arg.Parse prints the help
			return next(nil)
		}
		for _, name := range strings.Fields("Validate BeforeReset BeforeResolve BeforeApply AfterApply AfterRun") {
			if target.MethodByName(name).IsValid() || target.CanAddr() && target.Addr().MethodByName(name).IsValid() {
				t.Errorf("%s has the method %s, which nothing calls", target.Type(), name)
			}
		}
		return next(nil)
	})
	if err != nil {
		t.Error(err)
	}
}
