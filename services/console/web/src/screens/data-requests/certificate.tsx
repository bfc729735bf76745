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
import { DATA_REQUESTS } from './data-requests-texts.ts';

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
      <Panel title={DATA_REQUESTS.certificate} query={query} empty={DATA_REQUESTS.noCertificate}>
        {(erasure) => (
          <Facts
            facts={[
              [
                DATA_REQUESTS.state,
                <span key="state" role="status">
                  <ErasureBadge state={erasure.state} />
                </span>,
              ],
              [DATA_REQUESTS.reason, enumLabel(ErasureReasonSchema, erasure.reason)],
              erasure.purpose === '' ? undefined : [DATA_REQUESTS.purpose, visible(erasure.purpose)],
              [DATA_REQUESTS.requestedBy, visible(erasure.requestedBy)],
              [DATA_REQUESTS.requested, <ExactTime key="requested" at={erasure.requestedAt} />],
              [
                DATA_REQUESTS.completed,
                erasure.completedAt ? (
                  <ExactTime key="completed" at={erasure.completedAt} />
                ) : (
                  DATA_REQUESTS.notCompleted
                ),
              ],
              [DATA_REQUESTS.id, <Mono key="id">{erasure.erasureId}</Mono>],
            ]}
          />
        )}
      </Panel>
      {query.data?.submissions.map((submission) => (
        <ErasedPanel key={submission.submissionId} submission={submission} />
      ))}
      {query.data && query.data.kept.length > 0 ? (
        <PanelFrame title={DATA_REQUESTS.kept} isFlush>
          <SimpleTable
            label={DATA_REQUESTS.kept}
            heads={[DATA_REQUESTS.keptWhat, DATA_REQUESTS.place, DATA_REQUESTS.why]}
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
      title={DATA_REQUESTS.removed(reference)}
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
          {DATA_REQUESTS.nextStep(enumLabel(ErasureStepSchema, submission.nextStep))}
          {submission.waitingFor === ''
            ? ''
            : `. ${DATA_REQUESTS.waitingFor(submission.waitingFor, formatTime(submission.waitingSince))}`}
        </Text>
      )}
      {removed.length === 0 ? null : (
        <SimpleTable
          label={DATA_REQUESTS.removed(reference)}
          heads={[
            DATA_REQUESTS.removedWhat,
            DATA_REQUESTS.place,
            DATA_REQUESTS.count,
            DATA_REQUESTS.removedAt,
          ]}
          numbers={[DATA_REQUESTS.count]}
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
