-- Events that the stream will not take are parked for staff, and hold up none of those behind them.
ALTER TABLE "outbox" ADD COLUMN "parked_at" TIMESTAMPTZ(3), ADD COLUMN "failure" TEXT;
