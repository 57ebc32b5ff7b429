//go:build !js

// Package eval measures how well a model does what people ask for. A task is a vault,
// a person's words, and what the vault must be afterwards. Each task goes the whole way
// through the core, as in the plugin: the model is asked over HTTP, its plan is checked,
// simulated, approved and run, and then the files are compared. What a plan looks like
// is not judged.
//
// A task is worked on in three ways: as a plan; by an agent, with all tools; and by an
// agent that has only tools for single notes, which is how other programs let a model
// work. So their tokens and their requests can be compared.
//
// Without an endpoint a script answers with what each task has recorded as right. This
// measures the product's share: what is sent, and whether a right plan does what was
// asked. With an endpoint it measures the model.
//
// # Tasks
//
// A task is a txtar file. Its sections:
//
//	instruction    the person's words
//	context.json   where the person is; see Context
//	before/PATH    the vault before. In the open note ⟦ and ⟧ may stand around the selection
//	plan.json      a plan that is right
//	agent.json     the calls of an agent that is right: a list of answers, each a list of
//	               {"tool": NAME, "args": {…}}. Without it they are made of before and after
//	model          what a model answers in steps that ask one, "===" between two answers
//	after/PATH     the whole vault after; without any the vault must stay as it was
//	answer         lines that the answer must contain; " | " stands between two cells
//	question       is there where the model must ask back; its text is a right question
//	said           what the person answers to that; both may stand in context.json
//	accept         checks in place of after/, where several results are right; see check
//	not-answer     lines that the answer must not contain
//	first.json, changes, leftout: for the tests of stories; not graded here
//
// The stories beside the tools (tool/builtin/testdata/requests) are read too, with their
// own sections.
package eval
