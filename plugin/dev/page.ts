// The development page: the panel alone, over a core whose answers a test
// gives. It is bundled by the tests only and ships nowhere.

import { flushSync, mount } from "svelte";
import icons from "icons";
import { nextFrame } from "../frame";
import { setLanguage } from "../../i18n";
import type { Core } from "../panel/core";
import Panel from "../panel/Panel.svelte";
import { Session } from "../panel/session.svelte";
import type { Event, Method, ReplyText } from "../protocol";
import { DevDesk } from "./desk";
import { drawn } from "./drawn";
import { DevShell, installHelpers } from "./obsidian";

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
	/** Feeds events batch by batch, one batch per frame, and gives each batch's time in ms. */
	flood(events: Event[], perFrame: number): Promise<number[]>;
	select(path: string, text: string): Promise<void>;
	shell: DevShell;
	desk: DevDesk;
	session: Session;
}

declare global {
	interface Window {
		dev: DevPage;
	}
}

installHelpers();
const query = new URLSearchParams(location.search);
document.body.className = `${query.get("theme") === "dark" ? "theme-dark" : "theme-light"}${query.has("mobile") ? " is-mobile" : ""}`;
document.documentElement.dir = query.get("dir") ?? "ltr";
document.documentElement.lang = setLanguage(query.get("lang") ?? "en");

const shell = new DevShell(query.has("mobile"), icons);
const desk = new DevDesk();
const dev: DevPage = {
	asked: [],
	answers: {},
	failures: {},
	shell,
	desk,
	tell(events) {
		events.forEach((event) => session.receive(event));
		session.flush();
		flushSync();
	},
	async flood(events, perFrame) {
		const times: number[] = [];
		for (let i = 0; i < events.length; i += perFrame) {
			const batch = events.slice(i, i + perFrame);
			const begun = performance.now();
			batch.forEach((event) => session.receive(event));
			session.flush();
			flushSync();
			times.push(performance.now() - begun);
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
		return times;
	},
	async select(path, text) {
		shell.selected = { path, text };
		await session.lookAtSelection();
	},
	get session() {
		return session;
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

const session = new Session(() => Promise.resolve(core), shell, nextFrame, desk);
window.dev = dev;
const target = document.querySelector("#view");
if (!target) throw new Error("the page has no #view");
mount(Panel, { target, props: { session } });
