import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { type Described, describe, describeThen, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { Deriver, Subject } from "./derivation.ts";
import { ANYBODY, answersTo, type Factories, madeBy, notOf } from "./marks.ts";
import { type Mark, standardDeriver } from "./standard.ts";

const viewsAbi = once(() =>
  parseAbi([
    "function MORPHO() view returns (address)",
    "function adaptersLength() view returns (uint256)",
    "function canSendAssets(address) view returns (bool)",
    "function getAccessManagerAddress() view returns (address)",
    "function MODULE_VAULT() view returns (address)",
    "function get_default_queue() view returns (address[])",
    "function isShutdown() view returns (bool)",
    "function fullProfitUnlockDate() view returns (uint256)",
    "function depositPause() view returns (bool)",
    "function depositWhitelist() view returns (bool)",
    "function depositsPaused() view returns (bool)",
    "function maxDepositAmount() view returns (uint256)",
    "function permissionLevel() view returns (uint8)",
    "function strategy() view returns (address)",
  ]),
);
const factoryAbi = once(() =>
  parseAbi([
    "function isMetaMorpho(address) view returns (bool)",
    "function isVaultV2(address) view returns (bool)",
  ]),
);
const managerAbi = once(() =>
  parseAbi([
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
  ]),
);
/** deposit(uint256,address) */
const DEPOSIT = "0x6e553f65";

const on = ({ address }: Subject) => ({ to: address, abi: viewsAbi() }) as const;

/** MetaMorpho's factories of both versions. Source: morpho-org/metamorpho, DefiLlama. */
const metaMorphoFactories: Factories = {
  family: "MetaMorpho",
  ask: (to, vault) => read({ to, abi: factoryAbi(), name: "isMetaMorpho", args: [vault] }),
  byChain: {
    1: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0x1897A8997241C1cD4bD0698647e4EB7213535c24"],
    8453: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0xFf62A7c278C62eD665133147129245053Bbf5918"],
  },
};
/** Source: morpho-org/vault-v2. */
const vaultV2Factories: Factories = {
  family: "Morpho Vault V2",
  ask: (to, vault) => read({ to, abi: factoryAbi(), name: "isVaultV2", args: [vault] }),
  byChain: {
    1: ["0xA1D94F746dEfa1928926b84fB2596c06926C0405"],
    8453: ["0x4501125508079A99ebBebCE205DeC9593C2b5857"],
  },
};

/** Whoever must be admitted calls himself. */
function markV2(subject: Subject): Described<Mark> {
  const made = madeBy(vaultV2Factories, {
    ...subject,
    view: read({ ...on(subject), name: "adaptersLength" }),
  });
  const open = read({ ...on(subject), name: "canSendAssets", args: [ANYBODY] });
  return {
    reads: { ...made.reads, open },
    interpret: ({ open: told, ...others }) => {
      const mark = made.interpret(others);
      return mark.ok ? { ok: true, caller: told?.ok && told.value === true ? "router" : "user" } : mark;
    },
  };
}

function markIpor(subject: Subject): Described<Mark> {
  const manager = read({ ...on(subject), name: "getAccessManagerAddress" });
  return describeThen({ manager }, ({ manager: told }) => {
    if (!told.ok || isAddressEqual(told.value, zeroAddress)) {
      return describe({}, () => notOf("IPOR Fusion", "it names no access manager"));
    }
    const args = [ANYBODY, subject.address, DEPOSIT] as const;
    const call = read({ to: told.value, abi: managerAbi(), name: "canCall", args });
    return describe({ call }, ({ call: may }): Mark => {
      if (!may.ok) return notOf("IPOR Fusion", "its access manager does not answer");
      return { ok: true, caller: may.value[0] ? "router" : "user" };
    });
  });
}

function markMellowLrt(subject: Subject): Described<Mark> {
  const reads = {
    pause: read({ ...on(subject), name: "depositPause" }),
    listed: read({ ...on(subject), name: "depositWhitelist" }),
  };
  return describe(reads, ({ pause, listed }): Mark => {
    if (!pause.ok || !listed.ok)
      return notOf("Mellow Simple LRT", "it has no depositPause() and depositWhitelist()");
    return { ok: true, caller: listed.value ? "user" : "router" };
  });
}

function markAccountable(subject: Subject): Described<Mark> {
  const reads = {
    level: read({ ...on(subject), name: "permissionLevel" }),
    strategy: read({ ...on(subject), name: "strategy" }),
  };
  return describe(reads, ({ level, strategy }): Mark => {
    const named = valueOrNull(strategy);
    if (!level.ok || named === null || isAddressEqual(named, zeroAddress))
      return notOf("Accountable", "it has no permissionLevel() and strategy()");
    return { ok: true, caller: level.value === 0 ? "router" : "user" };
  });
}

/** Vaults have a queue of strategies; a strategy that is a vault itself has none, and unlocks its profit as vaults do. */
function markYearn(subject: Subject): Described<Mark> {
  const reads = {
    queue: read({ ...on(subject), name: "get_default_queue" }),
    shutdown: read({ ...on(subject), name: "isShutdown" }),
    unlock: read({ ...on(subject), name: "fullProfitUnlockDate" }),
  };
  return describe(reads, ({ queue, shutdown, unlock }): Mark => {
    if (queue.ok || (shutdown.ok && unlock.ok)) return { ok: true };
    return notOf("Yearn", "it has neither get_default_queue() nor fullProfitUnlockDate()");
  });
}

/** The families that keep to ERC-4626, those with views of their own first. Fingerprints: each family's source. */
export const nearDerivers: readonly Deriver[] = [
  standardDeriver({
    adapter: "metamorpho",
    type: "morpho",
    mark: (subject) =>
      madeBy(metaMorphoFactories, { ...subject, view: read({ ...on(subject), name: "MORPHO" }) }),
  }),
  standardDeriver({ adapter: "morpho_v2", type: "morpho", mark: markV2 }),
  standardDeriver({ adapter: "ipor", type: "ipor", mark: markIpor }),
  standardDeriver({
    adapter: "accountable",
    type: "accountable",
    ownShare: true,
    // Deployed ones revert where deposits are previewed, and take deposits all the same.
    previews: false,
    mark: markAccountable,
  }),
  standardDeriver({ adapter: "mellow_lrt", type: "lido", mark: markMellowLrt }),
  standardDeriver({
    adapter: "upshift_legacy",
    type: "custom",
    mark: (subject) =>
      answersTo("Upshift", {
        depositsPaused: read({ ...on(subject), name: "depositsPaused" }),
        maxDepositAmount: read({ ...on(subject), name: "maxDepositAmount" }),
      }),
  }),
  standardDeriver({
    adapter: "euler",
    type: "custom",
    mark: (subject) => answersTo("Euler", { MODULE_VAULT: read({ ...on(subject), name: "MODULE_VAULT" }) }),
  }),
  standardDeriver({
    adapter: "yearn_v3",
    type: "custom",
    mark: markYearn,
  }),
  ...["aave_stata", "spark", "gearbox", "fluid", "silo", "euler_earn", "erc4626"].map((adapter) =>
    standardDeriver({ adapter, type: "custom" }),
  ),
];
