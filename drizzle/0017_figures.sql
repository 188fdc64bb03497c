CREATE TABLE "vault_figures" (
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_time" timestamp (3) with time zone NOT NULL,
	"paused" boolean NOT NULL,
	"min_deposit" numeric(78, 0),
	"max_deposit" numeric(78, 0),
	"share_price" numeric(78, 0),
	"tvl_usd" text,
	"exit_fee" double precision,
	"apy_1d" double precision,
	"apy_7d" double precision,
	"apy_30d" double precision,
	"router_deployed" boolean NOT NULL,
	CONSTRAINT "vault_figures_chain_id_vault_address_pk" PRIMARY KEY("chain_id","vault_address")
);
