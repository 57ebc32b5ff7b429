package protocol

// Locale is how the app writes dates in the person's language: the tables of the
// app's own copy of Moment, read from it when the core starts.
type Locale struct {
	Language    string `json:"language"` // as Moment names it, such as "zh-cn"
	Months      Names  `json:"months"`   // 12, January first
	MonthsShort Names  `json:"monthsShort"`
	Weekdays    Names  `json:"weekdays"` // 7, Sunday first
	// WeekdaysShort and WeekdaysMin have no other forms.
	WeekdaysShort []string `json:"weekdaysShort"`
	WeekdaysMin   []string `json:"weekdaysMin"`
	// Long has the formats that LT, LTS, L to LLLL and l to llll stand for.
	Long map[string]string `json:"long"`
	// Ordinals are the numbers with their ordinal sign, from 0 on, for each of the
	// tokens M, Q, D, DDD, d, w and W.
	Ordinals map[string][]string `json:"ordinals"`
	HalfDays []HalfDay           `json:"halfDays"`
	// Digits has the signs for 0 to 9, Comma the one for a comma; empty where they
	// are written as they are.
	Digits []string `json:"digits,omitempty"`
	Comma  string   `json:"comma,omitempty"`
	// FirstDay is the day with which a week begins (0 is Sunday). The first week of
	// a year is the one with the day 7 + FirstDay - FirstWeek of January.
	FirstDay  int `json:"firstDay"`
	FirstWeek int `json:"firstWeek"`
}

// Names are names by their number. Inside holds other forms of them, which are
// used in formats in which the regular expression When finds something; empty
// where there are none.
type Names struct {
	Plain  []string `json:"plain"`
	Inside []string `json:"inside,omitempty"`
	When   string   `json:"when,omitempty"`
}

// HalfDay is a part of the day, such as "am", in small and large letters.
type HalfDay struct {
	From  int    `json:"from"` // minutes since midnight
	Lower string `json:"lower"`
	Upper string `json:"upper"`
	// Hours are the hours of the day that 0 to 12 o'clock mean with this word.
	Hours []int `json:"hours"`
}
