import { Alert } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import type { BatchResult } from '@supplier/proto/submission/v1/staff_batches';
import { errorMessage, withViolations } from '../calls.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { enumName } from '../format.ts';
import type { BatchRun } from './run-in-batches.ts';

interface BulkResultProps {
  readonly chosen: readonly ListedSubmission[];
  readonly answer: BatchRun;
}

/** The result for each submission. Failures, which need attention, come first. */
export function BulkResult({ chosen, answer: { results, failure } }: BulkResultProps) {
  const references = new Map(
    chosen.map(({ submissionId, externalReference }) => [submissionId, externalReference]),
  );
  const done = results.filter(isDone);
  const notDone = results.filter((result) => !isDone(result));
  const left = chosen.length - results.length;
  return (
    <>
      <Alert color={done.length === chosen.length ? 'green' : 'yellow'} role="note">
        {done.length} of {chosen.length} done
        {notDone.length > 0 ? `, ${notDone.length} not done` : ''}
      </Alert>
      {failure === undefined ? null : (
        <Alert color="red" role="alert">
          Of {left} of {chosen.length} it is not known whether they are done: {errorMessage(failure)} They
          stay chosen: do it again, what is done is refused.
        </Alert>
      )}
      <ScrollRegion label="Table: results" className="each">
        <table className="table" aria-label="Results">
          <thead>
            <tr>
              <th scope="col">reference</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {[...notDone, ...done].map((result) => (
              <tr key={result.submissionId}>
                <th scope="row">
                  {visible(references.get(result.submissionId) ?? '')} <small>{result.submissionId}</small>
                </th>
                <td>{outcomeOf(result)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

/** Returns whether the action was done. */
export const isDone = ({ outcome }: BatchResult): boolean => outcome.case === 'done';

function outcomeOf({ outcome }: BatchResult): string {
  if (outcome.case === 'done') return `done: ${enumName(StatusSchema, outcome.value.status)}`;
  if (outcome.case === 'refused')
    return `not done: ${withViolations(outcome.value.message, outcome.value.violations)}`;
  return 'not done, and this console does not know why: it is older than the service';
}
