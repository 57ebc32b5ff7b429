/** Shapes of declarative settings, as far as rendering needs them (the typings of 1.13 are the source). */
import type { SettingGroup } from "./group";
import type { Setting } from "./setting";
import type { ExtraButtonComponent } from "./button";
import type { SettingPage } from "./page";
import type { TFile, TFolder } from "../files";

export type Flag = boolean | (() => boolean);

export interface Control {
	type: "toggle" | "dropdown" | "text" | "textarea" | "number" | "file" | "folder" | "slider" | "color";
	key: string;
	defaultValue?: unknown;
	validate?: (value: never) => string | void | Promise<string | void>;
	disabled?: Flag;
	options?: Record<string, string>;
	placeholder?: string;
	rows?: number;
	min?: number;
	max?: number;
	step?: number | "any";
	displayFormat?: (value: number) => string;
	filter?: (entry: never) => boolean;
	includeRoot?: boolean;
}

export interface Definition {
	type?: undefined;
	name: string;
	desc?: string | DocumentFragment;
	aliases?: string[];
	searchable?: Flag;
	visible?: Flag;
	control?: Control;
	action?: (el: HTMLElement, index: number) => void;
	disabled?: Flag;
	render?: (setting: Setting, group: SettingGroup) => void | (() => void);
}

export interface GroupDefinition {
	type: "group" | "list";
	heading?: string;
	cls?: string;
	search?: { placeholder?: string; match: (definition: Definition, query: string) => boolean };
	extraButtons?: ((component: ExtraButtonComponent) => unknown)[];
	items?: (Definition | PageDefinition)[];
	visible?: Flag;
	emptyState?: string | DocumentFragment;
	onReorder?: (oldIndex: number, newIndex: number) => void;
	onDelete?: (index: number) => void;
	addItem?: { name: string; action: (el: HTMLElement) => void };
}

export interface PageDefinition {
	type: "page";
	name: string;
	desc?: string | DocumentFragment;
	displayValue?: string | (() => string);
	status?: "warning" | null | (() => "warning" | null);
	items?: Item[];
	page?: () => SettingPage;
	visible?: Flag;
}

export type Item = Definition | GroupDefinition | PageDefinition;
export type FileFilter = (file: TFile) => boolean;
export type FolderFilter = (folder: TFolder) => boolean;

/** True for a group or a list. */
export function isGroup(item: Item): item is GroupDefinition {
	return item.type === "group" || item.type === "list";
}

/** The value of a flag now; missing means `otherwise`. */
export function evaluate(flag: Flag | undefined, otherwise: boolean): boolean {
	return typeof flag === "function" ? flag() : (flag ?? otherwise);
}
