import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Hex } from "viem";

const require = createRequire(import.meta.url);
const morphoPackage = "@morpho-org/morpho-blue-bundlers/package.json";
const factories = "types/factories";
const acrossPackage = "@across-protocol/contracts/package.json";
const artifacts = "dist/evm/artifacts";

/** Package entry, file beside it, and the constant or field with the creation code. */
const sources = {
  morpho: [morphoPackage, `${factories}/lib/morpho-blue/src/Morpho__factory.js`, "_bytecode"],
  metaMorpho: [morphoPackage, `${factories}/lib/metamorpho/src/MetaMorpho__factory.js`, "_bytecode"],
  oracle: [morphoPackage, `${factories}/src/mocks/OracleMock__factory.js`, "_bytecode"],
  multicall3: ["viem", "constants/contracts.js", "multicall3Bytecode"],
  spokePool: [acrossPackage, `${artifacts}/Ethereum_SpokePool.sol/Ethereum_SpokePool.json`, "bytecode"],
  erc1967Proxy: [acrossPackage, `${artifacts}/ERC1967Proxy.sol/ERC1967Proxy.json`, "bytecode"],
  multicallHandler: [acrossPackage, `${artifacts}/MulticallHandler.sol/MulticallHandler.json`, "bytecode"],
} as const;

/**
 * Returns creation code that its authors published on npm: Morpho Blue, MetaMorpho 1.0, a fixed-price oracle,
 * Multicall3, and Across' Ethereum SpokePool with its proxy and the MulticallHandler. Read from the packages' files
 * as text: importing Morpho's would load ethers, and viem's is not exported.
 */
export function publishedCode(name: keyof typeof sources): Hex {
  const [entry, file, constant] = sources[name];
  const path = join(dirname(require.resolve(entry)), file);
  const pattern = new RegExp(`${constant}(?: = |":)["'](0x[0-9a-f]+)["']`);
  const code = pattern.exec(readFileSync(path, "utf8"))?.[1];
  if (code === undefined) throw new Error(`no ${constant} in ${file} of ${entry}`);
  return code as Hex;
}
