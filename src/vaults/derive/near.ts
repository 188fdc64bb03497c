import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read, readThen, valueOrNull } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import type { DerivationSubject, Deriver } from "../derivation.ts";
import {
  erc4626Deriver,
  type FamilyFactories,
  type Identification,
  identifyByFactory,
  identifyByViews,
  notIdentified,
  ORDINARY_ACCOUNT,
} from "../families/erc4626/derive.ts";

const identificationAbi = once(() =>
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
const DEPOSIT_SELECTOR = "0x6e553f65";

const onSubject = ({ address }: DerivationSubject) => ({ to: address, abi: identificationAbi() }) as const;

/** MetaMorpho's factories of both versions. Source: morpho-org/metamorpho, DefiLlama. */
const metaMorphoFactories: FamilyFactories = {
  family: "MetaMorpho",
  ask: (to, vault) => read({ to, abi: factoryAbi(), name: "isMetaMorpho", args: [vault] }),
  byChain: {
    1: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0x1897A8997241C1cD4bD0698647e4EB7213535c24"],
    8453: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0xFf62A7c278C62eD665133147129245053Bbf5918"],
  },
};
/** Source: morpho-org/vault-v2. */
const vaultV2Factories: FamilyFactories = {
  family: "Morpho Vault V2",
  ask: (to, vault) => read({ to, abi: factoryAbi(), name: "isVaultV2", args: [vault] }),
  byChain: {
    1: ["0xA1D94F746dEfa1928926b84fB2596c06926C0405"],
    8453: ["0x4501125508079A99ebBebCE205DeC9593C2b5857"],
  },
};

/** Whoever must be admitted calls himself. */
function identifyMorphoV2(subject: DerivationSubject): Query<Identification> {
  const made = identifyByFactory(vaultV2Factories, {
    ...subject,
    view: read({ ...onSubject(subject), name: "adaptersLength" }),
  });
  const open = read({ ...onSubject(subject), name: "canSendAssets", args: [ORDINARY_ACCOUNT] });
  return {
    reads: { ...made.reads, open },
    interpret: ({ open: told, ...others }) => {
      const mark = made.interpret(others);
      return mark.ok ? { ok: true, caller: told?.ok && told.value === true ? "router" : "user" } : mark;
    },
  };
}

function identifyIpor(subject: DerivationSubject): Query<Identification> {
  const manager = read({ ...onSubject(subject), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: told }) => {
    if (!told.ok || isAddressEqual(told.value, zeroAddress)) {
      return createQuery({}, () => notIdentified("IPOR Fusion", "it names no access manager"));
    }
    const args = [ORDINARY_ACCOUNT, subject.address, DEPOSIT_SELECTOR] as const;
    const call = read({ to: told.value, abi: managerAbi(), name: "canCall", args });
    return createQuery({ call }, ({ call: may }): Identification => {
      if (!may.ok) return notIdentified("IPOR Fusion", "its access manager does not answer");
      return { ok: true, caller: may.value[0] ? "router" : "user" };
    });
  });
}

function identifyMellowLrt(subject: DerivationSubject): Query<Identification> {
  const reads = {
    pause: read({ ...onSubject(subject), name: "depositPause" }),
    listed: read({ ...onSubject(subject), name: "depositWhitelist" }),
  };
  return createQuery(reads, ({ pause, listed }): Identification => {
    if (!pause.ok || !listed.ok)
      return notIdentified("Mellow Simple LRT", "it has no depositPause() and depositWhitelist()");
    return { ok: true, caller: listed.value ? "user" : "router" };
  });
}

function identifyAccountable(subject: DerivationSubject): Query<Identification> {
  const reads = {
    level: read({ ...onSubject(subject), name: "permissionLevel" }),
    strategy: read({ ...onSubject(subject), name: "strategy" }),
  };
  return createQuery(reads, ({ level, strategy }): Identification => {
    const named = valueOrNull(strategy);
    if (!level.ok || named === null || isAddressEqual(named, zeroAddress))
      return notIdentified("Accountable", "it has no permissionLevel() and strategy()");
    return { ok: true, caller: level.value === 0 ? "router" : "user" };
  });
}

/** Vaults have a queue of strategies; a strategy that is a vault itself has none, and unlocks its profit as vaults do. */
function identifyYearn(subject: DerivationSubject): Query<Identification> {
  const reads = {
    queue: read({ ...onSubject(subject), name: "get_default_queue" }),
    shutdown: read({ ...onSubject(subject), name: "isShutdown" }),
    unlock: read({ ...onSubject(subject), name: "fullProfitUnlockDate" }),
  };
  return createQuery(reads, ({ queue, shutdown, unlock }): Identification => {
    if (queue.ok || (shutdown.ok && unlock.ok)) return { ok: true };
    return notIdentified("Yearn", "it has neither get_default_queue() nor fullProfitUnlockDate()");
  });
}

/** The families that keep to ERC-4626, those with views of their own first. Fingerprints: each family's source. */
export const erc4626Derivers: readonly Deriver[] = [
  erc4626Deriver({
    adapter: "metamorpho",
    type: "morpho",
    mark: (subject) =>
      identifyByFactory(metaMorphoFactories, {
        ...subject,
        view: read({ ...onSubject(subject), name: "MORPHO" }),
      }),
  }),
  erc4626Deriver({ adapter: "morpho_v2", type: "morpho", mark: identifyMorphoV2 }),
  erc4626Deriver({ adapter: "ipor", type: "ipor", mark: identifyIpor }),
  erc4626Deriver({
    adapter: "accountable",
    type: "accountable",
    ownShare: true,
    // Deployed ones revert where deposits are previewed, and take deposits all the same.
    previews: false,
    mark: identifyAccountable,
  }),
  erc4626Deriver({ adapter: "mellow_lrt", type: "lido", mark: identifyMellowLrt }),
  erc4626Deriver({
    adapter: "upshift_legacy",
    type: "custom",
    mark: (subject) =>
      identifyByViews("Upshift", {
        depositsPaused: read({ ...onSubject(subject), name: "depositsPaused" }),
        maxDepositAmount: read({ ...onSubject(subject), name: "maxDepositAmount" }),
      }),
  }),
  erc4626Deriver({
    adapter: "euler",
    type: "custom",
    mark: (subject) =>
      identifyByViews("Euler", { MODULE_VAULT: read({ ...onSubject(subject), name: "MODULE_VAULT" }) }),
  }),
  erc4626Deriver({
    adapter: "yearn_v3",
    type: "custom",
    mark: identifyYearn,
  }),
  ...["aave_stata", "spark", "gearbox", "fluid", "silo", "euler_earn", "erc4626"].map((adapter) =>
    erc4626Deriver({ adapter, type: "custom" }),
  ),
];
