ALTER TABLE "document"
    -- Until when it is not looked at for removal again, since its submission is under legal hold; null before that.
    ADD COLUMN "held_back_until" TIMESTAMPTZ(3);
