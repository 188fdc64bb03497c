import { domainSeparator, isAddress } from "viem";
import type { SigningToken, SigningTokens } from "../../config/signing-token-setting.ts";
import { once } from "../../lib/once.ts";

/**
 * Tokens with permits (ERC-2612) or authorisations (ERC-3009), by chain. Columns: symbol, address, kinds of
 * signature, how signatures are verified, and version and name of the EIP-712 domain.
 */
const TABLES: Readonly<Record<number, string>> = {
  // Collected offline, so a row is used only after the token's separator was read on chain. Excluded are tokens with a
  // salt in their domain, permits in DAI's form, and domains on which sources disagree. Sources:
  // cowprotocol/token-lists@4a002ef3, circlefin/stablecoin-evm@46e61d00, coinbase/x402@dd927a26.
  // Ethereum
  1: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a permit code 1 Agora Dollar
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf permit code 2 Coinbase Wrapped BTC
    ETHFI   0xFe0c30065B384F05761f15d0CC899D4F9F9Cc0eB permit ecrecover 1 ether.fi governance token
    EURC    0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c permit+erc3009 code 2 Euro Coin
    GHO     0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f permit ecrecover 1 Gho Token
    nUSD    0xE556ABa6fe6036275Ec1f87eda296BE72C811BCE permit ecrecover 1 Neutrl USD
    PYUSD   0x6c3ea9036406852006290770BEdFcAbA0e23A0e8 permit+erc3009 code 1 PayPal USD
    sUSDe   0x9D39A5DE30e57443BfF2A8307A4256c8797A3497 permit ecrecover 1 sUSDe
    sUSDS   0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD permit ecrecover 1 Savings USDS
    tBTC    0x18084fbA666a33d37592fA2633fD49a74DD93a88 permit ecrecover 1 tBTC v2
    USD1    0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d permit ecrecover 1 World Liberty Financial USD
    USDC    0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 permit+erc3009 code 2 USD Coin
    USDe    0x4c9EDD5852cd905f086C759E8383e09bff1E68B3 permit ecrecover 1 USDe
    USDG    0xe343167631d89B6Ffc58B88d6b7fB0228795491D permit+erc3009 code 1 Global Dollar
    USDS    0xdC035D45d973E3EC169d2276DDab16f1e407384F permit ecrecover 1 USDS Stablecoin
    USDtb   0xC139190F447e929f090Edeb554D95AbB8b18aC1C permit ecrecover 1 USDtb
    wstETH  0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0 permit ecrecover 1 Wrapped liquid staked Ether 2.0
  `,
  // OP Mainnet
  10: `
    DAI     0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1 permit ecrecover 2 Dai Stablecoin
    USDC    0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85 permit+erc3009 code 2 USD Coin
    USDT0   0x01bFF41798a0BcF287b996046Ca68b395DbC1071 permit+erc3009 code 1 USD₮0
  `,
  // BNB
  56: `
    U       0xcE24439F2D9C6a2289F741120FE202248B666666 permit ecrecover 1 United Stables
    USD1    0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d permit ecrecover 1 World Liberty Financial USD
  `,
  // Gnosis
  100: `
    EURe    0x420CA0f9B9b604cE0fd9C18EF134C705e5Fa3430 permit ecrecover 1 Monerium EURe
    GHO     0xfc421aD3C883Bf9E7C4f42dE845C4e4405799e73 permit ecrecover 1 Gho Token
    GNO     0x9C58BAcC331c9aa871AFD802DB6379a98e80CEdb permit ecrecover 1 Gnosis Token on xDai
    sDAI    0xaf204776c7245bF4147c2612BF6e5972Ee483701 permit ecrecover 1 Savings xDAI
    USDC    0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83 permit ecrecover 1 USD//C on xDai
    USDC.e  0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0 permit+erc3009 code 2 Bridged USDC (Gnosis)
    USDT    0x4ECaBa5870353805a9F068101A40E0f32ed605C6 permit ecrecover 1 Tether USD on xDai
    WETH    0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1 permit ecrecover 1 Wrapped Ether on xDai
    wstETH  0x6C76971f98945AE98dD7d4DFcA8711ebea946eA6 permit ecrecover 1 Wrapped liquid staked Ether 2.0 from Mainnet
  `,
  // Unichain
  130: `
    USDC    0x078D782b760474a361dDA0AF3839290b0EF57AD6 permit+erc3009 code 2 USDC
  `,
  // Polygon
  137: `
    USDC    0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 permit+erc3009 code 2 USD Coin
  `,
  // Monad
  143: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a permit code 1 Agora Dollar
  `,
  // HyperEVM
  999: `
    USDC    0xb88339CB7199b77E23DB6E890353E22632Ba630f permit+erc3009 code 2 USDC
  `,
  // Base
  8453: `
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf permit code 2 Coinbase Wrapped BTC
    EURC    0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42 permit+erc3009 code 2 EURC
    GHO     0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee permit ecrecover 1 Gho Token
    USDC    0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 permit+erc3009 code 2 USD Coin
    USDS    0x820C137fa70C8691f0e44Dc420a5e53c168921Dc permit ecrecover 1 USDS Stablecoin
  `,
  // Plasma
  9745: `
    USDT0   0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb permit+erc3009 code 1 USDT0
  `,
  // Arbitrum One
  42161: `
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf permit code 2 Coinbase Wrapped BTC
    DAI     0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1 permit ecrecover 2 Dai Stablecoin
    GHO     0x7dfF72693f6A4149b17e7C6314655f6A9F7c8B33 permit ecrecover 1 Gho Token
    USDC    0xaf88d065e77c8cC2239327C5EDb3A432268e5831 permit+erc3009 code 2 USD Coin
    USDC.e  0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8 permit ecrecover 1 USD Coin (Arb1)
    USDS    0x6491c05A82219b8D1479057361ff1654749b876b permit ecrecover 1 USDS Stablecoin
    USDT0   0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9 permit+erc3009 code 1 USD₮0
    WBTC    0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f permit ecrecover 1 Wrapped BTC
    weETH   0x35751007a407ca6FEFfE80b3cB397736D2cf4dbe permit ecrecover 1 Wrapped eETH
    WETH    0x82aF49447D8a07e3bd95BD0d56f35241523fBab1 permit ecrecover 1 Wrapped Ether
  `,
  // Avalanche
  43114: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a permit code 1 Agora Dollar
    EURC    0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD permit+erc3009 code 2 Euro Coin
    USDC    0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E permit+erc3009 code 2 USD Coin
    USDT    0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7 permit ecrecover 1 TetherToken
  `,
  // Linea
  59144: `
    mUSD    0xacA92E438df0B2401fF60dA7E4337B687a2435DA permit ecrecover 1 MetaMask USD
    USDC    0x176211869cA2b568f2A7D4EE941E073a821EE1ff permit+erc3009 code 2 USDC
    USDT    0xA219439258ca9da29E9Cc4cE5596924745e12B93 permit ecrecover 1 Tether USD
    wstETH  0xB5beDd42000b71FddE22D3eE8a79Bd49A568fC8F permit ecrecover 1 Wrapped liquid staked Ether 2.0
  `,
};

function toSigningToken(chainId: number, line: string): SigningToken {
  const [, token = "", kinds = "", checks = "", version = "", ...name] = line.split(/\s+/);
  if (!isAddress(token)) throw new RangeError(`no row of a token: ${line}`);
  const domain = { name: name.join(" "), version, chainId, verifyingContract: token };
  return {
    domain,
    // Hashed only when it is compared: few of the tokens are used in an isolate.
    get separator() {
      return domainSeparator({ domain });
    },
    permit: kinds.includes("permit"),
    erc3009: kinds.includes("erc3009"),
    checks: checks === "ecrecover" ? "ecrecover" : "code",
  };
}

const readTables = once(() => {
  const rows = Object.entries(TABLES).map(([chain, table]) => {
    const lines = table.split("\n").map((line) => line.trim());
    const tokens = lines.filter((line) => line !== "").map((line) => toSigningToken(Number(chain), line));
    return [
      Number(chain),
      new Map(tokens.map((one) => [one.domain.verifyingContract.toLowerCase(), one])),
    ] as const;
  });
  return new Map<number, SigningTokens>(rows);
});

/**
 * Returns a chain's table of tokens with ERC-2612 permits or ERC-3009 authorisations, by lowercase address, or null
 * without one. Before using a row, compare its domain separator with the contract's.
 */
export function signingTokensOf(chainId: number): SigningTokens | null {
  return readTables().get(chainId) ?? null;
}
