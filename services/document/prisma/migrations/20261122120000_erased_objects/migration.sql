-- Whose object it is, so that erasure finds all of a document's, copies that are being made included.
-- Expand only: the version before leaves the columns out.
ALTER TABLE "object_removal"
    ADD COLUMN "document_id" UUID,
    -- Since when a copy is being made that no document refers to yet; null for everything else.
    ADD COLUMN "copy_begun_at" TIMESTAMPTZ(3),
    -- When erasure removed it; until it is due once more, its upload URL may bring it back.
    ADD COLUMN "removed_at" TIMESTAMPTZ(3);
