import { simpleLrtAbi } from "#stand-ins/mellow-lrt";
import { deployLrt } from "../../support/conformance/vaults/lrt-stand-in.ts";
import { set, standard, when } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";

const abi = simpleLrtAbi;

conformance([
  {
    ...standard,
    name: "Mellow's Simple LRT",
    adapter: "mellow_lrt",
    type: "lido",
    decimals: [18, 8, 6],
    deploy: deployLrt("symbiotic"),
    states: [
      {
        ...when("paused", { abi, call: "setDepositPause", args: [true] }),
        refused: { code: "vault_paused" },
        shown: { paused: true, max_deposit: "0" },
      },
      {
        ...when("with a list that the user is not on", { abi, call: "setDepositWhitelist", args: [true] }),
        refused: { code: "not_allowed" },
        shown: { paused: false },
      },
      {
        name: "with a list that the user is on",
        async enter(placed, user) {
          await set(placed, { abi, name: "setDepositWhitelist", args: [true] });
          await set(placed, { abi, name: "setDepositor", args: [user, true] });
        },
        refused: null,
      },
      {
        ...when("a deposit above the limit", { abi, call: "setLimit", args: [107_310n * 10n ** 18n + 11n] }),
        refused: { code: "above_maximum", max_deposit: "11" },
        shown: { max_deposit: "11" },
      },
    ],
  },
  {
    ...{ ...standard, name: "Mellow's MultiVault", adapter: "mellow_lrt", type: "lido", decimals: [18] },
    ...{ deploy: deployLrt("multi"), states: [] },
  },
  {
    ...{ ...standard, name: "Mellow's DVV", adapter: "mellow_lrt", type: "lido", decimals: [18] },
    ...{ deploy: deployLrt("instant"), states: [] },
  },
]);
