import type { Hono } from "hono";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors.ts";
import { refuseOtherMethods } from "../http/create-app.ts";
import type { AppEnv } from "../http/hono-env.ts";
import { sharedHeaders } from "../http/respond.ts";
import { type DocsPath, docsNavigation, htmlPage, PAGE_CACHE, PAGE_POLICY } from "./docs-page-layout.ts";

/** Path of the guide, and of its first page. */
const GUIDE = "/docs/guide";
/** URL in the guide's examples, which is replaced by the deployment's URL. */
const PLACEHOLDER = "https://causeway.example";
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": PAGE_POLICY,
};

/** Path of the reference page, which the viewer's script makes in the browser. */
const REFERENCE = "/docs";

/** Returns the name of a page's Markdown file, or of its text in `docs-pages.json`. */
const nameOf = (path: DocsPath): string =>
  path === GUIDE ? "getting-started" : (path.split("/").at(-1) ?? "");

/** Reads the rendered pages from the static assets, by path. Throws `internal` if they are missing there. */
async function readRenderedPages({ assets, publicUrl }: Config): Promise<ReadonlyMap<DocsPath, string>> {
  const answer = await assets?.fetch(`${publicUrl}/docs-pages.json`);
  if (answer?.status !== 200) throw new AppError("internal", "the documentation is not among the assets");
  // Written by scripts/static-assets.ts: the HTML body by the page's name.
  const rendered: Readonly<Record<string, string>> = await answer.json();
  const pages = docsNavigation.flatMap(({ path, title }): [DocsPath, string][] => {
    const body = rendered[nameOf(path)];
    if (body === undefined) return [];
    return [
      [path, htmlPage({ title: `${title} · Causeway`, body: body.replaceAll(PLACEHOLDER, publicUrl), path })],
    ];
  });
  return new Map(pages);
}

/**
 * Mounts the guide's pages and the page of error codes on an app. They are made from the static assets on the first
 * request; if one is missing there, its path returns `internal`. Methods other than GET, HEAD and OPTIONS get 405.
 */
export function mountRenderedPages(app: Hono<AppEnv>): void {
  let pages: Promise<ReadonlyMap<DocsPath, string>> | null = null;
  for (const { path } of docsNavigation) {
    if (path === REFERENCE) continue;
    app.get(path, async (c) => {
      pages ??= readRenderedPages(c.get("ctx").config);
      // A failure is not kept.
      pages.catch(() => {
        pages = null;
      });
      const page = (await pages).get(path);
      if (page === undefined) throw new AppError("internal", `the documentation has no page for ${path}`);
      return new Response(page, { headers: { ...headers, ...sharedHeaders(c, PAGE_CACHE) } });
    });
    refuseOtherMethods(app, { path, allowed: ["GET"] });
  }
}
