export * from "./app";
export * from "./chromium";
export * from "./community";
export * from "./folder";
export * from "./look";
export * from "./playground";
