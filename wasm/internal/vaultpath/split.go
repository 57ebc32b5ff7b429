package vaultpath

import "strings"

// Join puts a name into a folder ("" is the root).
func Join(folder, name string) string {
	switch {
	case folder == "" || folder == "/":
		return name
	case name == "":
		return folder
	}
	return folder + "/" + name
}

// Parent gives the folder of a path: "" for what lies in the root.
func Parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// Base gives the last part of a path.
func Base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// Ext gives the extension with its dot, or "". An extension is up to ten ASCII
// letters and digits with at least one letter, after a dot that is not the
// first character: "Meeting 3.5" and "Dr. Who" have none.
func Ext(p string) string {
	base := Base(p)
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 || len(base)-dot-1 > 10 {
		return ""
	}
	letters := false
	for i := dot + 1; i < len(base); i++ {
		switch c := base[i]; {
		case isLetter(c):
			letters = true
		case c < '0' || c > '9':
			return ""
		}
	}
	if !letters {
		return ""
	}
	return base[dot:]
}

// Stem gives the last part of a path without its extension: a note's title.
func Stem(p string) string {
	base := Base(p)
	return base[:len(base)-len(Ext(base))]
}

// Under says whether path is root or lies below it. Everything lies under "",
// which may be written "/".
func Under(path, root string) bool {
	root = strings.Trim(root, "/")
	return root == "" || path == root || strings.HasPrefix(path, root+"/")
}
