// Package plan holds the ActionPlan (docs/design/plan-language.md): its types,
// how it is decoded from what a model wrote, how it is checked before anything
// runs, and how its references become arguments.
//
// The package is pure: no I/O, no context, no clock. The way of a plan is
//
//	Decode ─► Mend ─► Check ─► Graph ─► for each Node: Expand ─► Bind ─► arguments
//	  ▲ Extract                  │
//	  └ BindParameters           └ Problems, for the model to repair or a person to read
//
// # References
//
// Strings in a step's args, in foreach.from, in conditions, in preview and in the
// plan's outputs may hold references:
//
//	{item}  {item.title}  {index}       the loop's names, as foreach calls them
//	$steps.make.items[0].path           a step's output; .0. is the same as [0]
//	$vars.name.field                    what a step captured with captureAs
//	${steps.make.path}  ${item.title}   any of these, delimited
//	$steps.find.notes[*].tags           from every element, as one list
//	{item.due|"none"}                   a default for a value missing or null
//	${name}                             a parameter; in saved actions only
//
// A string that is one reference and nothing else takes the value with its
// type. (A loop name in braces, {index}, gives text where the tool's schema
// asks for text.) Inside a longer string a text is put in as it is and any
// other value as canonical JSON text.
//
// Where a reference ends: the form without braces takes the longest run of
// names made of ASCII letters, digits, _ and inner hyphens, joined by single
// dots, and of [digits]. "See $steps.a.path." therefore ends before the full
// stop, and "$steps.a.path.bak" asks for a field bak, which Check refuses:
// write "${steps.a.path}.bak". Inside braces names may also hold other letters
// and digits, and any other name is written ["due date"].
//
// Only bound names are references. {date}, {{date}}, \frac{a}{b}, $x$, $1 and
// ${HOME} survive byte for byte. Text that begins like a reference and is none,
// such as {index + 1} or {{item}}, Check refuses: it would be written as it is.
//
// A backslash keeps a reference, or such text in braces, from being one, and only
// there does it mean anything: of n backslashes right before a reference, n/2 remain, and when n
// is odd the reference stays as written. So \{item.title} gives {item.title},
// \$steps.a gives $steps.a, and the backslashes of LaTeX, regular expressions
// and Windows paths are left alone.
//
// Substitution is one pass: text that came from a note, a step or a parameter
// is never read for references again.
package plan
