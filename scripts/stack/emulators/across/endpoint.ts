import { relayerNotes } from "../../relayer/mode-notes.ts";
import { renameFields } from "../faults.ts";
import type { Answerer, Emulator } from "../server.ts";
import { acrossFaultAnswer, acrossJson } from "./errors.ts";
import { falsifyAcross } from "./hostile.ts";

const LIMIT = 1024 * 1024;

/** Across' API, under `/api`, over the local bridge. Source: docs.across.to, API reference. */
export function acrossEmulator(answerer: Promise<Answerer>): Emulator {
  return {
    name: "across",
    handle: async (request) => (await answerer)(request),
    maxBodyBytes: LIMIT,
    tooLarge: () => acrossJson(413, { message: "Request Entity Too Large" }),
    drift: renameFields,
    hostile: falsifyAcross,
    refuse: acrossFaultAnswer,
    notes: relayerNotes.across,
  };
}
