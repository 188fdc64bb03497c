import { getAddress } from "viem";
import type { ApplicationRow } from "../db/queries/applications.ts";
import type { Application, ApplicationRecord } from "../schemas/application.ts";

/** What anybody may know of an application. */
export function toApplication(row: ApplicationRow): Application {
  return {
    address: getAddress(row.address),
    status: row.status,
    created_at: row.createdAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
  };
}

/** What an administrator sees of it. */
export function toApplicationRecord(row: ApplicationRow): ApplicationRecord {
  return { ...toApplication(row), application_id: row.id, form: row.form, note: row.note };
}
