CREATE TABLE "withdrawal_transfers" (
	"tracking_id" text NOT NULL,
	"data_hash" text NOT NULL,
	"target" text NOT NULL,
	"provider" text NOT NULL,
	"bridge" text,
	"tool" text,
	"amount" numeric(78, 0) NOT NULL,
	"least" numeric(78, 0) NOT NULL,
	"built_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "withdrawal_transfers_tracking_id_data_hash_pk" PRIMARY KEY("tracking_id","data_hash")
);
--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "direction" text DEFAULT 'deposit' NOT NULL;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "mode" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "exit_token" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "estimated_assets" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "min_assets" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "assets" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "to_chain_id" integer;--> statement-breakpoint
ALTER TABLE "withdrawal_transfers" ADD CONSTRAINT "withdrawal_transfers_tracking_id_deposits_tracking_id_fk" FOREIGN KEY ("tracking_id") REFERENCES "public"."deposits"("tracking_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deposits_moving_vault" ON "deposits" USING btree ("vault_chain_id","updated_at") WHERE "deposits"."state" in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable', 'cooling', 'awaiting_transfer');--> statement-breakpoint
CREATE INDEX "deposits_moving_source" ON "deposits" USING btree ("from_chain_id","updated_at") WHERE "deposits"."state" in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable', 'cooling', 'awaiting_transfer');--> statement-breakpoint
CREATE INDEX "deposits_moving_to" ON "deposits" USING btree ("to_chain_id","updated_at") WHERE "deposits"."state" in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable', 'cooling', 'awaiting_transfer');