import { parseAbiItem } from "viem";
import { once } from "../../lib/once.ts";

/*
 * The events with which registers name their vaults. Sources: the protocols' repositories.
 */

/** Event of MetaMorpho's factory: it created a vault. */
export const createMetaMorpho = once(() =>
  parseAbiItem(
    "event CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
  ),
);
/** Event of Morpho's Vault V2 factory: it created a vault. */
export const createVaultV2 = once(() =>
  parseAbiItem(
    "event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)",
  ),
);
/** Event of Lagoon's factories that create a vault as a proxy of a beacon. */
export const beaconProxyDeployed = once(() =>
  parseAbiItem("event BeaconProxyDeployed(address proxy, address deployer)"),
);
/**
 * Event of Lagoon's factories that create a vault with an implementation that its creator chooses from Lagoon's own
 * register.
 */
export const proxyDeployed = once(() => parseAbiItem("event ProxyDeployed(address proxy, address deployer)"));
/** Event of Silo's factory: it created a market of two silos, each of which is a vault. */
export const newSilo = once(() =>
  parseAbiItem(
    "event NewSilo(address indexed implementation, address indexed token0, address indexed token1, address silo0, address silo1, address siloConfig)",
  ),
);
/** Event of Mellow's factory: it created a vault. */
export const created = once(() =>
  parseAbiItem(
    "event Created(address indexed instance, uint256 indexed version, address indexed owner, bytes initParams)",
  ),
);
/** Event of Centrifuge's register: a factory that an issuer chose created a vault. */
export const deployVault = once(() =>
  parseAbiItem(
    "event DeployVault(uint64 indexed poolId, bytes16 indexed scId, address indexed asset, uint256 tokenId, address factory, address vault, uint8 kind)",
  ),
);
/** Event of IPOR Fusion's factory: it created a vault with its contracts. */
export const fusionInstanceCreated = once(() =>
  parseAbiItem(
    "event FusionInstanceCreated(uint256 index, uint256 version, string assetName, string assetSymbol, uint8 assetDecimals, address underlyingToken, string underlyingTokenSymbol, uint8 underlyingTokenDecimals, address initialOwner, address plasmaVault, address plasmaVaultBase, address feeManager)",
  ),
);
/** Event of Silo's vault factory: it created a managed vault. */
export const createSiloVault = once(() =>
  parseAbiItem(
    "event CreateSiloVault(address indexed SiloVault, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol)",
  ),
);
