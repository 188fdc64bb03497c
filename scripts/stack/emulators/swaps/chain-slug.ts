/** Returns a local chain's name in the paths of KyberSwap's API. */
export const chainSlug = (chainId: number): string => `local-${chainId}`;
