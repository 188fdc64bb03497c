CREATE TABLE "snapshots" (
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"step" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"block_number" bigint NOT NULL,
	"block_time" timestamp (3) with time zone NOT NULL,
	"total_assets" numeric(78, 0),
	"total_supply" numeric(78, 0),
	"share_price" numeric(78, 0),
	"max_deposit" numeric(78, 0),
	"paused" boolean NOT NULL,
	"liquidity" numeric(78, 0),
	"controls" jsonb NOT NULL,
	CONSTRAINT "snapshots_chain_id_vault_address_step_at_pk" PRIMARY KEY("chain_id","vault_address","step","at")
);
