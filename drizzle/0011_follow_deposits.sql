CREATE TABLE "deposit_evidence" (
	"tracking_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"checked" boolean DEFAULT false NOT NULL,
	"final" boolean DEFAULT false NOT NULL,
	CONSTRAINT "deposit_evidence_tracking_id_chain_id_tx_hash_pk" PRIMARY KEY("tracking_id","chain_id","tx_hash")
);
--> statement-breakpoint
CREATE TABLE "deposit_hints" (
	"tracking_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"origin" text NOT NULL,
	"noted_at" timestamp (3) with time zone NOT NULL,
	"dropped_at" timestamp (3) with time zone,
	CONSTRAINT "deposit_hints_tracking_id_chain_id_tx_hash_pk" PRIMARY KEY("tracking_id","chain_id","tx_hash")
);
--> statement-breakpoint
CREATE TABLE "followed_chains" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"start_block" bigint NOT NULL,
	"covered" "int8multirange" DEFAULT '{}' NOT NULL,
	"final_block" bigint NOT NULL,
	"final_hash" text NOT NULL,
	"head_block" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"head_time" timestamp (3) with time zone NOT NULL,
	"span" integer NOT NULL,
	"round_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
ALTER TABLE "deposit_evidence" ADD CONSTRAINT "deposit_evidence_tracking_id_deposits_tracking_id_fk" FOREIGN KEY ("tracking_id") REFERENCES "public"."deposits"("tracking_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposit_hints" ADD CONSTRAINT "deposit_hints_tracking_id_deposits_tracking_id_fk" FOREIGN KEY ("tracking_id") REFERENCES "public"."deposits"("tracking_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deposit_evidence_open" ON "deposit_evidence" USING btree ("chain_id","block_number") WHERE not "deposit_evidence"."final";--> statement-breakpoint
CREATE INDEX "deposit_hints_tx" ON "deposit_hints" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "deposits_unproven_user" ON "deposits" USING btree ("from_chain_id","user_address") WHERE (not "deposits"."source_proven" or "deposits"."state" = 'failed');--> statement-breakpoint
CREATE INDEX "deposits_unproven_target" ON "deposits" USING btree ("from_chain_id","source_to","from_token","provider") WHERE (not "deposits"."source_proven" or "deposits"."state" = 'failed');--> statement-breakpoint
CREATE INDEX "deposits_under_way_vault" ON "deposits" USING btree ("vault_chain_id","updated_at") WHERE "deposits"."state" in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable');--> statement-breakpoint
CREATE INDEX "deposits_under_way_source" ON "deposits" USING btree ("from_chain_id","updated_at") WHERE "deposits"."state" in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable');--> statement-breakpoint
CREATE INDEX "deposits_unproven_vault" ON "deposits" USING btree ("vault_chain_id","created_at") WHERE (not "deposits"."source_proven" or "deposits"."state" = 'failed');