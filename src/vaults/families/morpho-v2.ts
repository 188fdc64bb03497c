import { decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { FlowSource, TermsRequest } from "../adapter.ts";
import { ownErrors } from "../own-errors.ts";
import type { Vault } from "../vault.ts";
import { defineErc4626 } from "./erc4626.ts";
import { erc4626Flows } from "./erc4626-flows.ts";
import type { OwnViews } from "./own-views.ts";

const gatesAbi = once(() =>
  parseAbi([
    "function canSendAssets(address) view returns (bool)",
    "function canReceiveShares(address) view returns (bool)",
  ]),
);
const withdrawAbi = once(() =>
  parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares)",
  ]),
);

/** Whether the gates admit who pays and who gets the shares. Of the Router's clones only a simulation can tell. */
function gates(vault: Vault, asked: TermsRequest | null) {
  if (asked === null) return describe({}, (): OwnViews => ({}));
  const on = { to: vault.entryPoint, abi: gatesAbi() } as const;
  return describe(
    {
      sends: read({ ...on, name: "canSendAssets", args: [asked.caller ?? asked.receiver] }),
      receives: read({ ...on, name: "canReceiveShares", args: [asked.receiver] }),
    },
    ({ sends, receives }): OwnViews => {
      const shut = (asked.caller !== null && valueOrNull(sends) === false) || valueOrNull(receives) === false;
      return { refusal: shut ? "not_allowed" : null };
    },
  );
}

/** As ERC-4626, but for the penalty of a forced deallocation: it burns shares, and pays the vault itself. */
function flows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const [withdrawTopic] = withdrawAbi().map(toEventSelector);
  return {
    ...standard,
    decode(log) {
      const flow = standard.decode(log);
      if (flow === null || log.topics[0] !== withdrawTopic) return flow;
      const { args } = decodeEventLog({ abi: withdrawAbi(), data: log.data, topics: log.topics });
      return isAddressEqual(args.receiver, vault.entryPoint) ? null : flow;
    },
  };
}

/**
 * Morpho Vault V2: `maxDeposit` is always 0 and says nothing; gates admit callers and receivers; caps show in a
 * simulation only. A penalty is a loss, no withdrawal. Source: morpho-org/vault-v2.
 */
export const morphoV2 = defineErc4626({
  name: "morpho_v2",
  limited: false,
  views: gates,
  flows,
  explain: ownErrors({ errors: { "error ZeroAbsoluteCap()": "above_maximum" } }),
});
