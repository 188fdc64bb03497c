import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { CausewayError } from "../client/causeway-client-error.ts";
import {
  chainsQuery,
  firstHistory,
  historyQuery,
  signalsQuery,
  vaultQuery,
  vaultSignalsQuery,
  vaultsQuery,
} from "./api/console-queries.ts";
import { readEmbedSearch } from "./embed/embed-search.ts";
import { readPortfolioSearch } from "./portfolio/portfolio-search.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { PageFailed, PageNotFound, PagePending } from "./shell/route-states.tsx";
import { readSignalFilters, toSignalQuery } from "./signals/signals-page-filters.ts";
import { readVaultFilters } from "./vaults/vault-filters.ts";

/**
 * Fails with `network` if a page's code cannot be loaded because the browser is offline. After another failure to load
 * it, the router loads the document again once, which offline would lose the page.
 */
const online = <Module,>(code: Promise<Module>): Promise<Module> =>
  code.catch((error: unknown) => {
    if (navigator.onLine) throw error;
    throw new CausewayError("network", "the browser is offline", { cause: error });
  });

const root = createRootRouteWithContext<{ cache: QueryClient }>()({
  component: AppShell,
  notFoundComponent: PageNotFound,
});
const getParentRoute = () => root;

// A page's main data are requested beside its code, not after it. A link that is only pointed at loads code alone.
// The same paths are in src/console/static/_redirects and in wrangler.toml. The code of each page is loaded on demand.
const vaults = createRoute({
  getParentRoute,
  path: "/",
  validateSearch: readVaultFilters,
  component: lazyRouteComponent(() => online(import("./vaults/vaults-page.tsx")), "VaultsPage"),
  loader: ({ context, preload }) => {
    if (!preload) void context.cache.prefetchQuery(vaultsQuery);
  },
});
const vault = createRoute({
  getParentRoute,
  path: "/vaults/$vaultId",
  component: lazyRouteComponent(() => online(import("./vaults/vault-page.tsx")), "VaultPage"),
  loader: ({ context, params, preload }) => {
    if (preload) return;
    const { cache } = context;
    const { vaultId } = params;
    void cache.prefetchQuery(vaultQuery(vaultId));
    void cache.prefetchQuery(historyQuery({ vaultId, ...firstHistory }));
    void cache.prefetchQuery(vaultSignalsQuery(vaultId));
    void cache.prefetchQuery(chainsQuery);
  },
});

const signals = createRoute({
  getParentRoute,
  path: "/signals",
  validateSearch: readSignalFilters,
  component: lazyRouteComponent(() => online(import("./signals/signals-page.tsx")), "SignalsPage"),
  loaderDeps: ({ search }) => toSignalQuery(search),
  loader: ({ context, deps, preload }) => {
    if (!preload) void context.cache.prefetchQuery(signalsQuery({ ...deps, offset: 0 }));
  },
});
const status = createRoute({
  getParentRoute,
  path: "/status",
  component: lazyRouteComponent(() => online(import("./status/status-page.tsx")), "StatusPage"),
});

const deposit = createRoute({
  getParentRoute,
  path: "/deposits/$trackingId",
  component: lazyRouteComponent(() => online(import("./orders/deposit-page.tsx")), "DepositPage"),
});
const withdrawal = createRoute({
  getParentRoute,
  path: "/withdrawals/$trackingId",
  component: lazyRouteComponent(() => online(import("./orders/withdrawal-page.tsx")), "WithdrawalPage"),
});
const portfolio = createRoute({
  getParentRoute,
  path: "/portfolio",
  validateSearch: readPortfolioSearch,
  component: lazyRouteComponent(() => online(import("./portfolio/portfolio-page.tsx")), "PortfolioPage"),
});

const partners = createRoute({
  getParentRoute,
  path: "/partners",
  component: lazyRouteComponent(() => online(import("./partners/partners-page.tsx")), "PartnersPage"),
});
const admin = createRoute({
  getParentRoute,
  path: "/admin",
  component: lazyRouteComponent(() => online(import("./admin/admin-page.tsx")), "AdminPage"),
});

const embed = createRoute({
  getParentRoute,
  path: "/embed",
  validateSearch: readEmbedSearch,
  component: lazyRouteComponent(() => online(import("./embed/embed-page.tsx")), "EmbedPage"),
});

const pages = [
  embed,
  vaults,
  vault,
  deposit,
  withdrawal,
  portfolio,
  signals,
  status,
  partners,
  admin,
] as const;

/**
 * Creates the console's page router (TanStack Router). A page's code is loaded when the user points at a link to it or
 * opens it. Opening the pages of vaults and of signals also loads their main data into `cache`.
 */
export const createConsoleRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: root.addChildren(pages),
    context: { cache },
    pathParamsAllowedCharacters: [":"],
    defaultPreload: "intent",
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
