import { renameFields } from "../faults.ts";
import type { Answerer, Emulator } from "../server.ts";
import { SwapRefusal, swapsFaultAnswer } from "./errors.ts";
import { falsifySwap } from "./hostile.ts";

const LIMIT = 1024 * 1024;

/** Emulates KyberSwap's API over the local exchange. Source: docs.kyberswap.com, aggregator API. */
export function swapsEmulator(answerer: Promise<Answerer>): Emulator {
  return {
    name: "swaps",
    handle: async (request) => (await answerer)(request),
    maxBodyBytes: LIMIT,
    tooLarge: () => new SwapRefusal(413, { message: "request entity too large", status: 413 }).toAnswer(),
    drift: renameFields,
    hostile: falsifySwap,
    refuse: swapsFaultAnswer,
  };
}
