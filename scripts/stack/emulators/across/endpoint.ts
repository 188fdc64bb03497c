import { relayerNotes } from "../../relayer/notes.ts";
import { renameFields } from "../faults.ts";
import type { Answerer, Emulator } from "../server.ts";
import { json, refuse } from "./errors.ts";
import { lie } from "./hostile.ts";

const LIMIT = 1024 * 1024;

/** Across' API, under `/api`, over the local bridge. Source: docs.across.to, API reference. */
export function acrossEmulator(answerer: Promise<Answerer>): Emulator {
  return {
    name: "across",
    handle: async (request) => (await answerer)(request),
    maxBodyBytes: LIMIT,
    tooLarge: () => json(413, { message: "Request Entity Too Large" }),
    drift: renameFields,
    hostile: lie,
    refuse,
    notes: relayerNotes.across,
  };
}
