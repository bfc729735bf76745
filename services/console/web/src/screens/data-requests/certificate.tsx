import { Badge, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type ErasedSubmission,
  ErasureReasonSchema,
  ErasureState,
  ErasureStateSchema,
  ErasureStepSchema,
} from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { Mono, SubmissionLink } from '../../components/mono.tsx';
import { Panel, PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { ExactTime } from '../../components/time.tsx';
import { capitalize, enumLabel, formatTime, spaced } from '../../format.ts';
import { LIVE_MS } from '../../queries.ts';

export const ErasureBadge = ({ state }: { readonly state: ErasureState }) => (
  <Badge color={state === ErasureState.COMPLETE ? 'green' : 'amber'}>
    {enumLabel(ErasureStateSchema, state)}
  </Badge>
);

/** The progress of an erasure, and its certificate once complete. It contains no personal data. */
export function CertificatePanel({ erasureId }: { readonly erasureId: string }) {
  const query = useQuery({
    ...queryOf(PrivacyService.method.getErasure, { erasureId }),
    refetchInterval: ({ state }) => (state.data?.state === ErasureState.COMPLETE ? false : LIVE_MS),
  });
  return (
    <Stack gap="md">
      <Panel title="Erasure certificate" query={query} empty="There is no such erasure.">
        {(erasure) => (
          <Facts
            facts={[
              [
                'Status',
                <span key="state" role="status">
                  <ErasureBadge state={erasure.state} />
                </span>,
              ],
              ['Reason', enumLabel(ErasureReasonSchema, erasure.reason)],
              erasure.purpose === '' ? undefined : ['Purpose', visible(erasure.purpose)],
              ['Requested by', visible(erasure.requestedBy)],
              ['Requested', <ExactTime key="requested" at={erasure.requestedAt} />],
              [
                'Completed',
                erasure.completedAt ? <ExactTime key="completed" at={erasure.completedAt} /> : 'Not yet',
              ],
              ['ID', <Mono key="id">{erasure.erasureId}</Mono>],
            ]}
          />
        )}
      </Panel>
      {query.data?.submissions.map((submission) => (
        <ErasedPanel key={submission.submissionId} submission={submission} />
      ))}
      {query.data && query.data.kept.length > 0 ? (
        <PanelFrame title="Kept data" isFlush>
          <SimpleTable
            label="Kept data"
            heads={['Kept', 'Service', 'Reason']}
            rows={query.data.kept.map(({ place, what, why }) => [
              capitalize(what),
              capitalize(place),
              capitalize(why),
            ])}
          />
        </PanelFrame>
      ) : null}
    </Stack>
  );
}

function ErasedPanel({ submission }: { readonly submission: ErasedSubmission }) {
  const { submissionId, externalReference, environment, removed, completedAt } = submission;
  const reference = visible(externalReference);
  return (
    <PanelFrame
      title={`Removed from ${reference}`}
      isFlush
      actions={
        <>
          <EnvironmentBadge environment={environment} />
          <SubmissionLink submissionId={submissionId} />
        </>
      }
    >
      {completedAt ? null : (
        <Text size="sm" px="md" py={14}>
          {`Next: ${enumLabel(ErasureStepSchema, submission.nextStep)}`}
          {submission.waitingFor === ''
            ? ''
            : `. Waiting for ${submission.waitingFor} since ${formatTime(submission.waitingSince)}`}
        </Text>
      )}
      {removed.length === 0 ? null : (
        <SimpleTable
          label={`Removed from ${reference}`}
          heads={['Removed', 'Service', 'Count', 'Time']}
          numbers={['Count']}
          rows={removed.map(({ place, kind, what, count, removedAt }) => [
            capitalize(what === '' ? spaced(kind) : what),
            capitalize(place),
            String(count),
            <ExactTime key="time" at={removedAt} />,
          ])}
        />
      )}
    </PanelFrame>
  );
}
