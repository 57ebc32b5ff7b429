// What the tests of the chat say and press.

import type { Page } from "playwright-core";
import type { Send } from "../../plugin/protocol";
import { turn } from "./fixtures";
import { asked } from "./stage";

/** Where a message is written. */
export const field = (page: Page) => page.getByRole("textbox", { name: "Message" });

/** A button by its whole name. */
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The messages that were sent. */
export const sent = async (page: Page) => (await asked(page, "send")) as Send[];

/** The paths that the core was asked about: may they be seen? */
export const askedOf = async (page: Page) => (await asked(page, "hidden")) as { paths: string[] }[];

/** A core that takes a message. */
export const accepts = { send: { turn: "t1" } };

/** A turn that was answered. */
export const done = turn({
	phase: "done",
	outcome: "answer",
	text: "Which notes?",
	reply: "Two **notes**.",
	conversation: "c",
});

/** A turn of an agent that works. */
export const agent = turn({ mode: "agent", phase: "streaming" });
