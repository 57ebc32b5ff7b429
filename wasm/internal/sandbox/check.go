package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}

// modules are the names that a script has beside those of the language.
var modules = map[string]bool{"json": true, "re": true, "time": true}

var errNoMain = errors.New("it has no function main(input)")

// compile reads a script and makes its program.
func compile(script string) (*syntax.File, *starlark.Program, error) {
	if len(script) > MaxScript {
		return nil, nil, fmt.Errorf("it has more than %d bytes", MaxScript)
	}
	file, p, err := starlark.SourceProgramOptions(dialect, "line", script, func(name string) bool { return modules[name] })
	if err != nil {
		return nil, nil, err
	}
	if p.NumLoads() > 0 {
		name, at := p.Load(0)
		return nil, nil, fmt.Errorf("line %d: %q cannot be loaded: a script has json, re and time, and nothing else", at.Line, name)
	}
	return file, p, nil
}

// Check says what is wrong with a script that nobody has run: it cannot be read, it
// uses a name that is not there, or it has no main that takes one value. Nil is no
// promise that it works. Nothing of the script is executed.
//
// It runs where much else does: the reader bounds how deeply a script is nested, so
// one takes a few megabytes of stack at most.
func Check(script string) error {
	file, _, err := compile(script)
	if err != nil {
		return errors.New(clip(strings.Replace(err.Error(), "line:", "line ", 1))) // the file's name, line and column
	}
	return checkMain(file)
}

// checkMain looks for main, as far as that can be known: one that is not defined by
// def may be any function.
func checkMain(file *syntax.File) error {
	module, ok := file.Module.(*resolve.Module)
	if !ok {
		return nil
	}
	known := false
	for _, global := range module.Globals {
		known = known || global.First.Name == "main"
	}
	if !known {
		return errNoMain
	}
	var last *syntax.DefStmt
	for _, stmt := range file.Stmts {
		if def, ok := stmt.(*syntax.DefStmt); ok && def.Name.Name == "main" {
			last = def
		}
	}
	if last != nil && !takesOne(last.Params) {
		return fmt.Errorf("line %d: main has to take one value, as in main(input)", last.Def.Line)
	}
	return nil
}

// takesOne says whether a function can be called with one value: a name, name=value,
// *args or **kwargs for each parameter.
func takesOne(params []syntax.Expr) bool {
	takes, needs, named := 0, 0, false
	for _, p := range params {
		switch p := p.(type) {
		case *syntax.Ident:
			if takes++; named {
				return false // it has to be given by name
			}
			needs++
		case *syntax.BinaryExpr:
			if !named {
				takes++
			}
		case *syntax.UnaryExpr:
			if p.Op == syntax.STAR {
				if named = true; p.X != nil {
					takes++
				}
			}
		}
	}
	return needs <= 1 && takes >= 1
}
