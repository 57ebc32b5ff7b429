/** The module that plugins get for `require("obsidian")`. What is missing throws by name. */
import moment from "moment";
import { CapacitorAdapter, FileSystemAdapter } from "./adapter";
import { App } from "./app";
import { Component } from "./component";
import { ConfirmationButton, ConfirmationModal } from "./confirmation";
import { debounce } from "./debounce";
import { Editor } from "./editor";
import {
	editorEditorField,
	editorInfoField,
	editorLivePreviewField,
	editorViewField,
	livePreviewState,
} from "./editor-extensions";
import * as encoding from "./encoding";
import * as environment from "./environment";
import { Events } from "./events";
import { FileManager } from "./file-manager";
import { TAbstractFile, TFile, TFolder } from "./files";
import { addIcon, getIcon, getIconIds, removeIcon, setIcon } from "./icons";
import { sanitizeHTMLToDom } from "./markdown-html";
import { MarkdownEditView, MarkdownView } from "./markdown-view";
import { Menu, MenuItem, MenuSeparator } from "./menu";
import { MetadataCache } from "./metadata/cache";
import { getAllTags } from "./metadata/tags";
import { Modal } from "./modal";
import { throwingModule } from "./not-implemented";
import { Notice } from "./notice";
import { getLinkpath, normalizePath, parseLinktext, stripHeading, stripHeadingForLink } from "./paths";
import { Platform } from "./platform";
import { Plugin } from "./plugin";
import { AbstractInputSuggest, PopoverSuggest } from "./popover-suggest";
import { MarkdownPreviewRenderer, MarkdownPreviewView } from "./preview";
import * as references from "./references";
import { MarkdownRenderChild } from "./render-child";
import { MarkdownRenderer } from "./renderer";
import { request, requestUrl } from "./request";
import { Keymap, Scope } from "./scope";
import * as search from "./search";
import { BaseComponent, ValueComponent } from "./setting/base";
import { ButtonComponent, ExtraButtonComponent } from "./setting/button";
import {
	DisplayValueComponent,
	DropdownComponent,
	ProgressBarComponent,
	SliderComponent,
	ToggleComponent,
} from "./setting/choice";
import { ColorComponent } from "./setting/color";
import { SettingGroup } from "./setting/group";
import { SettingPage } from "./setting/page";
import { SecretComponent } from "./setting/secret";
import { Setting } from "./setting/setting";
import { PluginSettingTab, SettingTab } from "./setting/tab";
import {
	AbstractTextComponent,
	MomentFormatComponent,
	SearchComponent,
	TextAreaComponent,
	TextComponent,
} from "./setting/text";
import { SecretStorage } from "./storage";
import { FuzzySuggestModal, SuggestModal } from "./suggest-modal";
import { Tasks } from "./tasks";
import { TextFileView } from "./text-file-view";
import { displayTooltip, setTooltip } from "./tooltip";
import { Vault } from "./vault";
import { EditableFileView, FileView, ItemView, View } from "./view";
import * as containers from "./workspace/containers";
import { WorkspaceItem, WorkspaceParent } from "./workspace/item";
import { WorkspaceLeaf } from "./workspace/leaf";
import { WorkspaceRibbon } from "./workspace/ribbon";
import { WorkspaceTabs } from "./workspace/tabs";
import { Workspace } from "./workspace/workspace";
import * as yaml from "./yaml";

const {
	WorkspaceContainer,
	WorkspaceFloating,
	WorkspaceMobileDrawer,
	WorkspaceRoot,
	WorkspaceSidedock,
	WorkspaceSplit,
	WorkspaceWindow,
} = containers;

const implemented = {
	AbstractInputSuggest,
	AbstractTextComponent,
	App,
	BaseComponent,
	ButtonComponent,
	CapacitorAdapter,
	ColorComponent,
	Component,
	ConfirmationButton,
	ConfirmationModal,
	DisplayValueComponent,
	DropdownComponent,
	EditableFileView,
	Editor,
	Events,
	ExtraButtonComponent,
	FileManager,
	FileSystemAdapter,
	FileView,
	FuzzySuggestModal,
	ItemView,
	Keymap,
	MarkdownEditView,
	MarkdownPreviewRenderer,
	MarkdownPreviewView,
	MarkdownRenderChild,
	MarkdownRenderer,
	MarkdownView,
	Menu,
	MenuItem,
	MenuSeparator,
	MetadataCache,
	Modal,
	MomentFormatComponent,
	Notice,
	Platform,
	Plugin,
	PluginSettingTab,
	PopoverSuggest,
	ProgressBarComponent,
	Scope,
	SearchComponent,
	SecretComponent,
	SecretStorage,
	Setting,
	SettingGroup,
	SettingPage,
	SettingTab,
	SliderComponent,
	SuggestModal,
	TAbstractFile,
	TFile,
	TFolder,
	Tasks,
	TextAreaComponent,
	TextComponent,
	TextFileView,
	ToggleComponent,
	ValueComponent,
	Vault,
	View,
	Workspace,
	WorkspaceContainer,
	WorkspaceFloating,
	WorkspaceItem,
	WorkspaceLeaf,
	WorkspaceMobileDrawer,
	WorkspaceParent,
	WorkspaceRibbon,
	WorkspaceRoot,
	WorkspaceSidedock,
	WorkspaceSplit,
	WorkspaceTabs,
	WorkspaceWindow,
	addIcon,
	debounce,
	displayTooltip,
	editorEditorField,
	editorInfoField,
	editorLivePreviewField,
	editorViewField,
	getAllTags,
	getIcon,
	getIconIds,
	getLinkpath,
	livePreviewState,
	moment,
	normalizePath,
	parseLinktext,
	removeIcon,
	request,
	requestUrl,
	sanitizeHTMLToDom,
	setIcon,
	setTooltip,
	stripHeading,
	stripHeadingForLink,
	...encoding,
	...environment,
	...references,
	...search,
	...yaml,
};

export const obsidianModule = throwingModule("obsidian", implemented);
