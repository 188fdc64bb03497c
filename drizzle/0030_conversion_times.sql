ALTER TABLE "flows" ADD COLUMN "conversion_tried_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "flows_convertible" ON "flows" USING btree ("chain_id","conversion_tried_at" NULLS FIRST,"block_number" DESC NULLS LAST) WHERE "flows"."assets" is null and "flows"."shares" is not null and "flows"."final"
  and "flows"."conversion_tries" < 5;