import type { OpenAPIHono } from "@hono/zod-openapi";
import { createContext, createRuntime, type Runtime } from "./context.ts";
import type { AppEnv } from "./http/app-env.ts";
import { createApp, refuseOtherMethods } from "./http/create-app.ts";
import type { AnyRoute } from "./http/define-route.ts";
import { mountPages } from "./http/pages.ts";
import type { ContextFactory } from "./http/request-scope.ts";
import { adminApplicationsApprove } from "./routes/admin.applications.approve.ts";
import { adminApplicationsList } from "./routes/admin.applications.list.ts";
import { adminApplicationsReject } from "./routes/admin.applications.reject.ts";
import { adminApplicationsReopen } from "./routes/admin.applications.reopen.ts";
import { adminApplicationsRevoke } from "./routes/admin.applications.revoke.ts";
import { adminAudit } from "./routes/admin.audit.ts";
import { adminVaultsAdd } from "./routes/admin.vaults.add.ts";
import { adminVaultsChange } from "./routes/admin.vaults.change.ts";
import { adminVaultsList } from "./routes/admin.vaults.list.ts";
import { applicationsGet } from "./routes/applications.get.ts";
import { applicationsNonce } from "./routes/applications.nonce.ts";
import { applicationsWallet } from "./routes/applications.wallet.ts";
import { bridgesList } from "./routes/bridges.list.ts";
import { chainsList } from "./routes/chains.list.ts";
import { depositsAbandon } from "./routes/deposits.abandon.ts";
import { depositsGet } from "./routes/deposits.get.ts";
import { depositsList } from "./routes/deposits.list.ts";
import { depositsReportTransaction } from "./routes/deposits.report-transaction.ts";
import { healthLive } from "./routes/health.live.ts";
import { healthReady } from "./routes/health.ready.ts";
import { intelActivity } from "./routes/intel.activity.ts";
import { intelFeed } from "./routes/intel.feed.ts";
import { intelHigh } from "./routes/intel.high.ts";
import { intelNotable } from "./routes/intel.notable.ts";
import { intelRules } from "./routes/intel.rules.ts";
import { intelSignalsGet } from "./routes/intel.signals.get.ts";
import { partnersDashboard } from "./routes/partners.dashboard.ts";
import { partnersLogin } from "./routes/partners.login.ts";
import { partnersLogout } from "./routes/partners.logout.ts";
import { partnersMe } from "./routes/partners.me.ts";
import { partnersNonce } from "./routes/partners.nonce.ts";
import { partnersRegister } from "./routes/partners.register.ts";
import { partnersRotateKeys } from "./routes/partners.rotate-keys.ts";
import { partnersSettings } from "./routes/partners.settings.ts";
import { partnersTransactions } from "./routes/partners.transactions.ts";
import { partnersVaults } from "./routes/partners.vaults.ts";
import { positionsGet } from "./routes/positions.get.ts";
import { quotesBuild } from "./routes/quotes.build.ts";
import { quotesGet } from "./routes/quotes.get.ts";
import { statusGet } from "./routes/status.get.ts";
import { tokensList } from "./routes/tokens.list.ts";
import { vaultsGet } from "./routes/vaults.get.ts";
import { vaultsHistory } from "./routes/vaults.history.ts";
import { vaultsList } from "./routes/vaults.list.ts";

/** Every operation of the API, in the order of the document. */
export const routes: readonly AnyRoute[] = [
  vaultsList,
  vaultsGet,
  vaultsHistory,
  quotesGet,
  quotesBuild,
  statusGet,
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
  positionsGet,
  intelNotable,
  intelHigh,
  intelActivity,
  intelFeed,
  intelRules,
  intelSignalsGet,
  applicationsNonce,
  applicationsWallet,
  applicationsGet,
  partnersNonce,
  partnersRegister,
  partnersLogin,
  partnersMe,
  partnersSettings,
  partnersVaults,
  partnersDashboard,
  partnersTransactions,
  partnersRotateKeys,
  partnersLogout,
  adminApplicationsList,
  adminApplicationsApprove,
  adminApplicationsReject,
  adminApplicationsRevoke,
  adminApplicationsReopen,
  adminVaultsList,
  adminVaultsAdd,
  adminVaultsChange,
  adminAudit,
  chainsList,
  bridgesList,
  tokensList,
  healthLive,
  healthReady,
];

/** The isolate's runtime, made by its first request: bindings are not there before. */
let runtime: Runtime | null = null;

/** Binds the isolate's runtime to one request or job run. Throws `internal` naming a missing or wrong variable. */
export const contextOfIsolate: ContextFactory = (bindings, request) => {
  runtime ??= createRuntime(bindings);
  return createContext(runtime, request);
};

/** Composes the app. */
export function composeApp(makeContext: ContextFactory = contextOfIsolate): OpenAPIHono<AppEnv> {
  const app = createApp(routes, makeContext);
  mountPages(app);
  refuseOtherMethods(app);
  return app;
}
