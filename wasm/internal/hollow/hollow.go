// Package hollow finds out whether an answer says of itself that it has changed notes:
// “I have created the note for you!” Where nothing was planned and no tool was called
// that changes anything, such words are not true, and the panel says so.
//
// It reads a small set of forms: a first person who has done something to a note, a
// file, a folder, a tag, a property, a task or a link; the same in the passive, with
// “successfully” or “for you”; and an answer that begins with “Done!”. What is a
// condition, a question, a negation or a text to be copied says nothing of the kind.
// What is said in other words is missed: an honest answer that is accused would be worse.
package hollow

import (
	"strings"

	"embedded-agent/wasm/internal/regex"
)

// maxRead bounds how much of an answer is read, in bytes: such words stand at its
// beginning or at its end.
const maxRead = 2 << 10

// Words says whether an answer says of itself that it has changed notes.
func Words(answer string) bool {
	text := strings.ReplaceAll(outside(answer), "’", "'")
	if begins().MatchString(text) {
		return true
	}
	for _, s := range sentences().Split(text, -1) {
		for _, f := range forms {
			if f.says().MatchString(s) && !f.not().MatchString(s) {
				return true
			}
		}
	}
	return false
}

// outside gives the beginning and the end of an answer without code, quoted lines and
// words in quotation marks: those are not the model's own.
func outside(answer string) string {
	if len(answer) > 2*maxRead {
		answer = strings.ToValidUTF8(answer[:maxRead], "") + "\n" + strings.ToValidUTF8(answer[len(answer)-maxRead:], "")
	}
	return strings.TrimSpace(others().ReplaceAllString(answer, " "))
}

var (
	others    = regex.Lazy("(?s)```.*?(?:```|$)|(?m)^ {0,3}>.*$|`[^`\n]*`|\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|„[^“”\n]{1,120}[“”]|「[^」\n]{1,120}」")
	sentences = regex.Lazy(`[.!?:;](?:\s|$)|[。！？；\n]`)
	begins    = regex.Lazy(`(?i)^[*_\s✅✔☑]*(?:(?:all )?done(?: for you)?|task (?:done|completed)|erledigt|fertig|alles erledigt|c'est fait|¡?(?:hecho|listo)|feito|已完成|完成了|搞定了?)[*_]*\s*(?:[!！。✅]|\.(?:\s|$))`)
)

// form is how one language says it: a sentence that fits says and does not fit not.
type form struct{ says, not func() matcher }

// matcher is the part of regexp.Regexp that is used.
type matcher interface{ MatchString(s string) bool }

func of(says, not string) form {
	c, n := regex.Lazy(says), regex.Lazy(not)
	return form{func() matcher { return c() }, func() matcher { return n() }}
}

// forms are those of each language.
var forms = []form{
	// English.
	of(`(?i)\b(?:I|we)(?:'ve| have)? (?:(?:have|just|now|also|already|successfully|went ahead and|gone ahead and) )*`+did+`\b.*\b`+things+`\b|`+
		`\b`+things+`\b.*\b(?:has|have|was|were) (?:now |all )?(?:been )?(?:successfully `+did+`|`+did+` (?:successfully|for you))\b|`+
		`^\W*(?:successfully |I've |I have )`+did+` .*\b`+things+`\b`,
		`(?i)\b(?:not|never|no|nothing|if|once|when|whenever|whether|after|before|until|unless|should|would|could|can|below|above|following|here is|here are|draft|example|plan|lists? of|summary|overview|table|last time|earlier|yesterday)\b|n't\b`),
	// German.
	of(`(?i)\bich (?:habe|hab)\b.*\b`+dinge+`.*\b`+getan+`\b|\bhabe ich\b.*\b`+dinge+`.*\b`+getan+`\b|`+
		`\b`+dinge+`.*\b(?:wurden?|ist|sind)\b.*\b(?:erfolgreich|für dich|für Sie)\b.*\b`+getan+`\b`,
		`(?i)\b(?:nicht|nichts|kein\pL*|nie|falls|wenn|sobald|nachdem|bevor|bis|ob|würde\pL*|könnte\pL*|unten|oben|folgend\pL*|entwurf|beispiel|plan|gefunden|gelesen|gesehen|gestern)\b`),
	// Chinese.
	of(`(?:我|已|成功)[^，,]{0,8}(?:创建|新建|添加|修改|更改|更新|移动|移到|重命名|删除|合并|拆分|插入|替换|追加|保存|归档|标记|整理)(?:了|好|到|完成|完毕)?[^，,]{0,24}(?:笔记|文件|标签|属性|任务|链接|模板)|`+
		`(?:已|成功)[^，,]{0,6}[将把][^，,]{0,16}(?:笔记|文件|标签|属性|任务|链接)[^，,]{0,12}(?:修改|更改|更新|移动|移到|重命名|删除|合并|拆分|替换|归档|标记|整理)|`+
		`(?:笔记|文件|文件夹|标签|属性|任务|链接)[^，,]{0,16}(?:已成功|已经成功|已为[你您]|已帮[你您])[^，,]{0,8}(?:创建|新建|添加|修改|更改|更新|移动|重命名|删除|合并|插入|替换|追加|保存|归档)`,
		`没|未|不|如果|若|是否|之后|以后|以下|下面|如下|草稿|例如|计划|将会|将要|吗|昨天|我的`),
	// French.
	of(`(?i)\bj'ai (?:\pL+ )?(?:créée?s?|ajoutée?s?|modifiée?s?|mise?s? à jour|déplacée?s?|renommée?s?|supprimée?s?|fusionnée?s?|insérée?s?|remplacée?s?)[^\pL].*[^\pL](?:note|fichier|dossier|étiquette|tag|propriété|tâche|lien)s?(?:[^\pL]|$)`,
		`(?i)\b(?:pas|rien|jamais|si|quand|une fois|après|avant|ci-dessous|suivante?s?|brouillon|exemple|plan)\b`),
	// Spanish and Portuguese.
	of(`(?i)\b(?:he (?:\pL+ )?(?:creado|añadido|agregado|modificado|actualizado|movido|renombrado|eliminado|borrado|insertado|reemplazado)|(?:criei|adicionei|alterei|atualizei|movi|renomeei|excluí|apaguei|inseri|substituí))[^\pL].*\b(?:notas?|archivos?|arquivos?|ficheiros?|carpetas?|pastas?|etiquetas?|tags?|propiedad(?:es)?|propriedades?|tareas?|tarefas?|enlaces?|links?)\b`,
		`(?i)\b(?:no|não|nada|nunca|si|se|cuando|quando|después|depois|antes|abajo|abaixo|siguientes?|seguintes?|borrador|rascunho|ejemplo|exemplo|plan|plano)\b`),
}

// The words of forms that are used more than once.
const (
	did    = `(?:created|added|made|updated|moved|renamed|deleted|removed|changed|modified|edited|merged|split|inserted|replaced|appended|tagged|saved|archived|converted|fixed|linked|organi[sz]ed|filled in|marked|copied|tidied|sorted)`
	things = `(?:notes?|files?|folders?|tags?|propert(?:y|ies)|front ?matter|tasks?|links?|headings?|vault|daily note|attachments?)`
	dinge  = `(?:Notiz(?:en)?|Datei(?:en)?|Ordner|Schlagw(?:ort|örter)|Tags?|Eigenschaft(?:en)?|Aufgaben?|Links?|Verweise?|Vault)`
	getan  = `(?:erstellt|angelegt|hinzugefügt|geändert|umbenannt|verschoben|gelöscht|entfernt|aktualisiert|eingefügt|ersetzt|ergänzt|zusammengeführt|gespeichert|verlinkt|markiert|abgehakt|archiviert|kopiert|aufgeräumt)`
)
