package moment

import (
	"strconv"
	"sync"
	"time"

	"embedded-agent/wasm/internal/protocol"
)

// english is Moment's own locale, for hosts that name no other.
var english = sync.OnceValue(func() *Locale {
	in := protocol.Locale{
		Language: "en",
		Long: map[string]string{
			"LT": "h:mm A", "LTS": "h:mm:ss A", "L": "MM/DD/YYYY", "LL": "MMMM D, YYYY",
			"LLL": "MMMM D, YYYY h:mm A", "LLLL": "dddd, MMMM D, YYYY h:mm A",
			"l": "M/D/YYYY", "ll": "MMM D, YYYY", "lll": "MMM D, YYYY h:mm A", "llll": "ddd, MMM D, YYYY h:mm A",
		},
		Ordinals:  map[string][]string{},
		FirstWeek: 6,
	}
	for m := time.January; m <= time.December; m++ {
		in.Months.Plain = append(in.Months.Plain, m.String())
		in.MonthsShort.Plain = append(in.MonthsShort.Plain, m.String()[:3])
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		in.Weekdays.Plain = append(in.Weekdays.Plain, d.String())
		in.WeekdaysShort = append(in.WeekdaysShort, d.String()[:3])
		in.WeekdaysMin = append(in.WeekdaysMin, d.String()[:2])
	}
	for tok, most := range ordinalTokens {
		for n := range most + 1 {
			in.Ordinals[tok] = append(in.Ordinals[tok], strconv.Itoa(n)+suffix(n))
		}
	}
	am := protocol.HalfDay{Lower: "am", Upper: "AM"}
	pm := protocol.HalfDay{From: 12 * 60, Lower: "pm", Upper: "PM"}
	for h := range 13 {
		am.Hours, pm.Hours = append(am.Hours, h%12), append(pm.Hours, h%12+12)
	}
	in.HalfDays = []protocol.HalfDay{am, pm}
	l, err := NewLocale(in)
	if err != nil {
		panic("moment: the English locale: " + err.Error())
	}
	return l
})

func suffix(n int) string {
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
