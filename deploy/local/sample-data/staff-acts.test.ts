import { create } from '@bufbuild/protobuf';
import { BatchResultsSchema } from '@supplier/proto/submission/v1/staff_batches';
import { requireDone } from './staff-acts.ts';

const done = { submissionId: 'first', outcome: { case: 'done', value: {} } } as const;
const refused = {
  submissionId: 'second',
  outcome: { case: 'refused', value: { message: 'The cap is reached.' } },
} as const;

it('requireDone throws with the id and the reason of each refused item', () => {
  expect(() => requireDone('decisions', create(BatchResultsSchema, { results: [done, done] }))).not.toThrow();
  expect(() => requireDone('decisions', create(BatchResultsSchema, { results: [done, refused] }))).toThrow(
    '1 of 2 decisions were refused:\nsecond: The cap is reached.',
  );
});
