import type { Context, Hono } from "hono";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors.ts";
import { isCanonicalUrl } from "../http/canonical-url.ts";
import { refuseOtherMethods } from "../http/create-app.ts";
import type { AppEnv } from "../http/hono-env.ts";
import { NO_STORE, sharedHeaders } from "../http/respond.ts";
import { PAGE_CACHE } from "./docs-page-layout.ts";
import { mountRenderedPages } from "./rendered-docs-pages.ts";

/** Path of the icon among the static assets. */
const ICON = "/docs-assets/icon.svg";
/** Paths of the plain texts among the static assets, which are the same in every deployment. */
const TEXTS = ["/robots.txt", "/llms.txt"] as const;
/**
 * Returns the content security policy of the API reference page. The viewer needs inline styles. Requests may also go
 * to the public URL, if the page was opened under a second host name.
 */
const docsPolicy = (publicUrl: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self' ${new URL(publicUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Colors of the viewer that are too pale to be read (WCAG 2.2, 1.4.3), in darker or lighter shades. */
const REFERENCE_COLORS =
  ".light-mode{--scalar-color-2:#555;--scalar-color-3:#666;--scalar-color-blue:#0066a6;--scalar-color-green:#057a52;" +
  "--scalar-color-orange:#b33c00;--scalar-color-red:#c90005;--scalar-color-yellow:#8a6a00}" +
  ".dark-mode{--scalar-color-3:#9a9a9a}";

/**
 * Settings of the API reference viewer, escaped for an HTML attribute. They turn off every feature that contacts the
 * vendor's servers.
 */
const REFERENCE_SETTINGS = JSON.stringify({
  agent: { disabled: true },
  customCss: REFERENCE_COLORS,
  hideClientButton: true,
  mcp: { disabled: true },
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
}).replaceAll('"', "&quot;");

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/docs-assets/icon.svg">
<title>Causeway API reference</title>
</head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration="${REFERENCE_SETTINGS}"></script>
<script src="/docs-assets/scalar.js"></script>
</body>
</html>`;

/**
 * Reads the OpenAPI document from the static assets and sets this deployment's URL as its server. Throws `internal` if
 * the document is missing.
 */
async function readDocument({ assets, publicUrl }: Config): Promise<string> {
  const answer = await assets?.fetch(`${publicUrl}/openapi.json`);
  if (answer?.status !== 200) throw new AppError("internal", "no OpenAPI document is among the assets");
  const document: object = JSON.parse(await answer.text());
  return JSON.stringify({ ...document, servers: [{ url: publicUrl }] });
}

/**
 * Returns the console's page from the static assets. The response to a URL with a query is never cacheable. Throws
 * `route_not_found` if the console is not among them.
 */
async function homePage(c: Context<AppEnv>): Promise<Response> {
  const { assets, publicUrl } = c.get("ctx").config;
  const answer = await assets?.fetch(`${publicUrl}/`);
  if (answer?.status !== 200) throw new AppError("route_not_found", "the console is not among the assets");
  const page = new Response(answer.body, answer);
  if (!isCanonicalUrl(c.req.url, [])) page.headers.set("cache-control", NO_STORE);
  return page;
}

/** Returns a plain text of the static assets. Throws `internal` if it is missing there. */
async function textPage(c: Context<AppEnv>, path: (typeof TEXTS)[number]): Promise<Response> {
  const { assets, publicUrl } = c.get("ctx").config;
  const answer = await assets?.fetch(`${publicUrl}${path}`);
  if (answer?.status !== 200) throw new AppError("internal", `${path} is not among the assets`);
  const plain = { "content-type": "text/plain; charset=utf-8" };
  return new Response(answer.body, { headers: { ...plain, ...sharedHeaders(c, PAGE_CACHE) } });
}

/**
 * Mounts the OpenAPI document, the documentation pages, the home page, `/favicon.ico`, `/robots.txt` and `/llms.txt` on
 * an app. Methods other than GET, HEAD and OPTIONS get 405. A request for a page whose static asset is missing gets
 * `internal`; for the home page, `route_not_found`. A browser that opens another path outside `/v1/` gets the home page
 * with 404.
 */
export function mountDocsPages(app: Hono<AppEnv>): void {
  let documentText: string | null = null;
  // Every JSON text is YAML 1.2, so that one text serves both.
  for (const format of ["json", "yaml"])
    app.get(`/openapi.${format}`, async (c) => {
      documentText ??= await readDocument(c.get("ctx").config);
      const headers = {
        "content-type": `application/${format}`,
        ...sharedHeaders(c, PAGE_CACHE),
        "access-control-allow-origin": "*",
      };
      return new Response(documentText, { headers });
    });
  // The platform serves this path without the Worker. In the local stack, the Worker gets requests with a query.
  app.get("/", homePage);
  app.get("/docs", (c) => {
    const headers = {
      "content-type": "text/html; charset=utf-8",
      ...sharedHeaders(c, PAGE_CACHE),
      "content-security-policy": docsPolicy(c.get("ctx").config.publicUrl),
    };
    return new Response(REFERENCE_PAGE, { headers });
  });
  mountRenderedPages(app);
  // Browsers request it under this name, regardless of the page.
  app.get(
    "/favicon.ico",
    (c) => new Response(null, { status: 308, headers: { location: ICON, ...sharedHeaders(c, PAGE_CACHE) } }),
  );
  for (const path of TEXTS) app.get(path, (c) => textPage(c, path));
  const others = ["/openapi.yaml", "/favicon.ico", ...TEXTS];
  for (const path of ["/openapi.json", "/", "/docs", ...others])
    refuseOtherMethods(app, { path, allowed: ["GET"] });
  // After all pages: what is left has no page.
  app.get("*", async (c, next) => (opensPage(c) ? missingPage(c) : next()));
}

/**
 * Returns the console with status 404: its router says that the page does not exist. Throws `route_not_found` if the
 * console is not among the static assets.
 */
async function missingPage(c: Context<AppEnv>): Promise<Response> {
  const { body, headers } = await homePage(c);
  const page = new Response(body, { status: 404, headers });
  page.headers.set("cache-control", NO_STORE);
  page.headers.delete("etag");
  return page;
}

/** Returns true if a browser asks for a page to show, not a program for an endpoint of the API. */
const opensPage = ({ req }: Context<AppEnv>): boolean =>
  !req.path.startsWith("/v1/") && req.header("accept")?.includes("text/html") === true;
