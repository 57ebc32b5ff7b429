import { Component } from "./component";

/** A component bound to an element of rendered Markdown. */
export class MarkdownRenderChild extends Component {
	constructor(public containerEl: HTMLElement) {
		super();
	}
}
