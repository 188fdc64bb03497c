ALTER TABLE "deposits" ADD COLUMN "provider" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "tool" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "move_token" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "move_expected" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "move_min" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "destination_call" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "router_explorer" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "slippage" double precision DEFAULT 0.03 NOT NULL;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "destination_tx_hash" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "refund_tx_hash" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "delivered_amount" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "deposit_proven" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "next_check_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "checks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "deposits_next_check" ON "deposits" USING btree ("next_check_at") WHERE "deposits"."next_check_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "deposits_proven_deposit_tx" ON "deposits" USING btree ("vault_chain_id","deposit_tx_hash") WHERE "deposits"."deposit_proven";--> statement-breakpoint
CREATE INDEX "deposits_destination_tx" ON "deposits" USING btree ("destination_tx_hash");