export * from "./app";
export * from "./chromium";
export * from "./folder";
export * from "./look";
export * from "./playground";
