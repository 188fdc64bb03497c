import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  zeroHash,
} from "viem";
import {
  midasAccessAbi,
  midasAccessCreationCode,
  midasDepositVaultAbi,
  midasDepositVaultCreationCode,
  midasDepositVaultOldCreationCode,
  midasFeedAbi,
  midasFeedCreationCode,
  midasRedemptionVaultAbi,
  midasRedemptionVaultCreationCode,
  midasTokenAbi,
  midasTokenCreationCode,
} from "#stand-ins/midas";
import type { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { fund, mint, whole } from "./use.ts";
import type { World } from "./world.ts";

/** Configuration of the deployed Midas vault. */
export interface MidasSetup {
  deposit: "instant" | "request";
  /** Account to which tokens are minted: the one in the call's arguments or, in older vaults, the caller. */
  recipient: "argument" | "caller";
  caller: "router" | "user";
  /** Fee of the payment token in basis points, on top of the instant deposit fee. */
  fee?: bigint;
  /** True if the vault uses a fixed price for the asset. */
  stable?: boolean;
  /** Who redeems: the Router (absent), or only the owner of the mTokens. */
  redeemVia?: "user";
}

const ONE = 10n ** 18n;
/** Prices of the mToken and, by its own feed, of the payment token. */
export const RATE = (ONE * 10_731n) / 10_000n;
const TOKEN_RATE = (ONE * 9_990n) / 10_000n;
const HOUR = 3_600n;

interface Contracts {
  access: Address;
  mToken: Address;
  feed: Address;
  tokenFeed: Address;
  deposits: Address;
  redemptions: Address;
}

function deployContracts(script: ChainScript, setup: MidasSetup): Contracts {
  const feedOf = (price: bigint) =>
    script.deploy(
      "feed",
      encodeDeployData({ abi: midasFeedAbi, bytecode: midasFeedCreationCode, args: [price, 1_000n * HOUR] }),
    );
  const access = script.deploy(
    "access",
    encodeDeployData({ abi: midasAccessAbi, bytecode: midasAccessCreationCode }),
  );
  const named = [access, "An mToken", "mTOK"] as const;
  const coded = { abi: midasTokenAbi, bytecode: midasTokenCreationCode } as const;
  const mToken = script.deploy("mToken", encodeDeployData({ ...coded, args: named }));
  const [feed, tokenFeed] = [feedOf(RATE), feedOf(TOKEN_RATE)];
  const args = [mToken, feed, script.deployer] as const;
  const bytecode: Hex =
    setup.recipient === "argument" ? midasDepositVaultCreationCode : midasDepositVaultOldCreationCode;
  const deposits = script.deploy(
    "DepositVault",
    encodeDeployData({ abi: midasDepositVaultAbi, bytecode, args }),
  );
  const out = { abi: midasRedemptionVaultAbi, bytecode: midasRedemptionVaultCreationCode } as const;
  const redemptions = script.deploy("RedemptionVault", encodeDeployData({ ...out, args }));
  return { access, mToken, feed, tokenFeed, deposits, redemptions };
}

/** Deploys an open DepositVault and RedemptionVault, with a supply of 100,000 mTokens. */
export function deployMidas(setup: MidasSetup) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const contracts = deployContracts(script, setup);
      const { mToken, feed, tokenFeed, deposits, redemptions } = contracts;
      const call = (to: Address, abi: Abi, [functionName, ...args]: readonly [string, ...unknown[]]) =>
        script.send(functionName, { to, data: encodeFunctionData({ abi, functionName, args }) });
      for (const vault of [deposits, redemptions]) {
        call(mToken, midasTokenAbi, ["setMinter", vault]);
        const { stable = true } = setup;
        // A fee of redemptions would need an allowance of the mTokens.
        const fee = vault === deposits ? (setup.fee ?? 0n) : 0n;
        const config = [asset.address, tokenFeed, fee, maxUint256, stable] as const;
        call(vault, midasDepositVaultAbi, ["addPaymentToken", ...config]);
      }
      call(mToken, midasTokenAbi, ["mint", script.deployer, 100_000n * ONE]);
      mint(script, { token: asset, to: redemptions, amount: whole(asset, 1_000_000n) });
      fund(script, { token: asset, spender: deposits, amount: 0n });
      const [entryPoint, pricer] = [deposits.toLowerCase(), feed.toLowerCase()];
      const row = {
        ...{ address: mToken, shareDecimals: 18, entryPoint, spender: entryPoint, pricer },
        caller: setup.caller,
        params: {
          deposit: setup.deposit,
          recipient: setup.recipient,
          ...((setup.stable ?? true)
            ? { asset_rate: "stable" }
            : { asset_rate: "feed", asset_feed: tokenFeed.toLowerCase() }),
          redemption_vault: redemptions.toLowerCase(),
          redemption_requests: redemptions.toLowerCase(),
          redeem_tokens: `${asset.address.toLowerCase()}/${asset.decimals}/${asset.symbol}`,
          redeem_via: setup.redeemVia ?? "router",
          referrer: zeroHash,
        },
      };
      return { row, owner: script.deployer, parts: { ...contracts } };
    });
}

/** Decimals of the other token that {@link deployMidasPayingOther} pays, and its price by its own feed. */
export const OTHER_DECIMALS = 8;
export const OTHER_RATE = (ONE * 20_013n) / 10_000n;

/**
 * Deploys a Midas vault whose RedemptionVault pays only a token other than the asset of deposits: `parts.other`, at the
 * price of its feed.
 */
export function deployMidasPayingOther(setup: MidasSetup) {
  return async (world: World, asset: Token): Promise<StandIn> => {
    const made = await deployMidas(setup)(world, asset);
    const other = await world.token(OTHER_DECIMALS);
    const redemptions = made.parts["redemptions"] ?? asset.address;
    const feed = await world.script((script) => {
      mint(script, { token: other, to: redemptions, amount: whole(other, 1_000_000n) });
      const args = [OTHER_RATE, 1_000n * HOUR] as const;
      const bytecode = midasFeedCreationCode;
      return script.deploy("feed", encodeDeployData({ abi: midasFeedAbi, bytecode, args }));
    });
    const config = [other.address, feed, 0n, maxUint256, false] as const;
    const abi = midasRedemptionVaultAbi;
    for (const data of [
      encodeFunctionData({ abi, functionName: "addPaymentToken", args: config }),
      encodeFunctionData({ abi, functionName: "removePaymentToken", args: [asset.address] }),
    ])
      await world.send(made.owner, { to: redemptions, data });
    const listed = `${other.address.toLowerCase()}/${other.decimals}/${other.symbol}`;
    const params = { ...made.row.params, redeem_tokens: listed };
    return { ...made, row: { ...made.row, params }, parts: { ...made.parts, other: other.address } };
  };
}
