import { Callout } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import type { BatchResult } from '@supplier/proto/submission/v1/staff_batches';
import { sentenceOf, withFaults } from '../calls.ts';
import { Scrolled } from '../parts/scrolled.tsx';
import { wordOf } from '../words.ts';
import type { BatchAnswer } from './in-slices.ts';

interface AnswerOfSeveralProps {
  readonly chosen: readonly ListedSubmission[];
  readonly answer: BatchAnswer;
}

/** The result for each submission. Failures, which need attention, come first. */
export function AnswerOfSeveral({ chosen, answer: { results, failure } }: AnswerOfSeveralProps) {
  const references = new Map(
    chosen.map(({ submissionId, externalReference }) => [submissionId, externalReference]),
  );
  const done = results.filter(isDone);
  const notDone = results.filter((result) => !isDone(result));
  const left = chosen.length - results.length;
  return (
    <>
      <Callout intent={done.length === chosen.length ? 'success' : 'warning'}>
        {done.length} of {chosen.length} done
        {notDone.length > 0 ? `, ${notDone.length} not done` : ''}
      </Callout>
      {failure === undefined ? null : (
        <Callout intent="danger" role="alert">
          Of {left} of {chosen.length} it is not known whether they are done: {sentenceOf(failure)} They stay
          chosen: do it again, what is done is refused.
        </Callout>
      )}
      <Scrolled label="Table: what became of each" className="each">
        <table className="bp6-html-table bp6-compact" aria-label="What became of each">
          <thead>
            <tr>
              <th scope="col">reference</th>
              <th scope="col">what became of it</th>
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
      </Scrolled>
    </>
  );
}

/** Returns whether the action was done. */
export const isDone = ({ outcome }: BatchResult): boolean => outcome.case === 'done';

function outcomeOf({ outcome }: BatchResult): string {
  if (outcome.case === 'done') return `done: ${wordOf(StatusSchema, outcome.value.status)}`;
  if (outcome.case === 'refused')
    return `not done: ${withFaults(outcome.value.message, outcome.value.violations)}`;
  return 'not done, and this console does not know why: it is older than the service';
}
