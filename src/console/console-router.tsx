import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { readEmbedSearch } from "./embed/embed-search.ts";
import { readPortfolioSearch } from "./portfolio/portfolio-search.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { PageFailed, PageNotFound, PagePending } from "./shell/route-states.tsx";
import { readSignalFilters } from "./signals/signal-filters.ts";
import { readVaultFilters } from "./vaults/vault-filters.ts";

const root = createRootRoute({ component: AppShell, notFoundComponent: PageNotFound });
const getParentRoute = () => root;

// The same paths are in src/console/static/_redirects and in wrangler.toml. The code of each page is loaded on demand.
const vaults = createRoute({
  getParentRoute,
  path: "/",
  validateSearch: readVaultFilters,
  component: lazyRouteComponent(() => import("./vaults/vaults-page.tsx"), "VaultsPage"),
});
const vault = createRoute({
  getParentRoute,
  path: "/vaults/$vaultId",
  component: lazyRouteComponent(() => import("./vaults/vault-page.tsx"), "VaultPage"),
});

const signals = createRoute({
  getParentRoute,
  path: "/signals",
  validateSearch: readSignalFilters,
  component: lazyRouteComponent(() => import("./signals/signals-page.tsx"), "SignalsPage"),
});
const status = createRoute({
  getParentRoute,
  path: "/status",
  component: lazyRouteComponent(() => import("./status/status-page.tsx"), "StatusPage"),
});

const deposit = createRoute({
  getParentRoute,
  path: "/deposits/$trackingId",
  component: lazyRouteComponent(() => import("./orders/deposit-page.tsx"), "DepositPage"),
});
const withdrawal = createRoute({
  getParentRoute,
  path: "/withdrawals/$trackingId",
  component: lazyRouteComponent(() => import("./orders/withdrawal-page.tsx"), "WithdrawalPage"),
});
const portfolio = createRoute({
  getParentRoute,
  path: "/portfolio",
  validateSearch: readPortfolioSearch,
  component: lazyRouteComponent(() => import("./portfolio/portfolio-page.tsx"), "PortfolioPage"),
});

const partners = createRoute({
  getParentRoute,
  path: "/partners",
  component: lazyRouteComponent(() => import("./partners/partners-page.tsx"), "PartnersPage"),
});
const admin = createRoute({
  getParentRoute,
  path: "/admin",
  component: lazyRouteComponent(() => import("./admin/admin-page.tsx"), "AdminPage"),
});

const embed = createRoute({
  getParentRoute,
  path: "/embed",
  validateSearch: readEmbedSearch,
  component: lazyRouteComponent(() => import("./embed/embed-page.tsx"), "EmbedPage"),
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

/** Creates the router of all pages. */
export const createConsoleRouter = () =>
  createRouter({
    routeTree: root.addChildren(pages),
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
