import { relayerNotes } from "../../relayer/mode-notes.ts";
import { type EmulatorAnswer, renameFields } from "../faults.ts";
import type { Answerer, Emulator } from "../server.ts";
import { lifiFaultAnswer, lifiJson } from "./errors.ts";
import { falsifyLifi } from "./hostile.ts";

const LIMIT = 1024 * 1024;
/** Requests per window; tests need far more than the service allows. */
const AMPLE = 1_000_000;
const WINDOW_SECONDS = 7_200;

/** LI.FI's API, under `/v1`, over the local bridge and exchange. Source: docs.li.fi, API reference. */
export function lifiEmulator(answerer: Promise<Answerer>): Emulator {
  let asked = 0;
  return {
    name: "lifi",
    handle: async (request) => {
      asked += 1;
      return withLimits(await (await answerer)(request), AMPLE - asked);
    },
    maxBodyBytes: LIMIT,
    tooLarge: () => lifiJson(413, { message: "request entity too large" }),
    drift: renameFields,
    hostile: falsifyLifi,
    refuse: lifiFaultAnswer,
    notes: relayerNotes.lifi,
  };
}

function withLimits(answer: EmulatorAnswer, remaining: number): EmulatorAnswer {
  const limits = {
    "ratelimit-limit": `${AMPLE}`,
    "ratelimit-remaining": `${Math.max(1, remaining)}`,
    "ratelimit-reset": `${WINDOW_SECONDS}`,
  };
  return { ...answer, headers: { ...answer.headers, ...limits } };
}
