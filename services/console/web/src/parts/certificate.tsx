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
import { Panel } from '../components/panel.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { enumName, formatTime } from '../format.ts';
import { LIVE_MS } from '../queries.ts';

/** Shows the progress of an erasure, and its certificate once complete. It contains no personal data. */
export function CertificatePanel({ erasureId }: { readonly erasureId: string }) {
  const query = useQuery({
    queryKey: ['erasure', erasureId],
    queryFn: ({ signal }) => people.getErasure({ erasureId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === ErasureState.COMPLETE ? false : LIVE_MS),
  });
  return (
    <Panel title="Erasure certificate" query={query} empty="This erasure does not exist.">
      {(erasure) => (
        <>
          <dl className="facts">
            <dt>id</dt>
            <dd>{erasure.erasureId}</dd>
            <dt>state</dt>
            <dd>
              <strong role="status">{enumName(ErasureStateSchema, erasure.state)}</strong>
            </dd>
            <dt>because of</dt>
            <dd>
              {enumName(ErasureReasonSchema, erasure.reason)}
              {erasure.purpose === '' ? '' : `: ${erasure.purpose}`}
            </dd>
            <dt>asked for</dt>
            <dd>
              {formatTime(erasure.requestedAt)} by {erasure.requestedBy}
            </dd>
            <dt>complete</dt>
            <dd>{formatTime(erasure.completedAt)}</dd>
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
    </Panel>
  );
}

const Erased = ({ submission }: { readonly submission: ErasedSubmission }) => {
  const { submissionId, externalReference, environment, removed, completedAt } = submission;
  return (
    <>
      <h3>
        <EnvironmentBadge environment={environment} /> {visible(externalReference)}{' '}
        <Link to="/submissions/$submissionId" params={{ submissionId }}>
          {submissionId}
        </Link>
      </h3>
      {completedAt ? null : (
        <p>
          Next: {enumName(ErasureStepSchema, submission.nextStep)}
          {submission.waitingFor === ''
            ? ''
            : `, waiting for ${submission.waitingFor} since ${formatTime(submission.waitingSince)}`}
        </p>
      )}
      {removed.length === 0 ? null : (
        <ScrollRegion label={`Table: removed of ${externalReference}`}>
          <table className="table" aria-label={`Removed of ${externalReference}`}>
            <thead>
              <tr>
                <th scope="col">what</th>
                <th scope="col">where</th>
                <th scope="col">count</th>
                <th scope="col">when</th>
              </tr>
            </thead>
            <tbody>
              {removed.map(({ place, kind, what, count, removedAt }) => (
                <tr key={`${place} ${kind}`}>
                  <th scope="row">{what === '' ? kind : what}</th>
                  <td>{place}</td>
                  <td>{String(count)}</td>
                  <td>{formatTime(removedAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </>
  );
};
