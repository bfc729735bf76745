import { visible } from '@supplier/lib/text/visible';
import {
  type ErasedSubmission,
  ErasureReasonSchema,
  ErasureState,
  ErasureStateSchema,
  ErasureStepSchema,
} from '@supplier/proto/submission/v1/erasures';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { people } from '../calls.ts';
import { LIVE_MS } from '../queries.ts';
import { timeOf, wordOf } from '../words.ts';
import { EnvironmentMark } from './marks.tsx';
import { Part } from './part.tsx';
import { Scrolled } from './scrolled.tsx';

/** Shows the progress of an erasure, and its certificate once complete. It contains no personal data. */
export function CertificatePart({ erasureId }: { readonly erasureId: string }) {
  const query = useQuery({
    queryKey: ['erasure', erasureId],
    queryFn: ({ signal }) => people.getErasure({ erasureId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === ErasureState.COMPLETE ? false : LIVE_MS),
  });
  return (
    <Part title="Certificate of an erasure" query={query} nothing="There is no such erasure.">
      {(erasure) => (
        <>
          <dl className="facts">
            <dt>id</dt>
            <dd>{erasure.erasureId}</dd>
            <dt>state</dt>
            <dd>
              <strong role="status">{wordOf(ErasureStateSchema, erasure.state)}</strong>
            </dd>
            <dt>because of</dt>
            <dd>
              {wordOf(ErasureReasonSchema, erasure.reason)}
              {erasure.purpose === '' ? '' : `: ${erasure.purpose}`}
            </dd>
            <dt>asked for</dt>
            <dd>
              {timeOf(erasure.requestedAt)} by {erasure.requestedBy}
            </dd>
            <dt>complete</dt>
            <dd>{timeOf(erasure.completedAt)}</dd>
          </dl>
          {erasure.submissions.map((submission) => (
            <Erased key={submission.submissionId} submission={submission} />
          ))}
          {erasure.kept.length === 0 ? null : (
            <>
              <h3>What stays, and why</h3>
              <ul>
                {erasure.kept.map(({ place, what, why }) => (
                  <li key={`${place} ${what}`}>
                    {place}: {what}. {why}
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Part>
  );
}

const Erased = ({ submission }: { readonly submission: ErasedSubmission }) => {
  const { submissionId, externalReference, environment, removed, completedAt } = submission;
  return (
    <>
      <h3>
        <EnvironmentMark environment={environment} /> {visible(externalReference)}{' '}
        <Link to="/submissions/$submissionId" params={{ submissionId }}>
          {submissionId}
        </Link>
      </h3>
      {completedAt ? null : (
        <p>
          Next: {wordOf(ErasureStepSchema, submission.nextStep)}
          {submission.waitingFor === ''
            ? ''
            : `, which waits since ${timeOf(submission.waitingSince)} for ${submission.waitingFor}`}
        </p>
      )}
      {removed.length === 0 ? null : (
        <Scrolled label={`Table: removed of ${externalReference}`}>
          <table className="bp6-html-table bp6-compact" aria-label={`Removed of ${externalReference}`}>
            <thead>
              <tr>
                <th scope="col">what</th>
                <th scope="col">where</th>
                <th scope="col">how many</th>
                <th scope="col">when</th>
              </tr>
            </thead>
            <tbody>
              {removed.map(({ place, kind, what, count, removedAt }) => (
                <tr key={`${place} ${kind}`}>
                  <th scope="row">{what === '' ? kind : what}</th>
                  <td>{place}</td>
                  <td>{String(count)}</td>
                  <td>{timeOf(removedAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
    </>
  );
};
