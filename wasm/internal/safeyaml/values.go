package safeyaml

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// at says in which line of the text a value stands.
func at(n *yaml.Node, problem string) error {
	return fmt.Errorf("line %d: %s", n.Line, problem)
}

// valueOf makes the value of a tree that was measured.
func valueOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return valueOf(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, below := range n.Content {
			v, err := valueOf(below)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return mappingOf(n)
	}
	return scalarOf(n)
}

// mappingOf makes a mapping; what it names itself counts before what it merges,
// and of that the first (YAML 1.1, merge key language-independent type).
func mappingOf(n *yaml.Node) (map[string]any, error) {
	out := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merged = append(merged, value)
			continue
		}
		name, err := keyOf(key)
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, at(key, fmt.Sprintf("the key %q occurs twice", name))
		}
		if out[name], err = valueOf(value); err != nil {
			return nil, err
		}
	}
	for _, from := range merged {
		if err := merge(out, from); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Style == 0 && key.Value == "<<"
}

// merge adds the keys that a mapping does not have yet.
func merge(into map[string]any, from *yaml.Node) error {
	v, err := valueOf(from)
	if err != nil {
		return err
	}
	all, isList := v.([]any)
	if !isList {
		all = []any{v}
	}
	for _, one := range all {
		fields, ok := one.(map[string]any)
		if !ok {
			return at(from, "what is merged (<<) is neither a mapping nor a list of mappings")
		}
		for name, value := range fields {
			if _, has := into[name]; !has {
				into[name] = value
			}
		}
	}
	return nil
}

// keyOf gives the text that a key is in JSON, where all keys are text.
func keyOf(n *yaml.Node) (string, error) {
	v, err := valueOf(n)
	switch v := v.(type) {
	case nil:
		return "", err
	case string:
		return v, nil
	case []any, map[string]any:
		return "", at(n, "a list or a mapping stands where the name of a property belongs")
	}
	return fmt.Sprint(v), err
}
