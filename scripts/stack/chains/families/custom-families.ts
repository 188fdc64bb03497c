import { type Abi, type Address, encodeDeployData, encodeFunctionData, maxUint256, zeroAddress } from "viem";
import {
  centrifugeAsyncVaultCreationCode,
  centrifugeShareAbi,
  centrifugeShareCreationCode,
  centrifugeSyncVaultAbi,
  centrifugeSyncVaultCreationCode,
  lagoonVaultAbi,
  lagoonVaultCreationCode,
} from "#stand-ins/erc7540";
import {
  mellowDepositQueueAbi,
  mellowDepositQueueCreationCode,
  mellowFeeManagerAbi,
  mellowFeeManagerCreationCode,
  mellowOracleAbi,
  mellowOracleCreationCode,
  mellowRedeemQueueAbi,
  mellowRedeemQueueCreationCode,
  mellowShareManagerAbi,
  mellowShareManagerCreationCode,
  mellowSyncDepositQueueAbi,
  mellowSyncDepositQueueCreationCode,
  mellowVaultAbi,
  mellowVaultCreationCode,
} from "#stand-ins/mellow";
import {
  midasAccessAbi,
  midasAccessCreationCode,
  midasDepositVaultAbi,
  midasDepositVaultCreationCode,
  midasFeedAbi,
  midasFeedCreationCode,
  midasRedemptionVaultAbi,
  midasRedemptionVaultCreationCode,
  midasTokenAbi,
  midasTokenCreationCode,
} from "#stand-ins/midas";
import { stackTokenAbi } from "#stand-ins/standard";
import {
  vedaAccountantAbi,
  vedaAccountantCreationCode,
  vedaTellerDAbi,
  vedaTellerDCreationCode,
  vedaVaultAbi,
  vedaVaultCreationCode,
} from "#stand-ins/veda";
import type { ChainScript } from "../chain-script.ts";
import { deployVault, type FamilyVault, standardDeposit, type VaultTerms } from "./family-vault.ts";

const ONE = 10n ** 18n;
const DECADE = 315_360_000;

/** Price of a whole share in the asset's smallest unit. */
const priceOf = ({ decimals }: VaultTerms): bigint => (10n ** BigInt(decimals) * 10_731n) / 10_000n;
const lower = (address: Address): string => address.toLowerCase();

function call(
  script: ChainScript,
  of: { to: Address; abi: Abi; name: string; args: readonly unknown[] },
): void {
  const { to, abi, name, args } = of;
  script.send(name, { to, data: encodeFunctionData({ abi, functionName: name, args: [...args] }) });
}

/** Stand-in for Veda. Its shares are not locked, so the Router can transfer them to the user. */
export const veda: FamilyVault = {
  type: "veda",
  deploy(script, terms) {
    const { asset, name, symbol, decimals } = terms;
    const share = { abi: vedaVaultAbi, bytecode: vedaVaultCreationCode } as const;
    const vault = script.deploy(name, encodeDeployData({ ...share, args: [name, symbol, decimals] }));
    const rates = { abi: vedaAccountantAbi, bytecode: vedaAccountantCreationCode } as const;
    const accountant = script.deploy(
      "accountant",
      encodeDeployData({ ...rates, args: [asset, priceOf(terms)] }),
    );
    const takes = { abi: vedaTellerDAbi, bytecode: vedaTellerDCreationCode } as const;
    const teller = script.deploy("teller", encodeDeployData({ ...takes, args: [vault, accountant] }));
    const support = [asset, true, true, 0] as const;
    call(script, { to: teller, abi: vedaTellerDAbi, name: "updateAssetData", args: support });
    for (const { address, worth } of terms.also) {
      const other = [address, true, true, 0] as const;
      call(script, { to: teller, abi: vedaTellerDAbi, name: "updateAssetData", args: other });
      call(script, { to: accountant, abi: vedaAccountantAbi, name: "setQuote", args: [address, worth] });
    }
    call(script, { to: vault, abi: vedaVaultAbi, name: "setBeforeTransferHook", args: [teller] });
    const row = { entryPoint: lower(teller), pricer: lower(accountant), params: { teller: "d" } };
    return { address: vault, row: { ...row, shareDecimals: decimals } };
  },
  deposit: ({ terms, amount, deployer }) => {
    const args = [deployer, terms.asset, amount, deployer, amount] as const;
    return encodeFunctionData({ abi: vedaVaultAbi, functionName: "enter", args });
  },
  accrue: null,
};

/**
 * Stand-in for Midas. Its mToken is the vault; the initial shares are minted directly, like those of deposits on other
 * chains.
 */
const midas = (deposit: "instant" | "request"): FamilyVault => ({
  type: "midas",
  deploy(script, { asset, assetSymbol, decimals, name, symbol, also }) {
    const roles = { abi: midasAccessAbi, bytecode: midasAccessCreationCode } as const;
    const access = script.deploy("access", encodeDeployData(roles));
    const token = { abi: midasTokenAbi, bytecode: midasTokenCreationCode } as const;
    const mToken = script.deploy(name, encodeDeployData({ ...token, args: [access, name, symbol] }));
    const prices = { abi: midasFeedAbi, bytecode: midasFeedCreationCode } as const;
    const feedOf = (price: bigint) =>
      script.deploy("feed", encodeDeployData({ ...prices, args: [price, BigInt(DECADE)] }));
    const [feed, tokenFeed] = [feedOf((ONE * 10_412n) / 10_000n), feedOf(ONE)];
    const takes = { abi: midasDepositVaultAbi, bytecode: midasDepositVaultCreationCode } as const;
    const deposits = script.deploy(
      "DepositVault",
      encodeDeployData({ ...takes, args: [mToken, feed, script.deployer] }),
    );
    const pays = { abi: midasRedemptionVaultAbi, bytecode: midasRedemptionVaultCreationCode } as const;
    const redemptions = script.deploy(
      "RedemptionVault",
      encodeDeployData({ ...pays, args: [mToken, feed, script.deployer] }),
    );
    for (const vault of [deposits, redemptions]) {
      call(script, { to: mToken, abi: midasTokenAbi, name: "setMinter", args: [vault] });
      for (const token of [asset, ...also.map(({ address }) => address)]) {
        const payment = [token, tokenFeed, 0n, maxUint256, true] as const;
        call(script, { to: vault, abi: midasDepositVaultAbi, name: "addPaymentToken", args: payment });
      }
    }
    const held = [redemptions, 1_000_000n * 10n ** BigInt(decimals)] as const;
    call(script, { to: asset, abi: stackTokenAbi, name: "mint", args: held });
    const params = {
      ...{ deposit, recipient: "argument", asset_rate: "stable", redemption_vault: lower(redemptions) },
      ...{ redeem_tokens: `${lower(asset)}/${decimals}/${assetSymbol}`, redeem_via: "router" },
    };
    const row = { entryPoint: lower(deposits), spender: lower(deposits), pricer: lower(feed), params };
    return { address: mToken, row: { ...row, shareDecimals: 18, caller: "user" } };
  },
  deposit: ({ terms, amount, deployer }) => {
    const args = [deployer, amount * 10n ** BigInt(18 - terms.decimals)] as const;
    return encodeFunctionData({ abi: midasTokenAbi, functionName: "mint", args });
  },
  accrue: null,
});

function deployMellowCore(script: ChainScript, { name, symbol }: VaultTerms) {
  const prices = { abi: mellowOracleAbi, bytecode: mellowOracleCreationCode } as const;
  const oracle = script.deploy("oracle", encodeDeployData(prices));
  const charges = { abi: mellowFeeManagerAbi, bytecode: mellowFeeManagerCreationCode } as const;
  const fees = script.deploy("fees", encodeDeployData(charges));
  const manager = { abi: mellowShareManagerAbi, bytecode: mellowShareManagerCreationCode } as const;
  const shares = script.deploy("shares", encodeDeployData({ ...manager, args: [name, symbol] }));
  const core = { abi: mellowVaultAbi, bytecode: mellowVaultCreationCode } as const;
  const vault = script.deploy(name, encodeDeployData({ ...core, args: [shares, oracle, fees] }));
  call(script, { to: shares, abi: mellowShareManagerAbi, name: "setVault", args: [vault] });
  return { oracle, shares, vault };
}

function deployMellowQueue(
  script: ChainScript,
  of: { kind: "sync" | "async"; asset: Address; vault: Address },
): Address {
  const { kind, asset, vault } = of;
  const mints = { abi: mellowSyncDepositQueueAbi, bytecode: mellowSyncDepositQueueCreationCode } as const;
  const takes = { abi: mellowDepositQueueAbi, bytecode: mellowDepositQueueCreationCode } as const;
  return script.deploy(
    "queue",
    kind === "sync"
      ? encodeDeployData({ ...mints, args: [asset, vault, 0n, DECADE] })
      : encodeDeployData({ ...takes, args: [asset, vault] }),
  );
}

/** Stand-in for Mellow. Its queue keeps one price report valid for ten years; the vault itself accepts no deposits. */
const mellow = (kind: "sync" | "async"): FamilyVault => ({
  type: "lido",
  deploy(script, terms) {
    const { asset, decimals } = terms;
    const { oracle, shares, vault } = deployMellowCore(script, terms);
    const queue = deployMellowQueue(script, { kind, asset, vault });
    const pays = { abi: mellowRedeemQueueAbi, bytecode: mellowRedeemQueueCreationCode } as const;
    const out = script.deploy("redeem queue", encodeDeployData({ ...pays, args: [asset, vault] }));
    call(script, { to: vault, abi: mellowVaultAbi, name: "createQueue", args: [queue, asset, true] });
    call(script, { to: vault, abi: mellowVaultAbi, name: "createQueue", args: [out, asset, false] });
    const price = (10n ** BigInt(36 - decimals) * 10_000n) / 10_731n;
    const report = [asset, price, Math.floor(Date.now() / 1000), false] as const;
    call(script, { to: oracle, abi: mellowOracleAbi, name: "submit", args: report });
    const held = [script.deployer, 50n * ONE] as const;
    call(script, { to: shares, abi: mellowShareManagerAbi, name: "mint", args: held });
    const own = { entryPoint: lower(queue), spender: lower(queue), pricer: lower(oracle) };
    const row = { ...own, shareToken: lower(shares), shareDecimals: 18, caller: "user" } as const;
    return {
      address: vault,
      row: {
        ...row,
        params: {
          ...{ queue: kind, deposit_queues: "", redeem_queues: lower(out), other_redeem_queues: "" },
          ...{ redeem_queue: lower(out), request_queues: lower(out), all_queues: "known" },
        },
      },
    };
  },
  deposit: standardDeposit,
  accrue: null,
});

/** Stand-in for Centrifuge, open to every account. */
const centrifuge = (deposit: "sync" | "async"): FamilyVault => ({
  type: "custom",
  deploy(script, terms) {
    const { asset, name, symbol } = terms;
    const token = { abi: centrifugeShareAbi, bytecode: centrifugeShareCreationCode } as const;
    const share = script.deploy(`${name} share`, encodeDeployData({ ...token, args: [name, symbol] }));
    const bytecode = deposit === "sync" ? centrifugeSyncVaultCreationCode : centrifugeAsyncVaultCreationCode;
    const args = [asset, share, priceOf(terms)] as const;
    const data = encodeDeployData({ abi: centrifugeSyncVaultAbi, bytecode, args });
    const address = script.deploy(name, data);
    call(script, { to: share, abi: centrifugeShareAbi, name: "rely", args: [address] });
    const row = { shareToken: lower(share), shareDecimals: 18, caller: "user" } as const;
    return { address, row: { ...row, params: { deposit, redeem_manager: address } } };
  },
  deposit: standardDeposit,
  accrue: null,
});

/** Stand-in for Lagoon. It mints shares immediately until its valuation is invalidated by `expireTotalAssets`. */
const lagoon: FamilyVault = {
  type: "custom",
  deploy(script, terms) {
    const contract = { abi: lagoonVaultAbi, code: lagoonVaultCreationCode } as const;
    const address = deployVault(script, { contract, terms });
    return { address, row: { shareDecimals: Math.max(18, terms.decimals), caller: "user" } };
  },
  deposit: ({ amount, deployer }) => {
    const args = [amount, deployer, zeroAddress] as const;
    return encodeFunctionData({ abi: lagoonVaultAbi, functionName: "syncDeposit", args });
  },
  accrue: ({ amount }) => {
    const args = [(amount * 10_377n) / 10_000n] as const;
    return encodeFunctionData({ abi: lagoonVaultAbi, functionName: "updateTotalAssets", args });
  },
  takeRequests: () => encodeFunctionData({ abi: lagoonVaultAbi, functionName: "expireTotalAssets" }),
};

/** Stand-ins for the families with an interface of their own, by adapter. */
export const customFamilies = {
  veda,
  midas: midas("instant"),
  mellow: mellow("sync"),
  centrifuge: centrifuge("sync"),
  lagoon,
} satisfies Record<string, FamilyVault>;

/** Variants of `customFamilies` that accept deposit requests only, by adapter. */
export const requestingFamilies = {
  midas: midas("request"),
  mellow: mellow("async"),
  centrifuge: centrifuge("async"),
} satisfies Partial<Record<keyof typeof customFamilies, FamilyVault>>;
