/** Content security policy of pages without scripts: they may load only stylesheets and images of their own origin. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Cache rule of the documentation pages, the OpenAPI document and the text files, which take no parameters: shared
 * caches may serve them for five minutes, and for another hour while they reload them or the Worker fails.
 */
export const PAGE_CACHE = { sMaxAge: 300, staleWhileRevalidate: 3_600, tags: ["docs"], parameters: [] };

/** Pages of the documentation, in the order of the navigation: path and title. */
export const docsNavigation = [
  { path: "/docs/guide", title: "Getting started" },
  { path: "/docs/guide/deposits", title: "How deposits work" },
  { path: "/docs/guide/withdrawals", title: "Withdrawals and signatures" },
  { path: "/docs/guide/partners", title: "Partners" },
  { path: "/docs/guide/production", title: "Going to production" },
  { path: "/docs/guide/changelog", title: "Changelog and versions" },
  { path: "/docs/errors", title: "Errors" },
  { path: "/docs", title: "API reference" },
] as const;

/** Path of a page of the documentation. */
export type DocsPath = (typeof docsNavigation)[number]["path"];

/**
 * Returns a complete HTML page with the documentation's navigation, in which the page with the path `path`, if given,
 * is marked as current. `title` and `body` are HTML and are not escaped.
 */
export const htmlPage = ({
  title,
  body,
  path,
}: {
  title: string;
  body: string;
  path?: DocsPath;
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs-assets/icon.svg">
<link rel="stylesheet" href="/docs-assets/pages.css">
<title>${title}</title>
</head>
<body>
<header>
<a class="home" href="/">Causeway</a>
<nav aria-label="Documentation">
${docsNavigation
  .map(
    (page) => `<a href="${page.path}"${page.path === path ? ' aria-current="page"' : ""}>${page.title}</a>`,
  )
  .join("\n")}
</nav>
</header>
<main>
${body}
</main>
</body>
</html>`;
