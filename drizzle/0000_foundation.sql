CREATE TABLE "deposits" (
	"tracking_id" text PRIMARY KEY NOT NULL,
	"ref" text NOT NULL,
	"state" text NOT NULL,
	"substatus" text,
	"user_address" text NOT NULL,
	"vault_chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"share_token" text NOT NULL,
	"from_chain_id" integer NOT NULL,
	"from_token" text NOT NULL,
	"from_amount" numeric(78, 0) NOT NULL,
	"estimated_shares" numeric(78, 0) NOT NULL,
	"min_shares" numeric(78, 0),
	"shares" numeric(78, 0),
	"received_amount" numeric(78, 0),
	"bridge" text,
	"two_step" boolean DEFAULT false NOT NULL,
	"source_to" text NOT NULL,
	"source_data_hash" text NOT NULL,
	"source_tx_hash" text,
	"deposit_tx_hash" text,
	"claim_tx_hash" text,
	"source_proven" boolean DEFAULT false NOT NULL,
	"parent_tracking_id" text,
	"partner_id" text DEFAULT '' NOT NULL,
	"partner_type" smallint DEFAULT 0 NOT NULL,
	"referrer" text NOT NULL,
	"referrer_handle" text DEFAULT '' NOT NULL,
	"history" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"address" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "partners_partner_id_unique" UNIQUE("partner_id")
);
--> statement-breakpoint
CREATE TABLE "vaults" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"type" text NOT NULL,
	"adapter" text NOT NULL,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"name" text NOT NULL,
	"asset_address" text NOT NULL,
	"asset_symbol" text NOT NULL,
	"asset_decimals" smallint NOT NULL,
	"share_token" text NOT NULL,
	"share_decimals" smallint NOT NULL,
	"entry_point" text NOT NULL,
	"spender" text NOT NULL,
	"pricer" text NOT NULL,
	"accepted_assets" jsonb NOT NULL,
	"caller" text DEFAULT 'router' NOT NULL,
	"curator" text DEFAULT '' NOT NULL,
	"status" text DEFAULT 'unsupported' NOT NULL,
	"status_reason" text DEFAULT '' NOT NULL,
	"min_deposit" numeric(78, 0),
	"no_minimum" boolean DEFAULT false NOT NULL,
	"start_block" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "vaults_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "deposits_ref" ON "deposits" USING btree ("ref");--> statement-breakpoint
CREATE INDEX "deposits_user" ON "deposits" USING btree ("user_address","created_at","tracking_id");--> statement-breakpoint
CREATE INDEX "deposits_source_tx" ON "deposits" USING btree ("source_tx_hash");--> statement-breakpoint
CREATE INDEX "deposits_open" ON "deposits" USING btree ("state","updated_at");--> statement-breakpoint
CREATE INDEX "vaults_status" ON "vaults" USING btree ("status");