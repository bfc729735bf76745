import { timestampDate } from '@bufbuild/protobuf/wkt';
import { csvRecord } from '@supplier/lib/text/csv';
import { EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { enumFlag } from '../../format.ts';

export const CSV_HEAD = csvRecord([
  'entry_id',
  'submission_id',
  'external_reference',
  'kind',
  'billing_model',
  'occurred_at',
  'pence',
  'net_pence',
]);

/** Returns a line of a statement as a record of its file. */
export const csvLine = (line: StatementLine): string =>
  csvRecord([
    line.entryId,
    line.submissionId,
    line.externalReference,
    line.kind === 0 ? '' : enumFlag(EntryKindSchema, line.kind),
    line.billingModel === 0 ? '' : enumFlag(BillingModelSchema, line.billingModel),
    line.occurredAt ? secondOf(timestampDate(line.occurredAt)) : '',
    line.pence === undefined ? '' : String(line.pence),
    line.netPence === undefined ? '' : String(line.netPence),
  ]);

const secondOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
