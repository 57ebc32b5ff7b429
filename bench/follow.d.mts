/** What has changed in a folder. */
export class Followed {
	constructor(folder: string);
}
