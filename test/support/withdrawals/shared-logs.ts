import type { Log } from "viem";
import { USDC, USER, VAULT } from "../deposits/fixtures.ts";
import { transferLog } from "../deposits/logs.ts";
import { eventLog } from "../vaults/answer.ts";

const logOf = (...of: Parameters<typeof eventLog>) => eventLog(...of) as unknown as Log;
/** A claim of shares, each of which pays two of the asset's smallest units. */
export const claims = (shares: bigint): Log[] => [
  transferLog({ token: USDC, from: VAULT, value: 2n * shares }),
  logOf(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: USER, receiver: USER, owner: USER, assets: 2n * shares, shares },
  ),
];
/** A claim of the shares of cancelled requests. */
export const returns = (shares: bigint): Log[] => [
  transferLog({ token: VAULT, from: VAULT, value: shares }),
  logOf(
    VAULT,
    "event CancelRedeemClaim(address indexed controller, address indexed receiver, uint256 indexed requestId, address sender, uint256 shares)",
    { controller: USER, receiver: USER, requestId: 0n, sender: USER, shares },
  ),
];
