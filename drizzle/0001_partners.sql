CREATE TABLE "api_keys" (
	"partner_address" text PRIMARY KEY NOT NULL,
	"key_digest" text NOT NULL,
	"secret_digest" text NOT NULL,
	"pepper_version" integer NOT NULL,
	"prefix" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"epoch" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "api_keys_key_digest_unique" UNIQUE("key_digest")
);
--> statement-breakpoint
CREATE TABLE "applications" (
	"id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"status" text NOT NULL,
	"form" jsonb NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "applications_address_unique" UNIQUE("address")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"partner_address" text NOT NULL,
	"epoch" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "partner_address" text;--> statement-breakpoint
ALTER TABLE "deposits" ADD COLUMN "partner_verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "website" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "contact_email" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "description" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "partner_type" smallint DEFAULT 2 NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "vaults" jsonb;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_partner_address_partners_address_fk" FOREIGN KEY ("partner_address") REFERENCES "public"."partners"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_partner_address_partners_address_fk" FOREIGN KEY ("partner_address") REFERENCES "public"."partners"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "applications_status" ON "applications" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_time" ON "audit" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "sessions_partner" ON "sessions" USING btree ("partner_address");--> statement-breakpoint
CREATE INDEX "deposits_partner" ON "deposits" USING btree ("partner_address","created_at","tracking_id");--> statement-breakpoint
CREATE FUNCTION "audit_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'audit rows are only ever added'; END $$;--> statement-breakpoint
CREATE TRIGGER "audit_append_only" BEFORE UPDATE OR DELETE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION "audit_append_only"();
