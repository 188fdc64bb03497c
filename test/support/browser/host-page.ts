import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inject } from "vitest";

/** A website with an origin other than the console's. */
export interface HostSite {
  origin: string;
  close(): Promise<void>;
}

/** Serves a page at a new origin. */
export async function serveSite(page: string): Promise<HostSite> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/favicon.ico" ? 204 : 200, { "content-type": "text/html" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Returns the guide's example of an embedding page, changed to a vault of the stack and to the test's wallet. The page
 * stores the events that it receives.
 */
export function examplePage(vaultId: string): string {
  const guide = readFileSync("src/openapi/guide/deposits.md", "utf8");
  const example = /```html\n([\s\S]*?)```/.exec(guide)?.[1];
  if (example === undefined) throw new Error("the guide has no example of an embedded form");
  const filled = example
    .replace("https://causeway.example", inject("stack").api)
    .replace(/"8453:0x[0-9a-f]+"/, JSON.stringify(vaultId))
    .replace("window.ethereum", "window.testWallet.provider")
    .replace("console.log(event)", "window.events.push(event)");
  return `<!doctype html><title>A site</title><script>window.events = [];</script>${filled}`;
}
