ALTER TABLE "vaults" ADD COLUMN "status_by" text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "was_active" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "provenance" jsonb DEFAULT '{"source":"seed","detail":""}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "claim" jsonb;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "proof" jsonb;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "proof_due_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "proof_refusals" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "vaults_proof_due" ON "vaults" USING btree ("proof_due_at");