import { isAddress, isHex } from "viem";
import type { SigningToken, SigningTokens } from "../../config/signing-token-setting.ts";
import { once } from "../../lib/once.ts";

/**
 * Tokens with permits (ERC-2612) or authorisations (ERC-3009), by chain. Columns: symbol, address, domain separator,
 * kinds of signature, how signatures are verified, and version and name of the EIP-712 domain.
 */
const TABLES: Readonly<Record<number, string>> = {
  // Collected offline, so a row is used only after the token's separator was read on chain. Excluded are tokens with a
  // salt in their domain, permits in DAI's form, and domains on which sources disagree. Sources:
  // cowprotocol/token-lists@4a002ef3, circlefin/stablecoin-evm@46e61d00, coinbase/x402@dd927a26.
  // Ethereum
  1: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a 0x4a2d637ab67cc3b27da88cf95d6108d7596feb9f8364c0219da88a6dd72a519c permit         code      1 Agora Dollar
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf 0xc494d0a26b417710c9dadc1c9a60d2baef40670a17dfca62c744ab733ad9c5d4 permit         code      2 Coinbase Wrapped BTC
    ETHFI   0xFe0c30065B384F05761f15d0CC899D4F9F9Cc0eB 0x54797201ea71c4c3a2408f5bc5eb63b68b8f3c2762d11c5837928e9b705a08e8 permit         ecrecover 1 ether.fi governance token
    EURC    0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c 0x99f188f447f0c6eaf68589359cd2ead8c2faaaaee984ab926fdb734d0040073b permit+erc3009 code      2 Euro Coin
    GHO     0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f 0x932202c33312534427f5c189c578d873bad01df5a9634604e05b9270ba46bff5 permit         ecrecover 1 Gho Token
    nUSD    0xE556ABa6fe6036275Ec1f87eda296BE72C811BCE 0x4816d87ed510f66d4c53127058374ddccde215556b5d372a0cf4551243d84eb6 permit         ecrecover 1 Neutrl USD
    PYUSD   0x6c3ea9036406852006290770BEdFcAbA0e23A0e8 0xf0d0fba61e325ddcdbcc77a9b5287a77e018a2406a520bc665afa678188592de permit+erc3009 code      1 PayPal USD
    sUSDe   0x9D39A5DE30e57443BfF2A8307A4256c8797A3497 0x940284ae30a8660e5c2bae12953bc4bd5a028a0f55e1dd2c19a8c1473d3eb553 permit         ecrecover 1 sUSDe
    sUSDS   0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD 0x8b772c141b7d822c799262c0fa58f5b6b522910e811414d0cf217f27294bbbf8 permit         ecrecover 1 Savings USDS
    tBTC    0x18084fbA666a33d37592fA2633fD49a74DD93a88 0x85df006d8efff5040f4fdd173197325caa418545ff9f6fbab526b624756ff362 permit         ecrecover 1 tBTC v2
    USD1    0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d 0x4df2f3e0e4ac89190376e6a3a454eb7491b80faf87f2b6d149e3b282dc739d4b permit         ecrecover 1 World Liberty Financial USD
    USDC    0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335 permit+erc3009 code      2 USD Coin
    USDe    0x4c9EDD5852cd905f086C759E8383e09bff1E68B3 0x74fbd8ad78eb7732edc209f83d2dc23f7472a05cdbfd5dfc0f210dad2f967cb3 permit         ecrecover 1 USDe
    USDG    0xe343167631d89B6Ffc58B88d6b7fB0228795491D 0xc27ef8fcee57ed704c1b372ea478ed4fcec9d40984515733be9cf518e8e40862 permit+erc3009 code      1 Global Dollar
    USDS    0xdC035D45d973E3EC169d2276DDab16f1e407384F 0x2bc1b7e1bb385a0b6eeb599e6bf1dc875f0933b1a91bea26cf895ebdee2a5b56 permit         ecrecover 1 USDS Stablecoin
    USDtb   0xC139190F447e929f090Edeb554D95AbB8b18aC1C 0xe7a74087d58b086d71867cd379c47ddbd06d10ce31606582d60fb5624736a7f2 permit         ecrecover 1 USDtb
    wstETH  0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0 0xd4a8ff90a402dc7d4fcbf60f5488291263c743ccff180e139f47d139cedfd5fe permit         ecrecover 1 Wrapped liquid staked Ether 2.0
  `,
  // OP Mainnet
  10: `
    DAI     0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1 0xc7bbf40a5fb081e6759d5d0ce2447e84427793536887332b932877b94ce51bd6 permit         ecrecover 2 Dai Stablecoin
    USDC    0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85 0x26d9c34bb1a1c312f69c53b2d93b8be20faafba63af2438c6811713c9b1f933f permit+erc3009 code      2 USD Coin
    USDT0   0x01bFF41798a0BcF287b996046Ca68b395DbC1071 0xd5d99c075f21e38eddc66fa99b98beae156454110a618179d962c413a942762c permit+erc3009 code      1 USD₮0
  `,
  // BNB
  56: `
    U       0xcE24439F2D9C6a2289F741120FE202248B666666 0x358738403e5a61fdc30a8be78a60f289cbe4d2545b735a344b6229c70c1679b6 permit         ecrecover 1 United Stables
    USD1    0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d 0x5d939dc193fd011c5e26fb861450a696546a09db6b26db26501fe354ba3ed4ba permit         ecrecover 1 World Liberty Financial USD
  `,
  // Gnosis
  100: `
    EURe    0x420CA0f9B9b604cE0fd9C18EF134C705e5Fa3430 0x861e4d4b9b1d17d2f8b21e274367a6ec37a5e3f48c5e97b8d54c834dfabdd078 permit         ecrecover 1 Monerium EURe
    GHO     0xfc421aD3C883Bf9E7C4f42dE845C4e4405799e73 0x8fb822d540f12ec7601aa68f65ae53fd47ff2d79742a96416a5c02c5898918a5 permit         ecrecover 1 Gho Token
    GNO     0x9C58BAcC331c9aa871AFD802DB6379a98e80CEdb 0xd65f0648064b5041ce6882cd9c6c27e93eecb32e920d0373c3cf08860e594164 permit         ecrecover 1 Gnosis Token on xDai
    sDAI    0xaf204776c7245bF4147c2612BF6e5972Ee483701 0xc50791b63b88661917824d2a55e4929b94a986464074d3112631680b318cd05b permit         ecrecover 1 Savings xDAI
    USDC    0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83 0xc6742389afe4655feba64a44048115e6108134972804bb699414abc74e1cc9e7 permit         ecrecover 1 USD//C on xDai
    USDC.e  0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0 0x25193b7cd180041d3ab0e58cc71c7673bf05674548f76652444d6ef3275ebd47 permit+erc3009 code      2 Bridged USDC (Gnosis)
    USDT    0x4ECaBa5870353805a9F068101A40E0f32ed605C6 0x0460a5762283fc15f9c6632b8a9d999134c5c92bf8e3452b94460a971c183d65 permit         ecrecover 1 Tether USD on xDai
    WETH    0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1 0x296a7965fc0b5c8b4d697ed1644f9528d5d0a66d60ef1a08832ffcc46ce4172d permit         ecrecover 1 Wrapped Ether on xDai
    wstETH  0x6C76971f98945AE98dD7d4DFcA8711ebea946eA6 0xec809088ae4285eed052feeb085c81a5bcf89590a32077052edb7565b388411e permit         ecrecover 1 Wrapped liquid staked Ether 2.0 from Mainnet
  `,
  // Unichain
  130: `
    USDC    0x078D782b760474a361dDA0AF3839290b0EF57AD6 0x565b4c4095d739dada6adeb9a89bc6dc4d102500ebd4a88bef1ec1d0f69d83b8 permit+erc3009 code      2 USDC
  `,
  // Polygon
  137: `
    USDC    0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca permit+erc3009 code      2 USD Coin
  `,
  // Monad
  143: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a 0x995063441ebf2219c94dce05014a545da4390d2362f99b3d7ad456046678cafe permit         code      1 Agora Dollar
  `,
  // HyperEVM
  999: `
    USDC    0xb88339CB7199b77E23DB6E890353E22632Ba630f 0x70a72998ad787d1a9152a8f88ccfe0766b1cb293b6b4011b34523035da10b0a3 permit+erc3009 code      2 USDC
  `,
  // Base
  8453: `
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf 0xd07a5d4403cc54c2ab3db887e06953046c3e6e2493ff894b093b1710750aa97e permit         code      2 Coinbase Wrapped BTC
    EURC    0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42 0xec4dcbded0afd42599589b79220899bbe000bb5ea66d6f1bc176e78d094203bb permit+erc3009 code      2 EURC
    GHO     0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee 0x1fdae4b97e61e89bfc4e5c3e4e0e2621179ed434111d3b39025b7cef448f09d3 permit         ecrecover 1 Gho Token
    USDC    0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f permit+erc3009 code      2 USD Coin
    USDS    0x820C137fa70C8691f0e44Dc420a5e53c168921Dc 0xe655e6dc3aa986f3ec39bcd30f258085af55f2785ecc414075e60eb3584d7c4c permit         ecrecover 1 USDS Stablecoin
  `,
  // Plasma
  9745: `
    USDT0   0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb 0x9b623ce5cf92b52a645d79ae1a57a50aa3d0506ebc752db1847ef4f21c7f8461 permit+erc3009 code      1 USDT0
  `,
  // Arbitrum One
  42161: `
    cbBTC   0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf 0xab3c3081c39d56b753446abe4168ef5ba4951538c0cd8789522fc13419447a3f permit         code      2 Coinbase Wrapped BTC
    DAI     0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1 0x8990f9dbb6294602194fe5f05549dd56bac20e2291d6034e1ba5746495dc4d37 permit         ecrecover 2 Dai Stablecoin
    GHO     0x7dfF72693f6A4149b17e7C6314655f6A9F7c8B33 0xe18b714748d981c8a5f8e50d3806181341416c1a06dfd0b649af91101343d360 permit         ecrecover 1 Gho Token
    USDC    0xaf88d065e77c8cC2239327C5EDb3A432268e5831 0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78 permit+erc3009 code      2 USD Coin
    USDC.e  0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8 0xa074269f06a6961e917f3c53d7204a31a08aec9a5f4a5801e8a8f837483b62a0 permit         ecrecover 1 USD Coin (Arb1)
    USDS    0x6491c05A82219b8D1479057361ff1654749b876b 0xe05321c7d24fba86bcc247121a6ffb856662dfce0932839789b07ef20881817e permit         ecrecover 1 USDS Stablecoin
    USDT0   0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9 0x566af68fb471b22d6421762f84aa7bd761c670a2e4d5c8a47d4085d5957b127c permit+erc3009 code      1 USD₮0
    WBTC    0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f 0x5a8dcb3325ce248306e60935ba6afde41646fd4e466b684babc515bce77ce7af permit         ecrecover 1 Wrapped BTC
    weETH   0x35751007a407ca6FEFfE80b3cB397736D2cf4dbe 0x2dcc2f01a01098023cfce9f6b30f72af3d7809ae69a1ea8b5ac6f012e91b3248 permit         ecrecover 1 Wrapped eETH
    WETH    0x82aF49447D8a07e3bd95BD0d56f35241523fBab1 0xac33225466df015cad7b0e1bf31afc69a49f20d95501a98d9644ad21163469a0 permit         ecrecover 1 Wrapped Ether
  `,
  // Avalanche
  43114: `
    AUSD    0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a 0x1b415e1fdec4058b42f2e8a1fcc859f6d3976a0b2cd9f0e9e016d07b0915d60c permit         code      1 Agora Dollar
    EURC    0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD 0x094e957ad84a5711a2d13ea2ddcfe3947fe1704472f07bf8a49718f55a65f4b1 permit+erc3009 code      2 Euro Coin
    USDC    0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E 0xbbea200329a938bc3438984a49cb0732e66d66d7bd59c127abacc1710e77f7b3 permit+erc3009 code      2 USD Coin
    USDT    0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7 0xf6d4d20bf85d69d29f5cd682e5fb2884425e4aa291bb7318e203fd68c96cc0f4 permit         ecrecover 1 TetherToken
  `,
  // Linea
  59144: `
    mUSD    0xacA92E438df0B2401fF60dA7E4337B687a2435DA 0x5c18bd55413b40c854963900a58d40c055ca82f4d4aa48b8194a094aac34a6a2 permit         ecrecover 1 MetaMask USD
    USDC    0x176211869cA2b568f2A7D4EE941E073a821EE1ff 0x175b79ed2b358e1a27efa17563a81216a922ec7265bbb33e190840dc9e09c633 permit+erc3009 code      2 USDC
    USDT    0xA219439258ca9da29E9Cc4cE5596924745e12B93 0x800a4e5adf3f4643f6588cf795bd77979844d4f29ceafbf1c2fbea68b8c00d46 permit         ecrecover 1 Tether USD
    wstETH  0xB5beDd42000b71FddE22D3eE8a79Bd49A568fC8F 0x99f2649bf6adb2b9f8bae49da025146e52f137aeeede7149da48198893d12a83 permit         ecrecover 1 Wrapped liquid staked Ether 2.0
  `,
};

function toSigningToken(chainId: number, line: string): SigningToken {
  const [, token = "", separator = "", kinds = "", checks = "", version = "", ...name] = line.split(/\s+/);
  if (!isAddress(token) || !isHex(separator)) throw new RangeError(`no row of a token: ${line}`);
  return {
    domain: { name: name.join(" "), version, chainId, verifyingContract: token },
    separator,
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
