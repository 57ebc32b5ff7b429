/** Brings Obsidian's global augmentations (createEl and the rest) into scope for the playground's own code. */
import type {} from "obsidian";
