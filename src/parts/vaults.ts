import type { AnyRoute } from "../http/define-route.ts";
import { vaultsGet } from "../routes/vaults.get.ts";
import { vaultsHistory } from "../routes/vaults.history.ts";
import { vaultsList } from "../routes/vaults.list.ts";

/** What can be deposited into. */
export const vaultRoutes: readonly AnyRoute[] = [vaultsList, vaultsGet, vaultsHistory];
