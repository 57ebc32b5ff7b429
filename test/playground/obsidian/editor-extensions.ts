/** The CodeMirror setup of a note: what the app has, plus what plugins register. */
import {
	defaultKeymap,
	history,
	historyKeymap,
	indentWithTab,
	selectLine,
	selectParentSyntax,
} from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import {
	HighlightStyle,
	bracketMatching,
	foldGutter,
	indentUnit,
	syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateField, type Extension } from "@codemirror/state";
import {
	EditorView,
	ViewPlugin,
	drawSelection,
	dropCursor,
	highlightActiveLine,
	keymap,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { MarkdownFileInfo } from "./markdown-view";
import { frontMatterSyntax, obsidianSyntax } from "./metadata/syntax";

/** Holds what plugins registered, so that it can be replaced while the editor is open. */
export const pluginExtensions = new Compartment();

/** These two need a newer `@codemirror/state` than the app has. */
const tooNew: unknown[] = [selectLine, selectParentSyntax];
const usableKeymap = defaultKeymap.filter(({ run }) => !tooNew.includes(run));

const noEditor = (): never => {
	throw new Error("This field is set only in the editor of a note.");
};

export const editorInfoField = StateField.define<MarkdownFileInfo>({
	create: noEditor,
	update: (value) => value,
});
export const editorViewField = editorInfoField;
export const editorEditorField = StateField.define<EditorView>({
	create: noEditor,
	update: (value) => value,
});
/** The playground edits source; live preview is not implemented. */
export const editorLivePreviewField = StateField.define<boolean>({
	create: () => false,
	update: (value) => value,
});

class LivePreviewState {
	mousedown = false;
}
export const livePreviewState = ViewPlugin.fromClass(LivePreviewState);

const colours = HighlightStyle.define([
	{ tag: tags.heading1, class: "cm-header cm-header-1" },
	{ tag: tags.heading2, class: "cm-header cm-header-2" },
	{ tag: tags.heading3, class: "cm-header cm-header-3" },
	{ tag: [tags.heading4, tags.heading5, tags.heading6], class: "cm-header" },
	{ tag: tags.strong, class: "cm-strong" },
	{ tag: tags.emphasis, class: "cm-em" },
	{ tag: tags.strikethrough, class: "cm-strikethrough" },
	{ tag: tags.monospace, class: "cm-inline-code" },
	{ tag: [tags.link, tags.url], class: "cm-link" },
	{ tag: tags.quote, class: "cm-quote" },
	{ tag: tags.processingInstruction, class: "cm-formatting" },
	{ tag: tags.contentSeparator, class: "cm-hr" },
	{ tag: tags.comment, class: "cm-comment" },
	{ tag: tags.labelName, class: "cm-hashtag" },
	{ tag: tags.meta, class: "cm-hmd-frontmatter" },
]);

/** Everything for one note's editor. `changed` hears of each change of the text. */
export function noteExtensions(
	info: MarkdownFileInfo,
	registered: Extension[],
	changed: (byPerson: boolean) => void,
	handlers: Extension,
): Extension {
	return [
		editorInfoField.init(() => info),
		editorLivePreviewField,
		livePreviewState,
		history(),
		drawSelection(),
		dropCursor(),
		EditorState.allowMultipleSelections.of(true),
		EditorView.lineWrapping,
		indentUnit.of("\t"),
		markdown({
			base: markdownLanguage,
			extensions: [obsidianSyntax, frontMatterSyntax],
			completeHTMLTags: false,
		}),
		syntaxHighlighting(colours),
		bracketMatching(),
		foldGutter(),
		highlightActiveLine(),
		highlightSelectionMatches(),
		search({ top: true }),
		EditorView.contentAttributes.of({ spellcheck: "false" }),
		keymap.of([...searchKeymap, ...historyKeymap, indentWithTab, ...usableKeymap]),
		EditorView.updateListener.of((update) => {
			if (update.docChanged) changed(!update.transactions.some((one) => one.isUserEvent("set")));
		}),
		handlers,
		pluginExtensions.of(registered),
	];
}
