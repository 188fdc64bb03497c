import type { Hono } from "hono";
import type { Config } from "../config.ts";
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

/**
 * Reads the rendered guide from the static assets and makes its pages, by path. Throws `internal` if it is missing.
 */
async function readGuide({ assets, publicUrl }: Config): Promise<ReadonlyMap<DocsPath, string>> {
  const answer = await assets?.fetch(`${publicUrl}/guide.json`);
  if (answer?.status !== 200) throw new AppError("internal", "the guide is not among the assets");
  // Written by scripts/static-assets.ts: HTML by the name of the Markdown file.
  const rendered: Readonly<Record<string, string>> = await answer.json();
  const pages = docsNavigation.flatMap(({ path, title }): [DocsPath, string][] => {
    const body = rendered[path === GUIDE ? "getting-started" : path.slice(GUIDE.length + 1)];
    if (body === undefined) return [];
    return [
      [path, htmlPage({ title: `${title} · Causeway`, body: body.replaceAll(PLACEHOLDER, publicUrl), path })],
    ];
  });
  return new Map(pages);
}

/**
 * Mounts the pages of the guide on an app. They are made from the static assets on the first request and kept for the
 * isolate's lifetime. If the guide or a page is missing among the assets, the page returns `internal`. Methods other
 * than GET, HEAD and OPTIONS get 405.
 */
export function mountGuidePages(app: Hono<AppEnv>): void {
  let pages: Promise<ReadonlyMap<DocsPath, string>> | null = null;
  for (const { path } of docsNavigation) {
    if (!path.startsWith(GUIDE)) continue;
    app.get(path, async (c) => {
      pages ??= readGuide(c.get("ctx").config);
      // A failure is not kept.
      pages.catch(() => {
        pages = null;
      });
      const page = (await pages).get(path);
      if (page === undefined) throw new AppError("internal", `the guide has no page for ${path}`);
      return new Response(page, { headers: { ...headers, ...sharedHeaders(c, PAGE_CACHE) } });
    });
    refuseOtherMethods(app, { path, allowed: ["GET"] });
  }
}
