import { Alert, Badge } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import type { BatchResult } from '@supplier/proto/submission/v1/staff_batches';
import { errorMessage, withViolations } from '../../calls.ts';
import { Mono } from '../../components/mono.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { enumLabel } from '../../format.ts';
import { type BatchRun, byOutcome, isDone } from './run-in-batches.ts';

interface BulkResultProps {
  readonly selected: readonly ListedSubmission[];
  readonly answer: BatchRun;
}

/** The result for each submission. Failures, which need attention, come first. */
export function BulkResult({ selected, answer: { results, failure } }: BulkResultProps) {
  const references = new Map(
    selected.map(({ submissionId, externalReference }) => [submissionId, externalReference]),
  );
  const { done, notDone, unknown } = byOutcome(results, selected.length);
  return (
    <>
      <Alert color={done.length === selected.length ? 'green' : 'yellow'} role="note" mb="sm">
        {`${done.length} of ${selected.length} done`}
        {notDone.length > 0 ? `, ${notDone.length} not done` : ''}
      </Alert>
      {failure === undefined ? null : (
        <Alert color="red" mb="sm">
          {`The outcome of ${unknown} of ${selected.length} is unknown: ${errorMessage(failure)} They stay selected. Try again: submissions already done are refused.`}
        </Alert>
      )}
      <SimpleTable
        label="Results"
        maxHeight={320}
        heads={['Reference', 'Result', '', 'ID']}
        rows={[...notDone, ...done].map((result) => [
          <Mono key="reference">{visible(references.get(result.submissionId) ?? '')}</Mono>,
          <Badge key="result" color={isDone(result) ? 'green' : 'red'}>
            {isDone(result) ? 'Done' : 'Not done'}
          </Badge>,
          outcomeOf(result),
          <Mono key="id">{result.submissionId}</Mono>,
        ])}
      />
    </>
  );
}

function outcomeOf({ outcome }: BatchResult): string {
  if (outcome.case === 'done') return `Now ${enumLabel(StatusSchema, outcome.value.status).toLowerCase()}`;
  if (outcome.case === 'refused') return withViolations(outcome.value.message, outcome.value.violations);
  return 'Reload this page: it is older than the service.';
}
