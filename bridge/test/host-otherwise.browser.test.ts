// The host, where the app behaves otherwise in all that nobody has read of it: each test of the host, once more.

import { around } from "./host-page";

around.otherwise = "all";
await import("./host.browser.test");
