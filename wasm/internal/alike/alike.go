// Package alike finds names of files that look like others and are spelled in other
// letters.
package alike

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/vaultpath"
)

// maxTold is how many look-alike names are told in words; the list marks all.
const maxTold = 5

// Mark marks each file or folder that gets a name which looks like that of
// another one, in the vault or among the changes, and is spelled in other
// letters. It says so in words, too.
func Mark(ctx context.Context, v *overlay.Vault, files []protocol.FileChange) ([]protocol.Message, error) {
	made := map[string]bool{} // the skeletons of new names
	for i := range files {
		if newName(&files[i]) {
			made[text.Skeleton(vaultpath.Base(files[i].Path))] = true
		}
	}
	if len(made) == 0 {
		return nil, nil
	}
	all, err := v.For("").Walk(ctx, "")
	if err != nil {
		return nil, err
	}
	known := map[string][]string{} // skeleton -> one path for each name
	for _, e := range all {
		name := vaultpath.Base(e.Path)
		skeleton := text.Skeleton(name)
		if made[skeleton] && !slices.ContainsFunc(known[skeleton], func(p string) bool { return vaultpath.Base(p) == name }) {
			known[skeleton] = append(known[skeleton], e.Path)
		}
	}
	var out []protocol.Message
	for i := range files {
		f := &files[i]
		if !newName(f) {
			continue
		}
		name := vaultpath.Base(f.Path)
		for _, other := range known[text.Skeleton(name)] {
			if norm.NFC.String(vaultpath.Base(other)) == norm.NFC.String(name) {
				continue
			}
			f.Alike = other
			if !f.Dropped && len(out) < maxTold {
				out = append(out, protocol.Message{Key: "review.alike", Params: map[string]string{
					"path": f.Path, "other": other, "letters": lettersOf(name, vaultpath.Base(other)),
				}})
			}
			break
		}
	}
	return out, nil
}

func newName(f *protocol.FileChange) bool {
	return f.Status == protocol.FileCreate || f.Status == protocol.FileRename || f.Status == protocol.FileMkdir
}

// lettersOf names the letters of a name that another does not have: three of them.
func lettersOf(name, other string) string {
	var out []string
	for _, r := range name {
		letter := fmt.Sprintf("%c (U+%04X)", r, r)
		if strings.ContainsRune(other, r) || slices.Contains(out, letter) {
			continue
		}
		if len(out) == 3 {
			return strings.Join(out, ", ") + ", …"
		}
		out = append(out, letter)
	}
	return strings.Join(out, ", ")
}
