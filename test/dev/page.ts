// The development page: the panel alone, over a core whose answers a test
// gives. It is bundled by the tests only and ships nowhere.

import { flushSync, mount } from "svelte";
import icons from "icons";
import { nextFrame } from "../../plugin/frame";
import { setLanguage } from "../../i18n";
import type { Core } from "../../plugin/panel/core";
import Panel from "../../plugin/panel/Panel.svelte";
import { PanelController } from "../../plugin/panel/controller.svelte";
import type { Event, Method, ReplyText } from "../../plugin/protocol";
import { DevApp } from "./app";
import { drawn } from "./drawn";
import { installHelpers } from "./obsidian";

interface Asked {
	method: string;
	params: unknown;
}

/** What a test can do with the page. */
export interface DevPage {
	/** Every request, in order. */
	asked: Asked[];
	/** Answers by method, as values; a method without one answers {}. */
	answers: Partial<Record<Method, unknown>>;
	/** Rejects the method with this problem. */
	failures: Partial<Record<Method, unknown>>;
	tell(events: Event[]): void;
	/** Counts what changes in the page until the function that it gives is called: elements put in, attributes, texts. */
	changes(): () => number;
	/** Feeds events batch by batch, one batch per frame, and gives what each batch changed in the page. */
	flood(events: Event[], perFrame: number): Promise<number[]>;
	select(path: string, text: string): Promise<void>;
	app: DevApp;
	controller: PanelController;
}

declare global {
	interface Window {
		dev: DevPage;
	}
}

/** How many elements a node brings into the page, itself included. */
const elements = (node: Node) => (node instanceof Element ? 1 + node.querySelectorAll("*").length : 0);

function changes(): () => number {
	let n = 0;
	const add = (records: MutationRecord[]) => {
		for (const { type, addedNodes } of records)
			n += type === "childList" ? [...addedNodes].reduce((sum, node) => sum + elements(node), 0) : 1;
	};
	const observer = new MutationObserver(add);
	observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
	return () => {
		add(observer.takeRecords());
		observer.disconnect();
		return n;
	};
}

installHelpers();
const query = new URLSearchParams(location.search);
document.body.className = `${query.get("theme") === "dark" ? "theme-dark" : "theme-light"}${query.has("mobile") ? " is-mobile" : ""}`;
document.documentElement.dir = query.get("dir") ?? "ltr";
document.documentElement.lang = setLanguage(query.get("lang") ?? "en");

const app = new DevApp(query.has("mobile"), icons);
const dev: DevPage = {
	asked: [],
	answers: {},
	failures: {},
	app,
	changes,
	tell(events) {
		events.forEach((event) => controller.receive(event));
		controller.flush();
		flushSync();
	},
	async flood(events, perFrame) {
		const changed: number[] = [];
		for (let i = 0; i < events.length; i += perFrame) {
			const batch = events.slice(i, i + perFrame);
			const count = changes();
			batch.forEach((event) => controller.receive(event));
			controller.flush();
			flushSync();
			changed.push(count());
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
		return changed;
	},
	async select(path, text) {
		app.selected = { path, text };
		await controller.lookAtSelection();
	},
	get controller() {
		return controller;
	},
};

const core = {
	request: async (method: Method, params: unknown) => {
		dev.asked.push({ method, params });
		const failure = dev.failures[method];
		if (failure) throw Object.assign(new Error(method), { problem: failure });
		if (method === "reply.draw" && !dev.answers[method]) return drawn((params as ReplyText).text);
		return dev.answers[method] ?? {};
	},
} as Core;

const controller = new PanelController(() => Promise.resolve(core), app, nextFrame);
window.dev = dev;
const target = document.querySelector("#view");
if (!target) throw new Error("the page has no #view");
mount(Panel, { target, props: { controller } });
