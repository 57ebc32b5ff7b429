/** Variables of the environment that name what is built already (test/built-once.ts). */
export const built = {
	/** The page of the panel's states, as a file. */
	stage: "BUILT_STAGE",
	/** The playground, as a folder. */
	playground: "BUILT_PLAYGROUND",
};
