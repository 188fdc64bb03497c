import { addressTexts, changeEvent, type GovernanceEvent } from "../../governance/governance-event.ts";

/** Gates of Morpho Vault V2, and what each decides. */
export const GATES = {
  receiveShares: "receive shares gate (who may receive shares)",
  sendShares: "send shares gate (who may transfer or redeem shares)",
  receiveAssets: "receive assets gate (who may receive withdrawals)",
  sendAssets: "send assets gate (who may deposit)",
} as const;

/** Events in which Morpho Vault V2 sets or removes one of its gates. Source: morpho-org/vault-v2. */
export const gateEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["address", "allow_list", "SetReceiveSharesGate(address indexed newReceiveSharesGate)"],
    addressTexts(GATES.receiveShares, {
      member: "newReceiveSharesGate",
      advice: "This contract decides who may receive shares: check whether your account can still deposit.",
      removed: "This gate no longer applies; other gates may still restrict deposits and transfers.",
      removedTier: "low",
    }),
  ),
  changeEvent(["address", "allow_list", "SetSendSharesGate(address indexed newSendSharesGate)"], {
    ...addressTexts(GATES.sendShares, {
      member: "newSendSharesGate",
      advice:
        "This contract decides who may transfer or redeem shares: check whether your account can still withdraw.",
      removed: "This gate no longer applies; other gates may still restrict transfers and withdrawals.",
      removedTier: "low",
    }),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)"], {
    ...addressTexts(GATES.receiveAssets, {
      member: "newReceiveAssetsGate",
      advice:
        "This contract decides who may receive withdrawals: check whether your account can still withdraw.",
      removed: "This gate no longer applies; other gates may still restrict withdrawals.",
      removedTier: "low",
    }),
    tier: "high",
  }),
  changeEvent(
    ["address", "allow_list", "SetSendAssetsGate(address indexed newSendAssetsGate)"],
    addressTexts(GATES.sendAssets, {
      member: "newSendAssetsGate",
      advice: "This contract decides who may deposit: check whether your account can still deposit.",
      removed: "This gate no longer applies; other gates may still restrict deposits.",
      removedTier: "low",
    }),
  ),
];
