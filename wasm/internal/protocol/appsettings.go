package protocol

// Files of the app's own settings, in its configuration folder, that tools read.
// Every other hidden file is closed to them, on both sides of the boundary.
const (
	// CorePluginsFile says which of the app's core plugins are switched on.
	CorePluginsFile = "core-plugins.json"
	// DailyNotesFile holds the daily notes' folder, format and template.
	DailyNotesFile = "daily-notes.json"
	// TemplatesFile holds the templates' folder and formats.
	TemplatesFile = "templates.json"
)
